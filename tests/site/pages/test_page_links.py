"""Links of documentation pages, for the map."""

from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.publishing import open_site

from asdlc_kb.markup.link_scanner import find_links
from asdlc_kb.site.pages import page_links
from asdlc_kb.site.pages.page_links import PageLinkReader


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """Pages that link to each other, to articles and to what is hidden."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n\n[b](b.md) [again](b.md#x) [me](a.md) [no](none.md)\n")
    tree.write("b.md", "# B\n\n[d](known-draft.md) <kb://article/first>\n")
    return tree


def test_links_lead_to_visible_pages_and_articles(
    tree: DocsTree, knowledge: KnowledgeBase
) -> None:
    """Each pair once; a hidden page is like a missing one."""
    knowledge.write("concepts/first", title="First")
    snapshot = open_site(knowledge, tree).snapshot
    assert snapshot.docs
    assert snapshot.articles
    links = PageLinkReader().read(snapshot.docs.catalog, snapshot.articles.catalog)
    pairs = {(link.source, link.target) for link in links}
    assert pairs == {("/a.md", "/b.md"), ("/b.md", "concepts/first")}
    assert len(links) == 2


def test_an_unchanged_page_is_not_read_again(
    tree: DocsTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A map of a large tree costs the pages that were edited."""
    read: list[str] = []

    def count(text: str) -> list[str]:
        read.append(text)
        return [*find_links(text)]

    monkeypatch.setattr(page_links, "find_links", count)
    reader = PageLinkReader()
    site = open_site(None, tree)
    assert site.snapshot.docs
    catalog = site.snapshot.docs.catalog
    first = reader.read(catalog, None)
    assert len(read) == 2
    assert reader.read(catalog, None) == first
    assert len(read) == 2
    monkeypatch.setattr(page_links, "MAX_READ_PAGES", 1)
    assert len(PageLinkReader().read(catalog, None)) == 1
    assert len(read) == 3
    monkeypatch.undo()
    monkeypatch.setattr(page_links, "find_links", count)
    page = catalog.by_path["a.md"]
    edited = catalog.replace_texts({"a.md": page.with_text("# A\n")})
    assert reader.read(edited, None) == ()
    assert len(read) == 4
