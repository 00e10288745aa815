"""Targets of the links in a text on the site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.articles import make_article

from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.rendering.link_resolver import (
    article_link_resolver,
    page_link_resolver,
    remote_link_resolver,
)

ARTICLE = {
    "second.md": "/concepts/second",
    "second.html#a-b": "/concepts/second#a-b",
    "../patterns/x.md": "/patterns/x",
    "/patterns/x": "/patterns/x",
    "../patterns/gr%C3%B6%C3%9Fe.md": "/patterns/gr%C3%B6%C3%9Fe",
    "first.md": "/concepts/first",
    "first.md#one": "/concepts/first#one",
    "../docs/x.md": "/articles/docs/x",
    "../x/a.md.md": "/x/a.md~",
    "kb://article/second": "/articles/second",
    "kb://article/second#x y": "/articles/second#x%20y",
    "kb://article/größe": "/articles/gr%C3%B6%C3%9Fe",
    "kb://article/patterns/x": "/patterns/x",
    'kb://article/a"b': "/articles/a%22b",
    "kb://doc/a.md": "/docs/a",
    "kb://doc/guide/README.md#x": "/docs/guide/#x",
    "kb://doc/": "/docs/",
    "/": "/",
    "/patterns/": "/patterns/",
    "/docs/a/b": "/docs/a/b",
}
ELSEWHERE = (
    *("#one", "", "https://example.com/a.md", "//example.com/a.md", "mailto:a@b.c"),
    *("javascript:alert(1)", "picture.png", "../../x.md", "http://[x"),
    *("kb://article/", "kb://article//evil.example/x", "kb://article/../x", "kb://x/y"),
    *("../patterns/", "?q=1"),
)
PAGE = {
    "b.md": "/docs/guide/b",
    "b": "/docs/guide/b",
    "b.mdx#x": "/docs/guide/b#x",
    "b.html": "/docs/guide/b",
    "./": "/docs/guide/",
    "../": "/docs/",
    "../x y.md": "/docs/x%20y",
    "/x/": "/docs/x/",
    "/": "/docs/",
    "index.md": "/docs/guide/",
    "c%23.md": "/docs/guide/c%23",
    "twin.mdx": "/docs/guide/twin.mdx",
    "/guide/twin.mdx#x": "/docs/guide/twin.mdx#x",
    "kb://doc/guide/twin.mdx": "/docs/guide/twin.mdx",
    "kb://doc/a.md": "/docs/a",
    "kb://article/second#x": "/articles/second#x",
    "kb://article/patterns/x": "/patterns/x",
}
OUTSIDE = ("#x", "", "https://e.example/", "//e.example/x", "http://[x")
ABOVE = ("../../x.md", "../../x", "../../../x/", "../../bench/README.md#a")
TWINS = {"guide/twin.mdx": "/docs/guide/twin.mdx"}


@pytest.mark.parametrize("prefix", ["", "/kb"])
@pytest.mark.parametrize(("href", "url"), ARTICLE.items())
def test_a_link_in_an_article_leads_to_the_page(
    href: str, url: str, prefix: str
) -> None:
    """D-092: written for files, as a path or as a resource URI; none is looked up."""
    article = make_article("concepts/first")
    assert article_link_resolver(article, href, prefix) == f"{prefix}{url}"


@pytest.mark.parametrize("href", ELSEWHERE)
def test_other_links_of_an_article_stay(href: str) -> None:
    """Other sites, anchors, and names that no article can have."""
    assert article_link_resolver(make_article("concepts/first"), href, "/kb") == href


@pytest.mark.parametrize("prefix", ["", "/kb"])
@pytest.mark.parametrize(("href", "url"), PAGE.items())
def test_a_link_in_a_page_leads_to_the_page(href: str, url: str, prefix: str) -> None:
    """D-092: by the name alone; each of two files with one name gets its own."""
    assert page_link_resolver("guide/a.md", href, prefix, TWINS) == f"{prefix}{url}"


@pytest.mark.parametrize("href", OUTSIDE)
def test_other_links_of_a_page_stay(href: str) -> None:
    """Other sites and anchors."""
    assert page_link_resolver("guide/a.md", href, "/kb") == href


@pytest.mark.parametrize("href", ABOVE)
def test_a_link_out_of_the_tree_leads_nowhere(href: str) -> None:
    """Files above the root are not on the site; another page might be there."""
    assert page_link_resolver("guide/a.md", href, "/kb") is None


@given(st.text('kb:/article.d#?%20 "<>\\\n', max_size=30))
def test_no_link_becomes_one_to_another_host(href: str) -> None:
    """Our own addresses begin with one slash."""
    article = make_article("concepts/first")
    for shown in (
        article_link_resolver(article, href, ""),
        page_link_resolver("a.md", href, ""),
    ):
        if shown not in (None, href):
            assert shown[0] == "/"
            assert shown[:2] != "//"


@given(st.sampled_from([*ARTICLE, *ELSEWHERE]))
def test_a_link_depends_on_the_category_alone(href: str) -> None:
    """One rendering of a text serves every article of a category."""
    first, other = make_article("concepts/first"), make_article("concepts/other")
    assert article_link_resolver(first, href, "/x") == article_link_resolver(
        other, href, "/x"
    )


AFAR = {
    "second.md#a": "https://example.com/kb/concepts/second#a",
    "#one": "https://example.com/kb/concepts/first#one",
    "/patterns/x": "https://example.com/kb/patterns/x",
    "kb://article/second": "https://example.com/kb/articles/second",
    "kb://doc/a.md": "https://example.com/kb/docs/a",
    "picture.png": "https://example.com/kb/concepts/picture.png",
    "https://example.org/a.md": "https://example.org/a.md",
    "mailto:a@b.c": "mailto:a@b.c",
    "": "https://example.com/kb/concepts/first",
    "http://[x": None,
}


@pytest.mark.parametrize(("href", "expected"), AFAR.items())
def test_a_link_that_is_read_elsewhere_is_whole(
    href: str, expected: str | None
) -> None:
    """Feed readers do not know the location of a text."""
    identity = SiteIdentity("Title", base_url="https://example.com/kb")
    assert (
        remote_link_resolver(make_article("concepts/first"), href, identity) == expected
    )


@given(st.text(max_size=40))
def test_no_link_breaks_what_is_read_elsewhere(href: str) -> None:
    """It has a target or none."""
    identity = SiteIdentity("Title", base_url="https://example.com")
    led = remote_link_resolver(make_article("concepts/first"), href, identity)
    assert led is None or isinstance(led, str)
