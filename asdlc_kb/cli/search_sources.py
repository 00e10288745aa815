"""Search of all sources with the ranking of the tools, for `search` and `eval`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from asdlc_kb.app import ConfiguredSources, IndexedSource, open_documents, open_index
from asdlc_kb.articles import article_filter, documents
from asdlc_kb.articles.article import Article
from asdlc_kb.articles.article_filter import ArticleQuery
from asdlc_kb.articles.catalog import Mode
from asdlc_kb.corpus import SourceKind
from asdlc_kb.docs.catalogs.page_filter import (
    knows_filter,
    list_values,
    make_request,
)
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.exceptions import SettingsError, UnknownEdition
from asdlc_kb.search.filters import ARTICLES, Filter, FilteredQuery, parse_filters
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.service.merged_ranking import RankedHit, rank_hits
from asdlc_kb.search.values import SearchHit, SearchRequest, SearchResults
from asdlc_kb.settings import Settings


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A query with its options."""

    query: str
    limit: int
    category: str | None = None
    mode: Mode = "auto"
    filters: tuple[Filter, ...] = ()
    """Those of options, beside those in the query."""


@dataclass(frozen=True, slots=True)
class FoundItem:
    """An article or a page, and the matching passage of a full-text search."""

    entry: Article | DocPage
    hit: SearchHit | None = None

    @property
    def name(self) -> str:
        """The name that `show` accepts."""
        return self.entry.id if isinstance(self.entry, Article) else self.entry.path


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of one source; `full_text` has those of the full-text search."""

    noun: str
    """What the items are, in the plural."""
    items: tuple[FoundItem, ...]
    total: int
    """The number of matches, of which `items` are the first."""
    full_text: SearchResults = field(default_factory=SearchResults)
    text: str = field(default="", repr=False)
    """The query without filters."""
    request: SearchRequest | None = field(default=None, repr=False)
    """That of the full-text search, if there was one."""


class SourceSearch:
    """Searches sources with fixed catalogs."""

    def __init__(self, sources: ConfiguredSources, settings: Settings) -> None:
        self._sources = sources
        self._indexes = {
            source.kind: open_index(settings, source, synonyms=sources.synonyms)
            for source in sources.indexed
        }

    def find(
        self, query: SearchQuery, only: SourceKind | None = None
    ) -> Iterator[Findings]:
        """Yield the results of each source, as its tool finds them: articles, pages."""
        asked = self._parse(query)
        if self._sources.articles is not None and only != "docs":
            yield from self._find_articles(query, asked)
        if self._sources.docs is not None and only != "articles":
            yield from self._find_pages(query, asked)

    def find_merged(self, query: SearchQuery) -> Iterator[Findings]:
        """Yield the results of each source, with scores that `rank_items` compares.

        In mode `auto` articles are searched by keyword only if their full text has no
        result: points of keywords do not compare with scores.
        """
        asked = self._parse(query)
        if self._sources.articles is not None:
            is_auto = query.mode == "auto"
            first = replace(query, mode="fulltext") if is_auto else query
            articles = list(self._find_articles(first, asked, is_merged=True))
            if is_auto and not any(found.total for found in articles):
                by_keyword = replace(query, mode="keyword")
                others = self._find_articles(by_keyword, asked)
                articles = [found for found in others if found.total] or articles
            yield from articles
        if self._sources.docs is not None:
            yield from self._find_pages(query, asked, is_merged=True)

    def _parse(self, query: SearchQuery) -> FilteredQuery:
        parsed = parse_filters(query.query, self.knows)
        return FilteredQuery(parsed.text, (*parsed.filters, *query.filters))

    def knows(self, wanted: Filter) -> bool:
        """Whether something visible has the value of a filter."""
        articles, docs = self._sources.articles, self._sources.docs
        is_known = articles is not None and article_filter.knows_filter(
            articles.catalog.categories, wanted
        )
        return is_known or (docs is not None and knows_filter(docs.catalog, wanted))

    def check(self, filters: Sequence[Filter]) -> None:
        """Raise UnknownEdition or SettingsError for a filter that is wrong."""
        for each in filters:
            if each.name == "updated":
                if each.dates is None:
                    raise SettingsError(
                        f"--updated: '{each.value}' is no date: write 2026, 2026-01, "
                        "'>2026-01-31', '<2026' or 2025-06..2026-01"
                    )
            elif not self.knows(each):
                raise UnknownEdition(each.name, each.value, self._list_known(each))

    def index_of(self, findings: Findings) -> FullText:
        """Return the index of a full-text search."""
        return self._indexes["articles" if findings.noun == "articles" else "docs"]

    def close(self) -> None:
        """Close the indexes."""
        for index in self._indexes.values():
            index.close()

    def _list_known(self, wanted: Filter) -> tuple[str, ...]:
        known: tuple[str, ...] = ()
        if wanted.name == "source" and self._sources.articles is not None:
            known = (ARTICLES,)
        if (docs := self._sources.docs) is not None:
            known += list_values(docs.catalog, wanted.name)
        return known

    def _find_articles(
        self, query: SearchQuery, asked: FilteredQuery, *, is_merged: bool = False
    ) -> Iterator[Findings]:
        articles = self._sources.articles
        assert articles is not None
        catalog = articles.catalog
        wanted: ArticleQuery = article_filter.apply_filters(
            asked, query.category, catalog.categories
        )
        chosen = catalog.search_first(wanted, query.limit, mode=query.mode)
        if chosen is not None:
            found = tuple(map(FoundItem, chosen.articles))
            yield Findings("articles", found, chosen.total, text=wanted.text)
            return
        request = documents.make_request(catalog, wanted, query.limit)
        request = replace(request, is_merged=is_merged)
        if (results := self._search(articles, request)) is not None:
            by_id, total = catalog.by_id, results.total
            items = tuple(FoundItem(by_id[hit.key], hit) for hit in results.hits)
            yield Findings("articles", items, total, results, wanted.text, request)

    def _find_pages(
        self, query: SearchQuery, asked: FilteredQuery, *, is_merged: bool = False
    ) -> Iterator[Findings]:
        docs = self._sources.docs
        assert docs is not None
        request = make_request(docs.catalog, asked, query.limit, query.category)
        request = replace(request, is_merged=is_merged)
        if (results := self._search(docs, request)) is not None:
            by_path, total = docs.catalog.by_path, results.total
            items = tuple(FoundItem(by_path[hit.key], hit) for hit in results.hits)
            yield Findings("pages", items, total, results, asked.text, request)

    def _search(
        self, source: IndexedSource, request: SearchRequest
    ) -> SearchResults | None:
        """Return the results of the full-text search; None if nothing can be found."""
        if request.keys is not None and not request.keys:
            return None
        index = self._indexes[source.kind]
        index.sync(open_documents(source))
        index.embed()
        return index.search(request)


def rank_items(found: Sequence[Findings], mode: Mode, limit: int) -> list[RankedHit]:
    """Return where the best items of merged findings are, best first.

    Items that were found by keyword come last, or first if that is the mode.
    """
    ranked = list(rank_hits([findings.full_text for findings in found]))
    by_keyword = [
        RankedHit(source, number)
        for source, findings in enumerate(found)
        if findings.request is None
        for number in range(len(findings.items))
    ]
    parts = (by_keyword, ranked) if mode == "keyword" else (ranked, by_keyword)
    return list(chain(*parts))[:limit]
