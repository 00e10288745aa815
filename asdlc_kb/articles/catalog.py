"""The articles of one snapshot, and every question about them.

Immutable: one request asks one catalog from start to end. Only visible articles are in
its lists and indexes, so nothing above can show another one.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from asdlc_kb.articles.article import Article, Unreadable
from asdlc_kb.articles.schema import Content
from asdlc_kb.exceptions import (
    ArticleAmbiguous,
    ArticleNotFound,
    ArticleUnreadable,
    UnknownCategory,
)
from asdlc_kb.files.cache import Snapshot
from asdlc_kb.search.keyword import Document, KeywordIndex

SEED_CATEGORIES: Final = ("concepts", "patterns", "practices")
"""The seeds' three come before all others."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The first articles of a list, and how many the whole list has."""

    articles: tuple[Article, ...]
    total: int


class Catalog:
    """What can be seen of a snapshot."""

    def __init__(self, snapshot: Snapshot[Content]) -> None:
        self.snapshot = snapshot
        values = [entry.value for entry in snapshot.entries.values()]
        everything = [value for value in values if isinstance(value, Article)]
        self.articles: tuple[Article, ...] = tuple(
            sorted(
                (article for article in everything if article.status.is_visible),
                key=place,
            )
        )
        """The visible ones: newest first, then by category, then by slug."""
        self.hidden_count = len(snapshot.entries) - len(self.articles)
        self._unreadable = [value for value in values if isinstance(value, Unreadable)]

    @property
    def generation(self) -> int:
        """The number of the snapshot."""
        return self.snapshot.generation

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The categories with a visible article, in their order."""
        return tuple(sorted({article.category for article in self.articles}, key=_rank))

    @cached_property
    def _by_id(self) -> Mapping[str, Article]:
        return {article.id: article for article in self.articles}

    @cached_property
    def _by_slug(self) -> Mapping[str, tuple[Article, ...]]:
        slugs: defaultdict[str, tuple[Article, ...]] = defaultdict(tuple)
        for article in sorted(self.articles, key=lambda a: _rank(a.category)):
            slugs[article.slug] += (article,)
        return dict(slugs)

    @cached_property
    def _keywords(self) -> KeywordIndex:
        return KeywordIndex(
            Document(article.title, article.tags, article.description)
            for article in self.articles
        )

    def find(self, name: str) -> Article:
        """Return the visible article called `slug` or `category/slug`.

        Raises ArticleNotFound, ArticleAmbiguous or ArticleUnreadable.
        """
        if name in self._by_id:
            return self._by_id[name]
        candidates = self.namesakes(name)
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            raise ArticleAmbiguous(name, tuple(article.id for article in candidates))
        for broken in self._unreadable:
            if name in (broken.slug, f"{broken.category}/{broken.slug}"):
                raise ArticleUnreadable(name)
        raise ArticleNotFound(name)

    def namesakes(self, slug: str) -> tuple[Article, ...]:
        """Return the visible articles that share a slug, in category order."""
        return self._by_slug.get(slug, ())

    def name(self, article: Article) -> str:
        """Return the shortest name that finds the article."""
        is_unique = len(self.namesakes(article.slug)) == 1
        return article.slug if is_unique else article.id

    def select(self, category: str | None, limit: int) -> Selection:
        """Return articles in their order; raise UnknownCategory."""
        self._require(category)
        listed = [a for a in self.articles if category in (None, a.category)]
        return Selection(tuple(listed[:limit]), len(listed))

    def search(self, query: str, category: str | None, limit: int) -> Selection:
        """Return the articles that keywords find, best first; raise UnknownCategory."""
        self._require(category)
        found = [self.articles[position] for position in self._keywords.search(query)]
        kept = [a for a in found if category in (None, a.category)]
        return Selection(tuple(kept[:limit]), len(kept))

    def related(self, article: Article) -> tuple[str, ...]:
        """Return the related ids whose targets can be seen, as they are written."""
        return tuple(
            name
            for name in article.related
            if name in self._by_id or name in self._by_slug
        )

    def complete(self, prefix: str, category: str | None = None) -> list[str]:
        """Return names that begin with or else contain `prefix`, best first.

        Articles of `category` come before the others.
        """
        folded = prefix.lower()
        ranked = sorted(
            (
                (
                    not name.lower().startswith(folded),
                    article.category != category,
                    name,
                )
                for article in self.articles
                if folded in (name := self.name(article)).lower()
            ),
        )
        return [name for _, _, name in ranked]

    def count_statuses(self) -> Mapping[str, int]:
        """Return how many visible articles have each status."""
        return Counter(article.status.value for article in self.articles)

    def _require(self, category: str | None) -> None:
        if category is not None and category not in self.categories:
            raise UnknownCategory(category, self.categories)


def _rank(category: str) -> tuple[int, str]:
    """Order categories: the seeds' three first, the others by name."""
    if category in SEED_CATEGORIES:
        return SEED_CATEGORIES.index(category), category
    return len(SEED_CATEGORIES), category


def place(article: Article) -> str:
    """Return the article's place in every list, as a string that sorts.

    Newest first, then by category, then by slug. A blank sorts before all that a name
    may hold, so `a` comes before `a-b`.
    """
    newest_first = 99999999 - int(article.last_updated.replace("-", ""))
    rank, category = _rank(article.category)
    return f"{newest_first:08} {rank} {category} {article.slug}"
