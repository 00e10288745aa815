"""What frontmatter is made of: texts as they were written, with their places."""

from typing import Final, NamedTuple, TypeAlias

MAX_DEPTH: Final = 8
"""Levels of lists and mappings, whatever language they are written in."""

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})


class Scalar(NamedTuple):
    """A value as it was written. Lines and columns count from 1, in the file."""

    text: str
    is_null: bool
    line: int
    column: int


class Sequence(NamedTuple):
    """A list of values."""

    items: "tuple[Value, ...]"
    line: int
    column: int


class Mapping(NamedTuple):
    """Values by key."""

    items: "dict[str, Value]"
    line: int
    column: int


Value: TypeAlias = Scalar | Sequence | Mapping


def is_null(plain: str) -> bool:
    """Whether a text without quotes stands for nothing."""
    return plain in _NULLS
