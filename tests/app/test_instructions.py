"""The server's identity, instructions and tool descriptions, as clients get them."""

from importlib.metadata import version
from pathlib import Path

import pytest
from support.knowledge import KnowledgeBase
from support.peers import (
    VERSIONS,
    http_peer,
    open_app,
)

from asdlc_kb.app import (
    Runtime,
)
from asdlc_kb.app.instructions import ARTICLES, CAUTION, PROJECTS

STATELESS = VERSIONS[-1]


async def test_the_server_says_who_it_is_and_how_to_use_it(app: Runtime) -> None:
    """D-043: the name is asdlc-knowledge-base, the version that of the package."""
    async with http_peer(app, STATELESS) as peer:
        result = await peer.result("server/discover")
    assert app.version == version("asdlc-kb")
    assert result["instructions"] == f"{ARTICLES}\n\n{CAUTION}"
    assert result["_meta"] == {
        "io.modelcontextprotocol/serverInfo": {
            "name": "asdlc-knowledge-base",
            "version": version("asdlc-kb"),
            "title": "ASDLC Knowledge Base",
        }
    }


async def test_the_instructions_can_be_the_operator_s(knowledge: KnowledgeBase) -> None:
    """D-044: the text is ours or the operator's; the sentence on trusting content is
    always ours.
    """
    app = open_app(knowledge, instructions="Ask Ada first.")
    async with http_peer(app, STATELESS) as peer:
        result = await peer.result("server/discover")
    assert result["instructions"] == f"Ask Ada first.\n\n{CAUTION}"


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_title_can_be_the_operator_s(
    knowledge: KnowledgeBase, version: str
) -> None:
    """D-043: the name stays the same; versions without titles get none."""
    said = '<b>&"\\ Größe'
    app = open_app(knowledge, title=said)
    async with http_peer(app, version) as peer:
        if peer.is_stateless:
            result = await peer.result("server/discover")
            info = result["_meta"]["io.modelcontextprotocol/serverInfo"]
        else:
            asked = {"protocolVersion": version, "capabilities": {}}
            info = (await peer.result("initialize", asked))["serverInfo"]
    assert info["name"] == "asdlc-knowledge-base"
    assert info.get("title") == (said if version >= "2025-06-18" else None)


async def test_instructions_are_of_what_is_served(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """Each source has its own; no unavailable tool is named."""
    for content, projects, told in (
        (None, (tmp_path,), PROJECTS),
        (knowledge, (tmp_path,), f"{ARTICLES}\n\n{PROJECTS}"),
        (knowledge, (), ARTICLES),
    ):
        app = open_app(content, projects=projects)
        async with http_peer(app, STATELESS) as peer:
            result = await peer.result("server/discover")
        assert result["instructions"] == f"{told}\n\n{CAUTION}"
