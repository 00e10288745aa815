"""Menus in every common form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.nested_lists import (
    MAX_CHARACTERS,
    MenuItem,
    find_links,
    read_menu,
)


def shape(entries: tuple[MenuItem, ...]) -> list[object]:
    """Return titles and addresses, nested."""
    return [
        (e.title, e.href, shape(e.below)) if e.below else (e.title, e.href)
        for e in entries
    ]


@pytest.mark.parametrize(
    "text",
    [
        "* [A](a.md)\n  * [B](b.md)\n    * [C](c.md)\n* D\n",
        "- [A](a.md)\n  - [B](b.md)\n    - [C](c.md)\n- D\n",
        "+ [A](a.md)\n    + [B](b.md)\n        + [C](c.md)\n+ D\n",
        "* [A](a.md)\n\t- [B](b.md)\n\t\t+ [C](c.md)\n* D\n",
        "1. [A](a.md)\n   1. [B](b.md)\n      1. [C](c.md)\n2. D\n",
        "* [A](a.md)\n\n  * [B](b.md)\n\n    * [C](c.md)\n\n* D\n",
        "Intro.\n\n* **[A](a.md)**\n  * [B](b.md) (new)\n    * [C](c.md)\n* D\n",
        "* [A](a.md)\r\n  * [B](b.md)\r\n    * [C](c.md)\r\n* D\r\n",
    ],
)
def test_bullets_of_any_kind_nest_to_any_depth(text: str) -> None:
    """servemd drops dashes, deeper levels and items without a link; here they stay."""
    assert shape(read_menu(text)) == [
        ("A", "a.md", [("B", "b.md", [("C", "c.md")])]),
        ("D", ""),
    ]


def test_headings_have_what_follows_below_them() -> None:
    """Sections are groups; a deeper heading is a group in a group."""
    text = (
        "* [0](0.md)\n\n## A\n\n* [1](1.md)\n\n### B\n\n* [2](2.md)\n\n## [C](c.md)\n"
    )
    assert shape(read_menu(text)) == [
        ("0", "0.md"),
        ("A", "", [("1", "1.md"), ("B", "", [("2", "2.md")])]),
        ("C", "c.md"),
    ]
    assert [entry.level for entry in read_menu(text)] == [0, 2, 2]


def test_words_next_to_a_link_are_told_apart() -> None:
    """The first link is the entry; a topbar has a logo rest it."""
    (entry,) = read_menu("* {{logo}} | [A `b`](a.md) and [C](c.md)\n")
    assert (entry.title, entry.href) == ("A b", "a.md")
    assert entry.rest == "{{logo}} | and C"


@pytest.mark.parametrize("text", ["", "Just text.", "```\n* [A](a.md)\n```\n", "* \n"])
def test_what_is_no_list_is_no_menu(text: str) -> None:
    """Code and prose have no entries."""
    assert read_menu(text) == ()


def test_an_item_without_words_gives_its_place_to_what_is_below_it() -> None:
    """An empty bullet, or one with a picture only."""
    assert shape(read_menu("* ![](x.png)\n  * [A](a.md)\n")) == [("A", "a.md")]


@given(st.text(alphabet="*-+ #[]()ab\n\t1.", max_size=80))
def test_no_text_fails(text: str) -> None:
    """Entries have titles, for any text."""
    waiting = list(read_menu(text))
    while waiting:
        entry = waiting.pop()
        assert entry.title or entry.level
        waiting.extend(entry.below)


def test_a_menu_is_read_up_to_a_limit() -> None:
    """Line by line: an entry is whole or left out."""
    line = "- [Page](page.md)\n"
    entries = read_menu(line * (2 * MAX_CHARACTERS // len(line)))
    assert len(entries) == MAX_CHARACTERS // len(line)
    assert {entry.title for entry in entries} == {"Page"}
    assert read_menu("x" * (MAX_CHARACTERS + 1)) == ()


def test_a_paragraph_that_is_a_link_may_be_an_entry() -> None:
    """As in the summary of a book; one with other words is none."""
    text = "[A](a.md)\n\n- [B](b.md)\n\nSee [C](c.md).\n"
    assert [item.title for item in read_menu(text)] == ["B"]
    found = read_menu(text, has_paragraphs=True)
    assert [item.title for item in found] == ["A", "B"]


def test_all_links_of_a_text_are_found() -> None:
    """Of any length, without those of comments."""
    text = "[A](a.md) [B](b%20c.md)\n- [C](<c d.md>)\n<!-- [D](d.md) -->\n"
    line = "- [E](e.md)\n"
    found = list(find_links(text + line * (MAX_CHARACTERS // len(line))))
    assert found[:4] == ["a.md", "b%20c.md", "c%20d.md", "e.md"]
    assert len(found) == 3 + MAX_CHARACTERS // len(line)
