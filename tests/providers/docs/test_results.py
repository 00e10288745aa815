"""Results of a documentation search, as text and as values."""

from pathlib import Path

import pytest
from msgspec import UNSET
from support.docs import DocsTree, loaded

from asdlc_kb.docs.catalog import DocCatalog
from asdlc_kb.providers.docs.results import list_results, show_results
from asdlc_kb.providers.shared.full_text import describe_corrections
from asdlc_kb.search.values import SearchHit, SearchResults

HITS = (
    SearchHit(
        "api/x.md", 15.0, "Rate limiting", "rate-limiting", 9, "No **rate** limit"
    ),
    SearchHit("y.md", 8.456, "", "", 1, ""),
)


@pytest.fixture
def catalog(tmp_path: Path) -> DocCatalog:
    """Two pages."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("api/x.md", "# Endpoints\n\n## Rate limiting\n")
    tree.write("y.md", "# Why\n")
    return loaded(tree).catalog


def shown(
    catalog: DocCatalog, found: SearchResults, start: int = 0, more: str = ""
) -> str:
    """Return results as text."""
    listed = list_results(found, catalog, more or UNSET)
    notes = describe_corrections(found)
    return show_results(listed, notes, query="q", start=start)


def test_results_are_numbered_with_path_score_and_passage(catalog: DocCatalog) -> None:
    """D-019: with the heading above the passage."""
    assert shown(catalog, SearchResults(HITS, 2)) == (
        "Found 2 results:\n\n"
        "1. api/x.md (score: 15)\n"
        "   Endpoints > Rate limiting (#rate-limiting)\n"
        "   'No **rate** limit'\n\n"
        "2. y.md (score: 8.46)\n"
        "   Why"
    )


def test_one_result_is_one(catalog: DocCatalog) -> None:
    """No plural for it."""
    assert shown(catalog, SearchResults(HITS[1:], 1)).startswith(
        "Found 1 result:\n\n1. y.md"
    )


def test_a_page_of_results_says_which_they_are(catalog: DocCatalog) -> None:
    """And the cursor of the next ones."""
    text = shown(catalog, SearchResults(HITS, 12), start=4, more="abc")
    assert text.startswith("Found 12 results (5 to 6):\n\n5. api/x.md (score: 15)")
    assert text.endswith("\n\nNext results: cursor abc")
    assert shown(catalog, SearchResults((), 12), start=12) == "No more results."


def test_results_that_are_not_all_counted_are_so_many_or_more(
    catalog: DocCatalog,
) -> None:
    """A search counts no further than it scans."""
    text = shown(catalog, SearchResults(HITS, 1000))
    assert text.startswith("Found 1,000 results or more (1 to 2):\n\n1. ")
    assert shown(catalog, SearchResults(HITS, 999)).startswith(
        "Found 999 results (1 to 2):"
    )


def test_what_was_searched_instead_is_told(catalog: DocCatalog) -> None:
    """D-102: a result states what was corrected."""
    corrected = (("configuraton", "configuration"), ("rat", "rate"))
    text = shown(catalog, SearchResults(HITS[1:], 1, corrected))
    assert text.startswith(
        "Searched for 'configuration' instead of 'configuraton', "
        "'rate' instead of 'rat'.\n\nFound 1 result:"
    )


def test_a_suggestion_is_offered_when_nothing_fits(catalog: DocCatalog) -> None:
    """D-102: "did you mean"; without one, that nothing was found."""
    assert shown(catalog, SearchResults()) == "No results found for 'q'."
    text = shown(catalog, SearchResults(suggestion="other"))
    assert text == "No results found for 'q'.\n\nDid you mean 'other'?"


def test_the_values_are_those_of_the_hits(catalog: DocCatalog) -> None:
    """With title and category of the page; empty fields are left out."""
    found = list_results(SearchResults(HITS, 2), catalog, UNSET)
    first, second = found.results
    assert (first.title, first.category, first.line) == ("Endpoints", "api", 9)
    assert (second.category, second.score, second.snippet) == ("root", 8.46, "")
    assert second.heading is second.anchor is UNSET
