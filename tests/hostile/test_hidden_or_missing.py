"""The work for a name does not depend on whether something hidden has that name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.peers import STATELESS, http_peer
from support.site import open_app, serving
from support.stats import recorded_stats

ASKED: Mapping[str, tuple[str, dict[str, Any], str, str]] = {
    "get_article": (
        *("tools/call", {"name": "get_article", "arguments": {"slug": "{}"}}),
        *("known-draft", "hello-draft"),
    ),
    "get_article, of a category": (
        *("tools/call", {"name": "get_article", "arguments": {"slug": "{}"}}),
        *("concepts/known-draft", "concepts/hello-draft"),
    ),
    "get_article, of a hidden category": (
        *("tools/call", {"name": "get_article", "arguments": {"slug": "{}/only"}}),
        *("secret", "absent"),
    ),
    "get_doc_page": (
        *("tools/call", {"name": "get_doc_page", "arguments": {"path": "{}"}}),
        *("known-draft.md", "hello-draft.md"),
    ),
    "get_doc_page, of a hidden folder": (
        *("tools/call", {"name": "get_doc_page", "arguments": {"path": "{}/only.md"}}),
        *("secret", "absent"),
    ),
    "resources/read, article": (
        *("resources/read", {"uri": "kb://article/{}"}),
        *("known-draft", "hello-draft"),
    ),
    "resources/read, page": (
        *("resources/read", {"uri": "kb://doc/{}"}),
        *("known-draft.md", "hello-draft.md"),
    ),
    "prompts/get": (
        *("prompts/get", {"name": "explain_concept", "arguments": {"slug": "{}"}}),
        *("known-draft", "hello-draft"),
    ),
}


@pytest.fixture
def tree(knowledge: KnowledgeBase, tmp_path: Path) -> DocsTree:
    """A tree that, like the knowledge base, has a folder of hidden files only."""
    knowledge.write("secret/only", status="Draft")
    tree = DocsTree(tmp_path / "docs")
    tree.write("secret/only.md", "---\ndraft: true\n---\n")
    return tree


def fill(value: Any, name: str) -> Any:
    """Return parameters with a name in the place of `{}`."""
    if isinstance(value, dict):
        return {key: fill(inner, name) for key, inner in value.items()}
    return value.replace("{}", name)


@pytest.mark.parametrize(
    ("method", "params", "hidden", "missing"), ASKED.values(), ids=ASKED.keys()
)
async def test_a_call_asks_the_disk_the_same(
    knowledge: KnowledgeBase,
    tree: DocsTree,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    params: dict[str, Any],
    hidden: str,
    missing: str,
) -> None:
    """D-002: response times reveal nothing, since the work is equal."""
    app = open_app(knowledge, docs=tree)
    counts = []
    async with http_peer(app, STATELESS[-1]) as peer:
        for name in (hidden, missing):
            with recorded_stats(monkeypatch, tmp_path) as paths:
                answer = await peer.request(method, fill(params, name))
            assert "error" in answer or answer["result"]["isError"]
            assert not any("known-draft" in path or "hello" in path for path in paths)
            counts.append(len(paths))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("hidden", "missing"),
    [
        ("/concepts/known-draft", "/concepts/hello-draft"),
        ("/docs/known-draft", "/docs/hello-draft"),
        ("/docs/secret/only", "/docs/absent/only"),
        ("/concepts/known-draft.md", "/concepts/hello-draft.md"),
        ("/docs/known-draft.md", "/docs/hello-draft.md"),
    ],
)
async def test_a_page_asks_the_disk_the_same(
    knowledge: KnowledgeBase,
    tree: DocsTree,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hidden: str,
    missing: str,
) -> None:
    """D-002: on the website as over MCP."""
    counts = []
    async with serving(open_app(knowledge, docs=tree)) as site:
        assert (await site.fetch("/none")).code == 404
        for address in (hidden, missing):
            with recorded_stats(monkeypatch, tmp_path) as paths:
                assert (await site.fetch(address)).code == 404
            assert not any("known-draft" in path or "hello" in path for path in paths)
            counts.append(len(paths))
    assert counts[0] == counts[1]
