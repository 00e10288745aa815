"""The pages of documentation: each with the sidebar beside it and the bar above."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from asdlc_kb.site.layout.prev_next import find_neighbours
from asdlc_kb.site.layout.sidebar import SidebarEntry, fold_sidebar
from asdlc_kb.site.rendering.html_cache import HtmlCache, list_headings
from asdlc_kb.site.rendering.link_resolver import page_link_resolver
from asdlc_kb.site.rendering.markdown import write_page
from asdlc_kb.site.representation import Representation


@dataclass(frozen=True, slots=True)
class SidebarView:
    """What stands together in the bar above the pages."""

    name: str
    """`left`, `middle` or `right`."""
    entries: tuple[SidebarEntry, ...]


class DocUrls:
    """The addresses of one catalog, and what its pages are made from. Immutable."""

    def __init__(self, catalog: DocCatalog) -> None:
        self.catalog = catalog
        self.addresses: Mapping[str, str] = _find_addresses(catalog)
        """Where each page is, by its path."""
        self.by_address: Mapping[str, DocPage] = {
            where: catalog.by_path[path] for path, where in self.addresses.items()
        }
        self.by_markdown: Mapping[str, str] = {
            urls.as_markdown(where): where for where in self.by_address
        }
        """Where each page is, by where it is as Markdown."""
        self.apart: Mapping[str, str] = {
            path: where
            for path, where in self.addresses.items()
            if where != urls.of_page(path)
        }
        """Where those pages are whose path says another address."""

    @cached_property
    def entries(self) -> tuple[SidebarEntry, ...]:
        """The sidebar; without one, each page in its directory's group."""
        if self.catalog.sidebar:
            return tuple(self._flatten(self.catalog.sidebar, 0))
        return tuple(self._group())

    @cached_property
    def topbar(self) -> tuple[SidebarView, ...]:
        """The bar above the pages: what leads somewhere or says something.

        A logo and a search are in every page's header.
        """
        topbar = self.catalog.topbar
        parts = (SidebarView(name, self._show(getattr(topbar, name))) for name in PARTS)
        return tuple(part for part in parts if part.entries)

    @cached_property
    def listed(self) -> tuple[tuple[str, Link], ...]:
        """Every page once, with the title of its group."""
        return tuple(
            (group.title, self.link(page))
            for group in self.catalog.groups
            for page in group.pages
        )

    @property
    def home(self) -> str:
        """Where the documentation begins: its own index, or else its first page."""
        if urls.DOCS in self.by_address or not self.catalog.pages:
            return urls.DOCS
        return self.addresses[self.catalog.pages[0].path]

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[Link | None, Link | None]]:
        """What is before and after each page, by its path."""
        found = find_neighbours(self.catalog.pages, lambda page: page.path)
        return {
            path: (
                self.link(before) if before else None,
                self.link(after) if after else None,
            )
            for path, (before, after) in found.items()
        }

    def link(self, page: DocPage) -> Link:
        """Return a page as it is listed."""
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


class DocPages:
    """Makes the pages of a shelf."""

    def __init__(
        self, frame: PageLayout, rendering: HtmlCache, folder: str = ""
    ) -> None:
        """Make pages of a folder of this name."""
        self._folder = folder
        self._frame = frame
        self._rendering = rendering

    def find(
        self, shelf: DocUrls, path: str, navigation: Sequence[Link]
    ) -> Representation | None:
        """Return the page at an address; blocks, belongs into a thread."""
        if (page := shelf.by_address.get(path)) is not None:
            return self._page(shelf, page, path, navigation)
        places, number = paging.parse_part(path)
        if urls.DOCS in places and urls.DOCS not in shelf.by_address:
            return self._list(shelf, navigation, number)
        if (where := shelf.by_markdown.get(path)) is not None:
            return write_page(shelf.by_address[where], where, self._frame.identity)
        return None

    def find_spelt(self, shelf: DocUrls, path: str) -> str | None:
        """Return where the page is that an address means that is not quite right."""
        if not path.startswith(urls.DOCS):
            return None
        page = shelf.catalog.pick(_name(path))
        if page is None:
            return None
        where = shelf.addresses[page.path]
        return urls.as_markdown(where) if path.endswith(".md") else where

    def find_source(self, shelf: DocUrls, path: str) -> str:
        """Return the name of the page that an address may mean; empty if none."""
        if path == urls.HOME:
            path = shelf.home
        where = shelf.by_markdown.get(path, path)
        if (page := shelf.by_address.get(where)) is not None:
            return page.path
        return _name(path) if path.startswith(urls.DOCS) else ""

    def addresses(self, shelf: DocUrls) -> Iterator[str]:
        """Yield every address that `find` knows, Markdown included."""
        if urls.DOCS not in shelf.by_address:
            yield from paging.list_parts(urls.DOCS, len(shelf.listed))
        for where in shelf.by_address:
            yield where
            yield urls.as_markdown(where)

    def _page(
        self, shelf: DocUrls, page: DocPage, where: str, navigation: Sequence[Link]
    ) -> Representation:
        prefix = self._frame.identity.prefix
        html, awaited = self._rendering.render(
            f"docs {prefix} {page.path} {shelf.apart or ''}",
            strip_mdx(page.text) if page.path.endswith(".mdx") else page.text,
            lambda href: page_link_resolver(page.path, href, prefix, shelf.apart),
        )
        title, end, text = html.text.partition("</h1>\n")
        if not (end and title.startswith("<h1 ")):
            title, end, text = "", "", html.text
        before, after = shelf.neighbours[page.path]
        made = self._frame.make(
            "doc.html",
            where,
            title=page.title,
            description=page.description,
            navigation=navigation,
            alternate=urls.as_markdown(where),
            page=page,
            edit=self._frame.identity.edit(self._folder, page.path),
            top=title + end,
            text=text,
            headings=list_headings(html),
            entries=fold_sidebar(shelf.entries, where),
            topbar=shelf.topbar,
            before=before,
            after=after,
        )
        return replace(made, awaited=awaited)

    def _list(
        self, shelf: DocUrls, navigation: Sequence[Link], number: int = 1
    ) -> Representation | None:
        """Return a part of what stands in for an index that the tree does not have."""
        part = paging.paginate(shelf.listed, urls.DOCS, number)
        if part is None:
            return None
        groups: dict[str, list[Link]] = {}
        for title, link in part.entries:
            groups.setdefault(title, []).append(link)
        return self._frame.make(
            "docs.html",
            part.path,
            title=part.entitle("Documentation"),
            description=f"{part.total} pages",
            navigation=navigation,
            entries=fold_sidebar(shelf.entries, part.path),
            topbar=shelf.topbar,
            part=part,
            groups=groups.items(),
        )


def _find_addresses(catalog: DocCatalog) -> Mapping[str, str]:
    """Return where each page is: the short address for the page that it means.

    Two files of one name, as `a.md` and `a.mdx`, have one short address; the other is
    where its whole path says. No address is that of another page's Markdown.
    """
    found: dict[str, str] = {}
    taken = {urls.DOCS_INDEX}
    has_index = catalog.pick("/") is not None
    for path in catalog.by_path:
        for where in _list_addresses(catalog, path):
            own = {where, urls.as_markdown(where)}
            is_of_list = urls.DOCS in paging.parse_part(where)[0]
            if taken.isdisjoint(own) and (has_index or not is_of_list):
                break
        found[path] = where
        taken |= own
    return found


def _list_addresses(catalog: DocCatalog, path: str) -> Iterator[str]:
    """Yield the addresses that a page may have, the best first, without end."""
    short = urls.of_page(path)
    meant = catalog.pick(_name(short))
    if meant is not None and meant.path == path:
        yield short
    for number in count():
        yield f"{urls.of_file(path)}{'~' * number}"


def _name(where: str) -> str:
    """Return what an address says of a page: its name below the root."""
    return unquote(where.removeprefix(urls.DOCS)) or "/"
