"""The sidebar beside a page: whole, or, if it is long, open on the way to the page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

MAX_ENTRIES: Final = 200
"""Entries of a sidebar that is shown whole."""
MAX_SIBLINGS: Final = 100
"""Entries that are shown of those which stand below one other, in a longer sidebar."""


@dataclass(frozen=True, slots=True)
class SidebarEntry:
    """A line of the sidebar as it is shown."""

    title: str
    address: str
    depth: int
    is_external: bool = False
    is_group: bool = False
    """Whether it leads to the first page of what is below it, having none itself."""


def fold_sidebar(
    entries: Sequence[SidebarEntry], current: str
) -> Sequence[SidebarEntry]:
    """Return what is shown beside the page at an address.

    Of a long sidebar that is what leads to the page, what stands beside that, and what
    is below the page. A group that is closed leads to the first page in it.
    """
    if len(entries) <= MAX_ENTRIES:
        return entries
    parents = tuple(_find_parents(entries))
    way = set(_find_way(entries, parents, current))
    rows: dict[int, list[int]] = {}
    for number, parent in enumerate(parents):
        if parent in way:
            rows.setdefault(parent, []).append(number)
    shown: list[tuple[int, SidebarEntry]] = []
    for row in rows.values():
        shown.extend(_cut(entries, row, way))
    return tuple(
        _lead(entries, number, entry)
        for number, entry in sorted(shown, key=lambda pair: pair[0])
    )


def _find_parents(entries: Sequence[SidebarEntry]) -> Iterator[int]:
    """Yield what each entry is below: its place in the list, or -1."""
    above: list[int] = []
    for number, entry in enumerate(entries):
        while above and entries[above[-1]].depth >= entry.depth:
            above.pop()
        yield above[-1] if above else -1
        above.append(number)


def _find_way(
    entries: Sequence[SidebarEntry], parents: Sequence[int], current: str
) -> Iterator[int]:
    """Yield the entry of a page, if there is one, and all that it is below."""
    places = (n for n, entry in enumerate(entries) if entry.address == current)
    number = next(places, -1)
    while number >= 0:
        yield number
        number = parents[number]
    yield -1


def _cut(
    entries: Sequence[SidebarEntry], row: Sequence[int], way: set[int]
) -> Iterator[tuple[int, SidebarEntry]]:
    """Yield entries that stand beside each other, or those around the way."""
    at = next((place for place, number in enumerate(row) if number in way), 0)
    start = max(0, min(at - MAX_SIBLINGS // 2, len(row) - MAX_SIBLINGS))
    chosen = row[start : start + MAX_SIBLINGS]
    gap = SidebarEntry("…", "", entries[row[0]].depth)
    if start > 0:
        yield chosen[0], gap
    yield from ((number, entries[number]) for number in chosen)
    if start + MAX_SIBLINGS < len(row):
        yield chosen[-1], gap


def _lead(
    entries: Sequence[SidebarEntry], number: int, entry: SidebarEntry
) -> SidebarEntry:
    """Return an entry that leads to the first page below it if it has none itself."""
    if entry.address or entry is not entries[number]:
        return entry
    for below in entries[number + 1 :]:
        if below.depth <= entry.depth:
            break
        if below.address and not below.is_external:
            return replace(entry, address=below.address, is_group=True)
    return entry
