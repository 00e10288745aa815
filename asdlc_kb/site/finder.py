"""Site search: one ranking of all sources."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from asdlc_kb.articles import article_filter, documents
from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.docs.catalogs.page_filter import knows_filter, make_request
from asdlc_kb.docs.edition import DEFAULT
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.titles import readable_title
from asdlc_kb.search.filters import Filter, FilteredQuery, parse_filters
from asdlc_kb.search.policy import MAX_QUERY_CHARS
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.service.merged_ranking import rank_hits
from asdlc_kb.search.values import (
    SearchHit,
    SearchRequest,
    SearchResults,
)
from asdlc_kb.site import urls
from asdlc_kb.site.layout.texts import Texts
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.pages.edition_links import name_edition
from asdlc_kb.site.pages.search_page import (
    PageResult,
    PageResults,
)
from asdlc_kb.site.pages.search_sources import (
    DOCUMENTATION,
    list_filters,
    list_sources,
    name_groups,
)

WAIT_SECONDS: Final = 10.0
"""Seconds that a search waits for an index that is being built."""


class _Found(NamedTuple):
    """The results of one source."""

    pages: tuple[PageResult, ...] = ()
    total: int = 0
    full_text: SearchResults = SearchResults()
    """Those of the full-text search, in the order of `pages`; empty for keywords."""


class SiteSearch:
    """Searches all sources; without results of one whose index is not ready in time."""

    def __init__(
        self,
        site: PageRenderer,
        articles: tuple[ArticleLibrary, Indexer] | None,
        docs: Indexer | None,
    ) -> None:
        """Search what the site shows; `docs` is the index of its documentation."""
        self._site = site
        self._articles = articles
        self._docs = docs

    async def find(
        self, query: str, limit: int, source: str = "", read: str = ""
    ) -> PageResults:
        """Return the best results of a query, at most `limit`.

        Of one source if its name is known: `articles`, or that of a documentation tree.
        `read` is the public address of the page that the reader is on: pages of its
        edition come first.
        """
        query = query.strip()[:MAX_QUERY_CHARS]
        articles = view = None
        if self._articles is not None:
            articles = await self._articles[0].searchable_catalog()
        if self._docs is not None:
            view = await asyncio.to_thread(lambda: self._site.snapshot.docs)
        docs = view.catalog if view is not None else None
        sources = list_sources(articles, docs)
        chosen = source if source in {each.name for each in sources} else ""
        filters = list_filters(articles, docs)
        page = self._find_read(view, read)
        empty = PageResults(
            query,
            sources=sources,
            source=chosen,
            filters=filters,
            read=read if page else "",
            language=page.edition.language if page else "",
        )
        if not query:
            return empty

        def knows(wanted: Filter) -> bool:
            is_known = articles is not None and article_filter.knows_filter(
                articles.categories, wanted
            )
            return is_known or (docs is not None and knows_filter(docs, wanted))

        asked = parse_filters(query, knows)
        if chosen:
            of_source = Filter("source", chosen)
            asked = FilteredQuery(asked.text, (*asked.filters, of_source))
        found = await asyncio.gather(
            self._in_articles(asked, limit, articles),
            self._in_docs(asked, limit, view, page),
        )
        answers = [each.full_text for each in found]
        corrected = (each.describe_corrections(("“", "”")) for each in answers)
        return replace(
            empty,
            found=tuple(_rank(found))[:limit],
            total=sum(each.total for each in found),
            corrected=" ".join(dict.fromkeys(filter(None, corrected))),
            suggestion=next(filter(None, (each.suggestion for each in answers)), ""),
            unfiltered=asked.text.strip() if asked.filters else "",
        )

    def _find_read(self, view: DocUrls | None, read: str) -> DocPage | None:
        """Return the page at an address if it is not of a default edition."""
        if view is None or not read:
            return None
        prefix = self._site.frame.identity.prefix
        page = view.by_address.get(read.removeprefix(prefix))
        return page if page is not None and not page.edition.is_default else None

    async def _in_articles(
        self, asked: FilteredQuery, limit: int, catalog: ArticleCatalog | None
    ) -> _Found:
        if self._articles is None or catalog is None:
            return _Found()
        query = article_filter.apply_filters(asked, None, catalog.categories)
        results = SearchResults()
        if query.text.strip():
            request = documents.make_request(catalog, query, limit)
            request = replace(request, is_typing=True, is_merged=True)
            results = await _search_index(self._articles[1], request)
        if not results.total:
            chosen = catalog.find_matches(query, limit)
            if chosen.total:
                return _Found(tuple(map(_show_article, chosen.articles)), chosen.total)
        hits = results.hits
        pages = tuple(_show_article(catalog.by_id[hit.key], hit) for hit in hits)
        return _Found(pages, results.total, results)

    async def _in_docs(
        self,
        asked: FilteredQuery,
        limit: int,
        view: DocUrls | None,
        read: DocPage | None,
    ) -> _Found:
        if self._docs is None or view is None:
            return _Found()
        edition = read.edition if read else DEFAULT
        request = make_request(view.catalog, asked, limit, read=edition)
        request = replace(
            request,
            is_typing=True,
            is_merged=True,
            read_edition=view.catalog.read_edition,
        )
        results = await _search_index(self._docs, request)
        groups = name_groups(view.catalog)
        text = self._site.frame.find_texts()
        pages = tuple(_show_page(view, groups, hit, text) for hit in results.hits)
        return _Found(pages, results.total, results)


def _rank(found: Sequence[_Found]) -> Iterator[PageResult]:
    """Yield the results of all sources, best first, those by keyword last."""
    for hit in rank_hits([each.full_text for each in found]):
        yield found[hit.source].pages[hit.number]
    for each in found:
        yield from each.pages[len(each.full_text.hits) :]


async def _search_index(indexer: Indexer, request: SearchRequest) -> SearchResults:
    try:
        return await indexer.search(request, WAIT_SECONDS)
    except TimeoutError:
        return SearchResults()


def _show_article(article: Article, hit: SearchHit | None = None) -> PageResult:
    anchor = f"#{hit.anchor}" if hit and hit.anchor else ""
    return PageResult(
        title=article.title,
        address=urls.of_article(article) + anchor,
        group=readable_title(article.category),
        heading=hit.heading if hit else "",
        snippet=hit.excerpt if hit else (article.description,),
        note="Experimental" if article.status is ArticleStatus.EXPERIMENTAL else "",
    )


def _show_page(
    view: DocUrls, groups: Mapping[str, str], hit: SearchHit, text: Texts
) -> PageResult:
    page = view.catalog.by_path[hit.key]
    anchor = f"#{hit.anchor}" if hit.anchor else ""
    return PageResult(
        title=page.title,
        address=view.addresses[page.path] + anchor,
        group=groups.get(page.path, DOCUMENTATION),
        heading=hit.heading if hit.heading != page.title else "",
        snippet=hit.excerpt,
        edition="" if page.edition.is_default else name_edition(page.edition, text),
    )
