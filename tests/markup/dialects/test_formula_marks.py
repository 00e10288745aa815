"""Formulas between their marks."""

import pytest

from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.inline_marks import INLINE_MARKS
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

FORMULAS = Dialect("formulas", inlines=INLINE_MARKS, has_formulas=True)


@pytest.mark.parametrize(
    ("text", "html", "markdown"),
    [
        ("so $x^2^ y$ is", "so $x^2^ y$ is", "so $x^2^ y$ is"),
        (r"so \( x^2^ \) is", "so $`x^2^`$ is", "so $x^2^$ is"),
        ("$$\nx^2\n$$", "```math\nx^2\n```", "$$\nx^2\n$$"),
        ("\\[\nx\n\\]", "```math\nx\n```", "$$\nx\n$$"),
        ("  $$x$$", "\n  ```math\n  x\n  ```", "  $$x$$"),
        (
            "\\begin{align}\na \\\\\nb\n\\end{align}",
            "```math\n\\begin{align}\na \\\\\nb\n\\end{align}\n```",
            "\\begin{align}\na \\\\\nb\n\\end{align}",
        ),
        ("a $$x$$ b", "a $$x$$ b", "a $$x$$ b"),
    ],
)
def test_formulas_are_written_as_on_github(text: str, html: str, markdown: str) -> None:
    """Marks of Markdown in them are not read."""
    assert translate(text, FORMULAS, Output.HTML).strip() == html.strip()
    assert translate(text, FORMULAS, Output.MARKDOWN) == markdown


@pytest.mark.parametrize(
    "text",
    [
        *(
            "for $5 or 6 $ more",
            "US$5 and US$6",
            "`$x$` or \\$x\\$",
            "$",
            "$$",
            "a$b$c",
        ),
        *("\\(x", "x\\)", "\\begin{a} x", "\\[ \\]"),
    ],
)
def test_other_dollars_and_brackets_are_text(text: str) -> None:
    """Amounts of money, code and escaped signs."""
    for output in Output:
        assert translate(text, FORMULAS, output) == text


@pytest.mark.parametrize("part", ["$x ", "$$x ", "\\(", "\\[ ", "\\begin{a}", "$"])
def test_formulas_that_do_not_end_are_text(part: str) -> None:
    """Also many of them."""
    text = f"x {part * 20_000}y"
    assert len(translate(text, FORMULAS, Output.MARKDOWN)) == len(text)
