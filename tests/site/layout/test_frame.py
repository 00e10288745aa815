"""The layout of every page, and the site's identity."""

import ast
from pathlib import Path
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.pages import Document
from support.publishing import find_page, open_libraries

import asdlc_kb.site
from asdlc_kb.site.layout.frame import (
    MAX_DESCRIPTION_CHARS,
    Link,
    PageLayout,
    SiteIdentity,
)
from asdlc_kb.site.layout.paging import paginate
from asdlc_kb.site.page_renderer import PageRenderer

ADDRESSES = {
    None: ("", ""),
    "https://example.com": ("", "https://example.com"),
    "https://example.com/": ("", "https://example.com"),
    "https://example.com/kb": ("/kb", "https://example.com/kb"),
    "https://example.com:8443/a/b/": ("/a/b", "https://example.com:8443/a/b"),
    "https://example.com//evil.example": (
        "/evil.example",
        "https://example.com/evil.example",
    ),
    "https://example.com/größe": (
        "/gr%C3%B6%C3%9Fe",
        "https://example.com/gr%C3%B6%C3%9Fe",
    ),
    "http://[::1]:80/a%20b": ("/a%20b", "http://[::1]:80/a%20b"),
}


@pytest.mark.parametrize(("base_url", "wanted"), ADDRESSES.items())
def test_addresses_begin_with_the_public_path(
    base_url: str | None, wanted: tuple[str, str]
) -> None:
    """Links below it, never one to another host."""
    identity = SiteIdentity("Title", base_url=base_url)
    prefix, base = wanted
    assert identity.prefix == prefix
    assert identity.link("/x") == f"{prefix}/x"
    if base_url:
        assert identity.locate("/x") == f"{base}/x"


def make(**values: Any) -> Document:
    """Return a page of the simplest template."""
    frame = PageLayout(SiteIdentity("Ours"), has_docs=True, has_articles=True)
    fields = {"title": "Page", "part": paginate((), "/tags/"), **values}
    return Document(frame.make("tags.html", "/tags/", **fields).body)


def test_the_same_values_give_the_same_bytes() -> None:
    """So tags of pages last as long as their content."""
    frame = PageLayout(SiteIdentity("Ours"), has_docs=True, has_articles=True)
    pages = [
        frame.make("tags.html", "/x", title="T", part=paginate((), "/x"))
        for _ in range(2)
    ]
    assert pages[0] == pages[1]
    assert pages[0].etag == pages[1].etag


def test_the_title_names_the_site_once() -> None:
    """The home page's title is the site's."""
    assert "Page · Ours" in make().words
    assert "Ours · Ours" not in make(title="Ours").words


def test_the_header_shows_where_one_is() -> None:
    """The section of the page is marked."""
    page = make(navigation=[Link("/concepts/", "Concepts")])
    marked = [
        attributes["href"]
        for _, attributes in page.elements
        if "aria-current" in attributes
    ]
    assert marked == ["/tags/"]
    assert "Concepts" in page.words


def test_a_description_is_one_short_line() -> None:
    """For programs that show it with a link."""
    page = make(description="a\n b  " * 200)
    (description,) = [
        g["content"] for _, g in page.elements if g.get("name") == "description"
    ]
    assert len(description) <= MAX_DESCRIPTION_CHARS
    assert "\n" not in description
    assert not [g for _, g in make().elements if g.get("name") == "description"]


@pytest.mark.parametrize(
    ("base_url", "setting", "picture", "shown"),
    [
        (
            "https://a.example/kb",
            "",
            "/kb/docs/x.png",
            "https://a.example/kb/docs/x.png",
        ),
        ("https://a.example", "https://b.example/c.png", "", "https://b.example/c.png"),
        (None, "https://b.example/c.png", "/docs/x.png", "https://b.example/c.png"),
        (None, "", "/docs/x.png", ""),
    ],
)
def test_a_preview_has_the_first_picture_of_a_page(
    base_url: str | None, setting: str, picture: str, shown: str
) -> None:
    """Else the operator's; none without a full address."""
    identity = SiteIdentity("Ours", base_url=base_url, social_image=setting)
    frame = PageLayout(identity, has_docs=True, has_articles=True)
    part = paginate([""][:0], "/x")
    made = frame.make("tags.html", "/x", title="T", part=part, picture=picture)
    page = Document(made.body)
    named = {
        entry.get("property") or entry.get("name"): entry.get("content")
        for tag, entry in page.elements
        if tag == "meta"
    }
    assert named.get("og:image", "") == shown
    assert named["twitter:card"] == ("summary_large_image" if shown else "summary")
    assert named["og:type"] == "website"


def test_the_layout_requests_no_other_host() -> None:
    """D-091: every fetched file is our own; no inline code runs."""
    page = make()
    for tag, attributes in page.elements:
        if tag in ("script", "link", "img"):
            assert (attributes.get("src") or attributes["href"]).startswith("/")
        assert not {"style", "onclick", "onload"} & attributes.keys()
    assert not any(page.scripts)


def test_only_the_frame_knows_templates() -> None:
    """The template engine is all that is used of Tornado here."""
    for path in Path(asdlc_kb.site.__file__).parent.rglob("*.py"):
        imported = [
            node.module or ""
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom)
        ]
        used = [name for name in imported if name.startswith("tornado")]
        assert used == (["tornado.template"] if path.stem == "frame" else [])


@pytest.mark.parametrize("has_endpoint", [False, True])
@pytest.mark.parametrize("search", ["none", "server", "index"])
def test_pages_offer_only_what_is_available(
    knowledge: KnowledgeBase, has_endpoint: bool, search: str
) -> None:
    """Files have an index for search, and a server may have its endpoint disabled."""
    knowledge.write("concepts/a")
    has_search = search != "none"
    identity = SiteIdentity(
        "T",
        has_endpoint=has_endpoint,
        has_search=search == "server",
        has_index=search == "index",
    )
    site = PageRenderer(identity, *open_libraries(knowledge.root, None))
    snapshot = site.snapshot
    for path in ("/", "/concepts/a", "/llms.txt"):
        text = find_page(site, path, snapshot).body.decode()
        assert ("MCP at " in text or "/connect" in text) == has_endpoint
        if path != "/llms.txt":
            assert ("KB-palette" in text) == ('role="search"' in text) == has_search
            assert ('data-index="' in text) == ("static-search." in text)
            assert ('data-index="' in text) == (search == "index")
            assert ('data-results="/search"' in text) == (search != "index")
    assert ("/search/index.json" in snapshot.addresses()) == (search == "index")
    assert ("/connect" in snapshot.addresses()) == has_endpoint
    assert (site.find(snapshot, "/connect") is not None) == has_endpoint
