"""Frontmatter in TOML, between lines of `+++`, as some site generators have it."""

import re
import tomllib
from typing import Any, Final

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.files.frontmatter import LARGEST, Parts
from asdlc_kb.files.values import Mapping, Scalar, Sequence, Value

_OPEN = re.compile(r"\+\+\+[ \t]*\n")
_CLOSE = re.compile(r"^\+\+\+[ \t]*(?:\n|\Z)", re.MULTILINE)

_FIRST: Final = 2
"""The line of the file on which the frontmatter begins: values have no other place."""


def split_toml(text: str) -> Parts:
    """Cut a document at its fences; without both of them it has no frontmatter."""
    opened = _OPEN.match(text)
    closed = _CLOSE.search(text, opened.end()) if opened else None
    if opened is None or closed is None:
        return Parts(None, text)
    return Parts(text[opened.end() : closed.start()], text[closed.end() :])


def parse_toml(frontmatter: str) -> Mapping:
    """Return the values of a frontmatter; raise FrontmatterError."""
    if len(frontmatter.encode("utf-8", "surrogatepass")) > LARGEST:
        message = f"frontmatter is larger than {LARGEST:,} bytes: move text to the body"
        raise FrontmatterError(message, 1, 1)
    try:
        return _mapping(tomllib.loads(frontmatter))
    except (ValueError, RecursionError):
        message = "frontmatter is not TOML: mend it, or write it as YAML"
        raise FrontmatterError(message, _FIRST, 1) from None


def _mapping(table: dict[str, Any]) -> Mapping:
    return Mapping({key: _value(item) for key, item in table.items()}, _FIRST, 1)


def _value(item: Any) -> Value:
    if isinstance(item, dict):
        return _mapping(item)
    if isinstance(item, list):
        return Sequence(tuple(map(_value, item)), _FIRST, 1)
    text = str(item).lower() if isinstance(item, bool) else str(item)
    return Scalar(text, False, _FIRST, 1)
