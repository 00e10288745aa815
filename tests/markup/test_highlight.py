"""Source code as HTML."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asdlc_kb.markup.highlight import (
    CLASSES,
    MAX_CHARACTERS,
    CostlyCode,
    highlight,
    highlight_cheap,
    is_cheap,
)
from asdlc_kb.markup.lexers import MAX_LINEAR_CHARACTERS


class _Words(HTMLParser):
    """The text of a piece of HTML, and its classes."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.classes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "span"
        ((name, value),) = attrs
        assert name == "class"
        self.classes.update((value or "").split())

    def handle_data(self, data: str) -> None:
        self.text += data


def test_words_of_a_known_language_have_classes() -> None:
    """Keywords and strings are distinguished."""
    shown = highlight('return "x"\n', "Python")
    assert '<span class="k">return</span>' in shown
    assert '<span class="s2">"x"</span>' in shown


def test_an_unknown_language_is_shown_as_it_is() -> None:
    """No language is an error."""
    assert highlight("a < b & c", "no such thing") == "a &lt; b &amp; c"
    assert highlight("a < b", "") == "a &lt; b"


def test_long_code_is_shown_as_it_is() -> None:
    """Some grammars take very long for text that is rarely read."""
    assert "<span" in highlight("x = 1\n", "python")
    assert "<span" not in highlight("x = 1\n" * MAX_CHARACTERS, "python")


@pytest.mark.parametrize(
    ("language", "size"),
    [("cddl", 10), ("scala", 10), ("python", MAX_LINEAR_CHARACTERS + 1)],
)
def test_code_that_may_take_long_is_not_highlighted_here(
    language: str, size: int
) -> None:
    """A grammar that was not measured, or more code than was measured."""
    assert not is_cheap(size, language)
    with pytest.raises(CostlyCode):
        highlight_cheap("x" * size, language)


@pytest.mark.parametrize(
    ("language", "size"),
    [
        ("python", MAX_LINEAR_CHARACTERS),
        ("no such thing", 10**6),
        ("", 10**6),
        ("cddl", MAX_CHARACTERS + 1),
    ],
)
def test_code_that_takes_no_time_is_shown_here(language: str, size: int) -> None:
    """Even if it is not highlighted at all."""
    assert is_cheap(size, language)
    assert highlight_cheap("x" * size, language) == highlight("x" * size, language)


@settings(deadline=None, max_examples=200)
@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=200),
    st.sampled_from(["python", "js", "html", "yaml", "bash", "json", "diff", "", "x"]),
)
def test_highlighted_code_says_what_the_code_says(code: str, language: str) -> None:
    """Nothing is added, lost or left unescaped, and the classes are the known ones."""
    code = f"\n{code}\n"
    words = _Words()
    words.feed(highlight(code, language))
    words.close()
    assert words.text.rstrip("\n") == code.rstrip("\n")
    assert {name for name in words.classes if "-" not in name} <= CLASSES
