"""Arguments as models write them, converted to what the published schemas say.

Models fill optional parameters with "", quote numbers, and use the parameter names of
other servers. The schemas stay strict: nothing of this is in them. What cannot be
converted is left as it is, for the check to reject.
"""

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

ALIASES: Final[Mapping[str, frozenset[str]]] = {
    parameter: frozenset(aliases.split())
    for parameter, aliases in {
        "category": "folder group section source",
        "cursor": "after next nextcursor pagetoken nextpagetoken",
        "detail": "detaillevel verbosity",
        "domain": "id name path slug spec specname specification uri",
        "format": "outputformat responseformat",
        "id": "docid document documentid name path slug uri url",
        "include_content": "includetext withcontent",
        "limit": "count k max maxresults n numresults pagesize size top topk topn",
        "max_chars": "maxcharacters maxlength",
        "mode": "searchmode",
        "name": (
            "command commandname id path rule rulename skill skillname slug title uri"
        ),
        "path": (
            "doc document file filename filepath id name page pagepath slug title "
            "uri url"
        ),
        "projectPath": (
            "project projectid projectkey projectname projectroot root workspace"
        ),
        "query": (
            "keyword keywords q question queries search searchquery searchterm term "
            "text topic"
        ),
        "sections": "anchor anchors heading headings section",
        "slug": (
            "article articleid articlename articleslug id key name path title uri url"
        ),
        "task": "goal description",
        "topic": "q query question search subject",
    }.items()
}
"""Other names of parameters of tools and prompts, without case, hyphens, underscores.

An alias counts only where no parameter of the tool has that very name.
"""

_MAX_PARAMETERS: Final = 256
"""Maximum number of parameters with cached spellings, more than all tools have."""

_FREE_TEXT: Final = frozenset({"query", "task", "topic"})
"""Parameters whose leading and trailing blanks mean nothing."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,16}(?:\.0{1,16})?")
_BOOLEANS: Final = {"true": True, "false": False}
_ABSENT: Final = (None, "")


def fold_parameter(name: str) -> str:
    """Return a parameter's name without case, hyphens and underscores."""
    return name.replace("_", "").replace("-", "").casefold()


def is_alias(name: str, parameter: str) -> bool:
    """Whether a name is another spelling or an alias of a parameter."""
    return fold_parameter(name) in _fold_spellings(parameter)


@lru_cache(_MAX_PARAMETERS)
def _fold_spellings(parameter: str) -> frozenset[str]:
    """Return the folded name and aliases of a tool's parameter."""
    return frozenset({fold_parameter(parameter), *ALIASES.get(parameter, ())})


def read_argument(arguments: Mapping[str, Any], parameter: str) -> object:
    """Return an unchecked argument by its name or an alias; None if it is absent."""
    value = arguments.get(parameter)
    if value in _ABSENT:
        for name, given in arguments.items():
            if given not in _ABSENT and is_alias(name, parameter):
                return given
    return value


def rename_arguments(
    arguments: Mapping[str, Any], parameters: Collection[str]
) -> dict[str, Any]:
    """Return arguments by the names of a tool's parameters.

    An alias that is absent is dropped. Another one is kept as it is, and so is unknown,
    if the parameter is given too.
    """
    renamed = {name: value for name, value in arguments.items() if name in parameters}
    for name, value in arguments.items():
        if name in parameters:
            continue
        meant = next((each for each in parameters if is_alias(name, each)), None)
        if meant is not None and value in _ABSENT:
            continue
        is_free = meant is not None and renamed.get(meant) in _ABSENT
        renamed[meant if is_free and meant else name] = value
    return renamed


def convert_arguments(
    arguments: Mapping[str, Any],
    properties: Mapping[str, Any],
    required: Collection[str],
) -> dict[str, Any]:
    """Return arguments by parameter name, each of the type in the schema if it can be.

    A null is an absent argument, and so is "" where the parameter is optional or must
    not be empty. Only free text is stripped: a name can begin with a blank.
    """
    converted = {}
    for name, value in rename_arguments(arguments, properties.keys()).items():
        schema = properties.get(name)
        if schema is None:
            converted[name] = value
            continue
        if isinstance(value, str) and name in _FREE_TEXT:
            value = value.strip()
        is_empty = value == "" and (name not in required or schema.get("minLength"))
        if value is not None and not is_empty:
            converted[name] = _convert(value, schema)
    return converted


def _convert(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return a value as the type of its schema, or as it is."""
    if isinstance(value, float) and value.is_integer():
        # As in JSON Schema: 5.0 is an integer.
        return int(value)
    if not isinstance(value, str):
        return value
    bare = value.strip()
    match schema.get("type"):
        case "integer" if _INTEGER.fullmatch(bare):
            return int(bare.partition(".")[0])
        case "boolean":
            return _BOOLEANS.get(bare.lower(), value)
        case "array":
            return _read_list(value)
    if value not in schema.get("enum", (value,)):
        folded = bare.casefold()
        return next((v for v in schema["enum"] if v.casefold() == folded), value)
    return value


def _read_list(text: str) -> list[str]:
    """Return the texts of a list in JSON, or a list of the one text."""
    if text.lstrip().startswith("["):
        try:
            return msgspec.json.decode(text, type=list[str])
        except (msgspec.DecodeError, UnicodeEncodeError):
            return [text]
    return [text]
