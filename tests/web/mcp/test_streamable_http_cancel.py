"""notifications/cancelled over HTTP: the call ends, without an answer."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import (
    STREAMABLE,
    HttpPeer,
    Site,
    envelope,
    message,
    open_app,
    serving,
    shake_hands,
    sse_peer,
)
from support.slow import SlowProvider
from support.wire import Wire, dial, until

EVENTS = "application/json, text/event-stream"


def cancelled(request_id: Any) -> dict[str, Any]:
    """Return the notification."""
    method, params = "notifications/cancelled", {"requestId": request_id}
    return {"jsonrpc": "2.0", "method": method, "params": params}


def wait(request_id: Any = 1, **meta: Any) -> dict[str, Any]:
    """Return a call that takes as long as a test wants."""
    return message("tools/call", {"name": "wait", "_meta": meta}, request_id)


async def connect(site: Site, version: str = "2025-11-25") -> HttpPeer:
    """Open a session."""
    peer = HttpPeer(version, site=site)
    await shake_hands(peer)
    return peer


@asynccontextmanager
async def waiting(
    peer: HttpPeer, slow: SlowProvider, sent: Any, accept: str = EVENTS
) -> AsyncIterator[Wire]:
    """Post a call that has begun to wait."""
    async with dial(peer.site.port) as wire:
        headers = {**peer.headers({}), "Content-Type": "application/json"}
        headers["Accept"] = accept
        body = json.dumps(sent).encode()
        await wire.request("POST", headers=headers, body=body)
        await until(slow.started.is_set)
        yield wire


async def tell(peer: HttpPeer, sent: Any) -> None:
    """Post a message without an answer."""
    response = await peer.site.post(sent, peer.headers({}))
    assert (response.code, response.body) == (202, b"")


@pytest.mark.parametrize("request_id", ["a", "", 0, 1])
@pytest.mark.parametrize("version", STREAMABLE)
async def test_a_cancelled_call_has_no_answer(
    knowledge: KnowledgeBase, version: str, request_id: Any
) -> None:
    """2025-11-25 cancellation: stop, free what it holds, send no response."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        peer = await connect(site, version)
        with captured("asdlc_kb") as lines:
            async with waiting(peer, slow, wait(request_id)) as wire:
                await tell(peer, cancelled(request_id))
                answer = await wire.answer()
                assert (answer.status, answer.body) == (200, b"")
                assert answer.headers["content-type"] == "text/event-stream"
                assert slow.was_cancelled
                # The connection serves on.
                await wire.request("GET", "/health")
                assert (await wire.answer()).status == 200
            await until(lambda: len(lines.rows) == 3)
        assert sum(bool(row.get("cancelled")) for row in lines.rows) == 1
        # It is over: once more is ignored, and so is the id of nothing.
        await tell(peer, cancelled(request_id))
        assert await peer.result("ping") == {}


async def test_who_takes_json_alone_gets_the_result(knowledge: KnowledgeBase) -> None:
    """An answer that cannot be an empty stream comes, whatever was cancelled."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        peer = await connect(site)
        async with waiting(peer, slow, wait(3), "application/json") as wire:
            await tell(peer, cancelled(3))
            slow.released.set()
            answer = await wire.answer()
    assert answer.json["id"] == 3
    assert "result" in answer.json
    assert not slow.was_cancelled


async def test_the_stream_of_a_cancelled_call_closes(knowledge: KnowledgeBase) -> None:
    """2025-11-25 cancellation: what was sent before stays; no result follows."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        peer = await connect(site)
        async with waiting(peer, slow, wait(7, progressToken="t")) as wire:
            assert (await wire.head()).headers["content-type"] == "text/event-stream"
            assert (await wire.notice())["method"] == "notifications/progress"
            await tell(peer, cancelled(7))
            assert await wire.chunk() == b""
            assert slow.was_cancelled


@pytest.mark.parametrize("wrong", [True, 1.0, "1", 2, None, [1], {"1": 1}], ids=repr)
async def test_another_id_cancels_nothing(knowledge: KnowledgeBase, wrong: Any) -> None:
    """JSON-RPC: an id is equal in type and value."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        peer = await connect(site)
        async with waiting(peer, slow, wait(1)) as wire:
            await tell(peer, cancelled(wrong))
            slow.released.set()
            assert "result" in (await wire.answer()).json
        assert not slow.was_cancelled


async def test_nobody_cancels_the_calls_of_others(knowledge: KnowledgeBase) -> None:
    """D-046: ids belong to their session; without one there are none."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        peer, other = await connect(site), await connect(site)
        async with sse_peer(site, "2024-11-05") as channel:
            async with waiting(peer, slow, wait(1)) as wire:
                await tell(other, cancelled(1))
                await channel.send(cancelled(1))
                assert (await site.post(cancelled(1))).code == 202
                slow.released.set()
                assert "result" in (await wire.answer()).json
    assert not slow.was_cancelled


async def test_a_stateless_call_is_cancelled_by_leaving_alone(
    knowledge: KnowledgeBase,
) -> None:
    """2026-07-28 streamable-http: no notification does it, whatever it names."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        old = await connect(site)
        stateless = HttpPeer("2026-07-28", site=site)
        sent = wait(1, **envelope("2026-07-28"))
        headers = {**stateless.headers(sent), "Mcp-Session-Id": old.session or ""}
        asking = asyncio.ensure_future(site.post(sent, headers))
        await until(slow.started.is_set)
        await tell(old, cancelled(1))
        slow.released.set()
        assert "result" in json.loads((await asking).body)
    assert not slow.was_cancelled


async def test_a_member_of_a_batch_is_cancelled_alone(knowledge: KnowledgeBase) -> None:
    """2025-03-26: the others are answered as if it had not been there."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        peer = await connect(site, "2025-03-26")
        batch = [message("ping", {}, "a"), wait(1), message("ping", {}, "b")]
        async with waiting(peer, slow, batch) as wire:
            await tell(peer, [cancelled(1)])
            answers = (await wire.answer()).json
        assert [answer["id"] for answer in answers] == ["a", "b"]
        assert slow.was_cancelled


async def test_a_call_over_http_sse_is_cancelled(knowledge: KnowledgeBase) -> None:
    """2024-11-05 cancellation: nothing comes on the stream; the POST is done."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        async with sse_peer(site, "2024-11-05") as peer:
            posting = asyncio.ensure_future(peer.send(wait("slow")))
            await until(slow.started.is_set)
            await peer.send(cancelled("slow"))
            await posting
            assert slow.was_cancelled
            assert (await peer.exchange(message("ping")))["result"] == {}
            assert peer.notices == []
