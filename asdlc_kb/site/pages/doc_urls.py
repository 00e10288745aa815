"""The addresses of documentation pages, and what each shows of the others."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from types import MappingProxyType
from urllib.parse import unquote

from asdlc_kb.attachments.referenced_files import NO_FILES, ReferencedFiles
from asdlc_kb.docs.catalogs.catalog import INTRODUCTIONS, DocCatalog
from asdlc_kb.docs.curated.tree_index import TreeIndex
from asdlc_kb.docs.edition import DEFAULT, Edition
from asdlc_kb.docs.navigation.sidebar import SidebarItem
from asdlc_kb.docs.navigation.topbar import PARTS, Widget
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.site import urls
from asdlc_kb.site.layout import paging
from asdlc_kb.site.layout.frame import Link
from asdlc_kb.site.layout.sidebar import Sidebar, SidebarEntry
from asdlc_kb.site.pages.edition_links import EditionLinker
from asdlc_kb.site.pages.edition_pages import (
    EditionPages,
    edition_key,
    find_same,
    list_edition,
)
from asdlc_kb.site.pages.folder_list import MAX_LISTED, list_below
from asdlc_kb.site.pages.page_dates import PageDates


@dataclass(frozen=True, slots=True)
class TopbarPart:
    """One part of the rendered topbar."""

    name: str
    """`left`, `middle` or `right`."""
    entries: tuple[SidebarEntry, ...]


class DocUrls:
    """The addresses of one catalog, and the data of its pages. Immutable."""

    def __init__(
        self,
        catalog: DocCatalog,
        files: ReferencedFiles = NO_FILES,
        indexes: Sequence[TreeIndex] = (),
        commit_dates: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.catalog = catalog
        self._commit_dates = commit_dates
        self.files = files
        """The attachments of its pages."""
        self.indexes = indexes
        """The `llms.txt` of each tree, if its authors wrote one."""
        self.addresses: Mapping[str, str] = _find_addresses(
            catalog, map(urls.of_index, self.sources)
        )
        """The address of each page, by its path."""
        self._set_pages(
            {where: catalog.by_path[path] for path, where in self.addresses.items()}
        )
        self._sidebars: dict[Edition, Sidebar] = {}
        self._neighbours: dict[Edition, paging.Neighbours[str]] = {}
        """The paths of the previous and the next page, by path."""

    def _set_pages(self, by_address: Mapping[str, DocPage]) -> None:
        """Set the pages, and what has their texts."""
        self.by_address = by_address
        self.by_markdown: Mapping[str, DocPage] = urls.MarkdownAddresses(by_address)
        """The pages by the addresses of their Markdown."""
        self.linker = EditionLinker(self.catalog, self.addresses)
        self._editions: dict[Edition, EditionPages] = {}

    def updated(
        self,
        catalog: DocCatalog,
        files: ReferencedFiles = NO_FILES,
        indexes: Sequence[TreeIndex] = (),
    ) -> "DocUrls | None":
        """Return the addresses of a later catalog in which only texts differ.

        None if anything else may. What is computed of titles and places is shared.
        """
        edited = catalog.find_edited(self.catalog)
        if edited is None:
            return None
        later = copy(self)
        later.catalog, later.files, later.indexes = catalog, files, indexes
        pages = {self.addresses[path]: catalog.by_path[path] for path in edited}
        later._set_pages({**self.by_address, **pages})
        for name in ("listed", "topbar"):
            vars(later).pop(name, None)
        if "dates" in vars(self):
            before = (self.by_address[where] for where in pages)
            later.dates = self.dates.updated(before, pages.values())
        return later

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the trees; the unnamed one stands for all of them."""
        return tuple(dict.fromkeys(("", *(index.source for index in self.indexes))))

    def open_sidebar(self, edition: Edition = DEFAULT) -> Sidebar:
        """Return the sidebar of an edition."""
        key = edition_key(edition)
        if key not in self._sidebars:
            items = self._list_edition(edition).sidebar
            self._sidebars[key] = Sidebar(self._flatten(items, 0))
        return self._sidebars[key]

    @cached_property
    def topbar(self) -> tuple[TopbarPart, ...]:
        """The topbar: its links and texts.

        Logo and search are in every page's header.
        """
        topbar = self.catalog.topbar
        parts = (TopbarPart(name, self._show(getattr(topbar, name))) for name in PARTS)
        return tuple(part for part in parts if part.entries)

    @cached_property
    def dates(self) -> PageDates:
        """The dates of the last changes of the pages (D-201)."""
        return PageDates.of(self.by_address.values(), self._commit_dates)

    @cached_property
    def listed(self) -> tuple[DocPage, ...]:
        """The pages of the default edition, by group."""
        return tuple(page for _, page in self.list_by_group())

    def list_by_group(self) -> Iterator[tuple[str, DocPage]]:
        """Yield the pages of the default edition, each with the title of its group."""
        for group in self.catalog.groups:
            for page in group.pages:
                if page.edition.is_default:
                    yield group.title, page

    @property
    def listed_addresses(self) -> Iterator[tuple[str, str]]:
        """Addresses and dates of the listed pages for search engines, by path."""
        return (
            (where, self.dates.find(page))
            for where, page in self.by_address.items()
            if page.placement.is_listed and self.linker.is_canonical(page)
        )

    @property
    def list_parts(self) -> Mapping[str, int]:
        """The pages of the list of a tree without an index: numbers by address."""
        has_index = urls.DOCS in self.by_address
        return {} if has_index else paging.number_parts(urls.DOCS, len(self.listed))

    @cached_property
    def home(self) -> str:
        """The address of the default edition's index or introduction, or the list."""
        if len(self.catalog.editions) > 1 and (start := self._find_start()):
            return self.addresses[start.path]
        page = self.catalog.home
        if urls.DOCS in self.by_address or page is None:
            return urls.DOCS
        return self.addresses[page.path]

    def find_start(self, edition: Edition) -> str:
        """Return the address of the home page in another edition than the default.

        Empty for the default one, and without such a page.
        """
        home = None if edition.is_default else self.by_address.get(self.home)
        same = find_same(self.catalog, home.path, edition) if home else None
        return self.addresses[same.path] if same else ""

    def name_page(self, where: str) -> Hashable:
        """Return what the page at an address has in common with its other editions."""
        page = self.by_address.get(where)
        return where if page is None else self.catalog.read_edition(page.path)[0]

    def find_neighbours(self, page: DocPage) -> tuple[Link | None, Link | None]:
        """Return the previous and the next page of a page's edition."""
        key = edition_key(page.edition)
        if key not in self._neighbours:
            paths = [each.path for each in self._list_edition(page.edition).pages]
            self._neighbours[key] = paging.find_neighbours(paths, str)
        near = self._neighbours[key].get(page.path, (None, None))
        by_path = self.catalog.by_path
        before, after = (self.link(by_path[path]) if path else None for path in near)
        return before, after

    def list_below(self, page: DocPage) -> Sequence[DocPage]:
        """Return the pages below a folder's own page."""
        below = list_below(page, self._list_edition(page.edition).pages)
        return tuple(islice(below, MAX_LISTED))

    def _list_edition(self, edition: Edition) -> EditionPages:
        key = edition_key(edition)
        if key not in self._editions:
            self._editions[key] = list_edition(self.catalog, edition)
        return self._editions[key]

    def _find_start(self) -> DocPage | None:
        """Return the first page of the default edition, if that has a folder."""
        names: dict[str, DocPage] = {}
        for page in self.catalog.pages:
            _, name = self.catalog.name_page(page.path)
            if page.edition.is_default and "/" not in name:
                stem = name.partition(".")[0].lower()
                names.setdefault("index" if page.is_index else stem, page)
        start = ("index", *INTRODUCTIONS)
        return next((names[name] for name in start if name in names), None)

    def link(self, page: DocPage) -> Link:
        """Return a link to a page."""
        return Link(self.addresses[page.path], page.title)

    def _flatten(
        self, items: Sequence[SidebarItem], depth: int
    ) -> Iterator[SidebarEntry]:
        for item in items:
            yield self._enter(item, depth)
            yield from self._flatten(item.below, depth + 1)

    def _enter(self, item: SidebarItem, depth: int = 0) -> SidebarEntry:
        where = self.addresses.get(item.path or "", item.href)
        anchor = f"#{item.anchor}" if item.anchor and item.path else ""
        return SidebarEntry(
            item.title, where + anchor if where else "", depth, bool(item.href)
        )

    def _show(self, widgets: Sequence[Widget]) -> tuple[SidebarEntry, ...]:
        return tuple(
            self._enter(widget.item) for widget in widgets if widget.item is not None
        )


def find_alternative(view: DocUrls, path: str) -> str | None:
    """Return the address of a page requested by another spelling, or None.

    An address of HTML may lack the prefix of the documentation, as servemd's do.
    """
    page = None
    if path.startswith(urls.DOCS):
        page = view.catalog.get_or_none(_name(path))
    elif path.endswith((".html", ".htm")):
        page = view.catalog.find_exact(unquote(path))
    if page is None:
        return None
    where = view.addresses[page.path]
    return urls.as_markdown(where) if path.endswith(".md") else where


def find_source(view: DocUrls, path: str) -> str:
    """Return the name of the page that an address can mean; empty if none."""
    if path == urls.HOME:
        path = view.home
    page = view.by_address.get(path) or view.by_markdown.get(path)
    if page is not None:
        return page.path
    return _name(path) if path.startswith(urls.DOCS) else ""


def _find_addresses(catalog: DocCatalog, reserved: Iterable[str]) -> Mapping[str, str]:
    """Return the address of each page by path, preferably the short address.

    Of two files with one name, as `a.md` and `a.mdx`, one has the short address, the
    other its whole path. No address is that of another page's Markdown.
    """
    addresses: dict[str, str] = {}
    used = set(reserved)
    has_index = catalog.get_or_none("/") is not None
    for path in catalog.by_path:
        for where in _list_addresses(catalog, path):
            own = {where, urls.as_markdown(where)}
            is_of_list = paging.is_part(where, urls.DOCS)
            if used.isdisjoint(own) and (has_index or not is_of_list):
                break
        addresses[path] = where
        used |= own
    return addresses


def _list_addresses(catalog: DocCatalog, path: str) -> Iterator[str]:
    """Yield candidate addresses of a page, the best first, endlessly."""
    short = urls.of_page(path)
    meant = catalog.get_or_none(_name(short))
    if meant is not None and meant.path == path:
        yield short
    for number in count():
        yield f"{urls.of_file(path)}{'~' * number}"


def _name(where: str) -> str:
    """Return the page name in an address, relative to the root."""
    return unquote(where.removeprefix(urls.DOCS)) or "/"
