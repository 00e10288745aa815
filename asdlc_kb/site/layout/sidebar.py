"""The sidebar of a page: whole, or if it is long, expanded at the page's ancestors."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Final

import msgspec
from msgspec.structs import replace

MAX_ENTRIES: Final = 200
"""Entries of a sidebar that is shown as a whole."""
MAX_SIBLINGS: Final = 100
"""Entries shown with the same parent, in a longer sidebar."""


class SidebarEntry(msgspec.Struct, frozen=True, gc=False):
    """A line of the rendered sidebar."""

    title: str
    address: str
    depth: int
    is_external: bool = False
    is_group: bool = False
    """Whether it has no page and links to the first page below it."""
    is_collapsed: bool = False
    """Whether entries below it are not shown."""


class Sidebar:
    """The entries of a sidebar, with their places: a page costs its own part only."""

    def __init__(self, entries: Iterable[SidebarEntry]) -> None:
        self.entries: tuple[SidebarEntry, ...] = tuple(entries)
        self._parents = array("i")
        """The number of each entry's parent, or -1."""
        self._ends = array("i", [len(self.entries)]) * len(self.entries)
        """The number of the first entry that is not below each one."""
        above: list[int] = []
        for number, entry in enumerate(self.entries):
            while above and self.entries[above[-1]].depth >= entry.depth:
                self._ends[above.pop()] = number
            self._parents.append(above[-1] if above else -1)
            above.append(number)

    def fold(self, current: str) -> Sequence[SidebarEntry]:
        """Return the entries shown on the page at an address.

        Of a long sidebar: the page's ancestors, their siblings, and the page's
        children. A collapsed group links to its first page, a gap to the next one that
        is left out.
        """
        entries = self.entries
        if len(entries) <= MAX_ENTRIES:
            return entries
        ancestors = set(self._find_ancestors(current))
        shown: list[tuple[int, SidebarEntry]] = []
        for parent in ancestors:
            shown.extend(_cut(entries, tuple(self._list_children(parent)), ancestors))
        return tuple(
            self._collapse(number, entry)
            if entry is entries[number] and number not in ancestors
            else _link_first_page(entries, number, entry)
            for number, entry in sorted(shown, key=itemgetter(0))
        )

    def list_ancestors(self, current: str) -> tuple[SidebarEntry, ...]:
        """Return the entries above the page at an address, from the top; groups too."""
        *above, _ = self._find_ancestors(current)
        return tuple(self.entries[number] for number in reversed(above[1:]))

    def _collapse(self, number: int, entry: SidebarEntry) -> SidebarEntry:
        """Return an entry without those below it."""
        if self._ends[number] == number + 1:
            return entry
        linked = _link_first_page(self.entries, number, entry)
        return replace(linked, is_collapsed=True)

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        """The number of the first entry with each address."""
        numbers: dict[str, int] = {}
        for number, entry in enumerate(self.entries):
            numbers.setdefault(entry.address, number)
        return numbers

    def _find_ancestors(self, current: str) -> Iterator[int]:
        """Yield the number of a page's entry, if any, and of its ancestors, then -1."""
        number = self._numbers.get(current, -1)
        while number >= 0:
            yield number
            number = self._parents[number]
        yield -1

    def _list_children(self, parent: int) -> Iterator[int]:
        number = parent + 1
        end = self._ends[parent] if parent >= 0 else len(self.entries)
        while number < end:
            yield number
            number = self._ends[number]


def _cut(
    entries: Sequence[SidebarEntry], row: Sequence[int], ancestors: set[int]
) -> Iterator[tuple[int, SidebarEntry]]:
    """Yield siblings; of many only those around the page or its ancestor."""
    at = next((place for place, number in enumerate(row) if number in ancestors), 0)
    start = max(0, min(at - MAX_SIBLINGS // 2, len(row) - MAX_SIBLINGS))
    chosen = row[start : start + MAX_SIBLINGS]
    end = start + len(chosen)
    if start > 0:
        yield chosen[0], _link_gap(entries, row[start - 1])
    yield from ((number, entries[number]) for number in chosen)
    if end < len(row):
        yield chosen[-1], _link_gap(entries, row[end])


def _link_gap(entries: Sequence[SidebarEntry], number: int) -> SidebarEntry:
    """Return the entry that stands for omitted siblings, linked to the nearest one."""
    nearest = _link_first_page(entries, number, entries[number])
    address = "" if nearest.is_external else nearest.address
    return SidebarEntry("…", address, nearest.depth, is_group=True)


def _link_first_page(
    entries: Sequence[SidebarEntry], number: int, entry: SidebarEntry
) -> SidebarEntry:
    """Return an entry, linked to the first page below it if it has no page."""
    if entry.address or entry is not entries[number]:
        return entry
    for place in range(number + 1, len(entries)):
        below = entries[place]
        if below.depth <= entry.depth:
            break
        if below.address and not below.is_external:
            return replace(entry, address=below.address, is_group=True)
    return entry
