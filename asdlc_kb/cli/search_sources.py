"""Search of all sources with the ranking of the tools, for `search` and `eval`."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from asdlc_kb.app import ConfiguredSources, open_documents, open_index
from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import Mode
from asdlc_kb.corpus import SourceKind
from asdlc_kb.docs.catalogs.named_page import find_named_page
from asdlc_kb.docs.catalogs.page_filter import PageFilter, select_pages
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.search.values import SearchHit, SearchRequest, SearchResults
from asdlc_kb.settings import Settings


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A query with its options."""

    query: str
    limit: int
    category: str | None = None
    mode: Mode = "auto"


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
        """Yield the results of each source: articles, then pages."""
        if self._sources.articles is not None and only != "docs":
            yield self._find_articles(query)
        if self._sources.docs is not None and only != "articles":
            yield self._find_pages(query)

    def close(self) -> None:
        """Close the indexes."""
        for index in self._indexes.values():
            index.close()

    def _find_articles(self, query: SearchQuery) -> Findings:
        assert self._sources.articles is not None
        catalog = self._sources.articles.catalog
        chosen = catalog.search_first(
            query.query, query.category, query.limit, mode=query.mode
        )
        if chosen is not None:
            found = tuple(map(FoundItem, chosen.articles))
            return Findings("articles", found, chosen.total)
        index = self._indexes["articles"]
        index.sync(open_documents(self._sources.articles))
        results = index.search(
            SearchRequest(
                query.query, query.limit, catalog.has_digest, category=query.category
            )
        )
        items = (FoundItem(catalog.by_id[hit.key], hit) for hit in results.hits)
        return Findings("articles", tuple(items), results.total, results)

    def _find_pages(self, query: SearchQuery) -> Findings:
        assert self._sources.docs is not None
        catalog = self._sources.docs.catalog
        index = self._indexes["docs"]
        index.sync(open_documents(self._sources.docs))
        selected = select_pages(catalog, PageFilter(query.category))
        results = index.search(
            SearchRequest(
                query.query,
                query.limit,
                catalog.has_digest,
                keys=selected.paths,
                is_secondary=selected.is_secondary,
                named=find_named_page(catalog, query.query),
            )
        )
        items = (FoundItem(catalog.by_path[hit.key], hit) for hit in results.hits)
        return Findings("pages", tuple(items), results.total, results)
