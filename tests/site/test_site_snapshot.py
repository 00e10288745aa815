"""The common source of all pages of one moment."""

from pathlib import Path

import pytest
from support.canary import CANARY
from support.knowledge import Drafts, KnowledgeBase
from support.publishing import TITLE, find_page, open_libraries, read_full

from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.representation import HTML
from asdlc_kb.site.site_snapshot import SiteSnapshot

WORD = "curlew"
"""Only the hidden article has it."""


@pytest.fixture
def site(tmp_path: Path) -> PageRenderer:
    """A site whose author sees a draft that a visible article names."""
    knowledge = Drafts(tmp_path / "content")
    knowledge.write(
        "concepts/not-yet",
        title=f"A {WORD}",
        status="Draft",
        tags=f"[{WORD}]",
        description=WORD,
        body=f"[back](seen.md) {WORD}",
    )
    knowledge.write(f"{WORD}s/alone", title=f"Another {WORD}", status="Proposed")
    knowledge.write("concepts/seen", title="Seen", relatedIds="[concepts/not-yet]")
    library, _ = open_libraries(knowledge.root, None)
    return PageRenderer(
        SiteIdentity(TITLE, base_url="http://127.0.0.1:8420"),
        library,
        shows_drafts=True,
    )


def test_publications_never_have_what_only_its_author_sees(site: PageRenderer) -> None:
    """D-086: neither its text nor its name, category or tag; only pages have it."""
    snapshot = site.snapshot
    for path in snapshot.addresses():
        page = find_page(site, path, snapshot)
        if page.type != HTML:
            assert WORD not in page.body.decode().lower(), path
            assert "not-yet" not in path
    assert WORD.encode() not in b"".join(read_full(site)).lower()
    for path in ("/concepts/not-yet.md", f"/{WORD}s/llms.txt", f"/{WORD}s/feed.xml"):
        assert site.find(snapshot, path) is None


def test_pages_say_of_each_title_that_it_is_hidden(site: PageRenderer) -> None:
    """In lists, with texts, on the map; and nothing leads to its Markdown."""
    page = find_page(site, "/concepts/not-yet")
    assert '<span class="badge draft">Draft</span>' in page.body.decode()
    assert page.alternate == ""
    assert b".md" not in page.body
    for path in ("/", "/concepts/seen", "/map"):
        html = find_page(site, path).body.decode()
        assert f"A {WORD} (Draft)" in html, path
        assert f"A {WORD}<" not in html.replace(f'/not-yet">A {WORD}</a></h3>', "")
    assert "Seen (" not in find_page(site, "/map").body.decode()


def test_without_drafts_only_visible_content_is_shown(tmp_path: Path) -> None:
    """One view, for pages and publications."""
    knowledge = KnowledgeBase(tmp_path / "content")
    library, _ = open_libraries(knowledge.root, None)
    snapshot = PageRenderer(SiteIdentity(TITLE), library).snapshot
    assert snapshot.articles is not None
    assert snapshot.articles is snapshot.published
    assert CANARY not in " ".join(snapshot.articles.by_address)


def test_without_articles_there_is_no_navigation() -> None:
    """Missing sources are not listed."""
    assert SiteSnapshot(None, None).navigation == ()
