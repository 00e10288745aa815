"""The visible articles of one snapshot: in the order of lists, by slug, and counted.

Immutable. Those of a later snapshot are made from what changed (D-186).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple, Self, TypeGuard, TypeVar, overload

import msgspec

from asdlc_kb.articles.article import Article, Unreadable
from asdlc_kb.articles.schema import ArticleFields
from asdlc_kb.articles.sorting import sort_articles, sort_categories, sort_key
from asdlc_kb.articles.status import VISIBLE
from asdlc_kb.files.snapshot import CachedFile

_slug_of = attrgetter("slug")
_category_of = attrgetter("category")

_VISIBLE: Final = tuple(VISIBLE)
"""Found in a tuple by identity, without the hash of an enumeration."""

V = TypeVar("V")


class VisibleArticles(msgspec.Struct, frozen=True, eq=False, weakref=True):
    """Articles, sorted, with their names and categories."""

    articles: tuple[Article, ...]
    """Newest first, then by category, then by slug."""
    by_slug: Mapping[str, tuple[str, ...]]
    """The categories of the articles with a slug, sorted."""
    by_category: Mapping[str, int]
    """The number of articles in each category."""

    @classmethod
    def of(cls, articles: Iterable[Article]) -> Self:
        """Return those of articles in any order."""
        ordered = tuple(sort_articles(articles))
        by_category = Counter(map(_category_of, ordered))
        alone = {category: (category,) for category in by_category}
        by_slug: dict[str, tuple[str, ...]] = {}
        for slug, category in zip(
            map(_slug_of, ordered), map(_category_of, ordered), strict=True
        ):
            others = by_slug.get(slug)
            # One tuple of a category for all: most slugs have a single article.
            by_slug[slug] = (
                alone[category] if others is None else _join(others, category)
            )
        return cls(ordered, by_slug, by_category)

    def updated(self, removed: Collection[Article], added: Collection[Article]) -> Self:
        """Return those without some articles and with others."""
        articles = list(self.articles)
        for article in removed:
            del articles[find_position(articles, article)]
        for article in added:
            articles.insert(find_position(articles, article), article)
        return type(self)(
            tuple(articles),
            self._update_slugs(removed, added),
            count_again(
                self.by_category,
                map(_category_of, removed),
                map(_category_of, added),
            ),
        )

    def _update_slugs(
        self, removed: Iterable[Article], added: Iterable[Article]
    ) -> Mapping[str, tuple[str, ...]]:
        """Return `by_slug`; itself if no article has another name."""
        gone = {(article.slug, article.category) for article in removed}
        come = {(article.slug, article.category) for article in added}
        if gone == come:
            return self.by_slug
        by_slug = dict(self.by_slug)
        for slug, category in gone - come:
            others = tuple(other for other in by_slug[slug] if other != category)
            if others:
                by_slug[slug] = others
            else:
                del by_slug[slug]
        for slug, category in come - gone:
            by_slug[slug] = _join(by_slug.get(slug, ()), category)
        return by_slug


class Selection(NamedTuple):
    """The first articles of a list, and the length of the whole list."""

    articles: tuple[Article, ...]
    total: int


class ArticlesById(Mapping[str, Article]):
    """The visible articles of a snapshot by id, read from its entries."""

    def __init__(
        self,
        entries: Mapping[str, CachedFile[ArticleFields]],
        articles: tuple[Article, ...],
        *,
        includes_hidden: bool,
    ) -> None:
        self._entries = entries
        self._articles = articles
        self._includes_hidden = includes_hidden

    @overload
    def get(self, id: str, /) -> Article | None: ...

    @overload
    def get(self, id: str, /, default: Article | V) -> Article | V: ...

    def get(self, id: str, /, default: Article | V | None = None) -> Article | V | None:
        """Return the visible article with an id; faster than by an exception."""
        entry = self._entries.get(f"{id}.md")
        article = None if entry is None else entry.value
        return article if self._shows(article) else default

    def __getitem__(self, id: str) -> Article:
        """Return the visible article with an id; raise KeyError if there is none."""
        article = self.get(id)
        if article is None:
            raise KeyError(id)
        return article

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self.get(id) is not None

    def select(self, paths: Iterable[str]) -> Sequence[Article]:
        """Return the visible articles of the files at these paths."""
        found = (self.get(path.removesuffix(".md")) for path in paths)
        return [article for article in found if article is not None]

    def describe(self, paths: Iterable[str]) -> Sequence[tuple[bytes, ArticleFields]]:
        """Return what clients can notice of the files at these paths.

        It is equal if no visible article changed, nor a file that breaks the schema.
        """
        entries = [self._entries[path] for path in paths if path in self._entries]
        return [
            (entry.digest, entry.value)
            for entry in entries
            if isinstance(entry.value, Unreadable) or self._shows(entry.value)
        ]

    def _shows(self, value: ArticleFields | None) -> TypeGuard[Article]:
        """Whether the value of a file is a visible article."""
        return isinstance(value, Article) and (
            value.status in _VISIBLE or self._includes_hidden
        )

    def __iter__(self) -> Iterator[str]:
        """Yield the ids in the order of lists."""
        return (article.id for article in self._articles)

    def __len__(self) -> int:
        return len(self._articles)


def find_position(articles: Sequence[Article], article: Article) -> int:
    """Return the position of an article in a sorted sequence, or that to insert it."""
    return bisect_left(articles, sort_key(article), key=sort_key)


def count_again(
    counts: Mapping[str, int], removed: Iterable[str], added: Iterable[str]
) -> Counter[str]:
    """Return counts without some items and with others; none of them is zero."""
    later = Counter(counts)
    later.update(added)
    for item in removed:
        later[item] -= 1
        if not later[item]:
            del later[item]
    return later


def list_tags(articles: Iterable[Article]) -> Iterator[str]:
    """Yield the tags of each article, a repeated one once."""
    return chain.from_iterable(map(set, map(attrgetter("tags"), articles)))


def names_of(article: Article) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """Return what decides about an article's names and their order in lists."""
    return (
        sort_key(article),
        article.title,
        article.aliases,
        article.former_addresses,
    )


def _join(categories: tuple[str, ...], category: str) -> tuple[str, ...]:
    return tuple(sorted((*categories, category), key=sort_categories))
