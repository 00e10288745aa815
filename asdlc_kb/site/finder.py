"""Site search: all sources, with the ranking of the tools, results in groups."""

import asyncio
from collections.abc import Sequence
from typing import Final

from asdlc_kb.articles import article_filter
from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.catalogs.named_page import find_named_page
from asdlc_kb.docs.catalogs.page_filter import apply_filters, knows_filter
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.markup.titles import readable_title
from asdlc_kb.search.filters import Filter, FilteredQuery, parse_filters
from asdlc_kb.search.policy import MAX_QUERY_CHARS
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import (
    SearchHit,
    SearchRequest,
    SearchResults,
)
from asdlc_kb.site import urls
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.pages.doc_pages import DocUrls
from asdlc_kb.site.pages.edition_links import name_edition
from asdlc_kb.site.pages.search_page import PageResult, PageResults

WAIT_SECONDS: Final = 10.0
"""Seconds that a search waits for an index that is being built."""


class SiteSearch:
    """Searches each source; without results if its index is not ready in time."""

    def __init__(
        self,
        site: PageRenderer,
        articles: tuple[ArticleLibrary, Indexer] | None,
        docs: tuple[DocCollection, Indexer] | None,
    ) -> None:
        self._site = site
        self._articles = articles
        self._docs = docs

    async def find(self, query: str, limit: int) -> PageResults:
        """Return the results of a query, at most `limit` of each source."""
        query = query.strip()[:MAX_QUERY_CHARS]
        if not query:
            return PageResults(query)
        articles = view = None
        if self._articles is not None:
            articles = await self._articles[0].searchable_catalog()
        if self._docs is not None:
            view = await asyncio.to_thread(lambda: self._site.snapshot.docs)
        docs = view.catalog if view else self._docs and self._docs[0].catalog

        def knows(wanted: Filter) -> bool:
            is_known = articles is not None and article_filter.knows_filter(
                articles.categories, wanted
            )
            return is_known or (docs is not None and knows_filter(docs, wanted))

        asked = parse_filters(query, knows)
        answers = [
            await self._in_articles(asked, limit, articles),
            await self._in_docs(asked, limit, docs, view),
        ]
        return PageResults(
            query,
            tuple(found for answer in answers for found in answer.found),
            sum(answer.total for answer in answers),
            " ".join(dict.fromkeys(a.corrected for a in answers if a.corrected)),
            next((a.suggestion for a in answers if a.suggestion), ""),
        )

    async def _in_articles(
        self, asked: FilteredQuery, limit: int, catalog: ArticleCatalog | None
    ) -> PageResults:
        if self._articles is None or catalog is None:
            return PageResults(asked.text)
        query = article_filter.apply_filters(asked, None, catalog.categories)
        chosen = catalog.search_first(query, limit)
        if chosen is not None:
            found = tuple(_show_article(article) for article in chosen.articles)
            return PageResults(query.text, found, chosen.total)
        request = SearchRequest(
            query.text,
            limit,
            catalog.has_digest,
            category=query.category,
            keys=article_filter.find_keys(catalog.articles, query.filters),
            is_typing=True,
        )
        results = await _search_index(self._articles[1], request)
        found = tuple(_show_article(catalog.by_id[h.key], h) for h in results.hits)
        return _to_page_results(query.text, found, results)

    async def _in_docs(
        self,
        asked: FilteredQuery,
        limit: int,
        catalog: DocCatalog | None,
        view: DocUrls | None,
    ) -> PageResults:
        if self._docs is None or catalog is None:
            return PageResults(asked.text)
        selected = apply_filters(catalog, asked)
        request = SearchRequest(
            asked.text,
            limit,
            catalog.has_digest,
            language=selected.language,
            keys=selected.paths,
            is_secondary=selected.is_secondary,
            named=find_named_page(catalog, asked.text),
            is_typing=True,
            finds_all=bool(asked.filters),
        )
        results = await _search_index(self._docs[1], request)
        groups = _name_groups(catalog)
        hits = tuple(_show_page(view, groups, hit) for hit in results.hits if view)
        return _to_page_results(asked.text, hits, results)


async def _search_index(indexer: Indexer, request: SearchRequest) -> SearchResults:
    try:
        return await indexer.search(request, WAIT_SECONDS)
    except TimeoutError:
        return SearchResults()


def _to_page_results(
    query: str, found: Sequence[PageResult], results: SearchResults
) -> PageResults:
    return PageResults(
        query,
        tuple(found),
        results.total,
        results.describe_corrections(("“", "”")),
        results.suggestion or "",
    )


def _show_article(article: Article, hit: SearchHit | None = None) -> PageResult:
    anchor = f"#{hit.anchor}" if hit and hit.anchor else ""
    return PageResult(
        title=article.title,
        address=urls.of_article(article) + anchor,
        group=readable_title(article.category),
        heading=hit.heading if hit else "",
        snippet=hit.snippet if hit else article.description,
        note="Experimental" if article.status is ArticleStatus.EXPERIMENTAL else "",
    )


def _show_page(view: DocUrls, groups: dict[str, str], hit: SearchHit) -> PageResult:
    page = view.catalog.by_path[hit.key]
    anchor = f"#{hit.anchor}" if hit.anchor else ""
    return PageResult(
        title=page.title,
        address=view.addresses[page.path] + anchor,
        group=groups.get(page.path, "Documentation"),
        heading=hit.heading if hit.heading != page.title else "",
        snippet=hit.snippet,
        edition="" if page.edition.is_default else name_edition(page.edition),
    )


def _name_groups(catalog: DocCatalog) -> dict[str, str]:
    if len(catalog.groups) < 2:
        return {}
    return {page.path: group.title for group in catalog.groups for page in group.pages}
