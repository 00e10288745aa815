"""Search and long texts over both transports, in every version of the protocol."""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.peers import Peer, open_app
from support.results import read_cursor

from asdlc_kb.app import Runtime

Connect = Callable[[Runtime], AbstractAsyncContextManager[Peer]]

LONG = "Before.\n\n" + "".join(
    f"## Part {number}\n\n{'Some words. ' * 40}\n\n" for number in range(20)
)


@pytest.fixture
def app(knowledge: KnowledgeBase, tmp_path: Path) -> Runtime:
    """Articles and a tree of pages; hidden ones among both."""
    knowledge.write("concepts/heron", title="Heron", body="## Where\n\nShallows.\n")
    knowledge.write("patterns/long", title="Long", body=LONG)
    knowledge.write("patterns/secret", status="Draft", body=f"Shallows {CANARY}.\n")
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/heron.md", "# Herons\n\n## Feeding\n\nFish of the shallows.\n")
    tree.write("guide/long.md", f"# Long page\n\n{LONG}")
    tree.write("guide/hidden.md", f"---\ndraft: true\n---\nShallows {CANARY}.\n")
    return open_app(knowledge, docs=tree)


async def ask(peer: Peer, tool: str, /, **arguments: Any) -> tuple[str, str | None]:
    """Call a tool that succeeds; return its first text and the next cursor."""
    result = await peer.call(tool, **arguments)
    assert not result.get("isError"), result["content"]
    assert "structuredContent" not in result
    return result["content"][0]["text"], read_cursor(result)


async def test_a_page_is_found_and_read(app: Runtime, connect: Connect) -> None:
    """search_docs names the section that get_doc_page then returns."""
    async with connect(app) as peer:
        notice, _ = await ask(peer, "search_docs", query="what do herons eat? fish")
        text, _ = await ask(
            peer, "get_doc_page", path="guide/heron.md", sections=["feeding"]
        )
        listed, _ = await ask(peer, "list_doc_pages")
    assert "1. guide/heron.md (score: " in notice
    assert "Herons > Feeding (#feeding)" in notice
    assert "Fish of the shallows." in text
    assert "guide/heron.md" in listed


async def test_an_article_is_found_by_its_text(app: Runtime, connect: Connect) -> None:
    """With passage and position, in the text."""
    async with connect(app) as peer:
        for mode, number in (("auto", 1), ("fulltext", 1), ("keyword", 0)):
            text, _ = await ask(peer, "search_articles", query="shallows", mode=mode)
            found = json.loads(text)
            assert len(found) == number, mode
            if found:
                position = (found[0]["heading"], found[0]["anchor"])
                assert position == ("Where", "where")
                assert "Shallows." in found[0]["passage"]
        notice, _ = await ask(
            peer, "search_articles", query="shallows", format="markdown"
        )
    assert notice == (
        "Found 1 articles:\n\n"
        "- Heron (heron)\n"
        "  Category: concepts\n"
        "  Section: Where (#where)\n"
        "  What heron is about\n\n"
        "Shallows."
    )


async def test_a_long_article_comes_in_parts(app: Runtime, connect: Connect) -> None:
    """The cursor is in the second text: every version can read the rest."""
    read, cursor = [], None
    async with connect(app) as peer:
        while True:
            text, cursor = await ask(
                peer, "get_article", slug="long", max_chars=3_000, cursor=cursor
            )
            read.append(json.loads(text)["content"])
            if cursor is None or len(read) > 50:
                break
    assert len(read) > 2
    assert "".join(read) == LONG


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_article", {"slug": "long", "format": "markdown"}),
        ("get_doc_page", {"path": "guide/long.md"}),
    ],
)
async def test_a_client_that_reads_only_text_gets_all_of_it(
    app: Runtime, connect: Connect, tool: str, arguments: dict[str, str]
) -> None:
    """Chunk by chunk, by the cursor of the second text."""
    read, cursor = "", None
    async with connect(app) as peer:
        for _ in range(50):
            text, cursor = await ask(
                peer, tool, **arguments, max_chars=3_000, cursor=cursor
            )
            read += text.rpartition("\n\n---\n\n")[2]
            if cursor is None:
                break
    assert not cursor
    assert LONG.strip() in read


async def test_failures_are_told_alike(app: Runtime, connect: Connect) -> None:
    """Unknown category, other cursor, hidden page: a tool's failure in each version."""
    calls: list[tuple[str, dict[str, Any], str]] = [
        (
            "search_articles",
            {"query": "shallows", "category": "recipes"},
            "Unknown category 'recipes'. Categories: concepts, patterns",
        ),
        (
            "get_article",
            {"slug": "long", "cursor": "x"},
            "Invalid cursor: not a cursor of this tool. Ask again without it",
        ),
        (
            "get_doc_page",
            {"path": "guide/hidden.md"},
            "Documentation page 'guide/hidden.md' not found",
        ),
    ]
    async with connect(app) as peer:
        for tool, arguments, message in calls:
            result = await peer.call(tool, **arguments)
            assert result["isError"] is True
            assert result["content"][0]["text"] == message
