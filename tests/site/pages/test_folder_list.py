"""The pages that a folder's own page without text lists."""

from pathlib import Path

import pytest
from support.docs import DocsTree
from support.editions import write_editions
from support.pages import Document
from support.publishing import find_page, open_docs, open_site

from asdlc_kb.site.pages import doc_urls


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """Folders with and without own pages; some of these have text."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("_index.md", "---\ntitle: Home\ndescription: All of it.\n---\n")
    tree.write("top.md", "# Top\n\nText.\n")
    tree.write("a/_index.md", "---\ntitle: Part A\ndescription: Of A & b.\n---\n")
    tree.write("a/one.md", "---\ndescription: The first.\n---\n# One\n\nText.\n")
    tree.write("a/posts/2026/two.md", "# Two\n\nText.\n")
    tree.write("a/b/_index.md", "# Part B\n\nText of B.\n")
    tree.write("a/b/three.md", "# Three\n")
    tree.write("a/menu.md", "---\nsidebar: {hidden: true}\n---\n# Quiet\n\nText.\n")
    tree.write("a/draft.md", "---\ndraft: true\n---\n# Secret\n")
    return tree


def read_list(tree: DocsTree, path: str) -> list[str]:
    """Return the text of the list's entries, after the page's description."""
    page = find_page(open_site(None, tree), path).body.decode()
    _, _, body = page.partition('<div class="body">\n')
    text, _, listed = body.partition("</div>")[0].partition('<ul class="below">')
    rows = [text, *listed.split("<li>")[1:]]
    return [Document(row.partition("</li>")[0]).words.strip() for row in rows]


def test_a_page_without_text_lists_what_is_below_it(tree: DocsTree) -> None:
    """Pages with their descriptions; a folder with an own page is one entry."""
    assert read_list(tree, "/docs/") == ["All of it.", "Top", "Part AOf A & b."]
    assert read_list(tree, "/docs/a/") == [
        *("Of A & b.", "OneThe first.", "Part B", "Two"),
    ]


def test_a_page_with_text_has_no_list(tree: DocsTree) -> None:
    """Its author wrote what is to be read; a page of no folder has none either."""
    assert read_list(tree, "/docs/a/b/") == ["Text of B."]
    assert read_list(tree, "/docs/a/b/three") == [""]


def test_the_markdown_stays_as_written(tree: DocsTree) -> None:
    """For agents, who have lists of pages."""
    page = find_page(open_site(None, tree), "/docs/a/index.md").body.decode()
    assert "One" not in page


def test_the_list_is_bounded(tree: DocsTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder may have any number of pages."""
    monkeypatch.setattr(doc_urls, "MAX_LISTED", 2)
    assert len(read_list(tree, "/docs/a/")) == 1 + 2


def test_the_list_has_the_pages_of_one_edition(tmp_path: Path) -> None:
    """Those of a translation, and none of another tree."""
    root = write_editions(tmp_path / "docs")
    french = root / "i18n/fr/docusaurus-plugin-content-docs/version-2.0"
    (french / "index.md").write_text("# Accueil\n")
    other = DocsTree(tmp_path / "other")
    other.write("x.md", "# X\n")
    site = open_docs(f"kb={root}", f"other={other.root}")
    page = find_page(site, "/docs/kb/fr/2.0/").body.decode()
    _, _, listed = page.partition('<ul class="below">')
    links = Document(listed.partition("</ul>")[0]).all("a", "href")
    assert links == ["/docs/kb/fr/2.0/guide/use", "/docs/kb/fr/2.0/intro"]
