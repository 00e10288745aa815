"""The pages of a tree as nested menu items, in the order that its generator gives them.

Siblings are ordered by their stated positions, then by what the generator orders by
where none is stated. Pages that are left out of menus are not in it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf
from typing import Any, Final, TypeAlias

from asdlc_kb.docs.generators.configuration import FolderLabel, TreeConfiguration
from asdlc_kb.docs.navigation.sidebar import SidebarItem
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.titles import readable_title

MAX_LEVELS: Final = 16
"""Levels of pages below the pages that they name as their parents."""

SortKey: TypeAlias = tuple[Any, ...]

_NUMBER: Final = re.compile(r"\A(\d{1,4})\s*[-_.]+\s*(?=\D)")
"""An ordering number before a name."""

_NO_LABEL: Final = FolderLabel()


class _Folder:
    """A folder with pages in or below it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.index: DocPage | None = None
        self.pages: list[DocPage] = []
        self.folders: dict[str, _Folder] = {}

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]


class PageTree:
    """The pages of a tree by their folders, or by the pages above them."""

    def __init__(
        self, pages: Iterable[DocPage], configuration: TreeConfiguration
    ) -> None:
        self._labels: Mapping[str, FolderLabel] = configuration.folders
        self._dialect = configuration.dialect
        self._pages = [page for page in pages if page.placement.is_in_menus]

    @property
    def has_order(self) -> bool:
        """Whether any page or folder states its position."""
        return bool(self._labels) or any(
            page.placement.position is not None or page.placement.parent
            for page in self._pages
        )

    @cached_property
    def items(self) -> tuple[SidebarItem, ...]:
        """All pages, nested; the root's own page is the first."""
        if self._dialect == "jekyll" and any(p.placement.parent for p in self._pages):
            return tuple(_nest_by_parent(self._pages))
        return self.list_folder("")

    def list_folder(self, path: str) -> tuple[SidebarItem, ...]:
        """Return the pages in and below a folder, its own page first."""
        folder = self._folders.get(path)
        if folder is None:
            return ()
        own = () if folder.index is None else (_item(folder.index),)
        return (*own, *self._list_below(folder))

    def find_title(self, path: str) -> str:
        """Return the title of a folder."""
        folder = self._folders.get(path)
        return self._title(folder) if folder is not None else ""

    @cached_property
    def _folders(self) -> Mapping[str, _Folder]:
        folders = {"": _Folder("")}
        for page in self._pages:
            folder = _enter(folders, page.path.rpartition("/")[0])
            if page.is_index and folder.index is None:
                folder.index = page
            else:
                folder.pages.append(page)
        return folders

    def _list_below(self, folder: _Folder) -> Iterator[SidebarItem]:
        entries: list[tuple[SortKey, DocPage | _Folder]] = [
            (self._page_key(page), page) for page in folder.pages
        ]
        entries += (
            (self._folder_key(below), below) for below in folder.folders.values()
        )
        for _, entry in sorted(entries, key=lambda entry: entry[0]):
            yield self._item(entry)

    def _item(self, entry: DocPage | _Folder) -> SidebarItem:
        if isinstance(entry, DocPage):
            return _item(entry)
        below = tuple(self._list_below(entry))
        path = entry.index.path if entry.index is not None else None
        return SidebarItem(self._title(entry), path, below=below)

    def _title(self, folder: _Folder) -> str:
        label = self._labels.get(folder.path, _NO_LABEL).title
        if not label and folder.index is not None:
            label = folder.index.menu_title
        return label or readable_title(folder.name, drops_order=True)

    def _page_key(self, page: DocPage) -> SortKey:
        name = page.path.rpartition("/")[2]
        position = self._place(page.placement.position, name)
        return self._key(position, page, page.menu_title, name, is_folder=False)

    def _folder_key(self, folder: _Folder) -> SortKey:
        position = self._labels.get(folder.path, _NO_LABEL).position
        own = folder.index.placement.position if folder.index is not None else None
        if own is not None and (position is None or self._dialect == "hugo"):
            position = own
        if self._dialect == "starlight":
            position = min(self._list_positions(folder), default=None)
        position = self._place(position, folder.name)
        return self._key(
            position, folder.index, self._title(folder), folder.name, is_folder=True
        )

    def _list_positions(self, folder: _Folder) -> Iterator[float]:
        """Yield the positions of all pages in and below a folder."""
        own = (folder.index,) if folder.index is not None else ()
        for page in (*own, *folder.pages):
            if page.placement.position is not None:
                yield page.placement.position
        for below in folder.folders.values():
            yield from self._list_positions(below)

    def _place(self, position: float | None, name: str) -> float:
        if position is not None:
            return position
        number = _NUMBER.match(name) if self._dialect == "docusaurus" else None
        return float(number[1]) if number is not None else inf

    def _key(
        self,
        position: float,
        page: DocPage | None,
        title: str,
        name: str,
        *,
        is_folder: bool,
    ) -> SortKey:
        match self._dialect:
            case "hugo":
                date = page.placement.date if page is not None else 0.0
                return position, -date, title.casefold(), name
            case "jekyll":
                return position, title, name
            case "docusaurus":
                return position, name
            case "starlight":
                return position, name.casefold(), name
            case _:
                return position, is_folder, name


def _enter(folders: dict[str, _Folder], path: str) -> _Folder:
    """Return a folder, entered with the folders above it."""
    folder = folders.get(path)
    if folder is None:
        above, _, name = path.rpartition("/")
        folder = folders[path] = _Folder(path)
        _enter(folders, above).folders[name] = folder
    return folder


def _item(page: DocPage) -> SidebarItem:
    return SidebarItem(page.menu_title, page.path)


def _nest_by_parent(pages: Sequence[DocPage]) -> Iterator[SidebarItem]:
    """Yield the pages below the pages that they name as their parents.

    A page without a known parent is at the top.
    """
    by_title: dict[str, list[DocPage]] = {}
    for page in pages:
        by_title.setdefault(page.title, []).append(page)
    below: dict[str, list[DocPage]] = {}
    top: list[DocPage] = []
    for page in pages:
        parent = _find_parent(page, by_title)
        (below.setdefault(parent.path, []) if parent else top).append(page)

    def nest(siblings: list[DocPage], level: int) -> Iterator[SidebarItem]:
        for page in sorted(siblings, key=_parent_key):
            inner = below.get(page.path, []) if level < MAX_LEVELS else []
            yield SidebarItem(
                page.menu_title, page.path, below=tuple(nest(inner, level + 1))
            )

    yield from nest(top, 1)


def _find_parent(
    page: DocPage, by_title: Mapping[str, list[DocPage]]
) -> DocPage | None:
    """Return the page that a page names as its parent, if there is one."""
    wanted = page.placement
    candidates = [
        each
        for each in by_title.get(wanted.parent, ())
        if each is not page
        and (not wanted.grandparent or each.placement.parent == wanted.grandparent)
    ]
    return candidates[0] if candidates else None


def _parent_key(page: DocPage) -> SortKey:
    position = page.placement.position
    return position is None, position or 0.0, page.menu_title, page.path
