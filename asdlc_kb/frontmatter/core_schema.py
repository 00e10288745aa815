"""Frontmatter as JSON data, with the types of YAML's core schema."""

import math
import re
from typing import Final, TypeAlias

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.nodes import Scalar, Sequence, Value
from asdlc_kb.frontmatter.parser import parse, split

JsonData: TypeAlias = (
    "str | bool | int | float | list[JsonData] | dict[str, JsonData] | None"
)

_QUOTES: Final = frozenset("\"'|>")
"""First characters of a YAML scalar that is not plain."""

_TRUTHS: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}")
_BASED: Final = re.compile(r"0(?:o[0-7]{1,16}|x[0-9a-fA-F]{1,13})")
_FLOAT: Final = re.compile(
    r"[-+]?(?:\.[0-9]{1,40}|[0-9]{1,40}(?:\.[0-9]{0,40})?)(?:[eE][-+]?[0-9]{1,3})?"
)
"""Numbers of YAML's core schema that every JSON parser can represent."""


def read_data(source: str) -> dict[str, JsonData] | None:
    """Return a frontmatter as data, or None if strict YAML reads none.

    Plain scalars are resolved by YAML's core schema: numbers, booleans, null.
    """
    try:
        frontmatter = split(source).frontmatter
        if frontmatter is None:
            return None
        fields = parse(frontmatter).items
    except FrontmatterError:
        return None
    lines = source.split("\n")
    return {key: _convert(value, lines) for key, value in fields.items()}


def _convert(value: Value, lines: list[str]) -> JsonData:
    if isinstance(value, Scalar):
        if value.is_null:
            return None
        first = lines[value.line - 1][value.column - 1 : value.column]
        return value.text if first in _QUOTES else _resolve(value.text)
    if isinstance(value, Sequence):
        return [_convert(item, lines) for item in value.items]
    return {name: _convert(item, lines) for name, item in value.items.items()}


def _resolve(plain: str) -> JsonData:
    """Return the value of a plain scalar."""
    if plain in _TRUTHS:
        return _TRUTHS[plain]
    if _INTEGER.fullmatch(plain):
        return int(plain)
    if _BASED.fullmatch(plain):
        return int(plain, 0)
    number = float(plain) if _FLOAT.fullmatch(plain) else math.inf
    return number if math.isfinite(number) else plain
