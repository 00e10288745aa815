"""Paginated results of the tools that list and search articles.

A cursor contains a fingerprint of the rows before it, so that no row is repeated or
skipped if the list changed.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from msgspec import UNSET, UnsetType

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog, Selection
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.model import ResourceLink, TextContent, ToolResult
from asdlc_kb.mcp.protocol.tool_schema import given_arguments
from asdlc_kb.providers.articles import views
from asdlc_kb.providers.articles.tools import (
    DEFAULT_LIMIT,
    ListArticles,
    SearchArticles,
)
from asdlc_kb.providers.shared import full_text
from asdlc_kb.providers.shared.cursors import cursor_fingerprint, read_cursor
from asdlc_kb.providers.shared.size_budget import max_answer_chars, shrink_rows
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchHit

T = TypeVar("T")

LIST_CUT: Final = 200
"""Characters of a description in resource lists."""


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

        def make(rows: Sequence[Article], following: str | None) -> ToolResult:
            answer = _articles(catalog, rows, selection.total, following)
            text = write_json(answer["articles"])
            return ToolResult(content=(text,), structured_content=answer)

        start = _start(arguments.cursor, fingerprint)
        selection = catalog.select(category, start + arguments.limit)
        return shrink_rows(
            selection.articles[start:],
            make,
            max_answer_chars(arguments.limit, DEFAULT_LIMIT),
            start=start,
            total=selection.total,
            fingerprint=fingerprint,
        )

    async def search(self, arguments: SearchArticles) -> ToolResult:
        """Search by keyword, or in the full text."""
        catalog = self._library.catalog
        category, query = given_arguments(arguments.category), arguments.query
        first = catalog.search_first(
            query, category, arguments.limit, mode=arguments.mode
        )
        if first is None:
            return await self._search_text(arguments)

        def fingerprint(count: int) -> str:
            known = first.articles
            if count > len(known):
                known = catalog.search(query, category, count).articles
            names = (article.id for article in known[:count])
            return cursor_fingerprint("search", query, category or "", *names)

        start = _start(arguments.cursor, fingerprint)
        selection = first
        if start:
            selection = catalog.search(query, category, start + arguments.limit)
        content = arguments.include_content

        def make(rows: Sequence[Article], following: str | None) -> ToolResult:
            answer = _articles(
                catalog, rows, selection.total, following, content=content
            )
            chosen = Selection(tuple(rows), selection.total)
            text = _with_cursor(views.format_results(chosen, catalog, query), following)
            return _search_result(arguments, answer, text, _links(rows, catalog))

        rows = selection.articles[start:]
        total = selection.total
        return _paginate(
            arguments, rows, make, start=start, total=total, fingerprint=fingerprint
        )

    async def format_search(self, arguments: SearchArticles) -> str:
        """Return the text of a search result."""
        (first, *_) = (await self.search(arguments)).content
        assert isinstance(first, TextContent)
        return first.text

    async def _search_text(self, arguments: SearchArticles) -> ToolResult:
        category, query = given_arguments(arguments.category), arguments.query

        def fingerprint(_: int) -> str:
            return cursor_fingerprint("fulltext", query, category or "")

        start = _start(arguments.cursor, fingerprint)
        await full_text.wait_for_index(self._indexer)
        catalog = self._library.catalog
        catalog.require(category)
        results = await full_text.ask_index(
            self._indexer,
            query,
            arguments.limit,
            accepts=catalog.holds,
            offset=start,
            category=category,
        )
        passages = [(catalog.by_id[hit.key], hit) for hit in results.hits]
        content = arguments.include_content

        def make(
            rows: Sequence[tuple[Article, SearchHit]], following: str | None
        ) -> ToolResult:
            shown = views.list_passages(
                rows, catalog, results, following, content=content
            )
            text = _with_cursor(
                views.format_passages(rows, catalog, query, results), following
            )
            links = _links([article for article, _ in rows], catalog)
            answer = views.to_json_values(shown)
            return _search_result(arguments, answer, text, links)

        total = results.total
        return _paginate(
            arguments, passages, make, start=start, total=total, fingerprint=fingerprint
        )


def _paginate(
    arguments: SearchArticles,
    rows: Sequence[T],
    make: Callable[[Sequence[T], str | None], ToolResult],
    *,
    start: int,
    total: int,
    fingerprint: Callable[[int], str],
) -> ToolResult:
    """Return search results within the size budget; with content, all rows."""
    if arguments.include_content:
        return make(rows, None)
    budget = max_answer_chars(arguments.limit, DEFAULT_LIMIT)
    return shrink_rows(
        rows, make, budget, start=start, total=total, fingerprint=fingerprint
    )


def write_json(value: Any) -> TextContent:
    """Return a value as JSON text content."""
    return TextContent(text=jsonrpc.write(value).decode())


def _articles(
    catalog: ArticleCatalog,
    rows: Sequence[Article],
    total: int,
    following: str | None,
    *,
    content: bool = False,
) -> dict[str, Any]:
    """Return listed articles as structured content."""
    shown = tuple(
        views.article_row(article, catalog, content=content) for article in rows
    )
    answer = views.Articles(articles=shown, total=total, next_cursor=following or UNSET)
    return views.to_json_values(answer)


def _search_result(
    arguments: SearchArticles,
    answer: dict[str, Any],
    text: str,
    links: Sequence[ResourceLink],
) -> ToolResult:
    """Return search results in the requested format."""
    is_markdown = arguments.format == "markdown"
    content = TextContent(text=text) if is_markdown else write_json(answer["articles"])
    return ToolResult(content=(content, *links), structured_content=answer)


def _with_cursor(text: str, following: str | None) -> str:
    """Append the cursor of the next page to a search text."""
    return f"{text}\n\nNext articles: cursor {following}" if following else text


def _start(cursor: str | UnsetType, fingerprint: Callable[[int], str]) -> int:
    """Return the offset of the requested rows."""
    return (
        0 if isinstance(cursor, UnsetType) else read_cursor(cursor, fingerprint, 10**9)
    )


def _links(rows: Sequence[Article], catalog: ArticleCatalog) -> Sequence[ResourceLink]:
    return [_link(article, catalog) for article in rows]


def _link(article: Article, catalog: ArticleCatalog) -> ResourceLink:
    name = catalog.name(article)
    return ResourceLink(
        uri=views.article_uri(name),
        name=name,
        title=article.title,
        description=article.description[:LIST_CUT],
        mime_type=views.MARKDOWN,
        annotations=views.annotations(article),
    )
