"""Pages as full-text search reads them."""

from pathlib import Path

from support.canary import CANARY
from support.docs import DocsTree, loaded

from asdlc_kb.docs.source import PageSource
from asdlc_kb.search.document import Document, Section

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
    """Plain words, and the lines of the file: what a hit points to is there."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/x.md", PAGE)
    catalog = loaded(tree).catalog
    source = PageSource(catalog)
    assert source.digests() == {"guide/x.md": catalog.find("guide/x.md").digest}
    assert source.document("guide/x.md") == Document(
        key="guide/x.md",
        digest=catalog.find("guide/x.md").digest,
        title="The Title",
        description="About",
        tags=("a", "b"),
        category="guide",
        sections=(
            Section("", "", 0, 7, "Before."),
            Section("One more", "one-more", 2, 9, "Text with a link."),
            Section("Two", "two", 3, 13, "code"),
        ),
    )
    assert PAGE.split("\n")[9 - 1] == "## One *more*"


def test_hidden_pages_are_no_documents(tmp_path: Path) -> None:
    """What is not visible is never indexed."""
    tree = DocsTree(tmp_path / "docs")
    source = PageSource(loaded(tree).catalog)
    assert source.digests() == {}
    assert CANARY not in repr(source.digests())
