"""Frontmatter in TOML, between lines of `+++`, as some site generators have it."""

import re
import tomllib
from typing import Any, Final

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.nodes import MAX_DEPTH, Mapping, Scalar, Sequence, Value
from asdlc_kb.frontmatter.parser import Parts, check_size, unclosed_error

_OPEN = re.compile(r"\+\+\+[ \t]*\n")
_CLOSE = re.compile(r"^\+\+\+[ \t]*(?:\n|\Z)", re.MULTILINE)

_FIRST: Final = 2
"""The line of the file on which the frontmatter begins: values have no other place."""


def split_toml(text: str) -> Parts:
    """Cut a document at its fences; raise FrontmatterUnclosed if they do not close."""
    opened = _OPEN.match(text)
    if opened is None:
        return Parts(None, text)
    closed = _CLOSE.search(text, opened.end())
    if closed is None:
        raise unclosed_error("+++")
    return Parts(text[opened.end() : closed.start()], text[closed.end() :])


def parse_toml(frontmatter: str) -> Mapping:
    """Return the values of a frontmatter; raise FrontmatterError."""
    check_size(len(frontmatter.encode("utf-8", "surrogatepass")))
    try:
        return make_mapping(tomllib.loads(frontmatter), _FIRST)
    except (ValueError, RecursionError):
        message = "frontmatter is not TOML: mend it, or write it as YAML"
        raise FrontmatterError(message, _FIRST, 1) from None


def make_mapping(table: dict[str, Any], line: int) -> Mapping:
    """Return what a parser read, as texts that all have the place of the whole.

    Raises FrontmatterError for more than `MAX_DEPTH` levels.
    """
    value = _value(table, line, 0)
    assert isinstance(value, Mapping)
    return value


def _value(item: Any, line: int, depth: int) -> Value:
    if isinstance(item, dict | list):
        if depth == MAX_DEPTH:
            message = f"frontmatter has more than {MAX_DEPTH} levels: make it flatter"
            raise FrontmatterError(message, line, 1)
        if isinstance(item, list):
            values = (_value(each, line, depth + 1) for each in item)
            return Sequence(tuple(values), line, 1)
        pairs = {key: _value(each, line, depth + 1) for key, each in item.items()}
        return Mapping(pairs, line, 1)
    if item is None:
        return Scalar("", True, line, 1)
    text = str(item).lower() if isinstance(item, bool) else str(item)
    return Scalar(text, False, line, 1)
