"""Long lists in parts, each at an address that files have too."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from asdlc_kb.site.layout.frame import Link

MAX_PART_ENTRIES: Final = 100
"""Entries of one part."""

_BESIDE: Final = 2
"""How many parts before and after one are linked to, beside the first and the last."""
_NUMBERED = re.compile(r"(/.*)/page/([1-9][0-9]{0,5})")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ListPart(Generic[T]):
    """One part of a list that is at an address."""

    entries: Sequence[T]
    where: str
    """The address of the whole list, which is that of its first part."""
    number: int
    """Counted from 1."""
    count: int
    """Of parts."""
    total: int
    """Of entries."""

    @property
    def path(self) -> str:
        """Where this part is."""
        return part_address(self.where, self.number)

    @property
    def before(self) -> str:
        """Where the part before is; empty for the first."""
        return part_address(self.where, self.number - 1) if self.number > 1 else ""

    @property
    def after(self) -> str:
        """Where the part after is; empty for the last."""
        return (
            part_address(self.where, self.number + 1)
            if self.number < self.count
            else ""
        )

    @property
    def links(self) -> Iterator[Link | None]:
        """Yield the first, the last and the nearest parts; None for what is between."""
        last = 0
        for number in range(1, self.count + 1):
            is_near = abs(number - self.number) <= _BESIDE
            if is_near or number in (1, self.count):
                if number - last > 1:
                    yield None
                yield Link(part_address(self.where, number), str(number))
                last = number

    def entitle(self, title: str) -> str:
        """Return a title that no other part has."""
        return title if self.number == 1 else f"{title}, page {self.number}"


def paginate(
    entries: Sequence[T], where: str, number: int = 1, *, most: int = MAX_PART_ENTRIES
) -> ListPart[T] | None:
    """Return a part of a list by its number, if there is one; the first always is."""
    count = _count_parts(len(entries), most)
    if not 1 <= number <= count:
        return None
    start = (number - 1) * most
    chosen = entries[start : start + most]
    return ListPart(chosen, where, number, count, len(entries))


def list_parts(
    where: str, total: int, *, most: int = MAX_PART_ENTRIES
) -> Iterator[str]:
    """Yield the addresses of the parts of a list that has so many entries."""
    for number in range(1, _count_parts(total, most) + 1):
        yield part_address(where, number)


def _count_parts(total: int, most: int) -> int:
    return max(1, -(-total // most))


def part_address(where: str, number: int) -> str:
    """Return the address of a part."""
    return where if number == 1 else f"{where.rstrip('/')}/page/{number}"


def parse_part(path: str) -> tuple[tuple[str, ...], int]:
    """Return the lists that an address may be a part of, and the part's number."""
    match = _NUMBERED.fullmatch(path)
    if match is None:
        return (path,), 1
    where, number = match[1], int(match[2])
    # The first part is at the address of the list alone.
    return ((where, f"{where}/"), number) if number > 1 else ((), 1)
