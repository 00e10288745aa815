"""Links of documentation pages to other pages and to articles."""

from collections.abc import Iterator
from itertools import islice
from threading import Lock
from typing import Final, TypeAlias

from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.links import URI_PREFIX, locate
from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.link_scanner import find_links
from asdlc_kb.site.pages.relations import Relation

MAX_READ_PAGES: Final = 2_000
"""Pages whose links are read, which takes about a second."""

_WrittenLinks: TypeAlias = tuple[DocPage, tuple[str, ...]]
"""A page and the destinations of its links, as written."""


def page_key(path: str) -> str:
    """Return the name of a page among those of articles, none of which has a slash."""
    return f"/{path}"


class PageLinkReader:
    """Reads the links of pages; an unchanged page is not read again.

    Thread-safe; calls are serialized.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, _WrittenLinks] = {}
        self._last: tuple[tuple[object, object], tuple[Relation, ...]] | None = None
        """The last catalogs, and the links between their pages."""

    def read(
        self, docs: DocCatalog, articles: ArticleCatalog | None
    ) -> tuple[Relation, ...]:
        """Return the links of the first listed pages of default editions, each once.

        Blocks, call it in a thread.
        """
        with self._lock:
            catalogs = docs, articles
            if self._last is None or self._last[0] != catalogs:
                self._last = catalogs, self._read(docs, articles)
            return self._last[1]

    def _read(
        self, docs: DocCatalog, articles: ArticleCatalog | None
    ) -> tuple[Relation, ...]:
        pages = islice(filter(_is_on_map, docs.pages), MAX_READ_PAGES)
        known: dict[str, _WrittenLinks] = {}
        for page in pages:
            before = self._known.get(page.path)
            if before is None or before[0] is not page:
                before = page, tuple(dict.fromkeys(find_links(page.body)))
            known[page.path] = before
        self._known = known
        pairs = dict.fromkeys(
            (page_key(path), target)
            for path, (_, hrefs) in known.items()
            for target in _resolve(path, hrefs, docs, articles)
        )
        return tuple(Relation(*pair, "link") for pair in pairs)


def list_pages(docs: DocCatalog) -> list[DocPage]:
    """Return the pages that are on the map, by tree, in the order of the sidebar."""
    pages = filter(_is_on_map, docs.pages)
    return sorted(pages, key=lambda page: page.edition.source)


def _is_on_map(page: DocPage) -> bool:
    return page.edition.is_default


def _resolve(
    path: str,
    hrefs: tuple[str, ...],
    docs: DocCatalog,
    articles: ArticleCatalog | None,
) -> Iterator[str]:
    """Yield the keys of the visible targets of a page's links, but for itself."""
    for href in hrefs:
        if href.startswith(URI_PREFIX):
            named = locate("", href)
            article = articles.get_or_none(named.id) if articles and named else None
            if article is not None:
                yield article.id
        elif (target := docs.resolve(href, path)) is not None and target.path != path:
            yield page_key(target.path)
