"""The search page, and the same results as JSON."""

import json
from dataclasses import replace
from html import unescape

import pytest
from support.pages import Document
from support.publication import HOSTILE

from asdlc_kb.search.filters import parse_filters
from asdlc_kb.search.query.operators import Leaf, Parsed, parse_query
from asdlc_kb.site.layout.frame import PageLayout, SiteIdentity
from asdlc_kb.site.pages.search_page import (
    MAX_PAGES,
    PageResult,
    PageResults,
    ResultSource,
    paginate_results,
    results_json,
    results_page,
)

FRAME = PageLayout(
    SiteIdentity("Ours", base_url="https://example.com/kb"),
    has_docs=True,
    has_articles=True,
)
FOUND = (
    PageResult(
        "One", "/concepts/one#a", "Concepts", "A", ("x ", "y", " <b>"), "Experimental"
    ),
    PageResult("Two", "/docs/two", "Guide", snippet=("z **kwargs",)),
    PageResult(
        "Three", "/concepts/three", "Concepts", snippet=("", "a", " & ", "b", "")
    ),
)


def test_an_edition_is_shown_where_it_is_not_the_default() -> None:
    """On the page and in the JSON; otherwise nothing is added."""
    old = PageResult("Old", "/docs/1.0/a", "Guide", edition="Version 1.0, English")
    answer = PageResults("q", (old, *FOUND), 4)
    page = Document(results_page(FRAME, answer, ()).body)
    assert page.words.count("Version 1.0, English") == 1
    rows = json.loads(results_json(FRAME, answer).body)["found"]
    assert [row.get("edition") for row in rows] == [
        "Version 1.0, English",
        *([None] * 3),
    ]
    assert "edition" not in rows[1]


def test_results_are_in_the_order_of_the_ranking() -> None:
    """Titles, places and passages, each with its group."""
    page = Document(results_page(FRAME, PageResults("q", FOUND, 1_234), ()).body)
    wanted = ["/kb/concepts/one#a", "/kb/docs/two", "/kb/concepts/three"]
    assert [href for href in page.all("a", "href") if href in wanted] == wanted
    assert [tag for tag, _ in page.elements].count("mark") == 3
    assert "x y <b>" in page.words
    assert "z **kwargs" in page.words
    assert "1,234 results" in page.words
    for word in ("Concepts", "Guide", "Experimental", "A"):
        assert word in page.words


def test_results_of_one_source_can_be_shown() -> None:
    """By links, which keep the query; the form and further pages keep the source."""
    sources = ResultSource("articles", "Articles"), ResultSource("api v2", "Api v2")
    answer = replace(make_answer(25, 0), sources=sources, source="api v2")
    shown = results_page(FRAME, paginate_results(answer, 2, 10), ())
    page = Document(shown.body)
    assert shown.path == "/search?q=q%20%26%20r&source=api%20v2&page=2"
    base = "/kb/search?q=q%20%26%20r"
    links = [
        (g["href"], g.get("aria-current"))
        for tag, g in page.elements
        if tag == "a" and g["href"].startswith(base)
    ]
    assert links == [
        (base, None),
        (f"{base}&source=articles", None),
        (f"{base}&source=api%20v2", "true"),
        (f"{base}&source=api%20v2", None),
        (f"{base}&source=api%20v2&page=3", None),
    ]
    fields = [g for tag, g in page.elements if tag == "input" and g.get("name")]
    assert ("source", "api v2") in [(f["name"], f.get("value")) for f in fields]
    payload = json.loads(results_json(FRAME, answer).body)
    assert payload["sources"][1] == {"name": "api v2", "title": "Api v2"}
    assert payload["source"] == "api v2"


def test_the_edition_that_is_read_is_kept() -> None:
    """By both forms and all links, in its language."""
    read = "/kb/docs/de/a"
    answer = replace(make_answer(25, 0), read=read, language="de")
    shown = results_page(FRAME, paginate_results(answer, 1, 10), ())
    page = Document(shown.body)
    assert shown.path == "/search?q=q%20%26%20r&read=/kb/docs/de/a"
    assert f"/kb{shown.path}&page=2" in page.all("a", "href")
    fields = [row for tag, row in page.elements if tag == "input"]
    hidden = [row["value"] for row in fields if row.get("type") == "hidden"]
    assert hidden == [read, read]
    assert page.all("html", "lang") == ["de"]
    assert "Suche" in page.words
    assert (
        json.loads(results_json(FRAME, answer).body)
        .keys()
        .isdisjoint({"read", "language"})
    )


def test_the_only_source_is_not_named() -> None:
    """There is nothing to choose."""
    body = results_page(FRAME, make_answer(3, 0), ()).body
    assert b'class="sources"' not in body


def make_answer(articles: int, docs: int) -> PageResults:
    """Return an answer with so many results of each source."""
    found = [
        PageResult(f"a{n}", f"/concepts/a{n}", "Concepts") for n in range(articles)
    ]
    found += [PageResult(f"d{n}", f"/docs/d{n}", "Guide") for n in range(docs)]
    return PageResults("q & r", tuple(found), articles + docs)


def test_every_result_is_on_one_page() -> None:
    """In their order; the last page is marked."""
    answer = make_answer(18, 7)
    pages = [paginate_results(answer, number, 10) for number in (1, 2, 3)]
    assert [len(page.found) for page in pages] == [10, 10, 5]
    assert tuple(f for page in pages for f in page.found) == answer.found
    assert [page.has_more for page in pages] == [True, True, False]
    assert paginate_results(answer, 4, 10).found == ()
    assert not paginate_results(make_answer(5, 5), 1, 10).has_more
    assert paginate_results(make_answer(0, 11), 1, 10).has_more


def test_pages_of_results_end() -> None:
    """A request cannot make the server collect thousands of them."""
    answer = make_answer(1 + MAX_PAGES, 0)
    assert paginate_results(answer, MAX_PAGES - 1, 1).has_more
    assert not paginate_results(answer, MAX_PAGES, 1).has_more


@pytest.mark.parametrize(
    ("number", "turns"),
    [
        (1, {"next": "/kb/search?q=q%20%26%20r&page=2"}),
        (
            2,
            {
                "prev": "/kb/search?q=q%20%26%20r",
                "next": "/kb/search?q=q%20%26%20r&page=3",
            },
        ),
        (3, {"prev": "/kb/search?q=q%20%26%20r&page=2"}),
    ],
)
def test_pages_of_results_lead_to_each_other(
    number: int, turns: dict[str, str]
) -> None:
    """The query is part of the links, whatever it is."""
    page = Document(
        results_page(FRAME, paginate_results(make_answer(25, 0), number, 10), ()).body
    )
    found = {g["rel"]: g["href"] for t, g in page.elements if t == "a" and "rel" in g}
    assert found == turns
    assert "25 results" in page.words


def test_one_page_of_results_is_not_numbered() -> None:
    """There is no other page."""
    page = results_page(FRAME, paginate_results(make_answer(3, 3), 1, 10), ())
    assert b'class="pages"' not in page.body


def test_nothing_found_is_said() -> None:
    """With the text searched instead, and suggestions."""
    answer = PageResults("qwe", corrected="Searched for it.", suggestion="que & co")
    page = Document(results_page(FRAME, answer, ()).body)
    assert "No results. Try other words." in page.words
    assert "Searched for it." in page.words
    links = page.all("a", "href")
    assert "/kb/search?q=que%20%26%20co" in links
    assert "/kb/map#KB-list" in links
    assert "/kb/search?q=qwe" not in links
    filtered = replace(answer, unfiltered="q & r", source="api")
    links = Document(results_page(FRAME, filtered, ()).body).all("a", "href")
    assert "/kb/search?q=q%20%26%20r" in links


def test_an_empty_search_shows_the_field() -> None:
    """It has no results."""
    page = Document(results_page(FRAME, PageResults(""), ()).body)
    assert "No results" not in page.words
    assert "result" not in page.words
    assert {"name": "robots", "content": "noindex"} in [g for _, g in page.elements]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_words(text: str) -> None:
    """D-091: in the query, in titles, headings, groups, passages and suggestions."""
    found = PageResult(text, f"/x/{text}", text, text, (text, text, ""), text)
    answer = PageResults(text, (found,), 1, text, text)
    page = Document(results_page(FRAME, answer, ()).body)
    fields = [g for tag, g in page.elements if tag == "input" and "value" in g]
    assert [field["value"] for field in fields] == [text]
    assert page.words.count(text) >= 6
    assert not any(page.scripts)
    assert not [g for _, g in page.elements if any(n.startswith("on") for n in g)]
    assert f"/kb/x/{text}" in page.all("a", "href")
    payload = json.loads(results_json(FRAME, answer).body)
    assert payload["found"][0]["title"] == payload["query"] == text


def test_the_script_gets_addresses_of_the_browser() -> None:
    """Below the public path, as links of pages are."""
    payload = json.loads(results_json(FRAME, PageResults("q", FOUND, 3)).body)
    assert [found["address"] for found in payload["found"]] == [
        *("/kb/concepts/one#a", "/kb/docs/two", "/kb/concepts/three")
    ]
    assert payload["found"][0] == {
        "title": "One",
        "address": "/kb/concepts/one#a",
        "group": "Concepts",
        "heading": "A",
        "snippet": ["x ", "y", " <b>"],
        "note": "Experimental",
    }
    assert payload["total"] == 3


def test_the_page_lists_operators_that_work() -> None:
    """Each whole one is an operator, and every filter is among them."""
    every = ("category", "source", "version", "language")
    body = results_page(FRAME, PageResults("", filters=every), ()).body.decode()
    listed = body.partition('<details class="operators">')[2].partition("</details>")[0]
    shown = [part.partition("</code>")[0] for part in listed.split("<code>")[1:]]
    names = set()
    for query in map(unescape, shown):
        if query.endswith(":") or query in ("OR", "NOT"):
            names.add(query.rstrip(":"))
            continue
        filters = parse_filters(query, lambda wanted: True).filters
        names.update(each.name for each in filters)
        assert filters or parse_query(query) != Parsed((Leaf(query),))
    assert names >= {"category", "source", "version", "language", "updated"}


def test_filters_that_narrow_nothing_are_not_listed() -> None:
    """The script of the palette gets their names with the results."""
    answer = PageResults("q", filters=("category",))
    body = results_page(FRAME, answer, ()).body.decode()
    assert "<code>category:</code>" in body
    assert "<code>version:</code>" not in body
    assert (
        "everywhere else" not in results_page(FRAME, PageResults("q"), ()).body.decode()
    )
    assert json.loads(results_json(FRAME, answer).body)["filters"] == ["category"]
