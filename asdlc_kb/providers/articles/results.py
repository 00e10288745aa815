"""Paginated results of the tools that list and search articles.

A cursor contains a fingerprint of the rows before it, so that no row is repeated or
skipped if the list changed.
"""

import asyncio
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat, zip_longest
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.article_filter import ArticleQuery, split_query
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.documents import make_request
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.visible_articles import Selection
from asdlc_kb.mcp.protocol.model import TextContent, ToolResult
from asdlc_kb.mcp.protocol.tool_schema import given_arguments
from asdlc_kb.providers.articles import views
from asdlc_kb.providers.articles.article_rows import ArticleRows, RowForm
from asdlc_kb.providers.articles.tools import (
    DEFAULT_HITS,
    DEFAULT_LIMIT,
    DEFAULT_MATCHES,
    ListArticles,
    SearchArticles,
)
from asdlc_kb.providers.shared.cursors import (
    Fingerprint,
    cursor_fingerprint,
    read_cursor,
)
from asdlc_kb.providers.shared.full_text import (
    cut_irrelevant,
    describe_words,
    is_minimum,
    max_passages,
    search_index,
)
from asdlc_kb.providers.shared.listings import OtherContent
from asdlc_kb.providers.shared.results import (
    ResultPage,
    Row,
    fill_page,
    make_result,
    written_row,
)
from asdlc_kb.providers.shared.size_budget import (
    DEFAULT_CHARS,
    DEFAULT_SEARCH_CHARS,
    SizeBudget,
)
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchRequest, SearchResults

if TYPE_CHECKING:
    from asdlc_kb.providers.shared.passages import Passage


_CONTENT_CHARS: Final = 80
"""Characters of the fields around a text in a row."""


class ArticleLists:
    """Results of `list_articles` and `search_articles`."""

    def __init__(
        self,
        library: ArticleLibrary,
        indexer: Indexer,
        other: OtherContent | None = None,
    ) -> None:
        """Use a library's visible articles and its index."""
        self._other = other
        self._library = library
        self._indexer = indexer
        self._rows = ArticleRows()

    def list_all(self, arguments: ListArticles) -> ToolResult:
        """Return the articles, newest first."""
        catalog = self._library.catalog
        category = given_arguments(arguments.category)

        def fingerprint(count: int) -> str:
            names = (a.id for a in catalog.select(category, count).articles)
            return cursor_fingerprint("list", category or "", *names)

        start = read_cursor(arguments.cursor, fingerprint)
        selection = catalog.select(category, start + arguments.limit)
        is_markdown = arguments.format == "markdown"
        page = fill_page(
            views.Articles(articles=(), total=selection.total),
            "articles",
            self._rows.list(
                selection.articles[start:],
                catalog,
                _listed_row if is_markdown else written_row,
            ),
            arguments.max_chars,
            start,
            fingerprint,
        )
        text = _join_lines(page) if is_markdown else page.json_text
        return make_result(page.values, text, page.notes)

    def search_now(self, arguments: SearchArticles) -> ToolResult | None:
        """Return the answer of `search` if it takes no waiting, else None.

        That is one of keyword matches, or none at all in a small index. None until a
        thread has built the keyword index, and the one of names for one without any.
        """
        catalog = self._library.catalog
        if not catalog.is_indexed:
            return None
        query = _read_query(arguments, catalog)
        matches = _find_matches(arguments, query, catalog)
        if matches is not None and _has_page(arguments, matches):
            return self._show_matches(arguments, query, catalog, matches)
        if not catalog.is_near_indexed:
            return None
        results = None
        if matches is None:
            request = _make_request(arguments, query, catalog)
            results = self._indexer.index.search_unmatched(request)
            if results is None:
                return None
        near = catalog.find_near(query.text)
        return self._show_nothing(arguments, query, catalog, near, results)

    async def search(self, arguments: SearchArticles) -> ToolResult:
        """Search by keyword, or in the full text."""
        catalog = await self._library.searchable_catalog()
        query = _read_query(arguments, catalog)
        matches = _find_matches(arguments, query, catalog)
        if matches is None:
            return await self._search_text(arguments, query, catalog)
        if _has_page(arguments, matches):
            return self._show_matches(arguments, query, catalog, matches)
        near = await _find_near(catalog, query.text)
        return self._show_nothing(arguments, query, catalog, near)

    def _show_matches(
        self,
        arguments: SearchArticles,
        query: ArticleQuery,
        catalog: ArticleCatalog,
        matches: Selection,
    ) -> ToolResult:
        """Return a page of keyword matches; `matches` are those of the first one."""
        category = given_arguments(arguments.category)

        def fingerprint(count: int) -> str:
            known = matches.articles
            if count > len(known):
                known = catalog.find_matches(query, count).articles
            names = (article.id for article in known[:count])
            written = arguments.query.strip()
            return cursor_fingerprint("search", written, category or "", *names)

        start = read_cursor(arguments.cursor, fingerprint)
        if start:
            matches = catalog.find_matches(query, start + _limit(arguments, query))
        articles = matches.articles[start:]
        if arguments.include_content:
            shown = map(views.article_row, articles, repeat(catalog))
            rows = _write_rows(arguments, shown, articles)
        else:
            rows = self._rows.list(articles, catalog, _search_form(arguments))
        answer = views.Articles(articles=(), total=matches.total)
        return _search_result(arguments, answer, rows, (), start, fingerprint)

    async def _search_text(
        self, arguments: SearchArticles, query: ArticleQuery, catalog: ArticleCatalog
    ) -> ToolResult:
        """Search the full text; without a limit, return only results near the best."""
        request = _make_request(arguments, query, catalog)
        results = await search_index(self._indexer, request)
        if not results.total:
            near = await _find_near(catalog, query.text)
            return self._show_nothing(arguments, query, catalog, near, results)
        start = request.offset
        if given_arguments(arguments.limit) is None and not start:
            results = cut_irrelevant(results)
        hits = results.hits
        articles = [catalog.by_id[hit.key] for hit in hits]
        passages: Sequence[Passage] = ()
        if arguments.detail != "list" and not arguments.include_content:
            from asdlc_kb.providers.shared.passages import Place, find_passages

            rows = map(views.article_row, articles, repeat(catalog), hits)
            form = _search_form(arguments)
            sizes = [len(form(row).text) for row in rows]
            budget = SizeBudget(_max_chars(arguments), arguments.format == "json")
            places = [
                Place(
                    article.body,
                    hit.line - article.positions.body + 1,
                    [line - article.positions.body + 1 for line in hit.next_lines],
                )
                for article, hit in zip(articles, hits, strict=True)
            ]
            passages = await find_passages(
                results, places, sizes, budget, arguments.detail
            )
        shown = (
            views.article_row(article, catalog, hit, passage)
            for article, hit, passage in zip_longest(articles, hits, passages)
        )
        answer = views.full_text_answer(results)
        notes = tuple(describe_words(results, "article"))
        written = _write_rows(arguments, shown, articles)
        fingerprint = _text_fingerprint(arguments)
        return _search_result(arguments, answer, written, notes, start, fingerprint)

    def _show_nothing(
        self,
        arguments: SearchArticles,
        query: ArticleQuery,
        catalog: ArticleCatalog,
        near: Sequence[str],
        results: SearchResults | None = None,
    ) -> ToolResult:
        """Return an answer without articles: what was searched, and near names.

        `results` are those of a full-text search.
        """
        category = query.category
        noun = "articles" if category is None else f"articles of {category}"
        answer, corrections = views.Articles(articles=(), total=0), tuple[str, ...]()
        fields = "titles, tags and descriptions"
        if results is not None:
            answer = views.full_text_answer(results)
            corrections = tuple(describe_words(results, "article"))
            fields = "titles, tags, descriptions and text"
        total = catalog.find_matches(replace(query, text=""), 0).total
        nearest = f" Nearest: {', '.join(near)}" if near else ""
        empty = f"0 of {total:,} {noun}. Searched {fields}.{nearest}"
        hints = () if self._other is None else (self._other.search_hint,)
        notes = (empty, *hints, *corrections)
        return _search_result(arguments, answer, (), notes, 0, "")

    async def format_search(self, arguments: SearchArticles) -> str:
        """Return the texts of a search result."""
        items = (await self.search(arguments)).content
        return "\n\n".join(i.text for i in items if isinstance(i, TextContent))


def _search_result(
    arguments: SearchArticles,
    answer: views.Articles,
    rows: Iterable[Row],
    notes: Sequence[str],
    start: int,
    fingerprint: Fingerprint,
) -> ToolResult:
    """Return a page of search results; `notes` come before those on other pages."""
    max_chars = _max_chars(arguments)
    page = fill_page(
        answer,
        "articles",
        rows,
        max_chars,
        start,
        fingerprint,
        is_minimum=answer.mode == "fulltext" and is_minimum(answer.total),
    )
    is_markdown = arguments.format == "markdown"
    text = _format_results(page, arguments.query) if is_markdown else page.json_text
    return make_result(page.values, text, (*notes, *page.notes))


def _has_page(arguments: SearchArticles, matches: Selection) -> bool:
    """Whether a page of matches is asked for: a cursor is checked even without any."""
    return bool(matches.total or given_arguments(arguments.cursor))


def _read_query(arguments: SearchArticles, catalog: ArticleCatalog) -> ArticleQuery:
    """Return the query without its filters, and these with those of the arguments."""
    category = given_arguments(arguments.category)
    return split_query(arguments.query.strip(), category, catalog.categories)


def _find_matches(
    arguments: SearchArticles, query: ArticleQuery, catalog: ArticleCatalog
) -> Selection | None:
    """Return the first keyword matches, or None where full text is searched."""
    limit = _limit(arguments, query)
    return catalog.search_first(query, limit, mode=arguments.mode)


def _make_request(
    arguments: SearchArticles, query: ArticleQuery, catalog: ArticleCatalog
) -> SearchRequest:
    """Return the request of a full-text search."""
    limit = given_arguments(arguments.limit) or DEFAULT_HITS
    return dataclasses.replace(
        make_request(catalog, query, limit),
        offset=read_cursor(arguments.cursor, _text_fingerprint(arguments)),
        passages=max_passages(arguments.detail, limit),
    )


def _text_fingerprint(arguments: SearchArticles) -> str:
    category = given_arguments(arguments.category) or ""
    return cursor_fingerprint("fulltext", arguments.query.strip(), category)


async def _find_near(catalog: ArticleCatalog, query: str) -> Sequence[str]:
    """Return near names, which a thread finds if they are not indexed yet."""
    if catalog.is_near_indexed:
        return catalog.find_near(query)
    return await asyncio.to_thread(catalog.find_near, query)


def _max_chars(arguments: SearchArticles) -> int:
    """Return the most characters of a search result."""
    default = DEFAULT_CHARS if arguments.include_content else DEFAULT_SEARCH_CHARS
    return given_arguments(arguments.max_chars) or default


def _write_rows(
    arguments: SearchArticles,
    rows: Iterable[views.ArticleView],
    articles: Iterable[Article],
) -> Iterator[Row]:
    """Return the rows of articles, with their texts if these are asked for."""
    if arguments.include_content:
        rows = map(_add_content, rows, articles, repeat(_max_chars(arguments)))
    return map(_search_form(arguments), rows)


def _add_content(
    row: views.ArticleView, article: Article, max_chars: int
) -> views.ArticleView:
    """Return a row with the article's text, cut if it alone does not fit."""
    budget = SizeBudget(max_chars - _CONTENT_CHARS).spend(row)
    fitting = budget.count_fitting(article.body)
    if fitting < len(article.body):
        return replace(
            row,
            content=article.body[:fitting],
            characters=len(article.body),
            start=0,
            end=fitting,
        )
    return replace(row, content=article.body)


def _limit(arguments: SearchArticles, query: ArticleQuery) -> int:
    """Return the most results of a keyword search."""
    default = DEFAULT_MATCHES if query.text else DEFAULT_LIMIT
    return given_arguments(arguments.limit) or default


def _search_form(arguments: SearchArticles) -> RowForm:
    return _found_row if arguments.format == "markdown" else written_row


def _found_row(row: views.ArticleView) -> Row:
    return written_row(row, views.format_row(row))


def _listed_row(row: views.ArticleView) -> Row:
    return written_row(row, views.format_listed(row))


def _join_lines(page: ResultPage) -> str:
    """Format a list of articles, one line each."""
    return "\n".join(row.text for row in page.rows)


def _format_results(page: ResultPage, query: str) -> str:
    """Format search results as text."""
    if not page.rows:
        return f"No articles found matching '{query}'."
    more = " or more" if page.is_minimum else ""
    lead = f"Found {page.values['total']} articles{more}:"
    return "\n\n".join((lead, *(row.text for row in page.rows)))
