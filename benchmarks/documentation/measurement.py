"""Measurement of one tree of documentation, as the server would serve it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.generators import read_configuration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.outline import read_outline
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.rendering.link_resolver import SiteLinks
from asdlc_kb.site.representation import Representation
from benchmarks.documentation.built_order import find_following, read_neighbours
from benchmarks.documentation.marks import find_in_html, find_in_markdown
from benchmarks.documentation.order import count_in_order, list_entries

MAX_LINK_CHARS: Final = 512 * 1024
"""Characters of a page in which links are read; longer ones are shown as code."""

_FILE: Final = re.compile(
    r"(?i)\.(?:avif|css|gif|ico|jpe?g|js|json|mp4|pdf|png|py|svg|toml|ts|txt|webm|webp"
    r"|xml|ya?ml|zip)\Z"
)
"""Ends the path of a link to a file that is no page."""
_TEMPLATE: Final = ("{", "%7B", "%7b")
_ANCHOR: Final = re.compile(r"\b(?:id|name)=\"([^\"]+)\"")
_PICTURE: Final = re.compile(
    rf"<img src=\"(?!{urls.DIAGRAMS})|<video\b"
    r"|<span class=\"picture\">\[(?P<name>[^<]*)\]</span>"
)
"""A picture or video that is shown, or the name of one that is not served."""
_MAIN: Final = re.compile(r"<article\b.*</article>", re.DOTALL)


class Share(NamedTuple):
    """How many of some things are right."""

    right: int = 0
    of_all: int = 0


@dataclass(frozen=True, slots=True)
class MeasuredTree:
    """What was measured of one tree."""

    name: str
    generator: str
    pages: int
    marked_texts: int
    """Pages whose Markdown has a raw mark."""
    marked_pages: int
    """Pages whose HTML has one."""
    links: Share
    anchors: Share
    pictures: Share
    refused: int
    """Includes that are not resolved."""
    order: Share
    """Of no entry, if there is no navigation in data."""
    neighbours: Share
    """Next pages of the site that the generator built; of none without one."""
    remarks: tuple[str, ...] = ()
    """Everything that is not right, one a line."""


@dataclass(slots=True)
class _Counts:
    """Counters of one measurement."""

    of: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)

    def add(self, name: str, what: str, *, is_right: bool) -> None:
        self.of[name] += 1
        if is_right:
            self.of[f"{name}, right"] += 1
        else:
            self.remarks.append(f"{name}: {what}")

    def share(self, name: str) -> Share:
        return Share(self.of[f"{name}, right"], self.of[name])


def measure_tree(name: str, folder: Path, site: Path | None = None) -> MeasuredTree:
    """Return what is measured of a tree with its generator's configuration.

    `site` is the folder of the site that the generator built of it.
    """
    configure = partial(read_configuration, folder)
    library = DocLibrary(configure().root, configure)
    catalog = library.load()
    counts = _Counts()
    pages = _render(library)
    for page in catalog.by_path.values():
        _measure_marks(page, pages[page.path], counts)
        _measure_pictures(page, pages[page.path], counts)
        if len(page.body) <= MAX_LINK_CHARS:
            _Links(page, catalog, pages).measure(counts)
    for problem in catalog.snapshot.all_problems():
        if problem.code == "KB035":
            counts.add("include", f"{problem.path}: {problem.message}", is_right=False)
    if site is not None:
        _measure_neighbours(site, catalog, counts)
    entries = list_entries(catalog.configuration)
    return MeasuredTree(
        name=name,
        generator=catalog.configuration.generator,
        pages=len(catalog.by_path),
        marked_texts=counts.of["text"] - counts.of["text, right"],
        marked_pages=counts.of["page"] - counts.of["page, right"],
        links=counts.share("link"),
        anchors=counts.share("anchor"),
        pictures=counts.share("picture"),
        refused=counts.of["include"],
        order=Share(count_in_order(catalog, entries), len(entries)),
        neighbours=counts.share("next page"),
        remarks=tuple(counts.remarks),
    )


class _RenderedPage(NamedTuple):
    """One page of the website."""

    address: str
    html: str
    """Its article, without the menus beside it."""
    anchors: frozenset[str]


def _render(library: DocLibrary) -> Mapping[str, _RenderedPage]:
    """Return each page as the site shows it, by its path."""
    site = PageRenderer(
        SiteIdentity("Measured", has_endpoint=False),
        None,
        DocCollection.of(library),
        is_blocking=True,
    )
    docs = site.snapshot.docs
    assert docs is not None
    return {path: _read_page(site, address) for path, address in docs.addresses.items()}


def _read_page(site: PageRenderer, address: str) -> _RenderedPage:
    found = site.find(site.snapshot, address)
    assert isinstance(found, Representation)
    html = found.body.decode()
    main = _MAIN.search(html)
    anchors = frozenset(_ANCHOR.findall(html))
    return _RenderedPage(address, main[0] if main else html, anchors)


def _measure_marks(page: DocPage, rendered: _RenderedPage, counts: _Counts) -> None:
    for kind, marks in (
        ("text", [*find_in_markdown(page.body)]),
        ("page", [*find_in_html(rendered.html)]),
    ):
        counts.add(kind, f"{page.path}: {marks[:3]}", is_right=not marks)


def _measure_pictures(page: DocPage, rendered: _RenderedPage, counts: _Counts) -> None:
    """Count pictures and videos, not those of other sites, and not diagrams."""
    for match in _PICTURE.finditer(rendered.html):
        name = match["name"]
        what = f"{page.path}: {name}"
        counts.add("picture", what, is_right=name is None)


def _measure_neighbours(site: Path, catalog: TreeCatalog, counts: _Counts) -> None:
    """Count the pages that the same page follows as in a built site."""
    following = find_following(catalog)
    for path, expected in read_neighbours(site, catalog):
        what = f"{path}: {expected}, not {following[path]}"
        counts.add("next page", what, is_right=following[path] == expected)


class _Links:
    """The links of one page."""

    def __init__(
        self, page: DocPage, catalog: TreeCatalog, pages: Mapping[str, _RenderedPage]
    ) -> None:
        self._page = page
        self._anchors = {each.address: each.anchors for each in pages.values()}
        addresses = {path: each.address for path, each in pages.items()}
        self._resolve = SiteLinks("", None, catalog, addresses).of_page(page)
        self._own = addresses[page.path]
        self._site_url = catalog.configuration.site_url

    def measure(self, counts: _Counts) -> None:
        """Count links to pages of this site, and to places in them."""
        for href in self._list():
            where = f"{self._page.path}: {href}"
            address, _, anchor = (self._resolve(href) or "").partition("#")
            if href.startswith("#"):
                # A label may be that of another page.
                address = address or self._own
            else:
                counts.add("link", where, is_right=address in self._anchors)
            if "#" in href and address in self._anchors:
                is_right = not anchor or unquote(anchor) in self._anchors[address]
                counts.add("anchor", where, is_right=is_right)

    def _list(self) -> Iterator[str]:
        """Yield the links to pages of this site, and to places in this one."""
        for link in read_outline(self._page.body).links:
            href = link.href
            try:
                parts = urlsplit(href)
            except ValueError:
                continue
            is_ours = bool(self._site_url) and href.startswith(self._site_url)
            is_elsewhere = (parts.scheme or parts.netloc) and not is_ours
            is_template = any(mark in href for mark in _TEMPLATE)
            if is_elsewhere or is_template or _FILE.search(parts.path):
                continue
            # An address that begins with a query is that of a search in this page.
            if parts.netloc or parts.path or parts.fragment:
                yield href
