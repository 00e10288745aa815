"""Articles and documentation pages as documents with an id, a title, a text and a URL.

An id is the resource URI of an article or a page, and a text is what that resource
reads. A hidden document is like a missing one.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from asdlc_kb.articles import article_filter, documents
from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.links import URI_PREFIX as ARTICLE_PREFIX
from asdlc_kb.articles.links import article_uri
from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.catalogs.page_filter import knows_filter, make_request
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.links.written_names import URI_PREFIX as PAGE_PREFIX
from asdlc_kb.docs.links.written_names import page_uri
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.exceptions import (
    ArticleError,
    ArticleNotFound,
    ArticleUnreadable,
    DocError,
    DocNotFound,
)
from asdlc_kb.markup.split_points import find_split_points
from asdlc_kb.mcp.protocol.errors import (
    InternalError,
    InvalidParams,
    ToolFailure,
    clip,
)
from asdlc_kb.providers.articles.views import article_markdown
from asdlc_kb.providers.chatgpt.tools import FetchedDocument, FoundDocument
from asdlc_kb.providers.shared.full_text import search_index
from asdlc_kb.providers.shared.listings import suggest_near
from asdlc_kb.search.filters import Filter, FilteredQuery
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchHit

MAX_RESULTS: Final = 10

MAX_TEXT_CHARS: Final = 60_000
"""Characters of a text; a longer one ends at a border of sections or paragraphs."""


class PublicUrls(Protocol):
    """The addresses of pages on the website."""

    def of_article(self, article: Article) -> str:
        """Return the absolute address of an article."""

    async def of_page(self, catalog: DocCatalog, path: str) -> str:
        """Return the absolute address of a documentation page of a catalog."""


class RankedDocument(NamedTuple):
    """A search result, with its score as a share of the best in its collection."""

    score: float
    document: FoundDocument


L = TypeVar("L", ArticleLibrary, DocCollection)


class _LibraryDocuments(Generic[L]):
    """The visible documents of a library."""

    def __init__(self, library: L, indexer: Indexer, urls: PublicUrls | None) -> None:
        self._library: L = library
        self._indexer = indexer
        self._urls = urls

    @property
    def state(self) -> tuple[int, int]:
        """The generations of the content and of its index."""
        return self._library.catalog.generation, self._indexer.index.generation

    def is_current(self, name: str) -> bool:
        """Whether the file of a visible document is unchanged since it was read."""
        return self._library.is_current(name)


class ArticleDocuments(_LibraryDocuments[ArticleLibrary]):
    """The visible articles of a library."""

    prefix = ARTICLE_PREFIX

    def knows(self, wanted: Filter) -> bool:
        """Whether a visible article has the value of a filter."""
        return article_filter.knows_filter(self._library.catalog.categories, wanted)

    async def search(self, query: FilteredQuery) -> list[RankedDocument]:
        """Return the articles that match best in the full text."""
        catalog = self._library.catalog
        asked = article_filter.apply_filters(query, None, catalog.categories)
        request = documents.make_request(catalog, asked, MAX_RESULTS)
        request = replace(request, finds_all=bool(query.filters))
        hits = (await search_index(self._indexer, request)).hits
        articles = (catalog.by_id[hit.key] for hit in hits)
        return _rank(hits, [self._show(catalog, article) for article in articles])

    async def fetch(self, name: str) -> FetchedDocument:
        """Return an article as Markdown, with its metadata."""
        try:
            catalog = await self._library.fetch(name)
            article = catalog.look_up(name)
        except ArticleError as error:
            is_fault = isinstance(error, ArticleUnreadable)
            protocol = InternalError if is_fault else InvalidParams
            hint = None
            if isinstance(error, ArticleNotFound):
                hint = await suggest_near(self._library.catalog.find_near, name)
            data = {"id": clip(name)}
            raise ToolFailure(str(error), data, protocol, hint=hint) from None
        shown = self._show(catalog, article)
        metadata = {
            "category": article.category,
            "tags": ", ".join(article.tags),
            "author": article.author or "",
            "lastUpdated": article.last_updated,
            "status": article.status.value,
        }
        return await asyncio.to_thread(
            _fill, shown, article_markdown(article), metadata, "get_article"
        )

    def _show(self, catalog: ArticleCatalog, article: Article) -> FoundDocument:
        uri = article_uri(catalog.name(article))
        url = uri if self._urls is None else self._urls.of_article(article)
        return FoundDocument(id=uri, title=article.title, url=url)


class PageDocuments(_LibraryDocuments[DocCollection]):
    """The visible pages of a documentation tree."""

    prefix = PAGE_PREFIX

    def knows(self, wanted: Filter) -> bool:
        """Whether a visible page has the value of a filter."""
        return knows_filter(self._library.catalog, wanted)

    async def search(self, query: FilteredQuery) -> list[RankedDocument]:
        """Return the pages that match best."""
        catalog = self._library.catalog
        request = make_request(catalog, query, MAX_RESULTS)
        hits = (await search_index(self._indexer, request)).hits
        pages = (catalog.by_path[hit.key] for hit in hits)
        return _rank(hits, [await self._show(catalog, page) for page in pages])

    async def fetch(self, name: str) -> FetchedDocument:
        """Return a page as Markdown, with its metadata."""
        try:
            catalog = await self._library.fetch(name)
            page = catalog.look_up(name)
        except DocError as error:
            hint = None
            if isinstance(error, DocNotFound):
                hint = await suggest_near(self._library.catalog.find_near, name)
            raise ToolFailure(str(error), {"id": clip(name)}, hint=hint) from None
        shown = await self._show(catalog, page)
        metadata = {"path": page.path, "tags": ", ".join(page.tags)}
        return await asyncio.to_thread(
            _fill, shown, page.text, metadata, "get_doc_page"
        )

    async def _show(self, catalog: DocCatalog, page: DocPage) -> FoundDocument:
        uri = page_uri(page.path)
        url = uri
        if self._urls is not None:
            url = await self._urls.of_page(catalog, page.path)
        return FoundDocument(id=uri, title=page.title, url=url)


DocumentCollection: TypeAlias = ArticleDocuments | PageDocuments
"""The documents of one source."""


def _rank(
    hits: Sequence[SearchHit], documents: Sequence[FoundDocument]
) -> list[RankedDocument]:
    """Return documents with their scores as shares of the first one's."""
    best = hits[0].score if hits else 0.0
    return [
        RankedDocument(hit.score / best if best > 0 else 0.0, document)
        for hit, document in zip(hits, documents, strict=True)
    ]


def _fill(
    found: FoundDocument, text: str, metadata: Mapping[str, str], reader: str
) -> FetchedDocument:
    """Return a document with its text and the metadata it has; blocks.

    Of a long text it has the beginning; `reader` is the tool that returns the rest.
    """
    given = {name: value for name, value in metadata.items() if value}
    if len(text) > MAX_TEXT_CHARS:
        end = find_split_points(text).find_end(0, MAX_TEXT_CHARS)
        given["truncated"] = (
            f"characters 1 to {end:,} of {len(text):,}; {reader} returns the rest"
        )
        text = text[:end]
    return FetchedDocument(
        id=found.id, title=found.title, text=text, url=found.url, metadata=given
    )
