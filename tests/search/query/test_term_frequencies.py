"""Terms of a query: how much they count, and how many pages and sections have them."""

import math

import pytest
from support.texts import document, index

from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.query.operators import parse_query
from asdlc_kb.search.query.plan import Planner
from asdlc_kb.search.query.speller import Speller
from asdlc_kb.search.query.term_frequencies import count_terms, weigh_terms


def open_view() -> VisibleIndex:
    """Return an index of three pages."""
    fulltext, source = index(
        document("a.md", "Herons", "The heron waits."),
        document("b.md", "Lagoon", "A heron of the lagoon."),
        document("c.md", "Page", "The rest."),
    )
    assert fulltext._snapshot is not None
    return VisibleIndex(fulltext._snapshot, source.accepts)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("the herons", {"heron": (1.0, 2, 2)}),
        ("the", {"the": (1.0, 3, 3)}),
        ("lagon", {"lagon": (1.0, 0, 0), "lagoon": (0.9, 1, 1)}),
        ("", {}),
    ],
)
def test_each_stem_has_its_weight_and_pages(
    query: str, terms: dict[str, tuple[float, int, int]]
) -> None:
    """Stop words only if there are no others; corrections with their weight."""
    view = open_view()
    plan = Planner(Speller(view)).plan(parse_query(query))
    found = count_terms(view, plan, QUERY_POLICY)
    assert {stem: tuple(term) for stem, term in found.items()} == terms
    assert weigh_terms(view, found) == {
        stem: pytest.approx(math.log(1 + 3 / (1 + count)) * weight)
        for stem, (weight, count, _) in terms.items()
    }
