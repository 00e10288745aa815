"""JSON frontmatter: an object at the start of a file, as in Hugo."""

import json
import re
from typing import Any, Final, NamedTuple

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.nodes import Mapping
from asdlc_kb.frontmatter.parser import check_size, unclosed_error
from asdlc_kb.frontmatter.toml_format import make_mapping

_OPEN: Final = re.compile(r"\{[\s,]*(?:[\"'}]|[\w.$-]+\s*:)")
_BRACES: Final = re.compile(r'[{}]|"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
_AFTER: Final = re.compile(r"[ \t]*(?:\n|\Z)")


class JsonParts(NamedTuple):
    """A document split into frontmatter and body."""

    fields: Mapping
    body: str


def begins_with_json(text: str) -> bool:
    """Whether a text begins like a JSON object, not like an expression in braces."""
    return _OPEN.match(text) is not None


def read_json(text: str) -> JsonParts:
    """Parse the object at the start of a text, and return it with the text below.

    Raises FrontmatterError, also for a duplicate key, and FrontmatterUnclosed without a
    closing brace.
    """
    try:
        fields, end = _DECODER.raw_decode(text)
        size = len(json.dumps(fields, ensure_ascii=False).encode())
        if not isinstance(fields, dict):
            raise ValueError("no object")
    except (ValueError, RecursionError):
        if _is_unclosed(text):
            raise unclosed_error("}") from None
        message = "frontmatter is not JSON: fix it, or write it as YAML"
        raise FrontmatterError(message, 1, 1) from None
    after = _AFTER.match(text, end)
    if after is None:
        message = "frontmatter is followed by text: start a new line after the brace"
        raise FrontmatterError(message, 1, 1)
    check_size(size)
    return JsonParts(make_mapping(fields, 1), text[after.end() :])


def _is_unclosed(text: str) -> bool:
    """Whether the braces of an object, those in strings aside, are unbalanced."""
    depth = 0
    for match in _BRACES.finditer(text):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return False
    return True


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("duplicate key")
    return fields


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique_keys)
