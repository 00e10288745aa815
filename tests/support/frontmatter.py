"""Frontmatter values as plain Python ones, for tests to compare."""

from typing import TypeAlias

from asdlc_kb.frontmatter.nodes import Mapping, Scalar, Sequence

Plain: TypeAlias = "str | list[Plain] | dict[str, Plain]"


def plain(value: Scalar | Sequence | Mapping) -> Plain:
    """Return a value without positions."""
    if isinstance(value, Scalar):
        return value.text
    if isinstance(value, Sequence):
        return [plain(item) for item in value.items]
    return {key: plain(item) for key, item in value.items.items()}
