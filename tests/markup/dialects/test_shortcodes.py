"""Writers of elements that several dialects share."""

import pytest

from asdlc_kb.markup.dialects.elements import Element, TagArguments
from asdlc_kb.markup.dialects.shortcodes import (
    is_true,
    write_address,
    write_fence,
    write_inline_formula,
    write_link,
    write_link_card,
    write_note,
    write_picture,
    write_word,
)
from asdlc_kb.markup.dialects.source import Output, Source

SOURCE = Source(["x"], 0, Output.MARKDOWN, lambda lines: lines)


def make_element(name: str, *positional: str, **named: str) -> Element:
    """Return an element whose body is one line."""
    return Element(name, TagArguments(positional, named), ["Text"], 1, f"<{name}>")


@pytest.mark.parametrize(
    ("element", "head"),
    [
        (make_element("warning"), "> [!WARNING]"),
        (make_element("alert", color="danger", title="T"), "> [!CAUTION] T"),
        (make_element("alert", color="green"), "> [!TIP]"),
        (make_element("notice", "info", "T"), "> [!NOTE] T"),
        (make_element("hint", "A title"), "> [!TIP] A title"),
        (make_element("callout", type="unknown"), "> [!NOTE]"),
    ],
)
def test_a_callout_has_a_kind_and_a_title(element: Element, head: str) -> None:
    """By its name, a word, or the color of a theme."""
    assert write_note(element, SOURCE) == [head, "> Text"]


def test_an_address_cannot_end_its_link() -> None:
    """Blanks and brackets are quoted."""
    assert write_address(" a b(c)<d> ") == "a%20b%28c%29%3Cd%3E"
    assert write_link("", "a") == "[a](a)"
    assert write_link("words", "") == "words"


def test_a_picture_is_linked_if_it_has_a_link() -> None:
    """Its text has no brackets."""
    named = {"src": "a.png", "alt": "b [c]", "link": "d"}
    assert write_picture(TagArguments((), named)) == "[![b (c)](a.png)](d)"
    assert write_picture(TagArguments(("a.png", "b"))) == "![b](a.png)"


def test_a_card_has_a_title_and_a_text() -> None:
    """And an address, or none."""
    card = make_element("card", title="T", link="a", subtitle="S")
    assert write_link_card(card, SOURCE) == ["- [T](a): Text S"]
    assert write_link_card(make_element("card", title="T"), SOURCE) == (
        ["**T**", "", "Text"]
    )


def test_code_is_fenced_by_marks_that_it_does_not_contain() -> None:
    """As many as needed."""
    assert write_fence("md", ["````", "x"]) == ["`````md", "````", "x", "`````"]


def test_a_formula_in_a_paragraph_has_githubs_form_on_the_website() -> None:
    """Unless it contains the mark of code."""
    assert write_inline_formula(" a\nb ", Output.HTML) == "$`a b`$"
    assert write_inline_formula("a`b", Output.HTML) == "$a`b$"
    assert write_inline_formula("a", Output.MARKDOWN) == "$a$"


def test_what_only_the_generator_can_write_is_named() -> None:
    """Without marks that mean something."""
    element = make_element("x")._replace(tag='{{< list [a] "`b`" />}}')
    assert write_word(element, SOURCE) == ['[shortcode list a "b"]']


def test_some_words_turn_an_argument_on() -> None:
    """In any case."""
    assert is_true("True") and is_true("open") and not is_true("false")
