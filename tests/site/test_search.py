"""The search page, and the same results as JSON."""

import json

import pytest
from support.pages import Document
from support.publication import HOSTILE

from asdlc_kb.site.frame import Frame, Identity
from asdlc_kb.site.search import Answer, Found, show, tell

FRAME = Frame(
    Identity("Ours", base_url="https://example.com/kb"),
    has_docs=True,
    has_articles=True,
)
FOUND = (
    Found("One", "/concepts/one#a", "Concepts", "A", "x **y** <b>", "Experimental"),
    Found("Two", "/docs/two", "Guide", snippet="z"),
    Found("Three", "/concepts/three", "Concepts", snippet="**a** & **b**"),
)


def test_results_are_in_groups() -> None:
    """In the order of the best of each; titles, places and passages."""
    page = Document(show(FRAME, Answer("q", FOUND, 1_234), ()).body)
    wanted = ["/kb/concepts/one#a", "/kb/concepts/three", "/kb/docs/two"]
    assert [href for href in page.all("a", "href") if href in wanted] == wanted
    assert [tag for tag, _ in page.elements].count("mark") == 3
    assert "x y <b>" in page.words
    assert "1,234 results" in page.words
    for word in ("Concepts", "Guide", "Experimental", "A"):
        assert word in page.words


def test_nothing_found_is_said() -> None:
    """With what was searched instead, and what may have been meant."""
    answer = Answer("qwe", corrected="Searched for it.", suggestion="que & co")
    page = Document(show(FRAME, answer, ()).body)
    assert "Nothing found." in page.words
    assert "Searched for it." in page.words
    assert "/kb/search?q=que%20%26%20co" in page.all("a", "href")


def test_an_empty_search_shows_the_field() -> None:
    """It says nothing of results."""
    page = Document(show(FRAME, Answer(""), ()).body)
    assert "Nothing found" not in page.words
    assert "result" not in page.words
    assert {"name": "robots", "content": "noindex"} in [g for _, g in page.elements]


@pytest.mark.parametrize("said", HOSTILE)
def test_hostile_words_are_words(said: str) -> None:
    """In the query, in titles, headings, groups, passages and suggestions."""
    found = Found(said, f"/x/{said}", said, said, said, said)
    answer = Answer(said, (found,), 1, said, said)
    page = Document(show(FRAME, answer, ()).body)
    fields = [g for tag, g in page.elements if tag == "input" and "value" in g]
    assert [field["value"] for field in fields] == [said]
    assert page.words.count(said) >= 6
    assert not any(page.scripts)
    assert not [g for _, g in page.elements if any(n.startswith("on") for n in g)]
    assert f"/kb/x/{said}" in page.all("a", "href")
    told = json.loads(tell(FRAME, answer).body)
    assert told["found"][0]["title"] == told["query"] == said


def test_the_script_gets_addresses_of_the_browser() -> None:
    """Below the public path, as links of pages are."""
    told = json.loads(tell(FRAME, Answer("q", FOUND, 3)).body)
    assert [found["address"] for found in told["found"]] == [
        *("/kb/concepts/one#a", "/kb/docs/two", "/kb/concepts/three")
    ]
    assert told["found"][0] == {
        "title": "One",
        "address": "/kb/concepts/one#a",
        "group": "Concepts",
        "heading": "A",
        "snippet": "x **y** <b>",
        "note": "Experimental",
    }
    assert told["total"] == 3
