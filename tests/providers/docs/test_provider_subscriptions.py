"""Subscriptions to `kb://doc/{path}`, and notifications of a changed tree."""

import asyncio
import json
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.manual import Manual
from support.peers import BOUND
from support.shelf import DirectPeer

from asdlc_kb.mcp.protocol.versions import HANDSHAKE

RELISTED = {
    "jsonrpc": "2.0",
    "method": "notifications/resources/list_changed",
    "params": {},
}


def updated(uri: str) -> dict[str, Any]:
    """Return the notification of a changed resource."""
    method = "notifications/resources/updated"
    return {"jsonrpc": "2.0", "method": method, "params": {"uri": uri}}


async def notifications(manual: Manual, peer: DirectPeer) -> list[dict[str, Any]]:
    """Return the next notification to a peer, after a scan of the disk."""
    feed = manual.server.sessions.open_queue(peer.session)
    try:
        manual.update()
        messages = await asyncio.wait_for(feed.next(), BOUND)
    finally:
        feed.close()
    return [json.loads(message) for message in messages]


@pytest.mark.parametrize("version", HANDSHAKE)
@pytest.mark.parametrize("name", ["guide/index.md", "guide/", "/Guide/Index"])
async def test_a_subscriber_is_notified_of_an_edit_in_its_own_spelling(
    manual: Manual, scanner: Scanner, version: str, name: str
) -> None:
    """The specification, resources: updated names the URI that was subscribed to."""
    peer = DirectPeer(version, server=manual.server, scanner=scanner)
    uri = f"kb://doc/{name}"
    await peer.result("resources/subscribe", {"uri": uri})
    manual.tree.write("guide/index.md", "# Guide\n\nOther.\n")
    assert await notifications(manual, peer) == [updated(uri)]


async def test_a_page_that_is_hidden_is_told_like_one_that_is_gone(
    manual: Manual, scanner: Scanner
) -> None:
    """D-016: list_changed and updated, and nothing of its text."""
    peer = DirectPeer("2025-11-25", server=manual.server, scanner=scanner)
    uri = "kb://doc/guide/index.md"
    await peer.result("resources/subscribe", {"uri": uri})
    draft = f"---\ndraft: true\n---\n# {CANARY}\n"
    manual.tree.write("guide/index.md", draft)
    assert await notifications(manual, peer) == [RELISTED, updated(uri)]
    error = await peer.error("resources/read", {"uri": uri})
    assert error["message"] == "Documentation page 'guide/index.md' not found"


async def test_a_hidden_page_cannot_be_subscribed_to(
    manual: Manual, scanner: Scanner
) -> None:
    """Like a missing one: the answers differ in nothing but the name."""
    peer = DirectPeer("2025-11-25", server=manual.server, scanner=scanner)
    answers = [
        await peer.request("resources/subscribe", {"uri": f"kb://doc/{name}"})
        for name in ("known-draft.md", "not-there-2.md")
    ]
    hidden, missing = (json.dumps(answer.get("error")) for answer in answers)
    assert hidden != "null"
    assert hidden.replace("known-draft", "not-there-2") == missing
