"""Articles and documentation pages as documents."""

import asyncio
from pathlib import Path

import pytest
from support.docs import DocsTree
from support.docs import loaded as loaded_docs
from support.knowledge import KnowledgeBase
from support.library import index_articles, loaded

from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.documents import PageSource
from asdlc_kb.mcp.protocol.errors import InternalError, ToolFailure
from asdlc_kb.providers.chatgpt.documents import (
    MAX_TEXT_CHARS,
    ArticleDocuments,
    PageDocuments,
)
from asdlc_kb.search.filters import FilteredQuery
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.service.indexer import Indexer


def article_documents(knowledge: KnowledgeBase) -> ArticleDocuments:
    """Return the articles of a base, without a website."""
    library = loaded(knowledge)
    return ArticleDocuments(library, index_articles(library), None)


def page_documents(tree: DocsTree) -> PageDocuments:
    """Return the pages of a tree, without a website."""
    library = loaded_docs(tree)
    indexer = Indexer(FullText(None), lambda: PageSource(library.catalog))
    return PageDocuments(DocCollection.of(library), indexer, None)


def test_an_article_has_the_text_of_its_resource(knowledge: KnowledgeBase) -> None:
    """Title, body and footer, and metadata without empty values."""
    knowledge.write("concepts/heron", title="Heron", tags="[A, B]", body="Grey.\n")
    found = asyncio.run(article_documents(knowledge).fetch("concepts/heron"))
    assert (found.id, found.title, found.url) == (
        "kb://article/heron",
        "Heron",
        "kb://article/heron",
    )
    assert found.text.startswith("# Heron\n\nGrey.\n\nAuthor: Unknown\n")
    assert found.metadata == {
        "category": "concepts",
        "tags": "A, B",
        "lastUpdated": "2025-01-15",
        "status": "Live",
    }


def test_a_page_has_its_markdown(tmp_path: Path) -> None:
    """Found by its path, with the path as metadata."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/a b.md", "# Bird\n\nA crane.\n")
    found = asyncio.run(page_documents(tree).fetch("guide/a b.md"))
    assert (found.id, found.text) == ("kb://doc/guide/a%20b.md", "# Bird\n\nA crane.\n")
    assert found.metadata == {"path": "guide/a b.md"}


def test_scores_are_shares_of_the_best_one(knowledge: KnowledgeBase) -> None:
    """So that the results of two indexes can be compared."""
    knowledge.write("concepts/heron", title="Heron", body="A heron and a heron.\n")
    knowledge.write("concepts/other", title="Other", body="Once a heron.\n" * 3)
    results = asyncio.run(article_documents(knowledge).search(FilteredQuery("heron")))
    assert [each.document.title for each in results] == ["Heron", "Other"]
    assert results[0].score == 1.0
    assert 0 < results[1].score < 1
    assert (
        asyncio.run(article_documents(knowledge).search(FilteredQuery("zzqxv"))) == []
    )


def test_the_page_whose_path_is_the_query_comes_first(tmp_path: Path) -> None:
    """As in search_docs, though other pages have the words more often."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("heron.md", "# Bird\n\nGrey.\n")
    tree.write("other.md", "# Heron\n\nSee heron.md, the page on the heron.\n")
    found = asyncio.run(page_documents(tree).search(FilteredQuery("heron.md")))
    assert [each.document.title for each in found] == ["Bird", "Heron"]
    assert found[0].score == 1.0


def test_of_a_long_text_there_is_the_beginning(knowledge: KnowledgeBase) -> None:
    """Up to a border of sections; the metadata says what is missing."""
    section = f"## Part\n\n{'word ' * 2000}\n\n"
    knowledge.write("concepts/long", body=section * 8)
    found = asyncio.run(article_documents(knowledge).fetch("long"))
    assert MAX_TEXT_CHARS / 2 < len(found.text) <= MAX_TEXT_CHARS
    assert found.text.rstrip().endswith("word")
    assert found.metadata["truncated"].startswith(
        f"characters 1 to {len(found.text):,} of "
    )
    assert found.metadata["truncated"].endswith("; get_article returns the rest")


@pytest.mark.parametrize("name", ["known-draft", "does-not-exist", "a/b/c"])
def test_hidden_and_missing_articles_are_alike(
    knowledge: KnowledgeBase, name: str
) -> None:
    """D-004: not found, in the same words."""
    documents = article_documents(knowledge)
    assert not documents.is_current(name)
    with pytest.raises(ToolFailure, match=f"^Article '{name}' not found$") as caught:
        asyncio.run(documents.fetch(name))
    assert caught.value.data == {"id": name}


@pytest.mark.parametrize("name", ["known-draft.md", "does-not-exist.md"])
def test_hidden_and_missing_pages_are_alike(tmp_path: Path, name: str) -> None:
    """D-004: not found, in the same words."""
    documents = page_documents(DocsTree(tmp_path / "docs"))
    assert not documents.is_current(name)
    message = f"^Documentation page '{name}' not found$"
    with pytest.raises(ToolFailure, match=message):
        asyncio.run(documents.fetch(name))


def test_a_broken_article_is_a_fault_of_the_server(knowledge: KnowledgeBase) -> None:
    """As in get_article: its metadata cannot be parsed."""
    knowledge.write("concepts/broken", title=None)
    with pytest.raises(ToolFailure) as caught:
        asyncio.run(article_documents(knowledge).fetch("broken"))
    assert caught.value.message == "Failed to parse article metadata"
    assert caught.value.protocol is InternalError
