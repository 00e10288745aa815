"""The sidebar of a page: whole, or if it is long, expanded at the page's ancestors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

MAX_ENTRIES: Final = 200
"""Entries of a sidebar that is shown as a whole."""
MAX_SIBLINGS: Final = 100
"""Entries shown with the same parent, in a longer sidebar."""


@dataclass(frozen=True, slots=True)
class SidebarEntry:
    """A line of the rendered sidebar."""

    title: str
    address: str
    depth: int
    is_external: bool = False
    is_group: bool = False
    """Whether it has no page and links to the first page below it."""


def fold_sidebar(
    entries: Sequence[SidebarEntry], current: str
) -> Sequence[SidebarEntry]:
    """Return the entries shown on the page at an address.

    Of a long sidebar: the page's ancestors, their siblings, and the page's children.
    A collapsed group links to its first page, a gap to the next one that is left out.
    """
    if len(entries) <= MAX_ENTRIES:
        return entries
    parents = tuple(_find_parents(entries))
    ancestors = set(_find_ancestors(entries, parents, current))
    rows: dict[int, list[int]] = {}
    for number, parent in enumerate(parents):
        if parent in ancestors:
            rows.setdefault(parent, []).append(number)
    shown: list[tuple[int, SidebarEntry]] = []
    for row in rows.values():
        shown.extend(_cut(entries, row, ancestors))
    return tuple(
        _link_first_page(entries, number, entry)
        for number, entry in sorted(shown, key=lambda pair: pair[0])
    )


def list_ancestors(
    entries: Sequence[SidebarEntry], current: str
) -> tuple[SidebarEntry, ...]:
    """Return the entries above the page at an address, from the top; groups, too."""
    parents = tuple(_find_parents(entries))
    *above, _ = _find_ancestors(entries, parents, current)
    return tuple(entries[number] for number in reversed(above[1:]))


def _find_parents(entries: Sequence[SidebarEntry]) -> Iterator[int]:
    """Yield the index of each entry's parent, or -1."""
    above: list[int] = []
    for number, entry in enumerate(entries):
        while above and entries[above[-1]].depth >= entry.depth:
            above.pop()
        yield above[-1] if above else -1
        above.append(number)


def _find_ancestors(
    entries: Sequence[SidebarEntry], parents: Sequence[int], current: str
) -> Iterator[int]:
    """Yield the index of a page's entry, if any, and of its ancestors, then -1."""
    places = (n for n, entry in enumerate(entries) if entry.address == current)
    number = next(places, -1)
    while number >= 0:
        yield number
        number = parents[number]
    yield -1


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
    for below in entries[number + 1 :]:
        if below.depth <= entry.depth:
            break
        if below.address and not below.is_external:
            return replace(entry, address=below.address, is_group=True)
    return entry
