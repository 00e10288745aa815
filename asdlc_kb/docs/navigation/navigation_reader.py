"""The sidebar that a generator's configuration states, with the pages it stands for."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from asdlc_kb.docs.generators.configuration import BELOW
from asdlc_kb.docs.navigation.page_order import PageTree
from asdlc_kb.docs.navigation.sidebar import SidebarItem
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.nested_lists import MenuItem

ResolveEntry: TypeAlias = Callable[[MenuItem], SidebarItem | None]
"""Return an entry with its link resolved, without children; None if it is broken."""


class NavigationReader:
    """Resolves the entries of a navigation."""

    def __init__(
        self, pages: Mapping[str, DocPage], tree: PageTree, resolve: ResolveEntry
    ) -> None:
        self._pages = pages
        self._tree = tree
        self._resolve = resolve
        self._resolved: dict[str, SidebarItem | None] = {}
        self._named: set[str] = set()

    def read(self, entries: Iterable[MenuItem]) -> tuple[SidebarItem, ...]:
        """Return the items; a page is left out that is hidden or missing."""
        entries = tuple(entries)
        self._named = set(self._find_named(entries))
        return tuple(self._read(entries))

    def _find_named(self, entries: Iterable[MenuItem]) -> Iterator[str]:
        """Yield the paths of the pages that have entries of their own."""
        for entry in entries:
            item = self._find(entry)
            if item is not None and item.path is not None:
                yield item.path
            yield from self._find_named(entry.below)

    def _find(self, entry: MenuItem) -> SidebarItem | None:
        if entry.href.endswith(BELOW):
            return None
        if entry.href not in self._resolved:
            self._resolved[entry.href] = self._resolve(entry)
        item = self._resolved[entry.href]
        if item is not None and item.path is not None and item.path not in self._pages:
            return None
        return replace(item, title=entry.title) if item is not None else None

    def _read(self, entries: Iterable[MenuItem]) -> Iterator[SidebarItem]:
        for entry in entries:
            if entry.href.endswith(BELOW):
                folder = entry.href.removesuffix(BELOW).strip("/")
                yield from self._leave_out(self._tree.list_folder(folder))
                continue
            below = tuple(self._read(entry.below))
            item = self._find(entry) or SidebarItem(entry.title)
            title = self._find_title(entry, item)
            if title and (below or item.path or item.href):
                yield SidebarItem(title, item.path, item.anchor, item.href, below)
            else:
                yield from below

    def _find_title(self, entry: MenuItem, item: SidebarItem) -> str:
        if entry.title:
            return entry.title
        if item.path is not None:
            return self._pages[item.path].menu_title
        if item.href:
            return item.href
        return self._tree.find_title(entry.href.strip("/")) if entry.href else ""

    def _leave_out(self, items: Iterable[SidebarItem]) -> Iterator[SidebarItem]:
        """Yield items without the pages that have entries of their own."""
        for item in items:
            below = tuple(self._leave_out(item.below))
            path = item.path if item.path not in self._named else None
            if below or path is not None:
                yield replace(item, path=path, below=below)
