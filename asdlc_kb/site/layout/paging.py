"""Pagination of long lists, with addresses that a static build can have too.

Also the previous and next item of each item of a list.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from asdlc_kb.site.layout.frame import Link
from asdlc_kb.site.layout.texts import Texts

MAX_PART_ENTRIES: Final = 100
"""Entries of one page of a list."""

_NEARBY: Final = 2
"""Linked pages before and after the current one, besides the first and the last."""
_NUMBERED = re.compile(r"(/.*)/page/([1-9][0-9]{0,5})")

T = TypeVar("T")

Neighbours: TypeAlias = Mapping[str, tuple[T | None, T | None]]
"""The previous and the next item of each item by key; None beyond either end."""


@dataclass(frozen=True, slots=True)
class ListPart(Generic[T]):
    """One page of a list."""

    entries: Sequence[T]
    where: str
    """The address of the list, which is that of its first page."""
    number: int
    """Counted from 1."""
    count: int
    """Number of pages."""
    total: int
    """Number of entries in the whole list."""

    @property
    def path(self) -> str:
        """The address of this page."""
        return part_address(self.where, self.number)

    @property
    def before(self) -> str:
        """The address of the previous page; empty for the first."""
        return part_address(self.where, self.number - 1) if self.number > 1 else ""

    @property
    def after(self) -> str:
        """The address of the next page; empty for the last."""
        return (
            part_address(self.where, self.number + 1)
            if self.number < self.count
            else ""
        )

    @property
    def links(self) -> Iterator[Link | None]:
        """Yield links to the first, last and nearest pages; None for a gap."""
        last = 0
        for number in range(1, self.count + 1):
            is_near = abs(number - self.number) <= _NEARBY
            if is_near or number in (1, self.count):
                if number - last > 1:
                    yield None
                yield Link(part_address(self.where, number), str(number))
                last = number

    def page_title(self, title: str, text: Texts) -> str:
        """Return the title with the page's number, so that it is unique."""
        if self.number == 1:
            return title
        return f"{title}, {text('page {number}', number=self.number)}"


def paginate(
    entries: Sequence[T],
    where: str,
    number: int = 1,
    *,
    page_size: int = MAX_PART_ENTRIES,
) -> ListPart[T]:
    """Return a page of a list by number; the first always exists.

    Raises IndexError for a number that no page has.
    """
    count = _count_parts(len(entries), page_size)
    if not 1 <= number <= count:
        raise IndexError(number)
    start = (number - 1) * page_size
    chosen = entries[start : start + page_size]
    return ListPart(chosen, where, number, count, len(entries))


def number_parts(
    where: str, total: int, *, page_size: int = MAX_PART_ENTRIES
) -> dict[str, int]:
    """Return the number of each page of a list with `total` entries, by address."""
    numbers = range(1, _count_parts(total, page_size) + 1)
    return {part_address(where, number): number for number in numbers}


def _count_parts(total: int, page_size: int) -> int:
    return max(1, -(-total // page_size))


def part_address(where: str, number: int) -> str:
    """Return the address of a page of a list."""
    return where if number == 1 else f"{where.rstrip('/')}/page/{number}"


def is_part(path: str, where: str) -> bool:
    """Whether an address is that of a page of a list, if the list were long enough."""
    match = _NUMBERED.fullmatch(path)
    if match is None:
        return path == where
    # The first page has only the address of the list.
    return where in (match[1], f"{match[1]}/") and int(match[2]) > 1


def find_neighbours(items: Sequence[T], key: Callable[[T], str]) -> Neighbours[T]:
    """Return the neighbours of each item."""
    padded = (None, *items, None)
    return {
        key(item): (before, after)
        for before, item, after in zip(padded, items, padded[2:], strict=False)
    }
