"""Answers that take a while: progress as events, and clients that disconnect."""

import json
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import (
    HANDSHAKE,
    VERSIONS,
    Site,
    envelope,
    message,
    open_app,
    serving,
)
from support.shelf import SampleProvider
from support.slow import SlowProvider
from support.wire import Wire, dial, until

from asdlc_kb.mcp.event_limits import MAX_EVENT_BYTES

EVENTS = "application/json, text/event-stream"


def call(
    version: str, tool: str, arguments: dict[str, Any] | None = None, **meta: Any
) -> tuple[dict[str, str], bytes]:
    """Return headers and body of a tool's call in a version."""
    headers = {
        "Content-Type": "application/json",
        "Accept": EVENTS,
        "MCP-Protocol-Version": version,
    }
    if version not in HANDSHAKE:
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": tool}
        meta |= envelope(version)
    params = {"name": tool, "arguments": arguments or {}, "_meta": meta}
    return headers, json.dumps(message("tools/call", params, 5)).encode()


async def begin(wire: Wire, version: str, tool: str, **meta: Any) -> None:
    """Send a tool's call."""
    headers, body = call(version, tool, **meta)
    await wire.request("POST", headers=headers, body=body)


async def assert_connection_serves(wire: Wire) -> None:
    """The next request on the same connection works."""
    await wire.request("GET", "/health")
    assert (await wire.answer()).status == 200


@pytest.mark.parametrize("token", ["t", "", 0, 7])
@pytest.mark.parametrize("version", VERSIONS)
async def test_progress_comes_before_the_answer(
    knowledge: KnowledgeBase, version: str, token: Any
) -> None:
    """basic/patterns/progress: on the request's own stream; zero and "" are tokens."""
    async with serving(open_app(knowledge, SlowProvider())) as site:
        async with dial(site.port) as wire:
            await begin(wire, version, "progress", progressToken=token)
            head = await wire.head()
            assert head.status == 200
            assert head.headers["content-type"] == "text/event-stream"
            assert head.headers["cache-control"] == "no-store, no-transform"
            assert head.headers["x-accel-buffering"] == "no"
            assert "mcp-session-id" not in head.headers
            for step in (0, 50, 100):
                told = {"progressToken": token, "progress": step, "total": 100}
                if version != "2024-11-05":
                    told["message"] = f"step {step}\u2028on"
                assert await wire.event() == {
                    "jsonrpc": "2.0",
                    "method": "notifications/progress",
                    "params": told,
                }
            answer = await wire.event()
            assert answer["id"] == 5
            text = answer["result"]["content"][0]["text"]
            assert text == "progress is done"
            assert await wire.chunk() == b""
            await assert_connection_serves(wire)


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_too_long_a_result_after_progress_is_an_error(
    knowledge: KnowledgeBase, version: str
) -> None:
    """Clients end a stream at an event of more than 1 MiB; JSON has no limit."""
    arguments = {"text": '"' * 400_000}
    async with serving(open_app(knowledge, SampleProvider())) as site:
        async with dial(site.port) as wire:
            headers, body = call(version, "count", arguments, progressToken=1)
            await wire.request("POST", headers=headers, body=body)
            await wire.head()
            answer = await wire.event()
            while "id" not in answer:
                answer = await wire.event()
            assert (answer["id"], answer["error"]["code"]) == (5, -32603)
            assert await wire.chunk() == b""
            headers, body = call(version, "count", arguments)
            await wire.request("POST", headers=headers, body=body)
            assert len((await wire.answer()).body) > MAX_EVENT_BYTES


async def test_an_event_is_one_line_for_every_reader(knowledge: KnowledgeBase) -> None:
    """U+2028 cuts lines in some readers of events: it is escaped."""
    async with serving(open_app(knowledge, SlowProvider())) as site:
        async with dial(site.port) as wire:
            await begin(wire, "2026-07-28", "progress", progressToken=1)
            await wire.head()
            text = (await wire.chunk()).decode()
    assert text.splitlines()[0] == "event: message"
    assert len(text.splitlines()) == 3
    assert "\\u2028" in text


@pytest.mark.parametrize("version", VERSIONS)
async def test_who_asks_for_no_progress_gets_json(
    knowledge: KnowledgeBase, version: str
) -> None:
    """Events only for a request with a token; a boolean or a float is none."""
    metas: list[dict[str, Any]] = [{}, {"progressToken": True}, {"progressToken": 1.5}]
    async with serving(open_app(knowledge, SlowProvider())) as site:
        async with dial(site.port) as wire:
            for meta in metas:
                await begin(wire, version, "progress", **meta)
                answer = await wire.answer()
                assert answer.headers["content-type"] == "application/json"
                assert answer.json["id"] == 5
                assert "result" in answer.json


@pytest.mark.parametrize("accept", ["application/json", "*/*", None])
async def test_who_does_not_name_events_gets_json(
    knowledge: KnowledgeBase, accept: str | None
) -> None:
    """Clients with a sloppy Accept are served JSON, progress or not."""
    headers, body = call("2026-07-28", "progress", progressToken="t")
    del headers["Accept"]
    if accept is not None:
        headers["Accept"] = accept
    async with serving(open_app(knowledge, SlowProvider())) as site:
        async with dial(site.port) as wire:
            await wire.request("POST", headers=headers, body=body)
            answer = await wire.answer()
    assert answer.headers["content-type"] == "application/json"
    assert answer.json["result"]["content"][0]["text"] == "progress is done"


async def test_a_tool_without_progress_answers_as_json(
    knowledge: KnowledgeBase,
) -> None:
    """A stream begins with the first report, not with the wish for one."""
    async with serving(open_app(knowledge, SlowProvider())) as site:
        async with dial(site.port) as wire:
            await begin(wire, "2025-11-25", "print", progressToken="t")
            answer = await wire.answer()
    assert answer.headers["content-type"] == "application/json"


async def until_forgotten(site: Site) -> None:
    """Wait until the server noticed that the client left."""
    await until(lambda: not site.web.state.in_flight)


@pytest.mark.parametrize("meta", [{}, {"progressToken": "t"}], ids=["json", "events"])
async def test_leaving_cancels_a_stateless_call(
    knowledge: KnowledgeBase, meta: dict[str, Any]
) -> None:
    """2026-07-28 streamable-http: closing the stream is the cancellation."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        with captured("asdlc_kb") as lines:
            async with dial(site.port) as wire:
                await begin(wire, "2026-07-28", "wait", **meta)
                await until(slow.started.is_set)
                assert len(site.web.state.in_flight) == 1
            await until(slow.ended.is_set)
            assert slow.was_cancelled
            await until(lambda: len(lines.rows) == 1)
        assert lines.rows[0]["cancelled"] is True
        await until_forgotten(site)
        async with dial(site.port) as wire:
            await assert_connection_serves(wire)


@pytest.mark.parametrize("meta", [{}, {"progressToken": "t"}], ids=["json", "events"])
@pytest.mark.parametrize("version", HANDSHAKE)
async def test_leaving_does_not_cancel_a_handshake_call(
    knowledge: KnowledgeBase, version: str, meta: dict[str, Any]
) -> None:
    """2025-11-25 transports: a disconnect is not a cancellation."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        with captured("asdlc_kb") as lines:
            async with dial(site.port) as wire:
                await begin(wire, version, "wait", **meta)
                await until(slow.started.is_set)
            await until_forgotten(site)
            assert not slow.ended.is_set()
            slow.released.set()
            await until(slow.ended.is_set)
            assert not slow.was_cancelled
            await until(lambda: len(lines.rows) == 1)
        assert "code" not in lines.rows[0]
        assert "cancelled" not in lines.rows[0]


async def test_leaving_before_the_message_is_whole_starts_nothing(
    knowledge: KnowledgeBase,
) -> None:
    """Half a message is none."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        async with dial(site.port) as wire:
            headers, body = call("2026-07-28", "wait")
            headers["Content-Length"] = str(len(body) + 1)
            await wire.request("POST", headers=headers, body=body)
            await until(lambda: len(site.web.state.in_flight) == 1)
        await until(lambda: not site.web.state.in_flight)
        assert not slow.started.is_set()


async def test_a_call_that_waits_holds_up_nobody(knowledge: KnowledgeBase) -> None:
    """Others are served meanwhile; then it is answered."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        async with dial(site.port) as waiting, dial(site.port) as other:
            await begin(waiting, "2026-07-28", "wait")
            await until(slow.started.is_set)
            await begin(other, "2026-07-28", "print")
            assert (await other.answer()).json["id"] == 5
            slow.released.set()
            text = (await waiting.answer()).json["result"]["content"][0]["text"]
            assert text == "wait is done"
