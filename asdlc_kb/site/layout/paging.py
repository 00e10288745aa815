"""Pagination of long lists, with addresses that a static build can have too."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from asdlc_kb.site.layout.frame import Link

MAX_PART_ENTRIES: Final = 100
"""Entries of one page of a list."""

_NEARBY: Final = 2
"""Linked pages before and after the current one, besides the first and the last."""
_NUMBERED = re.compile(r"(/.*)/page/([1-9][0-9]{0,5})")

T = TypeVar("T")


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

    def page_title(self, title: str) -> str:
        """Return the title with the page's number, so that it is unique."""
        return title if self.number == 1 else f"{title}, page {self.number}"


def paginate(
    entries: Sequence[T],
    where: str,
    number: int = 1,
    *,
    page_size: int = MAX_PART_ENTRIES,
) -> ListPart[T] | None:
    """Return a page of a list by number, or None; the first always exists."""
    count = _count_parts(len(entries), page_size)
    if not 1 <= number <= count:
        return None
    start = (number - 1) * page_size
    chosen = entries[start : start + page_size]
    return ListPart(chosen, where, number, count, len(entries))


def list_parts(
    where: str, total: int, *, page_size: int = MAX_PART_ENTRIES
) -> Iterator[str]:
    """Yield the addresses of the pages of a list with `total` entries."""
    for number in range(1, _count_parts(total, page_size) + 1):
        yield part_address(where, number)


def _count_parts(total: int, page_size: int) -> int:
    return max(1, -(-total // page_size))


def part_address(where: str, number: int) -> str:
    """Return the address of a page of a list."""
    return where if number == 1 else f"{where.rstrip('/')}/page/{number}"


def parse_part(path: str) -> tuple[tuple[str, ...], int]:
    """Return the lists that an address may be a page of, and the page's number."""
    match = _NUMBERED.fullmatch(path)
    if match is None:
        return (path,), 1
    where, number = match[1], int(match[2])
    # The first page has only the address of the list.
    return ((where, f"{where}/"), number) if number > 1 else ((), 1)
