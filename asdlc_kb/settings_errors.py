"""Messages for settings that are wrong: which one, what it is not, and what to write.

Imported only when a setting is wrong.
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Final, Literal, get_args, get_origin

import msgspec
from msgspec import Meta

from asdlc_kb.settings import FIELDS, LISTS, PREFIX
from asdlc_kb.unicode.near_names import suggest_names

MAX_VALUE_CHARS: Final = 60
"""Characters of a value that a message repeats."""

_CUTOFF: Final = 0.75
"""Similarity of a suggested name: 1 is equal."""

_SECRET: Final = frozenset({"bus_url", "store"})
"""Settings with a value that a message does not repeat: it may have a password."""


def describe_unknown(names: Iterable[str], source: str) -> str | None:
    """Return the error for the first name that is no setting; None if all are known."""
    for name in names:
        if name not in FIELDS:
            near = get_close_matches(name, FIELDS, cutoff=_CUTOFF)
            return _join(f"{source}: '{_shorten(name)}' is not a setting", near)
    return None


def find_misspelt(variables: Iterable[str]) -> str | None:
    """Return the error for the first variable that is nearly that of a setting.

    Others with the prefix may belong to other programs: Kubernetes sets some.
    """
    known = [PREFIX + name.upper() for name in (*FIELDS, "config")]
    for variable in variables:
        if not variable.startswith(PREFIX) or variable in known:
            continue
        name = variable.removeprefix(PREFIX)
        ends = [each.removeprefix(PREFIX) for each in known]
        if near := get_close_matches(name, ends, cutoff=_CUTOFF):
            written = [PREFIX + each for each in near]
            return _join(f"environment: {variable} is not a setting", written)
    return None


def describe_invalid(values: Mapping[str, Any], origins: Mapping[str, str]) -> str:
    """Return the error for the first value that its setting does not accept."""
    for name, value in values.items():
        for each, kind in _list_items(name, value):
            try:
                msgspec.convert(each, kind, strict=False)
            except msgspec.ValidationError:
                where = _name_source(name, origins[name])
                return f"{where}: {_describe(name, each, kind)}"
    raise AssertionError("every value is valid")


def _list_items(name: str, value: object) -> Iterator[tuple[object, Any]]:
    """Yield a value and its type, or the items of a list and theirs."""
    kind = FIELDS[name]
    if name in LISTS and isinstance(value, list | tuple):
        (item, *_) = get_args(_drop_none(kind))
        yield from ((each, item) for each in value)
    else:
        yield value, kind


def _name_source(name: str, origin: str) -> str:
    """Return what the user wrote: the flag, the variable, or the key of the file."""
    if origin == "flag":
        return "CONTENT" if name == "content" else f"--{name.replace('_', '-')}"
    return PREFIX + name.upper() if origin == "environment" else f"{origin}: {name}"


def _describe(name: str, value: object, kind: Any) -> str:
    shown = "the value" if name in _SECRET else _quote(value)
    kind = _drop_none(kind)
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        near = get_close_matches(str(value), choices, cutoff=_CUTOFF)
        return _join(f"{shown} is not one of {', '.join(choices)}", near)
    expected, examples = _expect(name, kind)
    if isinstance(value, str) and get_origin(kind) is tuple:
        examples = f'["{_shorten(value)}"]'
    return f"{shown} is not {expected}{f'; write {examples}' if examples else ''}"


def _expect(name: str, kind: Any) -> tuple[str, str]:
    """Return what a setting accepts, and examples."""
    if name in LISTS and get_origin(kind) is tuple:
        return "a list of texts", '["ONE", "ANOTHER"]'
    meta = Meta()
    if get_origin(kind) is Annotated:
        kind, meta = get_args(kind)
    if kind is bool:
        return "a switch", "true or false"
    if kind in (int, float):
        noun = "a whole number" if kind is int else "a number"
        least = f" from {meta.ge:,}" if meta.ge is not None else ""
        return f"{noun}{least}{f' to {meta.le:,}' if meta.le is not None else ''}", ""
    expected = meta.description or "a text"
    if meta.max_length is not None:
        expected += f" of {meta.min_length} to {meta.max_length} characters"
    return expected, " or ".join(map(str, meta.examples or ()))


def _drop_none(kind: Any) -> Any:
    """Return the type of a setting that is given."""
    others = [part for part in get_args(kind) if part is not type(None)]
    is_optional = type(None) in get_args(kind)
    return others[0] if is_optional else kind


def _quote(value: object) -> str:
    return f"'{_shorten(value)}'" if isinstance(value, str) else _shorten(value)


def _shorten(value: object) -> str:
    text = str(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}…"


def _join(message: str, near: Iterable[str]) -> str:
    hint = suggest_names(tuple(near))
    return f"{message}. {hint}" if hint else message
