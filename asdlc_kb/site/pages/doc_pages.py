"""Documentation pages, each with sidebar and topbar."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from urllib.parse import unquote

from asdlc_kb.docs.catalog import DocCatalog
from asdlc_kb.docs.page import DocPage
from asdlc_kb.docs.sidebar import SidebarItem
from asdlc_kb.docs.topbar import PARTS, Widget
from asdlc_kb.markup.mdx import strip_mdx
from asdlc_kb.site import urls
from asdlc_kb.site.layout import paging
from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.layout.sidebar import SidebarEntry, fold_sidebar
from asdlc_kb.site.rendering.html_cache import HtmlCache, list_headings
from asdlc_kb.site.rendering.link_resolver import page_link_resolver
from asdlc_kb.site.representation import Representation


@dataclass(frozen=True, slots=True)
class TopbarPart:
    """One part of the rendered topbar."""

    name: str
    """`left`, `middle` or `right`."""
    entries: tuple[SidebarEntry, ...]


class DocUrls:
    """The addresses of one catalog, and the data of its pages. Immutable."""

    def __init__(self, catalog: DocCatalog) -> None:
        self.catalog = catalog
        self.addresses: Mapping[str, str] = _find_addresses(catalog)
        """The address of each page, by its path."""
        self.by_address: Mapping[str, DocPage] = {
            where: catalog.by_path[path] for path, where in self.addresses.items()
        }
        self.by_markdown: Mapping[str, str] = {
            urls.as_markdown(where): where for where in self.by_address
        }
        """The address of each page, by the address of its Markdown."""
        self.overrides: Mapping[str, str] = {
            path: where
            for path, where in _list_names(catalog, self.addresses)
            if where != urls.of_page(path)
        }
        """The address of each page that is not at the default address of its path, by
        path; and of each page with a link on the disk, by the path of that."""

    @cached_property
    def entries(self) -> tuple[SidebarEntry, ...]:
        """The sidebar; by default each page in its directory's group."""
        if self.catalog.sidebar:
            return tuple(self._flatten(self.catalog.sidebar, 0))
        return tuple(self._group())

    @cached_property
    def topbar(self) -> tuple[TopbarPart, ...]:
        """The topbar: its links and texts.

        Logo and search are in every page's header.
        """
        topbar = self.catalog.topbar
        parts = (TopbarPart(name, self._show(getattr(topbar, name))) for name in PARTS)
        return tuple(part for part in parts if part.entries)

    @cached_property
    def listed(self) -> tuple[tuple[str, Link], ...]:
        """All pages, each with the title of its group."""
        return tuple(
            (group.title, self.link(page))
            for group in self.catalog.groups
            for page in group.pages
        )

    @property
    def list_parts(self) -> Mapping[str, int]:
        """The pages of the list of a tree without an index: numbers by address."""
        has_index = urls.DOCS in self.by_address
        return {} if has_index else paging.number_parts(urls.DOCS, len(self.listed))

    @property
    def home(self) -> str:
        """The address of the tree's index, or else of its first page."""
        if urls.DOCS in self.by_address or not self.catalog.pages:
            return urls.DOCS
        return self.addresses[self.catalog.pages[0].path]

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[Link | None, Link | None]]:
        """The previous and the next page, by path."""
        neighbours = paging.find_neighbours(self.catalog.pages, lambda page: page.path)
        return {
            path: (
                self.link(before) if before else None,
                self.link(after) if after else None,
            )
            for path, (before, after) in neighbours.items()
        }

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

    def _group(self) -> Iterator[SidebarEntry]:
        for group in self.catalog.groups:
            is_named = len(self.catalog.groups) > 1
            if is_named:
                yield SidebarEntry(group.title, "", 0)
            for page in group.pages:
                yield SidebarEntry(page.title, self.addresses[page.path], int(is_named))


@dataclass(frozen=True, slots=True)
class DocPages:
    """Renders the pages of a documentation tree. Blocks: use it in a thread."""

    frame: PageLayout
    rendering: HtmlCache
    folder: str = ""
    """Name of the served folder."""

    def home(self, view: DocUrls, navigation: Sequence[Link]) -> Representation:
        """Return the index of the tree, or else its first page, or an empty list."""
        page = view.by_address.get(view.home)
        if page is None:
            return self.list(view, navigation, 1)
        return self.page(view, page, navigation)

    def page(
        self, view: DocUrls, page: DocPage, navigation: Sequence[Link]
    ) -> Representation:
        """Return a page of documentation."""
        where = view.addresses[page.path]
        prefix = self.frame.identity.prefix
        html, awaited = self.rendering.render(
            f"docs {prefix} {page.path} {view.overrides or ''}",
            strip_mdx(page.text) if page.path.endswith(".mdx") else page.text,
            lambda href: page_link_resolver(page.path, href, prefix, view.overrides),
        )
        title, end, text = html.text.partition("</h1>\n")
        if not (end and title.startswith("<h1 ")):
            title, end, text = "", "", html.text
        before, after = view.neighbours[page.path]
        return self.frame.make(
            "doc.html",
            where,
            title=page.title,
            description=page.description,
            navigation=navigation,
            alternate=urls.as_markdown(where),
            page=page,
            edit=self.frame.identity.edit(self.folder, page.path),
            top=title + end,
            text=text,
            headings=list_headings(html),
            entries=fold_sidebar(view.entries, where),
            topbar=view.topbar,
            before=before,
            after=after,
            awaited=awaited,
        )

    def list(
        self, view: DocUrls, navigation: Sequence[Link], number: int
    ) -> Representation:
        """Return a page of the list of pages, for a tree without an index."""
        part = paging.paginate(view.listed, urls.DOCS, number)
        groups: dict[str, list[Link]] = {}
        for title, link in part.entries:
            groups.setdefault(title, []).append(link)
        return self.frame.make(
            "docs.html",
            part.path,
            title=part.page_title("Documentation"),
            description=f"{part.total} pages",
            navigation=navigation,
            entries=fold_sidebar(view.entries, part.path),
            topbar=view.topbar,
            part=part,
            groups=groups.items(),
        )


def find_alternative(view: DocUrls, path: str) -> str | None:
    """Return the address of a page requested by another spelling, or None."""
    if not path.startswith(urls.DOCS):
        return None
    page = view.catalog.get_or_none(_name(path))
    if page is None:
        return None
    where = view.addresses[page.path]
    return urls.as_markdown(where) if path.endswith(".md") else where


def find_source(view: DocUrls, path: str) -> str:
    """Return the name of the page that an address can mean; empty if none."""
    if path == urls.HOME:
        path = view.home
    where = view.by_markdown.get(path, path)
    if (page := view.by_address.get(where)) is not None:
        return page.path
    return _name(path) if path.startswith(urls.DOCS) else ""


def _find_addresses(catalog: DocCatalog) -> Mapping[str, str]:
    """Return the address of each page by path, preferably the short address.

    Of two files with one name, as `a.md` and `a.mdx`, one has the short address, the
    other its whole path. No address is that of another page's Markdown.
    """
    addresses: dict[str, str] = {}
    used = {urls.DOCS_INDEX}
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


def _list_names(
    catalog: DocCatalog, addresses: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the paths of pages, and of links to them, with the page's address."""
    yield from addresses.items()
    for link, path in catalog.snapshot.links.items():
        if path in addresses:
            yield link, addresses[path]


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
