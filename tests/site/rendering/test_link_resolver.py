"""Targets of the links in a text on the site."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.articles import make_article
from support.docs import DocsTree, loaded

from asdlc_kb.articles.article import Article, Unreadable
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import CachedFile, Snapshot
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.rendering.link_resolver import SiteLinks

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
    "kb://article/there": "/patterns/there",
    "kb://article/größe": "/articles/gr%C3%B6%C3%9Fe",
    "kb://article/patterns/x": "/patterns/x",
    'kb://article/a"b': "/articles/a%22b",
    "kb://doc/a.md": "/docs/a",
    "kb://doc/guide/README.md#x": "/docs/guide/#x",
    "kb://doc/": "/docs/",
    "kb://doc/A": "/docs/a",
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
PAGES = (
    *("index.md", "a.md", "x y.md", "x.md", "guide/README.md", "guide/a.md"),
    *("guide/b.md", "guide/c#.md", "guide/twin.md", "guide/twin.mdx"),
)
PAGE = {
    "b.md": "/docs/guide/b",
    "b": "/docs/guide/b",
    "b.md#x": "/docs/guide/b#x",
    "b.md#second_part": "/docs/guide/b#second-part",
    "b.md#SECOND-PART": "/docs/guide/b#second-part",
    "b.html": "/docs/guide/b",
    "B.md": "/docs/guide/b",
    "../b/": "/docs/guide/b",
    "../../x": "/docs/x",
    "/en/guide/b/": "/docs/guide/b",
    "./": "/docs/guide/",
    "../": "/docs/",
    "../x y.md": "/docs/x%20y",
    "/x/": "/docs/x",
    "/": "/docs/",
    "index.md": "/docs/guide/",
    "c%23.md": "/docs/guide/c%23",
    "twin.mdx": "/docs/guide/twin.mdx",
    "/guide/twin.mdx#x": "/docs/guide/twin.mdx#x",
    "kb://doc/guide/twin.mdx": "/docs/guide/twin.mdx",
    "kb://doc/a.md": "/docs/a",
    "kb://article/second#x": "/articles/second#x",
    "kb://article/there": "/patterns/there",
    "kb://article/patterns/x": "/patterns/x",
}
OUTSIDE = ("#x", "#fn1", "", "https://e.example/", "//e.example/x", "http://[x", "?q=1")
NOWHERE = (
    *("../../x.md", "../../../x", "../../../x/", "../../bench/README.md#a"),
    *("none.md", "../none/", "/none", "known-draft.md", "/known-draft", "pic.png"),
    *("kb://doc/none", "kb://doc/known-draft"),
)


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> SiteLinks:
    """Return the links of a site with pages and one article."""
    tree = DocsTree(tmp_path_factory.mktemp("site") / "docs")
    for path in PAGES:
        tree.write(path, "# Page\n\n## Second part\n")
    view = DocUrls(loaded(tree).catalog)
    return SiteLinks("", catalog_of("patterns/there"), view.catalog, view.addresses)


def catalog_of(id: str) -> ArticleCatalog:
    """Return a catalog of one article."""
    entry: CachedFile[Article | Unreadable] = CachedFile(
        Signature(1, 1, 1, 1, 1), b"", make_article(id)
    )
    return ArticleCatalog(Snapshot(entries={f"{id}.md": entry}))


def with_prefix(links: SiteLinks, prefix: str) -> SiteLinks:
    """Return the links of the same site below a path."""
    return SiteLinks(prefix, links.articles, links.docs, links.addresses)


@pytest.mark.parametrize("prefix", ["", "/kb"])
@pytest.mark.parametrize(("href", "url"), ARTICLE.items())
def test_a_link_in_an_article_leads_to_the_page(
    links: SiteLinks, href: str, url: str, prefix: str
) -> None:
    """D-092: written for files, as a path or as a resource URI."""
    article = make_article("concepts/first")
    assert with_prefix(links, prefix).of_article(article)(href) == f"{prefix}{url}"


@pytest.mark.parametrize("href", ELSEWHERE)
def test_other_links_of_an_article_stay(href: str) -> None:
    """Other sites, anchors, and names that no article can have."""
    assert SiteLinks("/kb").of_article(make_article("concepts/first"))(href) == href


@pytest.mark.parametrize("links_of", ["none", "known-draft"])
def test_a_link_of_an_article_to_no_page_is_text(
    links: SiteLinks, links_of: str
) -> None:
    """Hidden, missing, or without documentation."""
    article, href = make_article("concepts/first"), f"kb://doc/{links_of}"
    assert links.of_article(article)(href) is None
    assert SiteLinks().of_article(article)(href) is None


@pytest.mark.parametrize("prefix", ["", "/kb"])
@pytest.mark.parametrize(("href", "url"), PAGE.items())
def test_a_link_in_a_page_leads_to_the_page(
    links: SiteLinks, href: str, url: str, prefix: str
) -> None:
    """D-151: to its own address, without a redirect, and to a heading that is there."""
    assert links.docs is not None
    page = links.docs.by_path["guide/a.md"]
    assert with_prefix(links, prefix).of_page(page)(href) == f"{prefix}{url}"


@pytest.mark.parametrize("href", OUTSIDE)
def test_other_links_of_a_page_stay(links: SiteLinks, href: str) -> None:
    """Other sites and anchors."""
    assert links.docs is not None
    assert links.of_page(links.docs.by_path["guide/a.md"])(href) == href


def test_an_anchor_of_another_generator_is_one_of_the_page(links: SiteLinks) -> None:
    """Within the page too."""
    assert links.docs is not None
    page = links.docs.by_path["guide/a.md"]
    assert links.of_page(page)("#Second_Part") == "#second-part"


@pytest.mark.parametrize("href", NOWHERE)
def test_a_link_to_nothing_leads_nowhere(links: SiteLinks, href: str) -> None:
    """Hidden and missing pages, and files that are not served, alike."""
    assert links.docs is not None
    assert links.of_page(links.docs.by_path["guide/a.md"])(href) is None


@given(st.text('kb:/article.d#?%20 "<>\\\n', max_size=30))
def test_no_link_becomes_one_to_another_host(links: SiteLinks, href: str) -> None:
    """Our own addresses begin with one slash."""
    assert links.docs is not None
    article, page = make_article("concepts/first"), links.docs.by_path["a.md"]
    for shown in (links.of_article(article)(href), links.of_page(page)(href)):
        if shown not in (None, href) and not shown.startswith("#"):
            assert shown[0] == "/"
            assert shown[:2] != "//"


AFAR = {
    "second.md#a": "https://example.com/kb/concepts/second#a",
    "#one": "https://example.com/kb/concepts/first#one",
    "/patterns/x": "https://example.com/kb/patterns/x",
    "kb://article/second": "https://example.com/kb/articles/second",
    "kb://doc/a.md": "https://example.com/kb/docs/a",
    "kb://doc/none": None,
    "picture.png": "https://example.com/kb/concepts/picture.png",
    "https://example.org/a.md": "https://example.org/a.md",
    "mailto:a@b.c": "mailto:a@b.c",
    "": "https://example.com/kb/concepts/first",
    "http://[x": None,
}


@pytest.mark.parametrize(("href", "expected"), AFAR.items())
def test_a_link_that_is_read_elsewhere_is_whole(
    links: SiteLinks, href: str, expected: str | None
) -> None:
    """Feed readers do not know the location of a text."""
    identity = SiteIdentity("Title", base_url="https://example.com/kb")
    article = make_article("concepts/first")
    assert with_prefix(links, "/kb").of_feed(article, identity)(href) == expected


@given(st.text(max_size=40))
def test_no_link_breaks_what_is_read_elsewhere(href: str) -> None:
    """It has a target or none."""
    identity = SiteIdentity("Title", base_url="https://example.com")
    led = SiteLinks().of_feed(make_article("concepts/first"), identity)(href)
    assert led is None or isinstance(led, str)


def test_a_link_to_a_footnote_leads_to_its_number(tmp_path: Path) -> None:
    """Python-Markdown and kramdown name it by its label."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n\nx[^n]\n\n[^n]: Note.\n")
    tree.write("b.md", "# B\n")
    view = DocUrls(loaded(tree).catalog)
    links = SiteLinks("", None, view.catalog, view.addresses)
    page, other = view.catalog.by_path["a.md"], view.catalog.by_path["b.md"]
    assert links.of_page(page)("#fn:n") == "#fn1"
    assert links.of_page(page)("#fnref1") == "#fnref1"
    assert links.of_page(other)("a.md#fnref:n") == "/docs/a#fnref1"
