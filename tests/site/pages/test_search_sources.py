"""The sources of search results, and the groups of pages."""

from pathlib import Path

from support.docs import DocsTree
from support.editions import write_editions
from support.knowledge import KnowledgeBase
from support.publishing import open_docs, open_libraries

from asdlc_kb.site.pages.search_sources import (
    list_filters,
    list_sources,
    name_groups,
)


def test_sources_are_those_with_something_visible(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-087: an empty tree is none, and the only source is not offered."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("hidden.md", "---\ndraft: true\n---\nHidden.\n")
    articles, docs = open_libraries(knowledge.root, tree.root)
    assert articles is not None
    assert docs is not None
    assert list_sources(articles.catalog, docs.catalog) == ()
    tree.write("a.md", "# A\n")
    docs.trees[0].library.load()
    both = ("articles", "Articles"), ("root", "Documentation")
    assert list_sources(articles.catalog, docs.catalog) == both
    assert (
        list_sources(articles.catalog, None) == list_sources(None, docs.catalog) == ()
    )


def test_filters_are_those_that_narrow_something(tmp_path: Path) -> None:
    """One of each kind is nothing to choose from."""
    knowledge = KnowledgeBase(tmp_path / "content")
    knowledge.write("concepts/a")
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n")
    articles, docs = open_libraries(knowledge.root, tree.root)
    assert articles is not None
    assert docs is not None
    assert list_filters(articles.catalog, None) == ()
    assert list_filters(None, docs.catalog) == ()
    assert list_filters(articles.catalog, docs.catalog) == ("category", "source")
    knowledge.write("patterns/b")
    articles.load()
    assert list_filters(articles.catalog, None) == ("category",)
    several = open_docs(str(write_editions(tmp_path / "editions"))).snapshot.docs
    assert several is not None
    found = list_filters(None, several.catalog)
    assert found == ("category", "version", "language")


def test_groups_are_named_if_there_are_several(tmp_path: Path) -> None:
    """Those of the sidebar."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/a.md", "# A\n")
    docs = open_libraries(None, tree.root)[1]
    assert docs is not None
    assert name_groups(docs.catalog) == {}
    tree.write("other/b.md", "# B\n")
    docs.trees[0].library.load()
    assert name_groups(docs.catalog) == {"guide/a.md": "Guide", "other/b.md": "Other"}
