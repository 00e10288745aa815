"""Searching everything served as the tools do, for the commands search and eval."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from asdlc_kb.app import ConfiguredSources, open_documents, open_index
from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import Mode
from asdlc_kb.corpus import SourceKind
from asdlc_kb.docs.catalog import DocCatalog
from asdlc_kb.docs.page import DocPage
from asdlc_kb.search.values import SearchHit, SearchResults
from asdlc_kb.settings import Settings


@dataclass(frozen=True, slots=True)
class SearchWish:
    """What is looked for, and how."""

    query: str
    limit: int
    category: str | None = None
    mode: Mode = "auto"


@dataclass(frozen=True, slots=True)
class FoundItem:
    """An article or a page, and the passage where full text found it."""

    found: Article | DocPage
    hit: SearchHit | None = None

    @property
    def name(self) -> str:
        """What `show` knows it by."""
        return self.found.id if isinstance(self.found, Article) else self.found.path


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in one source; `text` is what full text says of its search."""

    items: tuple[FoundItem, ...]
    text: SearchResults = field(default_factory=SearchResults)


class SourceSearch:
    """Searches sources whose catalogs stay as they are."""

    def __init__(self, sources: ConfiguredSources, settings: Settings) -> None:
        self._sources = sources
        self._indexes = {s.kind: open_index(settings, s) for s in sources.corpus}

    def find(
        self, wish: SearchWish, only: SourceKind | None = None
    ) -> Iterator[Findings]:
        """Yield what each source has: articles, then pages."""
        if self._sources.articles is not None and only != "docs":
            yield self._find_articles(wish)
        if self._sources.docs is not None and only != "articles":
            yield self._find_pages(wish)

    def close(self) -> None:
        """Let go of the indexes."""
        for index in self._indexes.values():
            index.close()

    def _find_articles(self, wish: SearchWish) -> Findings:
        assert self._sources.articles is not None
        catalog = self._sources.articles.catalog
        chosen = catalog.search_first(
            wish.query, wish.category, wish.limit, mode=wish.mode
        )
        if chosen is not None:
            return Findings(tuple(map(FoundItem, chosen.articles)))
        index = self._indexes["articles"]
        index.follow(open_documents(self._sources.articles))
        results = index.search(
            wish.query, wish.limit, accepts=catalog.holds, category=wish.category
        )
        items = (FoundItem(catalog.by_id[hit.key], hit) for hit in results.hits)
        return Findings(tuple(items), results)

    def _find_pages(self, wish: SearchWish) -> Findings:
        assert self._sources.docs is not None
        catalog = self._sources.docs.catalog
        index = self._indexes["docs"]
        index.follow(open_documents(self._sources.docs))
        accepts = _category_filter(catalog, wish.category)
        results = index.search(wish.query, wish.limit, accepts=accepts)
        items = (FoundItem(catalog.by_path[hit.key], hit) for hit in results.hits)
        return Findings(tuple(items), results)


def _category_filter(
    catalog: DocCatalog, category: str | None
) -> Callable[[str, bytes], bool]:
    """Return what tells whether a page can be seen in a category, as `list` has it.

    Raises UnknownCategory.
    """
    if category is None:
        return catalog.holds
    paths = {page.path for page in catalog.select(category)}
    return lambda path, digest: path in paths and catalog.holds(path, digest)
