"""Keyword search over articles: best score first, then in list order.

The earlier an article is listed, the higher its slot in the index. Some slots are left
unused, so that an article between two others takes a slot of few others, and the index
is updated without a rebuild (D-186).
"""

from array import array
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial
from typing import Final

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.article_filter import find_updated, has_value
from asdlc_kb.articles.sorting import sort_key
from asdlc_kb.articles.visible_articles import find_position
from asdlc_kb.search.filters import DateRange, Filter
from asdlc_kb.search.keyword_index import KeywordIndex
from asdlc_kb.search.slot_sets import highest_slots, make_set
from asdlc_kb.search.synonyms import QueryVariant

_MIN_REBUILD_ARTICLES: Final = 1_000
"""Up to this many articles can always get new slots."""

_USED_SLOTS: Final = 8
"""Slots in use between two unused ones, in a new index."""

_ALL: Final = -1
"""The set of every slot."""


class KeywordSearch:
    """A keyword index of a sequence of articles. Immutable."""

    def __init__(
        self,
        articles: Sequence[Article],
        slots: "array[int]",
        index: KeywordIndex[Article],
        categories: dict[str, int],
    ) -> None:
        """Search articles in list order, each with its slot, the highest first.

        `categories` are known slots of categories.
        """
        self._articles = articles
        self._slots = slots
        self._index = index
        self._categories = categories

    @classmethod
    def of(cls, articles: Sequence[Article]) -> "KeywordSearch":
        """Return the index of a sequence."""
        numbers = range(len(articles) - 1, -1, -1)
        slots = array("L", [number + number // _USED_SLOTS for number in numbers])
        index = KeywordIndex(dict(zip(slots, articles, strict=True)))
        return cls(articles, slots, index, {})

    def updated(
        self,
        articles: Sequence[Article],
        removed: Collection[Article],
        added: Iterable[Article],
    ) -> "KeywordSearch":
        """Return the index of a later sequence, without some articles and with others.

        An edited article is in both.
        """
        former = {sort_key(article) for article in removed}
        current = {sort_key(article): article for article in added}
        max_moved = max(_MIN_REBUILD_ARTICLES, len(articles) // 4)
        if len(former) + len(current) > max_moved:
            return KeywordSearch.of(articles)
        slots, listed = self._slots[:], list(self._articles)
        changes: dict[int, Article | None] = {}
        for article in removed:
            at = find_position(listed, article)
            edited = current.pop(sort_key(article), None)
            changes[slots[at]] = edited
            if edited is None:
                del listed[at], slots[at]
            else:
                listed[at] = edited
        for article in current.values():
            at = find_position(listed, article)
            listed.insert(at, article)
            for moved in _insert_slot(slots, at):
                changes[slots[moved]] = listed[moved]
            if len(changes) > max_moved:
                return KeywordSearch.of(articles)
        if slots and slots[0] > 2 * len(slots) + _MIN_REBUILD_ARTICLES:
            return KeywordSearch.of(articles)
        index = self._index.updated(changes) if changes else self._index
        return KeywordSearch(articles, slots, index, self._update_categories(changes))

    def find(
        self,
        query: str,
        category: str | None,
        limit: int,
        variants: Sequence[QueryVariant] = (),
        filters: Sequence[Filter] = (),
    ) -> tuple[tuple[Article, ...], int]:
        """Return the best articles and the number of matches; empty matches all.

        Those with only a variant of the query come last.
        """
        articles: list[Article] = []
        total = 0
        chosen = self._select(filters)
        tiers = self._index.rank(query)
        for tier in self._append_variants(tiers, variants) if variants else tiers:
            slots = tier if category is None else tier & self._of(category)
            if filters:
                slots &= chosen
            total += slots.bit_count()
            best = highest_slots(slots, limit - len(articles))
            found = map(self._index.documents.__getitem__, best)
            articles.extend(filter(None, found))
        return tuple(articles), total

    def _append_variants(
        self, tiers: Iterable[int], variants: Sequence[QueryVariant]
    ) -> Iterator[int]:
        """Yield the tiers of a query, then those of its variants without them."""
        known = 0
        for tier in tiers:
            known |= tier
            yield tier
        for tier in self._index.rank_variants(variants):
            if others := tier & ~known:
                yield others

    def _select(self, filters: Sequence[Filter]) -> int:
        """Return the slots of the articles that pass filters, and unused ones."""
        chosen = _ALL
        for each in filters:
            if each.name == "updated" and each.dates is not None:
                slots = self._updated_in(each.dates)
            else:
                slots = self._slots_with(partial(has_value, wanted=each))
            chosen &= ~slots if each.is_excluded else slots
        return chosen

    def _updated_in(self, dates: DateRange) -> int:
        """Return the slots of articles by their last update: adjacent ones."""
        begin, end = find_updated(self._articles, dates)
        if begin >= end:
            return 0
        lowest = self._slots[end - 1]
        return ((1 << (self._slots[begin] + 1 - lowest)) - 1) << lowest

    def _update_categories(
        self, changes: Mapping[int, Article | None]
    ) -> dict[str, int]:
        unchanged = ~make_set(changes)
        by_category: dict[str, list[int]] = {}
        for slot, article in changes.items():
            if article is not None:
                by_category.setdefault(article.category, []).append(slot)
        return {
            category: slots & unchanged | make_set(by_category.get(category, ()))
            for category, slots in self._categories.items()
        }

    def _of(self, category: str) -> int:
        """Return the slots of a category's articles."""
        if category not in self._categories:
            self._categories[category] = self._slots_with(
                lambda article: article.category == category
            )
        return self._categories[category]

    def _slots_with(self, passes: Callable[[Article], bool]) -> int:
        return make_set(
            slot
            for slot, article in zip(self._slots, self._articles, strict=True)
            if passes(article)
        )


def _insert_slot(slots: "array[int]", at: int) -> range:
    """Insert a slot into descending ones; return the positions with another slot.

    Where none is unused between its neighbours, these make room: the slots up to the
    nearest unused one are shifted.
    """
    if at == 0:
        slots.insert(0, slots[0] + 1 if slots else 0)
        return range(1)
    above, below = slots[at - 1], _slot_at(slots, at)
    if above - below > 1:
        slots.insert(at, (above + below) // 2)
        return range(at, at + 1)
    for distance in range(1, len(slots) + 1):
        first, last = at - distance, at + distance - 1
        if first >= 0 and (first == 0 or slots[first - 1] - slots[first] > 1):
            slots.insert(at, above)
            for position in range(first, at):
                slots[position] += 1
            return range(first, at + 1)
        if last < len(slots) and slots[last] - _slot_at(slots, last + 1) > 1:
            slots.insert(at, below)
            for position in range(at + 1, last + 2):
                slots[position] -= 1
            return range(at, last + 2)
    raise AssertionError("there is always room above the first slot")


def _slot_at(slots: "array[int]", at: int) -> int:
    """Return the slot at a position; below the last one there is no room."""
    return slots[at] if at < len(slots) else -1
