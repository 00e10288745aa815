"""Obsidian's comments, highlights, block ids, footnotes and formulas."""

import pytest

from asdlc_kb.markup.dialects.obsidian import OBSIDIAN
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of Obsidian as GitHub's Markdown."""
    return translate(text, OBSIDIAN, output)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a %%hidden [[x]]%% b", "a b"),
        ("a\n\n%%\nhidden\n\nmore\n%%\n\nb", "a\n\n\nb"),
        ("%% open", "%% open"),
        ("A ==b== c", "A b c"),
        ("Text ^abc-1", "Text"),
        ("| a |\n\n^table", "| a |\n\n"),
        ("x^2 and 2^n", "x^2 and 2^n"),
        ("Say^[a [b](c) note] so", "Say (a [b](c) note) so"),
        ("#tag and [[Page]] and $x_1$", "#tag and [Page](Page.md) and $x_1$"),
        ("```dataview\nLIST\n```", "```dataview\nLIST\n```"),
        ("> [!question]- Why [[A]]?\n> ![[p.png]]",
         "> [!NOTE]- Why [A](A.md)?\n> ![p](p.png)"),
        ("`==a==` `%%b%%`", "`==a==` `%%b%%`"),
    ],
)  # fmt: skip
def test_marks_of_obsidian_are_githubs_markdown(text: str, shown: str) -> None:
    """What only the application shows is left out."""
    assert show(text) == shown


def test_the_website_has_tags_for_marks() -> None:
    """Amounts of money are no formulas."""
    assert show("==a== $x_1$ $5 and $6", Output.HTML) == (
        "<mark>a</mark> $x_1$ $5 and $6"
    )


def test_embedded_notes_are_includes() -> None:
    """Links are none."""
    assert [i.path for i in OBSIDIAN.find_includes("![[a]] [[b]]")] == ["a.md"]
