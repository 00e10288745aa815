"""The sidebar of a documentation tree: its pages in groups, as `sidebar.md` has them.

A link leads to a page that can be seen, or to another site. An entry whose page is
hidden or missing is left out with its name, and what is below it moves up.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from asdlc_kb.docs.links import follow_link
from asdlc_kb.markup.nested_lists import MenuItem, read_menu

_ELSEWHERE: Final = frozenset({"http", "https", "mailto"})

FindPage: TypeAlias = Callable[[str], str | None]
"""Return the path of the visible page of a name, if there is one."""


@dataclass(frozen=True, slots=True)
class SidebarItem:
    """An entry of a sidebar; a group, if there is something below it."""

    title: str
    path: str | None = None
    """Of the page that it leads to."""
    anchor: str = ""
    href: str = ""
    """Of a link to another site."""
    below: "tuple[SidebarItem, ...]" = ()

    def walk(self) -> "Iterator[SidebarItem]":
        """Yield the item and everything below it, in order."""
        yield self
        for item in self.below:
            yield from item.walk()

    def paths(self) -> Iterator[str]:
        """Yield the pages of the item and of everything below it, in order."""
        return (item.path for item in self.walk() if item.path is not None)


def read_sidebar(
    text: str, find: FindPage, source: str = "sidebar.md"
) -> tuple[SidebarItem, ...]:
    """Return the items of a sidebar; a first-level heading is its title, and none."""
    return tuple(_resolve(_open_titles(read_menu(text)), find, source))


def resolve_entry(entry: MenuItem, find: FindPage, source: str) -> SidebarItem | None:
    """Return where one entry leads, without what is below it; None if nowhere."""
    if not entry.href:
        return SidebarItem(entry.title)
    if _scheme(entry.href) in _ELSEWHERE:
        return SidebarItem(entry.title, href=entry.href)
    name = follow_link(entry.href, source)
    path = find(name) if name is not None else None
    if path is None:
        return None
    return SidebarItem(entry.title, path, entry.href.partition("#")[2])


def _scheme(href: str) -> str:
    """Return the scheme of an address; none, if it is not an address at all."""
    try:
        return urlsplit(href).scheme
    except ValueError:
        return ""


def _open_titles(entries: Sequence[MenuItem]) -> Iterator[MenuItem]:
    for entry in entries:
        if entry.level == 1:
            yield from entry.below
        else:
            yield entry


def _resolve(
    entries: Iterable[MenuItem], find: FindPage, source: str
) -> Iterator[SidebarItem]:
    for entry in entries:
        below = tuple(_resolve(entry.below, find, source))
        item = resolve_entry(entry, find, source)
        if item is None:
            yield from below
        elif below or item.path or item.href:
            yield SidebarItem(item.title, item.path, item.anchor, item.href, below)
