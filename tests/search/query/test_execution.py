"""One search, from the query text to the hits."""

from dataclasses import replace

import pytest
from support.texts import DOCUMENTS, document, index, keys, section

from asdlc_kb.search.index.index_snapshot import IndexSnapshot
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.query.execution import run_search
from asdlc_kb.search.values import (
    IndexedSection,
    SearchDocument,
    SearchRequest,
    SearchResults,
)


def open_snapshot(*documents: object) -> IndexSnapshot:
    """Return an index snapshot of some documents."""
    found = index(*(documents or DOCUMENTS))[0]._snapshot  # type: ignore[arg-type]
    assert found is not None
    return found


def ask(
    full: IndexSnapshot,
    query: str,
    limit: int,
    *hidden: str,
    offset: int = 0,
    **policy: int,
) -> SearchResults:
    """Return the results for a reader who may not see some keys."""
    request = SearchRequest(query, limit, lambda key, digest: key not in hidden, offset)
    return run_search(full, request, replace(QUERY_POLICY, **policy))


def test_only_so_many_characters_are_read() -> None:
    """The rest is ignored."""
    full = open_snapshot()
    results = ask(full, "nginx     okapi zebra", 5, max_query_chars=10)
    assert results == ask(full, "nginx", 5)


def test_a_passage_has_the_length_that_was_asked_for() -> None:
    """Without its marks."""
    text = " ".join(["zebras are striped"] * 40)
    full = open_snapshot(document("a.md", "Page", text))
    for length in (50, 120):
        (hit,) = ask(full, "zebra", 1, max_snippet_chars=length).hits
        assert length / 2 < len(hit.snippet.replace("**", "")) <= length + 2


def test_stop_words_are_not_marked() -> None:
    """Unless there are no other words."""
    full = open_snapshot(document("a.md", "Page", "This is the zebra."))
    assert ask(full, "what is the zebra", 1).hits[0].snippet == (
        "This is the **zebra**."
    )
    assert "**" in ask(full, "this is", 1).hits[0].snippet


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


def test_what_is_hidden_takes_no_place_among_what_is_found() -> None:
    """D-087: a page of results is full, whatever was left out before it."""
    pages = [document(f"{n}.md", "Zebra", "zebra " * (9 - n)) for n in range(8)]
    full = open_snapshot(*pages)
    results = ask(full, "zebra", 3, "0.md", "1.md", "2.md", offset=1)
    assert results.total == 5
    everything = keys(ask(full, "zebra", 8, "0.md", "1.md", "2.md"))
    assert keys(results) == everything[1:4]


def test_a_suggestion_is_of_words_that_may_be_seen() -> None:
    """The nearest, where every word is far from any."""
    full = open_snapshot(*DOCUMENTS, document("x.md", "Xylophone", "xylophones"))
    query = "+zzzz xylophonx"
    assert ask(full, query, 5).suggestion == "xylophone"
    assert ask(full, query, 5, "x.md").suggestion is None


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
    monkeypatch.setattr("asdlc_kb.search.query.execution._MAX_NESTED_SECTIONS", 3)
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


WINDOWS = (
    document("a.md", "Jekyll", "Jekyll runs on Windows: jekyllonwindows."),
    document("b.md", "Page", "Doors on windows, jekyll."),
)


@pytest.mark.parametrize(
    ("query", "others", "corrected"),
    [
        ("jekyll on windows", (), ()),
        ("doors jekyll on windows", (), ()),
        (
            "jekyll on windows",
            (document("c.md", "Page", "See jekyllonwindows on this."),),
            (("jekyll on windows", "jekyllonwindows"),),
        ),
        (
            "jekyllonwindows jekyll on windows",
            (document("c.md", "Page", "See jekyllonwindows on this."),),
            (),
        ),
        (
            "+jekyll on windows",
            (document("c.md", "Page", "See jekyllonwindows on this."),),
            (),
        ),
        (
            "jekyll on windows -see",
            (document("c.md", "Page", "See jekyllonwindows on this."),),
            (),
        ),
        (
            "win dows",
            (document("c.md", "Page", "A win."),),
            (("win dows", "windows"),),
        ),
    ],
)
def test_a_joined_word_is_told_where_something_is_found_by_it_alone(
    query: str,
    others: tuple[SearchDocument, ...],
    corrected: tuple[tuple[str, str], ...],
) -> None:
    """Or if it replaces an unknown word: else it only changes scores."""
    assert ask(open_snapshot(*WINDOWS, *others), query, 5).corrected == corrected


def test_a_joined_word_of_a_hidden_page_is_not_told() -> None:
    """Even if another page has it, too, that is found without it."""
    full = open_snapshot(*WINDOWS, document("c.md", "Page", "See jekyllonwindows."))
    assert ask(full, "jekyll on windows", 5).corrected
    assert ask(full, "jekyll on windows", 5, "c.md").corrected == ()
