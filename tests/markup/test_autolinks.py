"""Bare addresses are links where GitHub's Markdown has them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.gfm_autolink import gfm_autolink_plugin

from asdlc_kb.markup.autolinks import use_autolinks

OURS = MarkdownIt("commonmark").use(use_autolinks)
THEIRS = MarkdownIt("commonmark").use(gfm_autolink_plugin)

PIECES = [
    *("http://a", "https://b.c", "www.", "mailto:", "xmpp:", "@", "a@b.c", "a.b", "."),
    *("a", "B", "é", "1", "-", "_", "__", "*", "~", "(", ")", "[", "]", "](c)", ">"),
    *("&amp;", "&a;", ";", ":", "/", "?", "!", "'", '"', "`", "\\", " ", "\n", ","),
]


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("see http://a.b/c.", "http://a.b/c"),
        ("(https://a.b/c(d))", "https://a.b/c(d)"),
        ("www.a.b", "http://www.a.b"),
        ("a@b.cd, please", "mailto:a@b.cd"),
        ("mailto:a@b.cd", "mailto:a@b.cd"),
        ("xmpp:a@b.cd/e", "xmpp:a@b.cd/e"),
        ("http://a&amp;", "http://a"),
        ("http://a<b", "http://a"),
    ],
)
def test_an_address_is_a_link(text: str, href: str) -> None:
    """GFM 6.9: the address without the punctuation after it."""
    assert f'href="{href}"' in OURS.render(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://",
        "http:// a",
        "http://*a",
        "www.",
        "www.a_b.c",
        "xhttp://a",
        "a@b",
        "@a.b",
    ],
)
def test_what_names_no_host_is_no_link(text: str) -> None:
    """GFM 6.9: a host has characters, and its last two parts no underscore."""
    assert "href" not in OURS.render(text)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_links_are_those_of_the_plugin(text: str) -> None:
    """The plugin that reads the rest of the text at each colon is the oracle."""
    assert OURS.render(text) == THEIRS.render(text)
