"""Previous and next item of each item in a list."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def find_neighbours(
    items: Sequence[T], key: Callable[[T], str]
) -> Mapping[str, tuple[T | None, T | None]]:
    """Return (previous, next) of each item by key; None beyond either end."""
    padded = (None, *items, None)
    return {
        key(item): (before, after)
        for before, item, after in zip(padded, items, padded[2:], strict=False)
    }
