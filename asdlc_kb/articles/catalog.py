"""The articles of one snapshot, and every question about them.

Immutable: one request asks one catalog from start to end. Only visible articles are in
its lists and indexes, so nothing above can show another one.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from asdlc_kb.articles.article import Article, Unreadable
from asdlc_kb.articles.keyword_search import KeywordSearch
from asdlc_kb.articles.schema import ArticleFields
from asdlc_kb.articles.sorting import sort_categories, sort_key
from asdlc_kb.articles.status import VISIBLE
from asdlc_kb.exceptions import (
    ArticleAmbiguous,
    ArticleNotFound,
    ArticleUnreadable,
    UnknownCategory,
)
from asdlc_kb.files.snapshot import Snapshot

Mode: TypeAlias = Literal["auto", "keyword", "fulltext"]
"""How articles are searched."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The first articles of a list, and how many the whole list has."""

    articles: tuple[Article, ...]
    total: int


class ArticleCatalog:
    """What can be seen of a snapshot."""

    def __init__(
        self, snapshot: Snapshot[ArticleFields], *, reveals: bool = False
    ) -> None:
        """Show what may be seen; who `reveals` shows hidden articles too."""
        self._reveals = reveals
        self._read(snapshot)

    def follow(self, snapshot: Snapshot[ArticleFields]) -> "ArticleCatalog":
        """Return the catalog of a later snapshot; cheaper where few articles changed.

        Blocks while it sorts and indexes; belongs into a thread.
        """
        following = ArticleCatalog.__new__(ArticleCatalog)
        following._reveals = self._reveals
        following._read(snapshot)
        if "_lookup" in vars(self):
            following._lookup = self._lookup.follow(following.articles)
        return following

    def warm(self) -> None:
        """Make what the first search needs; blocks, and belongs into a thread."""
        _ = self._lookup

    def count(self) -> Mapping[str, int]:
        """Return how many articles there are."""
        return {"articles": len(self.articles), "hidden": self.hidden_count}

    @cached_property
    def statuses(self) -> Mapping[str, int]:
        """How many visible articles there are of each status that can be seen."""
        counted = Counter(article.status for article in self.articles)
        return {status.value: counted[status] for status in sorted(VISIBLE)}

    @cached_property
    def _lookup(self) -> KeywordSearch:
        return KeywordSearch(self.articles)

    def _read(self, snapshot: Snapshot[ArticleFields]) -> None:
        self.snapshot = snapshot
        values = [entry.value for entry in snapshot.entries.values()]
        everything = [value for value in values if isinstance(value, Article)]
        self.articles: tuple[Article, ...] = tuple(
            sorted((a for a in everything if self._shows(a)), key=sort_key)
        )
        """The visible ones: newest first, then by category, then by slug."""
        self.hidden_count = len(snapshot.entries) - len(self.articles)
        self.by_id: Mapping[str, Article] = {a.id: a for a in self.articles}
        """The visible ones by the name that no other article has."""
        self.categories: tuple[str, ...] = tuple(
            sorted({article.category for article in self.articles}, key=sort_categories)
        )
        """The categories with a visible article, in their order."""
        self.folders = frozenset(path.split("/", 1)[0] for path in snapshot.entries)
        """Where files are, visible or not."""
        slugs: dict[str, tuple[Article, ...]] = {}
        for article in self.articles:
            slugs[article.slug] = (*slugs.get(article.slug, ()), article)
        self._by_slug: Mapping[str, tuple[Article, ...]] = slugs
        broken = [value for value in values if isinstance(value, Unreadable)]
        self._unreadable = {name for b in broken for name in (b.slug, b.id)}

    def _shows(self, article: Article) -> bool:
        return self._reveals or article.status.is_visible

    @cached_property
    def digests(self) -> Mapping[str, bytes]:
        """The digest of each visible article's file, by the article's id."""
        entries = self.snapshot.entries
        return {id: entries[f"{id}.md"].digest for id in self.by_id}

    def holds(self, id: str, digest: bytes) -> bool:
        """Whether a visible article's file is the one with this digest."""
        return id in self.by_id and self.snapshot.entries[f"{id}.md"].digest == digest

    @property
    def generation(self) -> int:
        """The number of the snapshot."""
        return self.snapshot.generation

    def find(self, name: str) -> Article:
        """Return the visible article called `slug` or `category/slug`.

        Raises ArticleNotFound, ArticleAmbiguous or ArticleUnreadable.
        """
        if (article := self.pick(name)) is not None:
            return article
        if candidates := self.namesakes(name):
            raise ArticleAmbiguous(name, tuple(article.id for article in candidates))
        if name in self._unreadable:
            raise ArticleUnreadable(name)
        raise ArticleNotFound(name)

    def pick(self, name: str) -> Article | None:
        """Return the one visible article of this name, if there is one."""
        if name in self.by_id:
            return self.by_id[name]
        candidates = self._by_slug.get(name, ())
        return candidates[0] if len(candidates) == 1 else None

    def namesakes(self, slug: str) -> tuple[Article, ...]:
        """Return the visible articles that share a slug, in category order."""
        found = self._by_slug.get(slug, ())
        return tuple(
            sorted(found, key=lambda article: sort_categories(article.category))
        )

    def name(self, article: Article) -> str:
        """Return the shortest name that finds the article."""
        is_unique = len(self._by_slug[article.slug]) == 1
        return article.slug if is_unique else article.id

    def select(self, category: str | None, limit: int) -> Selection:
        """Return articles in their order; raise UnknownCategory."""
        self.require(category)
        listed = self.articles
        if category is not None:
            listed = tuple(a for a in listed if a.category == category)
        return Selection(listed[:limit], len(listed))

    def search(self, query: str, category: str | None, limit: int) -> Selection:
        """Return the articles that keywords find, best first; raise UnknownCategory."""
        self.require(category)
        return Selection(*self._lookup.find(query, category, limit))

    def search_first(
        self, query: str, category: str | None, limit: int, *, mode: Mode = "auto"
    ) -> Selection | None:
        """Return what keywords find, or None where the full text is to be asked.

        In the mode `auto` that is where they find nothing. An empty query lists all.
        Raises UnknownCategory.
        """
        self.require(category)
        is_blank = not query.strip()
        if mode == "fulltext" and not is_blank:
            return None
        found = self.search(query, category, limit)
        is_enough = found.total or is_blank or mode == "keyword"
        return found if is_enough else None

    def related(self, article: Article) -> tuple[str, ...]:
        """Return the related ids whose targets can be seen, as they are written."""
        return tuple(
            name
            for name in article.related
            if name in self.by_id or name in self._by_slug
        )

    def complete(self, prefix: str, category: str | None = None) -> list[str]:
        """Return names that begin with or else contain `prefix`, best first.

        Articles of `category` come before the others.
        """
        folded = prefix.lower()
        found = [row for row in self._names if folded in row[0]]
        found.sort(key=lambda row: (not row[0].startswith(folded), row[1] != category))
        return [name for _, _, name in found]

    @cached_property
    def _names(self) -> list[tuple[str, str, str]]:
        """Every name in lower case, its article's category, and the name, sorted."""
        names = ((self.name(article), article.category) for article in self.articles)
        return [(name.lower(), category, name) for name, category in sorted(names)]

    def require(self, category: str | None) -> None:
        """Raise UnknownCategory for one that has no visible article."""
        if category is not None and category not in self.categories:
            raise UnknownCategory(category, self.categories)
