"""Marks inside a paragraph."""

import pytest

from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.inline_marks import INLINE_MARKS
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

MARKS = Dialect("marks", inlines=INLINE_MARKS)


@pytest.mark.parametrize(
    ("text", "html", "words"),
    [
        ("==so `==` much==", "<mark>so `==` much</mark>", "so `==` much"),
        ("^^new^^", "<ins>new</ins>", "new"),
        ("x^2^", "x<sup>2</sup>", "x^2"),
        ("H~2~O", "H<sub>2</sub>O", "H2O"),
        (
            "++ctrl+alt+del++",
            "<kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Del</kbd>",
            "Ctrl+Alt+Del",
        ),
        ("++cmd+k++", "<kbd>Cmd</kbd>+<kbd>K</kbd>", "Cmd+K"),
        ('++"Fn & 1"++', "<kbd>Fn &amp; 1</kbd>", "Fn & 1"),
        ("++shift+asterisk++", "<kbd>Shift</kbd>+<kbd>\\*</kbd>", "Shift+\\*"),
    ],
)
def test_the_website_has_a_tag_for_each_mark(text: str, html: str, words: str) -> None:
    """Agents get the words."""
    assert translate(text, MARKS, Output.HTML) == html
    assert translate(text, MARKS, Output.MARKDOWN) == words


@pytest.mark.parametrize(
    "text",
    [
        *("a == b and c == d", "a==b==c", "Words\n=====", "i++ and j++", "C++ or g++"),
        *("~~gone~~", "~/a and ~/b", "[^1] and [^2]", "2^10 and 2^20", "`==x==`"),
        *("\\==x==", "a ~ b", "== x ==", "1 ++ 2 ++ 3", "<https://x/==a==>"),
    ],
)
def test_similar_text_is_unchanged(text: str) -> None:
    """Operators, footnotes, paths, and text that is struck out."""
    for output in Output:
        assert translate(text, MARKS, output) == text


@pytest.mark.parametrize("part", ["==a ", "^^a ", "^a", "~a", "++a+", '++"a', "=", "^"])
def test_marks_that_do_not_end_are_text(part: str) -> None:
    """Also many of them."""
    text = f"x {part * 20_000}"
    shown = translate(text, MARKS, Output.HTML)
    assert shown.startswith("x ")
