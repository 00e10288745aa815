"""Paginated results of the tools that list and search articles.

A cursor contains a fingerprint of the rows before it, so that no row is repeated or
skipped if the list changed.
"""

from collections.abc import Iterable, Sequence

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.mcp.protocol.model import ResourceLink, TextContent, ToolResult
from asdlc_kb.mcp.protocol.tool_schema import given_arguments
from asdlc_kb.providers.articles import views
from asdlc_kb.providers.articles.tools import (
    DEFAULT_LIMIT,
    ListArticles,
    SearchArticles,
)
from asdlc_kb.providers.shared.cursors import (
    Fingerprint,
    cursor_fingerprint,
    read_cursor,
)
from asdlc_kb.providers.shared.full_text import describe_corrections, search_index
from asdlc_kb.providers.shared.listings import MAX_LISTED_CHARS
from asdlc_kb.providers.shared.media_types import MARKDOWN
from asdlc_kb.providers.shared.results import (
    ResultPage,
    Row,
    fill_page,
    json_row,
    make_result,
    to_values,
)
from asdlc_kb.providers.shared.size_budget import json_chars, max_answer_chars
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchHit, SearchRequest


class ArticleLists:
    """Results of `list_articles` and `search_articles`."""

    def __init__(self, library: ArticleLibrary, indexer: Indexer) -> None:
        """Use a library's visible articles and its index."""
        self._library = library
        self._indexer = indexer

    def list_all(self, arguments: ListArticles) -> ToolResult:
        """Return the articles, newest first."""
        catalog = self._library.catalog
        category = given_arguments(arguments.category)

        def fingerprint(count: int) -> str:
            names = (a.id for a in catalog.select(category, count).articles)
            return cursor_fingerprint("list", category or "", *names)

        start = read_cursor(arguments.cursor, fingerprint)
        selection = catalog.select(category, start + arguments.limit)
        page = fill_page(
            views.Articles(articles=(), total=selection.total),
            "articles",
            (
                json_row(views.article_row(article, catalog))
                for article in selection.articles[start:]
            ),
            max_answer_chars(arguments.limit, DEFAULT_LIMIT),
            start,
            fingerprint,
        )
        return make_result(page.values, page.json_text)

    async def search(self, arguments: SearchArticles) -> ToolResult:
        """Search by keyword, or in the full text."""
        catalog = self._library.catalog
        category, query = given_arguments(arguments.category), arguments.query
        first = catalog.search_first(
            query, category, arguments.limit, mode=arguments.mode
        )
        if first is None:
            return await self._search_text(arguments, catalog)

        def fingerprint(count: int) -> str:
            known = first.articles
            if count > len(known):
                known = catalog.search(query, category, count).articles
            names = (article.id for article in known[:count])
            return cursor_fingerprint("search", query, category or "", *names)

        start = read_cursor(arguments.cursor, fingerprint)
        selection = first
        if start:
            selection = catalog.search(query, category, start + arguments.limit)
        return _search_result(
            arguments,
            catalog,
            views.Articles(articles=(), total=selection.total),
            ((article, None) for article in selection.articles[start:]),
            (),
            start,
            fingerprint,
        )

    async def format_search(self, arguments: SearchArticles) -> str:
        """Return the text of a search result."""
        (first, *_) = (await self.search(arguments)).content
        assert isinstance(first, TextContent)
        return first.text

    async def _search_text(
        self, arguments: SearchArticles, catalog: ArticleCatalog
    ) -> ToolResult:
        category, query = given_arguments(arguments.category), arguments.query
        fingerprint = cursor_fingerprint("fulltext", query, category or "")
        start = read_cursor(arguments.cursor, fingerprint)
        catalog.require(category)
        request = SearchRequest(
            query, arguments.limit, catalog.has_digest, start, category
        )
        results = await search_index(self._indexer, request)
        return _search_result(
            arguments,
            catalog,
            views.full_text_answer(results),
            ((catalog.by_id[hit.key], hit) for hit in results.hits),
            tuple(describe_corrections(results)),
            start,
            fingerprint,
        )


def _search_result(
    arguments: SearchArticles,
    catalog: ArticleCatalog,
    answer: views.Articles,
    found: Iterable[tuple[Article, SearchHit | None]],
    notes: Sequence[str],
    start: int,
    fingerprint: Fingerprint,
) -> ToolResult:
    """Return a page of search results in the requested format; with content, all."""
    rows = (_search_row(arguments, catalog, article, hit) for article, hit in found)
    is_markdown = arguments.format == "markdown"
    budget = max_answer_chars(arguments.limit, DEFAULT_LIMIT) - json_chars(notes)
    page = fill_page(
        answer,
        "articles",
        rows,
        None if arguments.include_content else budget,
        start,
        fingerprint,
    )
    text = _format_results(page, arguments.query, notes)
    links = (row.link for row in page.rows if row.link is not None)
    return make_result(page.values, text if is_markdown else page.json_text, links)


def _search_row(
    arguments: SearchArticles,
    catalog: ArticleCatalog,
    article: Article,
    hit: SearchHit | None,
) -> Row:
    link = _link(article, catalog)
    view = views.article_row(
        article, catalog, content=arguments.include_content, hit=hit
    )
    if arguments.format == "json":
        return json_row(view, link)
    return Row(to_values(view), views.format_row(article, catalog, hit), link)


def _format_results(page: ResultPage, query: str, notes: Sequence[str]) -> str:
    """Format search results as text, with the cursor of the next page."""
    if not page.rows:
        return " ".join((f"No articles found matching '{query}'.", *notes))
    lead = f"Found {page.values['total']} articles:"
    cursor = (f"Next articles: cursor {page.next_cursor}",) if page.next_cursor else ()
    return "\n\n".join((*notes, lead, *(row.text for row in page.rows), *cursor))


def _link(article: Article, catalog: ArticleCatalog) -> ResourceLink:
    name = catalog.name(article)
    return ResourceLink(
        uri=views.article_uri(name),
        name=name,
        title=article.title,
        description=article.description[:MAX_LISTED_CHARS],
        mime_type=MARKDOWN,
        annotations=views.annotations(article),
    )
