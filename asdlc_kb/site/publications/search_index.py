"""The search index of a static build, in parts that the browser loads.

It has what the server would search: the plain text of visible articles and pages by
section, and nothing else. `static-search.js` reads it. Parts are named after their
content, so that hosts and browsers may cache them.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final

from asdlc_kb.articles.documents import ArticleSource
from asdlc_kb.docs.catalogs.catalog import ROOT
from asdlc_kb.docs.documents import PageSource
from asdlc_kb.markup.titles import readable_title
from asdlc_kb.search.filters import ARTICLES
from asdlc_kb.search.values import SearchDocument
from asdlc_kb.site import urls
from asdlc_kb.site.layout.languages import ENGLISH
from asdlc_kb.site.layout.texts import choose_texts
from asdlc_kb.site.pages.article_pages import ArticleUrls
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.pages.edition_links import name_edition
from asdlc_kb.site.pages.search_sources import (
    DOCUMENTATION,
    list_sources,
    name_groups,
)
from asdlc_kb.site.representation import JSON, Representation

MAX_PART_CHARS: Final = 250_000
"""Characters of a part, unless one page has more."""

MAX_CHARS: Final = 4_000_000
"""Characters of all texts: beyond that each section has an equal share of them."""


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """An article or a page of documentation."""

    title: str
    address: str
    """With the public path prefix."""
    group: str
    source: str
    names: str
    """Description, tags and aliases."""
    edition: str
    """Version and language, if they are not the default."""
    secondary: bool
    """Whether the page stands behind those of the default edition."""
    name: str
    """What the page and its other editions have in common; empty without others."""
    sections: tuple[tuple[str, str, str], ...]
    """Heading, anchor and text of each."""


@dataclass(frozen=True)
class SearchIndex(Collection[str]):
    """The addresses of an index and its parts, which are made with the first use."""

    articles: ArticleUrls | None
    docs: DocUrls | None
    link: Callable[[str], str]
    """Returns an address of the site with the public path prefix."""

    @cached_property
    def _by_address(self) -> Mapping[str, bytes]:
        parts = {_name_part(part): part for part in _split(self._list_pages())}
        catalogs = (
            self.articles.catalog if self.articles else None,
            self.docs.catalog if self.docs else None,
        )
        sources = [source._asdict() for source in list_sources(*catalogs)]
        index = {"sources": sources, "parts": [self.link(path) for path in parts]}
        return {urls.SEARCH_INDEX: _write(index), **parts}

    def __contains__(self, path: object) -> bool:
        return path in self._by_address

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_address)

    def __len__(self) -> int:
        return len(self._by_address)

    def render(self, path: str) -> Representation:
        """Return the index or a part of it; blocks."""
        body = self._by_address[path]
        return Representation(path, JSON, body, is_lasting=path != urls.SEARCH_INDEX)

    def _list_pages(self) -> list[IndexedPage]:
        return [*self._list_articles(), *self._list_docs()]

    def _list_articles(self) -> Iterator[IndexedPage]:
        if self.articles is None:
            return
        catalog = self.articles.catalog
        source = ArticleSource(catalog)
        for key in source.digests():
            article = catalog.by_id[key]
            yield self._make(
                source.document(key),
                urls.of_article(article),
                readable_title(article.category),
                ARTICLES,
            )

    def _list_docs(self) -> Iterator[IndexedPage]:
        if self.docs is None:
            return
        catalog = self.docs.catalog
        source, groups = PageSource(catalog), name_groups(catalog)
        text = choose_texts(ENGLISH)
        is_secondary = catalog.find_secondary(by_version=True, by_language=True)
        for path in source.digests():
            page = catalog.by_path[path]
            edition = page.edition
            others = catalog.list_editions(page)
            yield self._make(
                source.document(path),
                self.docs.addresses[path],
                groups.get(path, DOCUMENTATION),
                edition.source or ROOT,
                "" if edition.is_default else name_edition(edition, text),
                is_secondary=is_secondary is not None and is_secondary(path),
                name="/".join(catalog.read_edition(path)[0]) if others else "",
            )

    def _make(
        self,
        document: SearchDocument,
        address: str,
        group: str,
        source: str,
        edition: str = "",
        *,
        is_secondary: bool = False,
        name: str = "",
    ) -> IndexedPage:
        names = (document.description, *document.tags, *document.aliases)
        sections = document.sections
        return IndexedPage(
            document.title,
            self.link(address),
            group,
            source,
            "\n".join(filter(None, names)),
            edition,
            is_secondary,
            name,
            tuple((each.heading, each.anchor, each.text) for each in sections),
        )


def _split(pages: Collection[IndexedPage]) -> Iterator[bytes]:
    """Yield pages as parts of bounded size."""
    rows: list[Mapping[str, Any]] = []
    size = 0
    for page in _shorten(pages):
        length = sum(len(text) for section in page["sections"] for text in section)
        if rows and size + length > MAX_PART_CHARS:
            yield _write(rows)
            rows, size = [], 0
        rows.append(page)
        size += length
    if rows:
        yield _write(rows)


def _shorten(pages: Collection[IndexedPage]) -> Iterator[Mapping[str, Any]]:
    """Yield pages as JSON values, with less text if all of it is too much."""
    texts = [len(text) for page in pages for *_, text in page.sections]
    share = MAX_CHARS // len(texts) if sum(texts) > MAX_CHARS else None
    for page in pages:
        sections = [
            (head, anchor, text[:share]) for head, anchor, text in page.sections
        ]
        yield {**asdict(page), "sections": sections}


def _name_part(part: bytes) -> str:
    return urls.of_index_part(blake2b(part, digest_size=8).hexdigest())


def _write(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
