"""Filter of queries by a set of documents, given by their slots.

Documents that were indexed one after the other, as the pages of a folder are, have
adjacent slots. A few ranges of slots are ten times as fast as a list of them.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import tantivy
from tantivy import FieldType, Occur, Query

from asdlc_kb.search.index.index_schema import slots_query

_MAX_RANGES: Final = 32
"""Ranges up to which these are faster than a list of slots."""


class SlotFilter:
    """The documents of some slots of a snapshot."""

    def __init__(self, slots: frozenset[int], entries: Iterable[int]) -> None:
        """Filter by some of the slots in `entries`."""
        self.slots = slots
        self._ranges = list(_find_ranges(slots, entries))

    def restrict(self, schema: tantivy.Schema, query: Query) -> Query:
        """Restrict a query for pages, or for sections, without a change of scores."""
        if not self.slots:
            return Query.empty_query()
        unscored = Query.const_score_query(self._match(schema), 0.0)
        return Query.boolean_query([(Occur.Must, query), (Occur.Must, unscored)])

    def _match(self, schema: tantivy.Schema) -> Query:
        if len(self._ranges) > _MAX_RANGES:
            return slots_query(schema, sorted(self.slots))
        ranges = [
            (
                Occur.Should,
                Query.range_query(schema, "slot", FieldType.Unsigned, first, last),
            )
            for first, last in self._ranges
        ]
        return Query.boolean_query(ranges)


def _find_ranges(
    slots: frozenset[int], entries: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """Yield the first and last slot of each run; other entries are in none."""
    first = last = None
    for slot in sorted(entries):
        if slot in slots:
            first = slot if first is None else first
            last = slot
        elif first is not None and last is not None:
            yield first, last
            first = None
    if first is not None and last is not None:
        yield first, last
