"""Pages as full-text search reads them."""

from pathlib import Path

from support.canary import CANARY
from support.docs import DocsTree, loaded, rescan
from support.texts import Texts

from asdlc_kb.docs.documents import PageSource
from asdlc_kb.search.values import IndexedSection, SearchDocument

PAGE = """\
---
title: The Title
description: About
tags: [a, b]
---

Before.

## One *more*

Text with a [link](x.md).

### Two

`code`
"""


def test_a_page_is_a_document_of_sections(tmp_path: Path) -> None:
    """Plain text, and the lines of the file: a hit's position is there."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/x.md", PAGE)
    catalog = loaded(tree).catalog
    source = PageSource(catalog)
    assert source.digests() == {"guide/x.md": catalog.find("guide/x.md").digest}
    assert source.document("guide/x.md") == SearchDocument(
        key="guide/x.md",
        digest=catalog.find("guide/x.md").digest,
        title="The Title",
        description="About",
        tags=("a", "b"),
        category="guide",
        folders=("guide",),
        path="guide/x",
        sections=(
            IndexedSection("", "", 0, 7, "Before."),
            IndexedSection("One more", "one-more", 2, 9, "Text with a link."),
            IndexedSection("Two", "two", 3, 13, "code"),
        ),
    )
    assert PAGE.split("\n")[9 - 1] == "## One *more*"


def test_a_page_in_the_root_is_of_the_category_that_the_tools_name(
    tmp_path: Path,
) -> None:
    """`category:root` finds the pages listed under root."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("x.md", PAGE)
    assert PageSource(loaded(tree).catalog).document("x.md").category == "root"


def test_hidden_pages_are_no_documents(tmp_path: Path) -> None:
    """Hidden pages are never indexed."""
    tree = DocsTree(tmp_path / "docs")
    source = PageSource(loaded(tree).catalog)
    assert source.digests() == {}
    assert CANARY not in repr(source.digests())


def test_a_source_names_the_pages_with_another_text(tmp_path: Path) -> None:
    """D-188: None if more may differ, as after a change of a title."""
    tree = DocsTree(tmp_path / "docs")
    for path in ("x.md", "guide/x.md", "quiet.md"):
        tree.write(path, PAGE)
    tree.write("quiet.md", "---\nsearch:\n  exclude: true\n---\n\nText.\n")
    library = loaded(tree)
    before = PageSource(library.catalog)
    tree.write("x.md", f"{PAGE}\nMore.\n")
    tree.write("quiet.md", "---\nsearch:\n  exclude: true\n---\n\nMore.\n")
    after = PageSource(rescan(library))
    assert "quiet.md" not in after.digests()
    changes = {"x.md": after.digests()["x.md"], "quiet.md": None}
    assert after.changes_since(before) == changes
    assert after.changes_since(after) == {}
    tree.write("x.md", PAGE.replace("The Title", "Another"))
    later = PageSource(rescan(library))
    assert later.changes_since(after) is None
    assert later.changes_since(Texts()) is None


def test_aliases_and_keywords_are_further_names(tmp_path: Path) -> None:
    """D-191: without former addresses; tags stay what they are."""
    tree = DocsTree(tmp_path / "docs")
    tree.write(
        "x.md",
        "---\ntags: [a]\naliases: [/old/path/, RAG, old/my-page.html]\n"
        "keywords: Retrieval, RAG\n---\n# X\n",
    )
    document = PageSource(loaded(tree).catalog).document("x.md")
    assert document.aliases == ("RAG", "Retrieval")
    assert document.tags == ("a",)
