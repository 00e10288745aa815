"""The map: links between articles and pages."""

import re
from datetime import date
from pathlib import Path

import pytest
from support.canary import Scanner
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.publishing import find_page, open_docs, open_site

from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.pages import content_map
from asdlc_kb.site.pages.content_map import ContentMap


def draw(site: PageRenderer, today: str = "2025-06-01") -> str:
    """Return the map as it is on a day."""
    view = ContentMap(site.frame, today=lambda: date.fromisoformat(today))
    snapshot = site.snapshot
    page = view.page(snapshot.articles, snapshot.docs, snapshot.navigation)
    return page.body.decode()


def test_the_page_draws_and_lists_every_relation(knowledge: KnowledgeBase) -> None:
    """The list has what the drawing has, for readers with assistive technology."""
    knowledge.write("concepts/a", title="A", relatedIds="[patterns/b]")
    knowledge.write("patterns/b", title="B")
    page = find_page(open_site(knowledge), "/map").body.decode()
    assert (
        'class="edge related of-0" data-from="concepts/a" data-to="patterns/b"' in page
    )
    assert page.count('href="/patterns/b"') == 3
    assert "Showing" not in page


def test_a_drawing_of_many_has_those_that_are_connected_most(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More could not be read; the page says so, and the list has them all."""
    monkeypatch.setattr(content_map, "MAX_DRAWN", 2)
    knowledge.write("concepts/a", title="A", relatedIds="[concepts/b]")
    knowledge.write("concepts/b", title="B")
    knowledge.write("concepts/alone", title="Alone")
    page = draw(open_site(knowledge))
    assert page.count('class="node ') == 2
    assert "Showing the 2 most connected" in page
    assert 'href="/concepts/alone"' in page


def test_documentation_is_on_the_map(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """In a group of its own, with links to pages and to articles."""
    knowledge.write("concepts/a", title="A")
    tree = DocsTree(tmp_path / "docs")
    tree.write("index.md", "# Start\n\n[b](b.md)\n")
    tree.write("b.md", "# B\n\n[a](kb://article/concepts/a) [x](known-draft.md)\n")
    page = draw(open_site(knowledge, tree))
    scanner.scan(page.encode(), "map")
    assert 'data-from="/index.md" data-to="/b.md"' in page
    assert 'data-from="/b.md" data-to="concepts/a"' in page
    assert '<a href="/docs/">Docs</a>' in page
    assert page.count("known-draft") == 0


def test_documentation_alone_has_a_map(tmp_path: Path) -> None:
    """Each tree is a group; both are linked in the header."""
    for name in ("one", "two"):
        tree = DocsTree(tmp_path / name)
        tree.write("index.md", "# Start\n\n[b](b.md)\n")
        tree.write("b.md", "# B\n")
    site = open_docs(f"one={tmp_path / 'one'}", f"two={tmp_path / 'two'}")
    page = find_page(site, "/map").body.decode()
    assert "<h3>one</h3>" in page
    assert "<h3>two</h3>" in page
    assert '<a href="/map" aria-current="true">Map</a>' in page


def read_marks(page: str, key: str) -> list[str]:
    """Return the marks of a node, and those next to its title in the list."""
    found = re.search(rf'class="node of-\d([^"]*)" data-key="{key}"', page)
    assert found is not None
    listed = re.findall(rf'<a href="/{key}">[^<]*</a>((?: <span[^<]*</span>)*)', page)
    return [*found[1].split(), *re.findall(r">(\w+)<", "".join(listed))]


def test_orphans_and_stale_articles_are_marked(knowledge: KnowledgeBase) -> None:
    """In the drawing, in its legend and in the list."""
    knowledge.write("concepts/a", relatedIds="[concepts/b]", lastUpdated="2025-05-01")
    knowledge.write("concepts/b", relatedIds="[concepts/a]", lastUpdated="2024-06-01")
    knowledge.write("concepts/c", lastUpdated="2025-05-01")
    site = open_site(knowledge)
    assert read_marks(draw(site), "concepts/b") == []
    page = draw(site, "2025-06-02")
    assert "Stale: not updated since 2024-06-02" in page
    assert "Orphan: no page links to it" in page
    assert read_marks(page, "concepts/a") == []
    assert read_marks(page, "concepts/b") == ["stale", "Stale"]
    assert read_marks(page, "concepts/c") == ["orphan", "Orphan"]


def test_the_start_page_of_documentation_is_no_orphan(tmp_path: Path) -> None:
    """Readers begin there."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("index.md", "# Start\n\n[b](b.md)\n")
    tree.write("b.md", "# B\n")
    assert "Orphan" not in draw(open_site(None, tree))
    tree.write("c.md", "# C\n")
    assert draw(open_site(None, tree)).count('<span class="badge">Orphan</span>') == 1


def test_orphans_are_unknown_if_not_all_links_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large tree has them all in the list."""
    tree = DocsTree(tmp_path / "docs")
    for name in "abc":
        tree.write(f"{name}.md", f"# {name}\n")
    site = open_site(None, tree)
    assert "Orphan" in draw(site)
    monkeypatch.setattr(content_map, "MAX_READ_PAGES", 2)
    page = draw(site)
    assert "Orphan" not in page
    assert page.count('<li><a href="/docs/') >= 3
