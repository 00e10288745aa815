"""The target article of a link in any notation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.articles.links import ArticleTarget, article_uri, locate

HERE = "patterns/the-spec"


@pytest.mark.parametrize(
    ("href", "id", "anchor"),
    [
        ("other.md", "patterns/other", ""),
        ("./other.md", "patterns/other", ""),
        ("other", "patterns/other", ""),
        ("other/", "patterns/other", ""),
        ("other.md#Part", "patterns/other", "Part"),
        ("../concepts/grounding.md", "concepts/grounding", ""),
        ("../concepts/grounding.html#a", "concepts/grounding", "a"),
        ("../concepts/grounding", "concepts/grounding", ""),
        ("/concepts/grounding", "concepts/grounding", ""),
        ("/concepts/grounding.md?plain=1#a", "concepts/grounding", "a"),
        ("/concepts/grounding.html", "concepts/grounding", ""),
        ("/concepts/v1.2", "concepts/v1.2", ""),
        ("%C3%BCber.md#gr%C3%B6%C3%9Fe", "patterns/über", "größe"),
        ("#part", HERE, "part"),
        ("#:~:text=x", HERE, None),
        ("#part:~:text=x", HERE, "part"),
        ("the-spec.md", HERE, ""),
        ("../README.md", "README", ""),
        ("../../README.md", "../README", ""),
        ("../../../a/b.md", "../../a/b", ""),
        ("/a/b/c.md", "a/b/c", ""),
        ("/index.html", "index", ""),
    ],
)
def test_a_link_to_an_article_has_a_target(
    href: str, id: str, anchor: str | None
) -> None:
    """Relative and site-relative links, with .md, .html or neither."""
    expected = None if anchor is None else ArticleTarget(id, anchor)
    assert locate(HERE, href) == expected


@pytest.mark.parametrize(
    ("href", "name", "anchor"),
    [
        ("kb://article/grounding", "grounding", ""),
        ("kb://article/concepts/grounding", "concepts/grounding", ""),
        ("kb://article/%C3%BCber#gr%C3%B6%C3%9Fe", "über", "größe"),
        ("kb://article/a?b", "a?b", ""),
    ],
)
def test_a_resource_uri_has_a_target_by_name(href: str, name: str, anchor: str) -> None:
    """Agents copy resource URIs: a slug alone is enough there."""
    assert locate(HERE, href) == ArticleTarget(name, anchor, is_name=True)


@pytest.mark.parametrize(
    "href",
    [
        "kb://article/",
        "kb://doc/a",
        "https://example.com/concepts/x.md",
        "//example.com/concepts/x.md",
        "mailto:a@example.com",
        "http://[",
        "",
        "#",
        "?q=1",
        "/",
        "/concepts",
        "..",
        "../concepts/",
        "../../other/repository",
        "/a/b/c",
    ],
)
def test_what_is_no_articles_address_has_none(href: str) -> None:
    """Other sites, the top of the page, categories and the pages of the site."""
    assert locate(HERE, href) is None


def test_a_file_of_another_kind_may_be_meant() -> None:
    """A slug may end like an image's name; only the catalog can decide."""
    target = locate(HERE, "/concepts/node.js#a")
    assert target == ArticleTarget("concepts/node.js", "a", is_certain=False)


@given(st.text(alphabet="/.#?%:ab[]2 é") | st.text())
def test_no_address_is_too_odd(href: str) -> None:
    """Any text is a target or none."""
    target = locate(HERE, href)
    assert target is None or target.id


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("the-spec", "kb://article/the-spec"),
        ("patterns/the.spec_1~", "kb://article/patterns/the.spec_1~"),
        ("größe", "kb://article/gr%C3%B6%C3%9Fe"),
        ("a%b", "kb://article/a%25b"),
    ],
)
def test_a_uri_is_percent_encoded(name: str, uri: str) -> None:
    """RFC 3986: unreserved characters and the slash stay as they are."""
    assert article_uri(name) == uri
