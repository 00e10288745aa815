"""The stdio transport in every era: batches, events, a graceful end."""

import asyncio
import json
import os
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import (
    ACKNOWLEDGED,
    BOUND,
    HANDSHAKE,
    StdioPeer,
    envelope,
    message,
    open_app,
    stdio_peer,
)
from support.site import articles_of
from support.slow import SlowProvider
from support.wire import until

from asdlc_kb.app import Runtime
from asdlc_kb.stdio import StdioTransport

KEY = "io.modelcontextprotocol/subscriptionId"
LISTED = "notifications/resources/list_changed"
WANTED = {"resourcesListChanged": True}
BATCHING = ("2024-11-05", "2025-03-26")


def listen(request_id: Any, wanted: Any = None) -> dict[str, Any]:
    """Return a request for events."""
    filters = {"notifications": WANTED if wanted is None else wanted}
    params = {**filters, "_meta": envelope("2026-07-28")}
    return message("subscriptions/listen", params, request_id)


def notification(method: str, **params: Any) -> dict[str, Any]:
    """Return a notification."""
    method = f"notifications/{method}"
    return {"jsonrpc": "2.0", "method": method, "params": params}


def change(knowledge: KnowledgeBase, app: Runtime, name: str = "new") -> None:
    """Add an article, so that the list of resources changes."""
    knowledge.write(f"concepts/{name}")
    articles_of(app).load()


async def assert_silent(peer: StdioPeer) -> None:
    """Assert that nothing was sent before the answer to the next request."""
    assert (await peer.exchange(message("ping", {}, "silent")))["id"] == "silent"
    assert peer.notices == []


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_an_array_is_a_batch_in_the_versions_that_have_them(
    app: Runtime, scanner: Scanner, version: str
) -> None:
    """2025-03-26 basic: answered by an array line; later versions refuse it."""
    batch = [
        message("ping", {}, 0),
        notification("x"),
        message("nonsense", {}, ""),
        {"jsonrpc": "2.0", "id": 3},
    ]
    async with stdio_peer(app, version, scanner) as peer:
        peer.send(batch)
        answer: Any = await peer.receive()
        if version in BATCHING:
            assert [each["id"] for each in answer] == [0, "", 3]
            codes = [each.get("error", {}).get("code") for each in answer]
            assert codes == [None, -32601, -32600]
            peer.send([notification("x")])
        else:
            assert answer["error"]["code"] == -32600
        await assert_silent(peer)


async def test_a_batch_delays_no_other_message(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """A slow member: the lines after it are answered first."""
    slow = SlowProvider()
    app = open_app(knowledge, slow)
    async with stdio_peer(app, "2025-03-26", scanner) as peer:
        peer.send([message("tools/call", {"name": "wait"}, 1), message("ping", {}, 2)])
        await until(slow.started.is_set)
        await assert_silent(peer)
        slow.released.set()
        answer: Any = await peer.receive()
        assert [each["id"] for each in answer] == [1, 2]


async def test_a_batch_may_hold_the_notices_that_matter(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """`initialized` and `cancelled` count there as on a line of their own."""
    slow = SlowProvider()
    app = open_app(knowledge, slow)
    async with stdio_peer(app, "2025-03-26", scanner, handshake=False) as peer:
        hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {}}
        await peer.result("initialize", hello)
        peer.send(message("tools/call", {"name": "wait"}, "slow"))
        await until(slow.started.is_set)
        gone = notification("cancelled", requestId="slow")
        peer.send([notification("initialized"), gone])
        await until(slow.ended.is_set)
        assert slow.was_cancelled
        change(knowledge, app)
        assert (await peer.receive())["method"] == LISTED


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_a_handshake_is_enough_to_be_told(
    knowledge: KnowledgeBase, scanner: Scanner, version: str
) -> None:
    """After `initialized`: list changes untagged, updates of subscriptions."""
    knowledge.write("concepts/one")
    app = open_app(knowledge)
    async with stdio_peer(app, version, scanner) as peer:
        await peer.result("resources/subscribe", {"uri": "kb://article/one"})
        knowledge.write("concepts/one", title="Another", body="Another text\n")
        articles_of(app).load()
        assert await peer.notice() == notification("resources/list_changed")
        updated = notification("resources/updated", uri="kb://article/one")
        assert await peer.notice() == updated
        await peer.result("resources/unsubscribe", {"uri": "kb://article/one"})
        knowledge.write("concepts/one", title="Another", body="A third text\n")
        articles_of(app).load()
        await assert_silent(peer)


async def test_nothing_is_said_before_the_handshake_is_over(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Not before `initialized`, and not without `initialize`."""
    app = open_app(knowledge)
    async with stdio_peer(app, "2025-11-25", scanner, handshake=False) as peer:
        peer.send(notification("initialized"))
        await assert_silent(peer)
        change(knowledge, app)
        await assert_silent(peer)
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
        await peer.result("initialize", hello)
        await assert_silent(peer)
        peer.send(notification("initialized"))
        await assert_silent(peer)
        change(knowledge, app, "newer")
        assert (await peer.notice())["method"] == LISTED


async def test_a_repeated_handshake_is_told_once(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """A client that starts over on the same pipe has one stream of events, not two."""
    app = open_app(knowledge)
    async with stdio_peer(app, "2025-11-25", scanner) as peer:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
        await peer.result("initialize", hello)
        peer.send(notification("initialized"))
        await assert_silent(peer)
        change(knowledge, app)
        assert (await peer.notice())["method"] == LISTED
        await assert_silent(peer)
        assert len(app.server.sessions.bus) == 1


@pytest.mark.parametrize("request_id", ["a", "", 0, 7])
async def test_a_subscription_is_acknowledged_then_told(
    knowledge: KnowledgeBase, scanner: Scanner, request_id: Any
) -> None:
    """2026-07-28: tagged with the request's id, zero and "" too; then silence."""
    app = open_app(knowledge)
    async with stdio_peer(app, "2026-07-28", scanner) as peer:
        peer.send(listen(request_id))
        tag = {"_meta": {KEY: request_id}}
        first = await peer.receive()
        params = {**tag, "notifications": WANTED}
        assert (first["method"], first["params"]) == (ACKNOWLEDGED, params)
        change(knowledge, app)
        assert await peer.receive() == notification("resources/list_changed", **tag)
        peer.send(notification("cancelled", requestId=request_id))
        await assert_silent(peer)
        change(knowledge, app, "newer")
        await assert_silent(peer)


async def test_both_eras_are_told_on_one_pipe(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """One change: untagged for the handshake, tagged for each subscription."""
    app = open_app(knowledge)
    async with stdio_peer(app, "2025-11-25", scanner) as peer:
        for request_id in (1, "1"):
            peer.send(listen(request_id))
            await peer.receive()
        peer.send(listen("tools", {"toolsListChanged": True}))
        await peer.receive()
        change(knowledge, app)
        received = [await peer.receive() for _ in range(3)]
        tags = [notice["params"].get("_meta", {}).get(KEY) for notice in received]
        assert sorted(tags, key=repr) == ["1", 1, None]
        await assert_silent(peer)


@pytest.mark.parametrize("together", [False, True])
async def test_an_end_of_input_ends_subscriptions_gracefully(
    knowledge: KnowledgeBase, scanner: Scanner, together: bool
) -> None:
    """Announced twice, as two pages of the specification ask: cancelled, then the
    result.

    Also when the end comes with the request itself.
    """
    app = open_app(knowledge)
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    sent = [message("initialize", hello), notification("initialized"), listen(0)]
    lines = b"".join(json.dumps(each).encode() + b"\n" for each in sent)
    transport = StdioTransport(app.server, 1_000_000)
    with os.fdopen(from_read, "rb") as answers:
        running = asyncio.ensure_future(transport.run(to_read, from_write))
        os.write(to_write, lines)
        if not together:
            await until(lambda: len(vars(transport)["_queues"]) == 2)
        os.close(to_write)
        await asyncio.wait_for(running, BOUND)
        os.close(from_write)
        os.close(to_read)
        received = answers.read()
    scanner.scan(received, "stdio")
    _, first, *last = map(json.loads, received.splitlines())
    assert first["method"] == ACKNOWLEDGED
    result = {"resultType": "complete", "_meta": {KEY: 0}}
    assert last == [
        notification("cancelled", requestId=0),
        {"jsonrpc": "2.0", "id": 0, "result": result},
    ]
    assert not len(app.server.sessions.bus)


async def test_a_peer_has_32_subscriptions_at_most(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-116: the next one is an error with the reason; a cancelled one makes room."""
    app = open_app(knowledge)
    async with stdio_peer(app, "2025-11-25", scanner) as peer:
        for request_id in range(32):
            peer.send(listen(request_id))
            assert (await peer.receive())["method"] == ACKNOWLEDGED
        refused = await peer.exchange(listen("one more"))
        assert refused["id"] == "one more"
        assert refused["error"] == {
            "code": -32603,
            "message": "Internal server error",
            "data": {"reason": "32 subscriptions are open: cancel one"},
        }
        # Responses to the subscriptions and to the handshake.
        assert len(app.server.sessions.bus) == 33
        peer.send(notification("cancelled", requestId=0))
        await assert_silent(peer)
        peer.send(listen("one more"))
        assert (await peer.receive())["method"] == ACKNOWLEDGED
