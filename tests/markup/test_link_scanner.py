"""Links of a Markdown text, found quickly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.link_scanner import blank_code, find_links
from asdlc_kb.markup.outline import read_outline

TEXTS = {
    "[a](b.md)": ["b.md"],
    "[a]( <b.md> 'title')": ["b.md"],
    "[a](b.md#c) and [d](/e)": ["b.md#c", "/e"],
    "[a]\n\n[a]: b.md\n": ["b.md"],
    "   [a]: <b.md>\n": ["b.md"],
    "<kb://article/a>": ["kb://article/a"],
    "<a href='b.md'>x</a> <a\nHREF=\"c.md\">": ["b.md"],
    "![a](b.png)": ["b.png"],
    "`[a](b.md)` [c](d.md)": ["d.md"],
    "``[a](b.md) ` `` [c](d.md)": ["d.md"],
    "```\n[a](b.md)\n```\n[c](d.md)": ["d.md"],
    "~~~text\n[a](b.md)\n~~~~\n[c](d.md)": ["d.md"],
    "```\n[a](b.md)\n": [],
    "```\n[a](b.md)\n``\n[c](d.md)\n```\n[e](f.md)": ["f.md"],
    "```` a`b\n[a](b.md)": ["b.md"],
    "A lone ` above\n~~~\n[a](b.md) `\n~~~\n[c](d.md)": ["d.md"],
    "A lone ` here.\n\n[a](b.md)\n\nAnother ` there.": ["b.md"],
    "a `` b ` c [d](e.md)": ["e.md"],
    "[a](b c) (d) ]: x": ["b"],
    "no link at all": [],
    "": [],
}


@pytest.mark.parametrize(("text", "links"), TEXTS.items())
def test_links_are_found(text: str, links: list[str]) -> None:
    """As they are written, except in code."""
    assert list(find_links(text)) == links


PIECES = st.sampled_from(
    [
        "[a](b.md)",
        "[c](../d/e.md#f)",
        "<kb://article/x>",
        "`[g](h.md)`",
        "```\n[i](j.md)\n```",
        "words",
        "*words*",
        "## Heading",
        "`",
        "- item",
    ]
)


@given(st.lists(PIECES, max_size=8))
def test_the_grammar_finds_the_same(pieces: list[str]) -> None:
    """In usual texts, paragraph by paragraph."""
    text = "\n\n".join(pieces)
    assert list(find_links(text)) == [link.href for link in read_outline(text).links]


@given(st.text("[]()`~<>kb:/ \n\\a'\"=hrefHREF", max_size=80))
def test_any_text_is_read(text: str) -> None:
    """Reading never fails, and finds no more than is there."""
    for link in find_links(text):
        assert link
        assert link in text or "`" in text or "~" in text


def test_blank_code_keeps_the_lines() -> None:
    """Positions in the text stay those of the file."""
    text = "a `b\nc` d\n```\ne\n```\nf\n```\ng"
    assert blank_code(text) == "a   \n   d\n\n\n\nf\n\n"
