"""Markdown inside HTML tags."""

import pytest

from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.markdown_in_html import MARKDOWN_IN_HTML, find_tags
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

TAGS = Dialect("tags", (MARKDOWN_IN_HTML,), find_elements=find_tags)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            '<div class="grid cards" markdown>\n\n-   one\n\n    two\n\n</div>',
            "-   one\n\n    two",
        ),
        ('<div markdown="1">\n  *a*\n</div>\nb', "*a*\n\nb"),
        ("<div markdown>*a*</div>", "*a*"),
        (
            "<div markdown>\n  <div class='x' markdown>\n\n- a\n\n  </div>\n</div>",
            "- a",
        ),
        ("<blockquote markdown>\n*a*\n\nb\n</blockquote>", "> *a*\n>\n> b"),
        ('<div class="termy">\n\n```sh\n$ x\n```\n\n</div>', "```sh\n$ x\n```"),
        (
            "<details markdown>\n<summary>More <b>so</b></summary>\n\n*a*\n</details>",
            "**More so**\n\n*a*",
        ),
        ("<div>\n\n</div>\na", "a"),
        ("<div>\n\n*a*\n</div>", "*a*"),
        ("<div>\n```\n*a*\n```\n</div>", "```\n*a*\n```"),
        ("<style>\n.x {\n\n}\n</style>\n\na", "\na"),
        ("<script src='x.js'></script>\n\na", "\na"),
    ],
)
def test_a_tag_with_the_attribute_is_left_out(text: str, shown: str) -> None:
    """Its text is Markdown, with the indent of the tag."""
    assert translate(text, TAGS, Output.MARKDOWN) == shown


def test_figures_keep_their_tags_on_the_website() -> None:
    """With blank lines, so that what they contain is read as Markdown."""
    text = (
        '<figure markdown="span">\n  ![A](a.png)\n'
        "  <figcaption>So *it* is</figcaption>\n</figure>"
    )
    assert translate(text, TAGS, Output.MARKDOWN) == "![A](a.png)\n\nSo *it* is"
    assert translate(text, TAGS, Output.HTML) == (
        "<figure>\n\n![A](a.png)\n\n<figcaption>\n\nSo *it* is\n\n</figcaption>\n\n"
        "</figure>"
    )


@pytest.mark.parametrize(
    ("classes", "kept"),
    [("grid", "grid"), ("x cards grid", "card-grid"), ("cards", ""), ("grid-x", "")],
)
def test_grids_keep_their_tag_on_the_website(classes: str, kept: str) -> None:
    """Agents read what is in them."""
    text = f'<div class="{classes}" markdown>\n\n- a\n- b\n\n</div>'
    shown = f'<div class="{kept}">\n\n- a\n- b\n\n</div>' if kept else "- a\n- b"
    assert translate(text, TAGS, Output.HTML) == shown
    assert translate(text, TAGS, Output.MARKDOWN) == "- a\n- b"


@pytest.mark.parametrize(
    "text",
    [
        "<div>\n<p>a</p>\n</div>",
        "<div>\n\n<p>a</p>\n\n</div>",
        "<div>\n*a*\n</div>",
        "<div>\n</div>",
        "<div markdown>\nnever closed",
        "<details>\n<summary>a</summary>\n\nb\n</details>",
        "`<div markdown>` and </div>",
        "```\n<div markdown>\n</div>\n```",
    ],
)
def test_other_html_is_unchanged(text: str) -> None:
    """GitHub's Markdown can contain it."""
    for output in Output:
        assert translate(text, TAGS, output) == text
