"""Components and tags of HTML in a paragraph."""

import pytest

from asdlc_kb.markup.dialects.component_spans import rewrite_tags
from asdlc_kb.markup.dialects.source import Output


@pytest.mark.parametrize(
    ("text", "markdown", "html"),
    [
        ('<Link to="/a">b</Link>', "[b](/a)", "[b](/a)"),
        ('<a href="/a b">b</a>', "[b](/a%20b)", '<a href="/a b">b</a>'),
        ('<Image src="a.png" alt="A [b]" />', r"![A \[b\]](a.png)", None),
        ("<img src={x} alt='A' />", "A", "A"),
        ('<Badge text="New" />', "New", "New"),
        ('<Since v="1.2" />', "**Added in:** v1.2", None),
        ('<Since v="1.2" pkg="@a/b" />', "**Added in:** `@a/b@1.2`", None),
        (
            '<Tooltip tip="A &quot;b&quot;">X</Tooltip>',
            'X (A "b")',
            '<abbr title="A &quot;b&quot;">X</abbr>',
        ),
        ('a <Icon name="star" /> b', "a  b", "a  b"),
        ("H<sub>2</sub>O x<sup>2</sup>", "H2O x^2", "H<sub>2</sub>O x<sup>2</sup>"),
        ("<b>x</b> <em>y</em>", "**x** *y*", "<b>x</b> <em>y</em>"),
        ("<code>x</code>", "`x`", "<code>x</code>"),
        (
            '<code>(a: <a href="/b">B</a>)</code>',
            "(a: [B](/b))",
            '<code>(a: <a href="/b">B</a>)</code>',
        ),
        ("a<br />\nb", "a\\\nb", "a<br>\nb"),
        ("| a<br/>b |", "| a<br>b |", "| a<br>b |"),
        ("<Unknown>x</Unknown> y <Unknown />", "x y ", "x y "),
        ("<>x</>", "x", "x"),
        ("<p>*x*</p>", "*x*", "*x*"),
        ("- <p>*x*</p>\n1. <p>*y*</p>", "- *x*\n1. *y*", "- *x*\n1. *y*"),
        ("<p>x</p>\n<p>y</p>", "x\ny", "<p>x</p>\n<p>y</p>"),
        ("| <p>x</p><p>y</p> |", "| xy |", "| <p>x</p><p>y</p> |"),
        (
            '<span className="a" style={{b: 1}}>x</span>',
            "x",
            '<span class="a">x</span>',
        ),
        ("<li v-for='a in b'>{{ a }}</li>x", "x", "x"),
        ('<YouTube id="abc" />', "[Video](https://www.youtube.com/watch?v=abc)", None),
        ("<video src='a.mp4' title='T'></video>", "[T](a.mp4)", None),
    ],
)
def test_elements_are_written_as_what_they_mean(
    text: str, markdown: str, html: str | None
) -> None:
    """Agents get no tags where Markdown has a mark."""
    assert rewrite_tags(text, Output.MARKDOWN) == markdown
    if html is not None:
        assert rewrite_tags(text, Output.HTML) == html


@pytest.mark.parametrize(
    "text", ["A <B> in a line", "1 < 2 and 3 > 2", "x </B> y", "<https://example.com>"]
)
def test_text_that_is_no_element_is_unchanged(text: str) -> None:
    """A tag without the other one is text."""
    for output in Output:
        assert rewrite_tags(text, output) == text


def test_a_component_is_no_part_of_a_headings_anchor() -> None:
    """Generators make the anchor of the words alone."""
    text = '## Words <Badge text="New" />'
    assert rewrite_tags(text, Output.MARKDOWN).rstrip() == "## Words"


def test_a_tag_of_a_component_on_a_line_of_its_own_is_code() -> None:
    """Also if the other tag is missing."""
    assert rewrite_tags("<A>\ntext\n<B>", Output.MARKDOWN) == "\ntext\n"


@pytest.mark.parametrize("value", ['"><script>', "' onload='x", "&lt;b&gt;"])
def test_attributes_are_escaped(value: str) -> None:
    """They are written into tags."""
    quote = "'" if '"' in value else '"'
    shown = rewrite_tags(f"<Tooltip tip={quote}{value}{quote}>x</Tooltip>", Output.HTML)
    assert shown.count("<") == 2
    assert shown.count('"') == 2
