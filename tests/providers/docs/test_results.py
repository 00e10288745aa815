"""Results of a documentation search, as text and as values."""

from pathlib import Path

import pytest
from msgspec import UNSET
from support.docs import DocsTree, loaded

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.providers.docs.results import (
    list_results,
    make_rows,
    show_results,
    view_hit,
    with_passage,
)
from asdlc_kb.providers.shared.full_text import Correction, is_minimum
from asdlc_kb.providers.shared.passages import Passage
from asdlc_kb.providers.shared.results import fill_page
from asdlc_kb.search.values import SearchHit, SearchResults

HITS = (
    SearchHit(
        "api/x.md",
        15.0,
        "Rate limiting",
        "rate-limiting",
        9,
        ("No ", "rate", " limit"),
    ),
    SearchHit("y.md", 8.456, "", "", 1, ()),
)


@pytest.fixture
def catalog(tmp_path: Path) -> DocCatalog:
    """Two pages."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("api/x.md", "# Endpoints\n\n## Rate limiting\n")
    tree.write("y.md", "# Why\n")
    return loaded(tree).catalog


def shown(catalog: DocCatalog, found: SearchResults, start: int = 0) -> str:
    """Return results as text."""
    pages = [catalog.by_path[hit.key] for hit in found.hits]
    rows = make_rows(map(view_hit, pages, found.hits), start)
    answer = list_results(found)
    page = fill_page(
        answer,
        "results",
        rows,
        10_000,
        start,
        "f" * 16,
        is_minimum=is_minimum(found.total),
    )
    return show_results(page, "q")


def test_results_are_numbered_with_path_score_and_snippet(catalog: DocCatalog) -> None:
    """D-019: with the heading above the snippet."""
    assert shown(catalog, SearchResults(HITS, 2)) == (
        "Found 2 results:\n\n"
        "1. api/x.md (score: 15)\n"
        "   Endpoints > Rate limiting (#rate-limiting)\n"
        "   'No **rate** limit'\n\n"
        "2. y.md (score: 8.46)\n"
        "   Why (#top)"
    )


def test_a_passage_takes_the_place_of_the_snippet(catalog: DocCatalog) -> None:
    """As Markdown, below the headings that lead to it; without text, the snippet."""
    row = view_hit(catalog.by_path["api/x.md"], HITS[0])
    passage = Passage(("Endpoints", "Limits", "Rate limiting"), "No rate `limit`.")
    (shown_row,) = make_rows([with_passage(row, passage)], 0)
    assert shown_row.text == (
        "1. api/x.md (score: 15)\n"
        "   Endpoints > Limits > Rate limiting (#rate-limiting)\n\n"
        "No rate `limit`."
    )
    bare = with_passage(row, Passage(("Rate limiting",), ""))
    assert (bare.snippet, bare.passage) == (row.snippet, UNSET)


def test_one_result_is_one(catalog: DocCatalog) -> None:
    """No plural for it."""
    assert shown(catalog, SearchResults(HITS[1:], 1)).startswith(
        "Found 1 result:\n\n1. y.md"
    )


def test_a_page_of_results_goes_on_counting(catalog: DocCatalog) -> None:
    """The number of a result is its rank."""
    text = shown(catalog, SearchResults(HITS, 12), start=4)
    assert text.startswith("Found 12 results:\n\n5. api/x.md (score: 15)")
    assert shown(catalog, SearchResults((), 12), start=12) == "No more results."


def test_results_that_are_not_all_counted_are_so_many_or_more(
    catalog: DocCatalog,
) -> None:
    """A search counts no further than it scans."""
    text = shown(catalog, SearchResults(HITS, 1000))
    assert text.startswith("Found 1,000 results or more:\n\n1. ")
    assert shown(catalog, SearchResults(HITS, 999)).startswith("Found 999 results:")


def test_nothing_found_is_said_so(catalog: DocCatalog) -> None:
    """With the query as it was asked."""
    assert shown(catalog, SearchResults()) == "No results found for 'q'."


def test_the_values_are_those_of_the_hits(catalog: DocCatalog) -> None:
    """With title and category of the page; empty fields are left out."""
    first, second = (view_hit(catalog.by_path[hit.key], hit) for hit in HITS)
    assert (first.title, first.category, first.line) == ("Endpoints", "api", 9)
    assert (second.category, second.score) == ("root", 8.46)
    assert second.heading is second.anchor is second.snippet is UNSET
    answer = list_results(SearchResults(HITS, 2, (("rat", "rate"),), "rates"))
    assert (answer.total, answer.suggestion) == (2, "rates")
    assert answer.corrected == (Correction(typed="rat", searched="rate"),)
