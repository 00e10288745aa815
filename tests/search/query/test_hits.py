"""The sections of pages that are shown, and those that follow in a passage."""

from dataclasses import replace
from typing import Any

import pytest
from support.texts import document, index, section

from asdlc_kb.search.index.index_snapshot import IndexSnapshot
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.query.execution import run_search
from asdlc_kb.search.values import (
    IndexedSection,
    SearchDocument,
    SearchRequest,
    SearchResults,
)


def open_snapshot(*documents: SearchDocument) -> IndexSnapshot:
    """Return an index snapshot of some documents."""
    found = index(*documents)[0]._snapshot
    assert found is not None
    return found


def ask(
    full: IndexSnapshot, query: str, limit: int, passages: int = 0, **policy: Any
) -> SearchResults:
    """Return the results for a reader who may see every document."""
    request = SearchRequest(query, limit, lambda key, digest: True, passages=passages)
    return run_search(full, request, replace(QUERY_POLICY, **policy))


def test_a_hit_deep_in_the_order_has_its_best_section_too() -> None:
    """Although it was not among the compared sections."""
    pages = [
        document(
            f"{n}.md", "Page", "Nothing.", section("Stripes", f"A zebra, {n} times.", 7)
        )
        for n in range(8)
    ]
    hits = ask(open_snapshot(*pages), "zebra", 8, fused_pages=2, fused_sections=2).hits
    assert {(hit.heading, hit.line) for hit in hits} == {("Stripes", 7)}
    assert all("**zebra**" in hit.snippet for hit in hits)


def test_a_page_next_to_one_of_very_many_sections_has_its_best_section_too() -> None:
    """Although they are searched together, and the others match better."""
    many = [section(f"Zebra {n}", "zebra", n) for n in range(150)]
    pages = [
        *(document(f"{n}.md", "Zebra", "zebra", *many) for n in range(2)),
        document("few.md", "Page", "Nothing.", section("Stripes", "One zebra.", 7)),
        document("none.md", "Zebras", "Nothing of it.", section("Other", "None.", 9)),
    ]
    results = ask(open_snapshot(*pages), "zebra", 8, fused_sections=1)
    hits = {hit.key: hit for hit in results.hits}
    assert (hits["few.md"].heading, hits["few.md"].line) == ("Stripes", 7)
    assert len(hits) == 4


def under(level: int, heading: str, text: str, line: int) -> IndexedSection:
    """Return a section of a level."""
    return replace(section(heading, text, line), level=level)


def test_below_a_heading_that_has_only_others_the_best_of_theirs_is_shown() -> None:
    """With the heading and the anchor above the passage."""
    page = document(
        "a.md",
        "Page",
        "Nothing.",
        under(2, "Horses", "Zebra stripes by and by, and zebras.", 3),
        under(2, "Zebra stripes", "", 5),
        under(3, "Colours", "Black and white.", 7),
        under(4, "Width", "A zebra has narrow ones.", 9),
        under(2, "Zebra crossings", "Stripes, too, of a zebra.", 11),
    )
    (hit,) = ask(open_snapshot(page), "zebra stripes", 1).hits
    assert (hit.heading, hit.anchor, hit.line) == ("Width", "width", 9)
    assert hit.snippet == "A **zebra** has narrow ones."


def test_where_nothing_below_a_heading_fits_the_first_text_is_shown() -> None:
    """Sections without text are skipped."""
    page = document(
        "a.md",
        "Page",
        "",
        under(2, "Zebras", " \n", 5),
        under(3, "Empty", "", 7),
        under(3, "Colours", "Black and white.", 9),
        under(3, "Width", "Narrow.", 11),
    )
    (hit,) = ask(open_snapshot(page), "zebras", 1).hits
    assert (hit.heading, hit.line, hit.snippet) == ("Colours", 9, "Black and white.")


def test_where_a_heading_has_nothing_below_it_the_description_is_shown() -> None:
    """No heading applies to it; without a description there is the heading."""
    empty = (under(2, "Zebras", "", 5), under(2, "Other", "Others.", 7))
    for pages in (QUERY_POLICY.fused_pages, 1):
        full = open_snapshot(
            document("a.md", "Page", "", *empty, description="On stripes."),
            document("b.md", "Page", "", *empty),
        )
        hits = ask(full, "zebras", 2, fused_pages=pages).hits
        shown = {h.key: (h.heading, h.anchor, h.line, h.snippet) for h in hits}
        assert shown == {
            "a.md": ("", "", 1, "On stripes."),
            "b.md": ("Zebras", "zebras", 5, ""),
        }


def test_in_a_page_of_very_many_sections_none_is_taken_for_one_below_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its end is not known."""
    monkeypatch.setattr("asdlc_kb.search.query.hits._MAX_NESTED_SECTIONS", 3)
    page = document(
        "a.md",
        "Page",
        "",
        under(2, "Zebras", "", 5),
        under(3, "More", "It has stripes.", 7),
        under(2, "Other", "It has stripes.", 9),
        description="On stripes.",
    )
    (hit,) = ask(open_snapshot(page), "zebras", 1).hits
    assert (hit.heading, hit.snippet) == ("", "On stripes.")


SECTIONS = (
    under(2, "Mane", "Its mane stands.", 3),
    under(2, "A running zebra", "A zebra has stripes; a zebra runs.", 5),
    under(2, "Stripes", "The stripes of a zebra are narrow, and they are many.", 7),
    under(2, "Other animals that are seen near to a zebra in the wild", " ", 9),
    under(2, "Water", "Where water is, one finds a zebra at times, and then not.", 11),
)


def test_the_next_best_sections_with_text_follow_in_the_first_hits_only() -> None:
    """Best first, without that of the hit itself and those that do not match."""
    full = open_snapshot(
        document("a.md", "Page", "", *SECTIONS),
        document("b.md", "Other", "", *SECTIONS),
    )
    first, second = ask(full, "zebra", 2, passages=1).hits
    assert first.line == second.line == 5
    assert first.next_lines == (7, 11)
    assert second.next_lines == ()


def test_a_section_far_from_the_best_one_is_no_next_one() -> None:
    """Of a reference whose sections share most words, the one that is asked for."""
    options = [
        under(2, f"option_{n}", f"The limit of sensor {n}.", 3 + 2 * n)
        for n in range(20)
    ]
    full = open_snapshot(document("a.md", "Options", "", *options))
    (hit,) = ask(full, "option_17", 1, passages=1).hits
    assert (hit.heading, hit.next_lines) == ("option_17", ())


@pytest.mark.parametrize("shared", [1, 2, 3, 8, 100])
def test_next_sections_are_the_same_however_many_pages_share_a_search(
    monkeypatch: pytest.MonkeyPatch, shared: int
) -> None:
    """A page of which the search returns too few sections is searched by itself."""
    monkeypatch.setattr("asdlc_kb.search.query.hits._MAX_SHARED_SECTIONS", shared)
    full = open_snapshot(
        *(document(f"{n}.md", "Page", "", *SECTIONS) for n in range(4)),
    )
    for fused in (QUERY_POLICY.fused_sections, 1):
        hits = ask(full, "zebra", 4, passages=3, fused_sections=fused).hits
        assert [(hit.line, hit.next_lines) for hit in hits] == [
            *[(5, (7, 11))] * 3,
            (5, ()),
        ]
