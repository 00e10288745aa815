"""Cached results of articles equal fresh ones, whatever changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.files import save_over
from support.knowledge import KnowledgeBase, article_text
from support.library import rescan
from support.peers import open_app
from support.shelf import DirectPeer

from asdlc_kb.app import Runtime

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("tools/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("prompts/list", {}),
    ("resources/read", {"uri": "kb://article/the-spec"}),
    ("tools/call", {"name": "get_article", "arguments": {"slug": "the-spec"}}),
    ("tools/call", {"name": "get_article", "arguments": {"slug": "patterns/the-spec"}}),
    ("tools/call", {"name": "list_articles", "arguments": {"limit": 3}}),
    ("tools/call", {"name": "search_articles", "arguments": {"query": "context"}}),
    ("prompts/get", {"name": "find_guidance", "arguments": {"topic": "context"}}),
]
NEVER: list[tuple[str, dict[str, Any]]] = [
    ("tools/call", {"name": "get_article", "arguments": {"slug": "known-draft"}}),
    ("tools/call", {"name": "get_article", "arguments": {"slug": "none"}}),
    ("tools/call", {"name": "get_article", "arguments": {"slug": "twice"}}),
    ("tools/call", {"name": "get_article", "arguments": {"slug": 7}}),
    ("tools/call", {"name": "get_article", "arguments": {}}),
    ("tools/call", {"name": "list_articles", "arguments": {"limit": 0}}),
    ("resources/read", {"uri": "kb://article/known-draft"}),
    ("resources/read", {"uri": "kb://article/"}),
]


@pytest.fixture
def app(small_base: KnowledgeBase) -> Runtime:
    """The small knowledge base, opened."""
    return open_app(small_base, structured_results=True)


@pytest.mark.parametrize(("method", "params"), CALLS)
async def test_a_second_call_is_answered_from_memory(
    app: Runtime, scanner: Scanner, method: str, params: dict[str, Any]
) -> None:
    """D-107: hot, read-only calls are bytes; the peer compares them."""
    peer = DirectPeer("2026-07-28", server=app.server, scanner=scanner)
    assert await peer.result(method, params) == await peer.result(method, params)
    assert peer.remembered == 1


@pytest.mark.parametrize(("method", "params"), NEVER)
async def test_refusals_are_never_remembered(
    app: Runtime, scanner: Scanner, method: str, params: dict[str, Any]
) -> None:
    """Hidden and missing are handled alike, and no name fills the memory."""
    peer = DirectPeer("2026-07-28", server=app.server, scanner=scanner)
    for _ in range(2):
        await peer.request(method, params)
    assert peer.remembered == 0


@pytest.mark.parametrize(("method", "params"), CALLS)
async def test_an_edit_of_a_draft_keeps_every_result(
    small_base: KnowledgeBase,
    app: Runtime,
    scanner: Scanner,
    method: str,
    params: dict[str, Any],
) -> None:
    """D-293: response times would show that a hidden article was saved."""
    peer = DirectPeer("2026-07-28", server=app.server, scanner=scanner)
    before = await peer.result(method, params)
    library = app.sources.articles
    assert library is not None
    snapshot = library.catalog.snapshot
    small_base.write("concepts/known-draft", status="Draft", body=CANARY)
    assert rescan(library).snapshot.generation > snapshot.generation
    assert await peer.result(method, params) == before
    assert peer.remembered == 1


def demote(path: Path) -> None:
    """Hide an article by an atomic save."""
    save_over(path, article_text("x", status="Draft"))


@pytest.mark.parametrize("change", [demote, Path.unlink])
async def test_a_saved_article_is_not_answered_from_memory(
    small_base: KnowledgeBase,
    app: Runtime,
    scanner: Scanner,
    change: Callable[[Path], None],
) -> None:
    """D-066: one `stat` before each answer: current even before the watcher."""
    peer = DirectPeer("2026-07-28", server=app.server, scanner=scanner)
    arguments = {"slug": "the-spec"}
    for _ in range(2):
        assert "isError" not in await peer.call("get_article", **arguments)
    change(small_base.root / "patterns" / "the-spec.md")
    assert (await peer.call("get_article", **arguments))["isError"] is True
    listed = await peer.call("list_articles")
    slugs = [a["slug"] for a in listed["structuredContent"]["articles"]]
    assert "the-spec" not in slugs
