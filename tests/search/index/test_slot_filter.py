"""Filters by documents, as ranges of slots or as a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import document, index
from tantivy import Query

from asdlc_kb.search.index.index_schema import PAGES, SECTIONS
from asdlc_kb.search.index.index_snapshot import IndexSnapshot, VisibleIndex
from asdlc_kb.search.index.slot_filter import SlotFilter

COUNT = 100


def open_snapshot() -> IndexSnapshot:
    """Return an index of pages with one section each."""
    found = index(*(document(f"{n}.md", "Page", "zebra") for n in range(COUNT)))[0]
    assert found._snapshot is not None
    return found._snapshot


SNAPSHOT = open_snapshot()
VIEW = VisibleIndex(SNAPSHOT, lambda key, digest: True)
EVERY = sorted(SNAPSHOT.entries)


def find(slots: frozenset[int]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the slots of the pages and of the sections that pass a filter."""
    one = SlotFilter(slots, SNAPSHOT.entries)
    pages = VIEW.find_pages(one.restrict(PAGES, Query.all_query()), COUNT)
    sections = VIEW.find_sections(one.restrict(SECTIONS, Query.all_query()), COUNT)
    return frozenset(hit[0] for hit in pages), frozenset(hit[0] for hit in sections)


@given(st.frozensets(st.sampled_from(EVERY)))
def test_exactly_the_documents_of_a_filter_pass(slots: frozenset[int]) -> None:
    """Few runs of slots, many, or none."""
    assert find(slots) == (slots, slots)


@pytest.mark.parametrize("step", [1, 2])
def test_a_filter_changes_no_score(step: int) -> None:
    """As ranges (all slots) and as a list (every second one)."""
    one = SlotFilter(frozenset(EVERY[::step]), SNAPSHOT.entries)
    query = Query.term_query(PAGES, "all", "zebra")
    scores = {slot: score for slot, score, _ in VIEW.find_pages(query, COUNT)}
    found = VIEW.find_pages(one.restrict(PAGES, query), COUNT)
    assert {slot: score for slot, score, _ in found} == {
        slot: scores[slot] for slot in EVERY[::step]
    }
