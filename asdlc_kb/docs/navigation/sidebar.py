"""The sidebar of a documentation tree: pages in groups, defined by `sidebar.md`.

A link leads to a visible page or to another site. An entry with a hidden or missing
page is left out, and its children move up.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias
from urllib.parse import urlsplit

import msgspec

from asdlc_kb.docs.links.link_resolution import PageTarget
from asdlc_kb.markup.nested_lists import MenuItem, read_menu

_ELSEWHERE: Final = frozenset({"http", "https", "mailto"})

ResolvePage: TypeAlias = Callable[[str, str], PageTarget | None]
"""Return the visible page that a link in a file leads to, or None."""


class SidebarItem(msgspec.Struct, frozen=True, gc=False):
    """An entry of a sidebar; a group if it has children."""

    title: str
    path: str | None = None
    """The path of the linked page."""
    anchor: str = ""
    href: str = ""
    """The address of a link to another site."""
    below: "tuple[SidebarItem, ...]" = ()

    def walk(self) -> "Iterator[SidebarItem]":
        """Yield the item and its descendants, in order."""
        yield self
        for item in self.below:
            yield from item.walk()

    def paths(self) -> Iterator[str]:
        """Yield the page paths of the item and its descendants, in order."""
        return (item.path for item in self.walk() if item.path is not None)


def list_paths(items: Iterable[SidebarItem]) -> Iterator[str]:
    """Yield the page paths of items and their descendants, in order."""
    return (path for item in items for path in item.paths())


def read_sidebar(text: str, resolve: ResolvePage) -> tuple[SidebarItem, ...]:
    """Return the items of a sidebar; a first-level heading is not an item."""
    return tuple(_resolve(_open_titles(read_menu(text)), resolve, "sidebar.md"))


def read_summary(
    text: str, resolve: ResolvePage, source: str = "SUMMARY.md"
) -> tuple[SidebarItem, ...]:
    """Return the items of a book's summary.

    A paragraph that is a link is an item, and a first-level heading is the title of a
    part, unless it is the first.
    """
    entries = read_menu(text, has_paragraphs=True)
    return tuple(_resolve(_open_first_title(entries), resolve, source))


def resolve_entry(
    entry: MenuItem, resolve: ResolvePage, source: str
) -> SidebarItem | None:
    """Return an entry with its link resolved, without children; None if broken."""
    if not entry.href:
        return SidebarItem(entry.title)
    target = resolve(entry.href, source)
    if target is not None:
        return SidebarItem(entry.title, target.path, target.anchor)
    if _scheme(entry.href) in _ELSEWHERE:
        return SidebarItem(entry.title, href=entry.href)
    return None


def _scheme(href: str) -> str:
    """Return the scheme of an address; empty if the address is invalid."""
    try:
        return urlsplit(href).scheme
    except ValueError:
        return ""


def _open_first_title(entries: Sequence[MenuItem]) -> Iterator[MenuItem]:
    """Yield entries, those below the first first-level heading without it."""
    is_first = True
    for entry in entries:
        if entry.level == 1 and is_first:
            is_first = False
            yield from entry.below
        else:
            yield entry


def _open_titles(entries: Sequence[MenuItem]) -> Iterator[MenuItem]:
    for entry in entries:
        if entry.level == 1:
            yield from entry.below
        else:
            yield entry


def _resolve(
    entries: Iterable[MenuItem], resolve: ResolvePage, source: str
) -> Iterator[SidebarItem]:
    for entry in entries:
        below = tuple(_resolve(entry.below, resolve, source))
        item = resolve_entry(entry, resolve, source)
        if item is None:
            yield from below
        elif below or item.path or item.href:
            yield SidebarItem(item.title, item.path, item.anchor, item.href, below)
