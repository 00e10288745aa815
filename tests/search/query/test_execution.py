"""One search, from the query text to the hits."""

from dataclasses import replace
from typing import Any

import pytest
from support.texts import DOCUMENTS, document, keys, open_snapshot, section

from asdlc_kb.search.index.index_snapshot import IndexSnapshot
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.query.execution import run_search, run_unmatched
from asdlc_kb.search.values import (
    SearchDocument,
    SearchRequest,
    SearchResults,
)


def ask(
    full: IndexSnapshot,
    query: str,
    limit: int,
    *hidden: str,
    offset: int = 0,
    **policy: Any,
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


WINDOWS = (
    document("a.md", "Jekyll", "Jekyll: forge on Windows: jekyllforgewindows."),
    document("b.md", "Page", "Doors, windows, jekyll."),
)


@pytest.mark.parametrize(
    ("query", "others", "corrected"),
    [
        ("jekyll forge windows", (), ()),
        ("doors jekyll forge windows", (), ()),
        (
            "jekyll forge windows",
            (document("c.md", "Page", "See jekyllforgewindows."),),
            (("jekyll forge windows", "jekyllforgewindows"),),
        ),
        (
            "jekyllforgewindows jekyll forge windows",
            (document("c.md", "Page", "See jekyllforgewindows."),),
            (),
        ),
        (
            "+jekyll forge windows",
            (document("c.md", "Page", "See jekyllforgewindows."),),
            (),
        ),
        (
            "jekyll forge windows -see",
            (document("c.md", "Page", "See jekyllforgewindows."),),
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
    full = open_snapshot(*WINDOWS, document("c.md", "Page", "See jekyllforgewindows."))
    assert ask(full, "jekyll forge windows", 5).corrected
    assert ask(full, "jekyll forge windows", 5, "c.md").corrected == ()


def test_unknown_and_excluded_words_are_part_of_results() -> None:
    """What is hidden is unknown; without any hit, nothing needs to be named."""
    full = open_snapshot(*WINDOWS, document("c.md", "Page", "A heron."))
    results = ask(full, "a heron in windows 98 -jekyll", 5)
    assert (results.unknown, results.excluded) == (("98",), ("jekyll",))
    results = ask(full, "a heron in windows 98", 5, "c.md")
    assert (results.unknown, results.excluded) == (("heron", "98"), ())
    results = ask(full, "a heron in windows 98 -jekyll", 5, "c.md")
    assert (results.unknown, results.total) == ((), 0)
    assert results.excluded == ("jekyll",)


@pytest.mark.parametrize(
    ("query", "hidden", "is_unmatched"),
    [
        ("zqjx", (), True),
        ("zqjx okapizz", (), True),
        ("", (), True),
        ("nginx", (), False),
        ("nginx", ("guides/deploy.md",), True),
        ("ngnix", (), False),
        ("zqjx nginx", (), False),
        ("-zqjx", (), False),
        ('"zqjx nginx"', (), False),
        ('"zqjx"', (), False),
        ("category:guides", (), False),
    ],
)
def test_a_search_without_a_known_word_is_not_executed(
    query: str, hidden: tuple[str, ...], is_unmatched: bool
) -> None:
    """D-087: a word of hidden documents alone is unknown; operators may find more."""
    full = open_snapshot()
    request = SearchRequest(query, 5, lambda key, digest: key not in hidden)
    unmatched = run_unmatched(full, request)
    assert (unmatched is not None) == is_unmatched
    if unmatched is not None:
        assert unmatched == run_search(full, request)
        assert not unmatched.total


def test_no_part_of_an_identifier_is_suggested_otherwise() -> None:
    """Its known parts may be."""
    full = open_snapshot(*DOCUMENTS, document("x.md", "Xylophone", "xylophones"))
    assert ask(full, "zzzz.xylophonx", 5).suggestion is None
    assert ask(full, "+zzzz xylophonx", 5).suggestion == "xylophone"


def test_the_page_that_a_query_names_comes_first() -> None:
    """Found or not, but only if it may be seen."""
    full = open_snapshot()
    everyone = SearchRequest("nginx", 9, lambda key, digest: True)
    (first,) = keys(run_search(full, everyone))
    named = replace(everyone, named="guides/cache.md")
    results = run_search(full, named)
    assert keys(results) == ["guides/cache.md", first]
    assert results.total == 2
    hidden = replace(named, accepts=lambda key, digest: key != "guides/cache.md")
    assert keys(run_search(full, hidden)) == [first]
    elsewhere = replace(named, keys=frozenset({first}))
    assert keys(run_search(full, elsewhere)) == [first]
    unmatched = replace(named, query="qqqq/zzzz")
    assert keys(run_search(full, unmatched)) == ["guides/cache.md"]


def test_a_title_that_is_the_query_as_one_word_comes_before_headings() -> None:
    """Pages of methods and classes are called `TableOfContents`."""
    method = document("m.md", "TableOfContents", "A list of contents and a table.")
    heading = section("Table of contents", "The table of contents has two levels.")
    other = document("o.md", "Configure markup", "Settings of markup.", heading)
    others = [document(f"{n}.md", f"Page {n}", "other contents") for n in range(9)]
    full = open_snapshot(method, other, *others)
    assert keys(ask(full, "table of contents", 2)) == ["m.md", "o.md"]


def test_changelogs_come_behind_pages_that_match_about_as_well() -> None:
    """Unless the query asks for changes."""
    full = open_snapshot(
        document("changelog", "Changes", "Added a proxy timeout."),
        document("guide", "Guide", "The proxy has a timeout in its settings, too."),
    )
    assert keys(ask(full, "proxy timeout", 5)) == ["guide", "changelog"]
    assert keys(ask(full, "proxy timeout changes", 5))[0] == "changelog"
    policy = replace(QUERY_POLICY, changelogs=("guide",), demoted_share=0.1)
    request = SearchRequest("proxy timeout", 5, lambda key, digest: True)
    assert len(run_search(full, request, policy).hits) == 2


def test_a_query_for_titles_shows_what_the_page_is_about() -> None:
    """Its description or first text: the word stands in the title."""
    full = open_snapshot(
        document("a.md", "Docker", "Begin here.", section("Run", "docker: run docker")),
        document("b.md", "Docker too", "docker docker", description="What it is."),
    )
    snippets = {hit.key: hit.snippet for hit in ask(full, "title:docker", 5).hits}
    assert snippets == {"a.md": "Begin here.", "b.md": "What it is."}


def test_words_of_the_path_are_found() -> None:
    """As those of tags are."""
    full = open_snapshot(
        document("a", "First", "text", path="tutorial/first-steps"),
        document("b", "Other", "text", path="advanced/other"),
    )
    assert keys(ask(full, "tutorial steps", 5)) == ["a"]
    assert keys(ask(full, "advanced/other", 5)) == ["b"]


def test_a_category_without_visible_documents_is_text() -> None:
    """Whether it has hidden ones or none: the results are the same."""
    full = open_snapshot(
        document("a.md", "Nginx", "Of the guides.", category="guides"),
        document("b.md", "Nginx", "Secret.", category="secrets"),
    )
    assert keys(ask(full, "category:guides nginx", 5)) == ["a.md"]
    assert keys(ask(full, "category:secrets nginx", 5)) == ["b.md"]
    hidden = ask(full, "category:secrets nginx", 5, "b.md")
    missing = ask(full, "category:nothing nginx", 5, "b.md")
    assert keys(hidden) == keys(missing) == ["a.md"]
    assert hidden.corrected == missing.corrected == ()


def test_an_empty_query_may_find_all_documents() -> None:
    """Only where filters alone are asked for."""
    full = open_snapshot()
    everything = SearchRequest(" ", 50, lambda key, digest: True, finds_all=True)
    assert run_search(full, everything).total == len(DOCUMENTS)
    some = frozenset([DOCUMENTS[0].key])
    assert keys(run_search(full, replace(everything, keys=some))) == [*some]
    assert not run_search(full, replace(everything, finds_all=False)).total
    assert run_search(full, replace(everything, query="okapizz")).total == 0
