"""Descriptions and pictures of pages for search engines and previews."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.outline import Heading
from asdlc_kb.site.rendering.summary import (
    MAX_SUMMARY_CHARS,
    find_picture,
    summarize,
)

LONG = "A sentence about something that matters. " * 8


@pytest.mark.parametrize(
    ("html", "summary"),
    [
        (
            "<p>Serves <code>docs</code> &amp; more to you.</p>",
            "Serves docs & more to you.",
        ),
        (
            "<p>Short.</p>\n<p>The first that is long enough.</p>",
            "The first that is long enough.",
        ),
        (
            '<p>A claim that has a note<sup class="footnote-ref">[1]</sup>.</p>',
            "A claim that has a note.",
        ),
        ("<ul><li>no paragraph in here at all</li></ul>", ""),
        (f"<p>{LONG}</p>", LONG[:122]),
        (f"<p>{'word ' * 60}</p>", f"{'word ' * 31}word…"),
        ("<p>" + "これは文です。" * 30 + "</p>", "これは文です。" * 22),
    ],
)
def test_the_first_sentences_describe_a_page(html: str, summary: str) -> None:
    """As plain text, whole if they fit."""
    assert summarize(html) == summary


def test_headings_describe_a_page_without_paragraphs() -> None:
    """A reference can have tables only."""
    headings = [Heading(2, "Install", "install", 1), Heading(2, "Run", "run", 5)]
    assert summarize("<table></table>", headings) == "Install, Run"


@given(st.text(max_size=400))
def test_no_text_is_too_long_or_has_tags(text: str) -> None:
    """Whatever it is."""
    summary = summarize(f"<p>{text.replace('<', '&lt;')}</p>")
    assert len(summary) <= MAX_SUMMARY_CHARS
    assert "\n" not in summary


def test_the_first_picture_that_previews_show_is_found() -> None:
    """No drawing, and none of another site, which is a link."""
    html = (
        '<p><img src="/docs/a.svg" alt=""> <a href="https://example.com/x.png">x</a>'
        '<img src="/docs/b.png?a=1" alt=""><img src="/kb/docs/c%20d&amp;.JPG"></p>'
    )
    assert find_picture(html) == "/kb/docs/c%20d&.JPG"
    assert find_picture("<p>none</p>") == ""
