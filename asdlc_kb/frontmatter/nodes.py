"""Frontmatter nodes: values as written, with their positions."""

from typing import Final, NamedTuple, TypeAlias

MAX_DEPTH: Final = 8
"""Levels of lists and mappings, in any format."""

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})


class Scalar(NamedTuple):
    """A value as written. Lines and columns count from 1, in the file."""

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
    """Whether an unquoted scalar is null in YAML."""
    return plain in _NULLS
