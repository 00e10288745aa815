"""Results in the form that a client needs, known by the name that it sends."""

from typing import Any

import pytest
from support.canary import Scanner
from support.peers import STREAMABLE, Peer, http_peer, stdio_peer

from asdlc_kb.app import Runtime

LISTED = {"name": "list_articles", "arguments": {}}
READ = {"name": "get_article", "arguments": {"slug": "links-to-hidden"}}
GEMINI = "gemini-cli-mcp-client"
WITHOUT_STRUCTURE = "2025-03-26"


async def initialize(peer: Peer, name: str) -> None:
    """Begin as a client of that name."""
    client = {"name": name, "version": "1"}
    params: dict[str, Any] = {"protocolVersion": peer.version, "capabilities": {}}
    await peer.result("initialize", {**params, "clientInfo": client})


async def check_forms(peer: Peer) -> None:
    """Make the same calls as two clients, Gemini CLI before and after the other."""
    for call in (LISTED, READ):
        answers = {}
        for name in (GEMINI, "tests", GEMINI):
            await initialize(peer, name)
            answers[name] = await peer.result("tools/call", call)
        assert "structuredContent" not in answers["tests"]
        if peer.version != WITHOUT_STRUCTURE:
            assert answers[GEMINI].pop("structuredContent") == {}
        assert answers[GEMINI] == answers["tests"]


@pytest.mark.parametrize("version", STREAMABLE)
async def test_gemini_cli_gets_an_empty_structure_over_http(
    app: Runtime, version: str
) -> None:
    """D-146: its name is part of its session; others get none."""
    async with http_peer(app, version) as peer:
        await check_forms(peer)


@pytest.mark.parametrize("version", STREAMABLE)
async def test_gemini_cli_gets_an_empty_structure_over_stdio(
    app: Runtime, version: str, scanner: Scanner
) -> None:
    """D-146: the last `initialize` of a pipe counts."""
    async with stdio_peer(app, version, scanner) as peer:
        await check_forms(peer)
