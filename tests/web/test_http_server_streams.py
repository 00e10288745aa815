"""Draining with open streams: requests are answered, each stream ends whole."""

import asyncio
import json
from contextlib import AsyncExitStack

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import (
    EVENTS,
    JSON,
    envelope,
    message,
    open_app,
    serving,
    sse_peer,
)
from support.processes import serve_process
from support.slow import SlowProvider
from support.wire import BOUND, Wire, dial, until

from asdlc_kb.web import http_server

WAIT = message("tools/call", {"name": "wait"}, "slow")
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}


async def begin_listen(wire: Wire) -> None:
    """Open a stream of 2026-07-28."""
    params = {"notifications": {}, "_meta": envelope("2026-07-28")}
    sent = message("subscriptions/listen", params, 0)
    headers = {
        **JSON,
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
    }
    await wire.request("POST", headers=headers, body=json.dumps(sent).encode())
    assert (await wire.head()).status == 200
    await wire.frame()


async def test_an_answer_on_the_way_to_a_stream_is_waited_for(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP+SSE: the stream ends after the answers that go over it."""
    monkeypatch.setattr(http_server, "LAME_DUCK_SECONDS", 0)
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        async with sse_peer(site, "2024-11-05") as peer:
            posting = asyncio.ensure_future(site.post(WAIT, path=peer.path))
            await until(slow.started.is_set)
            draining = asyncio.ensure_future(site.web.drain())
            await until(lambda: site.web.state.is_draining)
            slow.released.set()
            answer = await peer.wire.notice()
            assert answer["result"]["content"][0]["text"] == "wait is done"
            assert await peer.wire.chunk() == b""
            assert (await posting).code == 202
            peer.wire.close()
            await asyncio.wait_for(draining, BOUND)


async def test_a_call_that_never_ends_does_not_keep_streams_from_ending(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They end whole before everything is cut off."""
    monkeypatch.setattr(http_server, "LAME_DUCK_SECONDS", 0)
    monkeypatch.setattr(http_server, "DRAIN_SECONDS", 0.3)
    monkeypatch.setattr(http_server, "TRANSIT_SECONDS", 0.2)
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        async with sse_peer(site, "2024-11-05") as peer, dial(site.port) as wire:
            body = json.dumps(WAIT).encode()
            await wire.request("POST", headers=JSON, body=body)
            await until(slow.started.is_set)
            await asyncio.wait_for(site.web.drain(), BOUND)
            assert await peer.wire.chunk() == b""
            assert await wire.rest() == b""
            slow.released.set()


async def test_a_stream_opened_during_the_end_ends_at_once(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a connection from before: acknowledged, then ended."""
    monkeypatch.setattr(http_server, "LAME_DUCK_SECONDS", 0)
    async with serving(open_app(knowledge)) as site, dial(site.port) as wire:
        await wire.request("GET", "/health")
        await wire.answer()
        draining = asyncio.ensure_future(site.web.drain())
        await until(lambda: vars(site.web.state.streams)["_is_ending"])
        await begin_listen(wire)
        assert (await wire.notice())["id"] == 0
        assert await wire.chunk() == b""
        wire.close()
        await asyncio.wait_for(draining, BOUND)


async def keep_busy(port: int, scanner: Scanner, served: list[int]) -> None:
    """Send requests on one connection until its server announces its end."""
    body = json.dumps(message("ping")).encode()
    async with dial(port, scanner) as wire:
        while True:
            await wire.request("POST", headers=JSON, body=body)
            answer = await wire.answer()
            assert (answer.status, answer.json["result"]) == (200, {})
            served.append(1)
            if answer.headers.get("connection") == "close":
                return


async def open_streams(
    port: int, scanner: Scanner, stack: AsyncExitStack
) -> list[Wire]:
    """Open one stream of each kind, with their first event read."""
    old, session, modern, asking = [
        await stack.enter_async_context(dial(port, scanner)) for _ in range(4)
    ]
    await old.request("GET", headers=EVENTS)
    await asking.request(
        "POST", headers=JSON, body=json.dumps(message("initialize", HELLO)).encode()
    )
    named = {"Mcp-Session-Id": (await asking.answer()).headers["mcp-session-id"]}
    await session.request("GET", headers={**EVENTS, **named})
    for wire in (old, session):
        assert (await wire.head()).status == 200
        await wire.frame()
    await begin_listen(modern)
    return [old, session, modern]


async def test_sigterm_with_streams_open_loses_nothing(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Requests answered, whole last chunks, exit code 0."""
    with serve_process(knowledge.root, scanner=scanner) as process:
        async with AsyncExitStack() as stack:
            old, session, modern = await open_streams(process.port, scanner, stack)
            served: list[int] = []
            clients = [keep_busy(process.port, scanner, served) for _ in range(8)]
            busy = asyncio.gather(*clients)
            await until(lambda: len(served) > 50 or busy.done())
            assert not busy.done()
            process.running.signal()
            await asyncio.wait_for(busy, BOUND)
            assert (await modern.notice())["result"]["resultType"] == "complete"
            for wire in (old, session, modern):
                # `0\r\n\r\n` and nothing after it, then the connection ends.
                assert await wire.chunk() == b""
                assert await wire.rest() == b""
        left = await asyncio.to_thread(process.running.wait)
    assert left.code == 0
    rows = [json.loads(line) for line in left.err.splitlines()]
    assert not [row for row in rows if row["level"] == "error"]
    requests = [row for row in rows if row["event"] == "request"]
    assert len(requests) == len(served) + 4
