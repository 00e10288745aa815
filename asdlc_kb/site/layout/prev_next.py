"""What stands before and after each thing of a list, worked out for all at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def find_neighbours(
    items: Sequence[T], key: Callable[[T], str]
) -> Mapping[str, tuple[T | None, T | None]]:
    """Return the neighbours of each item by its key; None beyond either end."""
    padded = (None, *items, None)
    return {
        key(item): (before, after)
        for before, item, after in zip(padded, items, padded[2:], strict=False)
    }
