"""The tools for ChatGPT of a configuration."""

from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.peers import http_peer, open_app
from support.processes import list_loaded


def test_the_website_is_loaded_for_its_addresses_only() -> None:
    """Without a public address answers have none."""
    loaded = list_loaded(
        "import sys\n"
        "from asdlc_kb.app import build\n"
        "from asdlc_kb.settings import Settings\n"
        "build(Settings(docs=('.',), wait=True, chatgpt_tools=True), is_local=True)\n"
        "print(*sys.modules)"
    )
    assert "asdlc_kb.app.chatgpt" in loaded
    assert not {name for name in loaded if name.startswith("asdlc_kb.site.pages")}


@pytest.mark.parametrize("has_docs", [False, True])
async def test_each_source_may_be_the_only_one(tmp_path: Path, has_docs: bool) -> None:
    """What is not served is not searched."""
    tree = DocsTree(tmp_path / "docs") if has_docs else None
    knowledge = None if has_docs else KnowledgeBase(tmp_path / "content")
    if tree is not None:
        tree.write("heron.md", "# Links to hidden\n")
    app = open_app(knowledge, docs=tree, chatgpt_tools=True)
    async with http_peer(app, "2025-11-25") as peer:
        result = await peer.call("search", query="links hidden")
    kind = "doc" if has_docs else "article"
    assert f'"id":"kb://{kind}/' in result["content"][0]["text"]
