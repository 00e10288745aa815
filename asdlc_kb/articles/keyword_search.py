"""Keyword search over articles: best score first, then in list order.

The earlier an article is listed, the higher its slot in the index. An article edited
today is listed first, so a new slot on top keeps the order and the index is updated
without a rebuild.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.sorting import sort_key
from asdlc_kb.search.keyword_index import (
    KeywordIndex,
    Keywords,
    highest_slots,
    make_set,
)

_MIN_REBUILD_ARTICLES: Final = 1_000
"""Up to this many articles can always get new slots."""


@dataclass(frozen=True, slots=True)
class KeywordSearch:
    """A keyword index of a sequence of articles. Immutable."""

    _at: Mapping[int, Article]
    """Articles by slot."""
    _top: int
    """The first slot above all used ones."""
    _index: KeywordIndex
    _categories: dict[str, int] = field(default_factory=dict)
    """Cached slots of categories."""

    @classmethod
    def of(cls, articles: Sequence[Article]) -> "KeywordSearch":
        """Return the index of a sequence."""
        at = dict(enumerate(reversed(articles)))
        index = KeywordIndex({slot: _keywords(a) for slot, a in at.items()})
        return cls(at, len(articles), index)

    def updated(self, articles: Sequence[Article]) -> "KeywordSearch":
        """Return the index of a later sequence, most of which is unchanged."""
        moved = 0
        changes: dict[int, Keywords | None] = {}
        at = dict(self._at)
        # An unchanged article is the same object, which is faster to compare than ids.
        known, current = set(map(id, at.values())), set(map(id, articles))
        slots = {a.id: slot for slot, a in at.items() if id(a) not in current}
        for position, article in enumerate(articles):
            if id(article) in known:
                continue
            slot = slots.get(article.id)
            if slot is None or sort_key(at[slot]) != sort_key(article):
                moved = position + 1
            else:
                before, at[slot] = at[slot], article
                if (keywords := _keywords(article)) != _keywords(before):
                    changes[slot] = keywords
        is_sparse = self._top + moved > 2 * len(articles) + _MIN_REBUILD_ARTICLES
        if is_sparse or moved > max(_MIN_REBUILD_ARTICLES, len(articles) // 4):
            return KeywordSearch.of(articles)
        return self._shift(at, changes, articles, moved)

    def find(
        self, query: str, category: str | None, limit: int
    ) -> tuple[tuple[Article, ...], int]:
        """Return the best articles and the number of matches; empty matches all."""
        articles: list[Article] = []
        total = 0
        for tier in self._index.rank(query):
            slots = tier if category is None else tier & self._of(category)
            total += slots.bit_count()
            best = highest_slots(slots, limit - len(articles))
            articles.extend(self._at[slot] for slot in best)
        return tuple(articles), total

    def _shift(
        self,
        at: dict[int, Article],
        changes: dict[int, Keywords | None],
        articles: Sequence[Article],
        moved: int,
    ) -> "KeywordSearch":
        """Assign the first `moved` articles new slots on top; free unused ones."""
        unmoved = set(map(id, articles[moved:]))
        for slot in [slot for slot, a in at.items() if id(a) not in unmoved]:
            del at[slot]
            changes[slot] = None
        for slot, article in enumerate(reversed(articles[:moved]), self._top):
            at[slot] = article
            changes[slot] = _keywords(article)
        index = self._index.updated(changes) if changes else self._index
        return KeywordSearch(at, self._top + moved, index)

    def _of(self, category: str) -> int:
        """Return the slots of a category's articles."""
        if category not in self._categories:
            self._categories[category] = make_set(
                slot for slot, a in self._at.items() if a.category == category
            )
        return self._categories[category]


def _keywords(article: Article) -> Keywords:
    return Keywords(article.title, article.tags, article.description)
