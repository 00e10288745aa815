"""Batches, sessions and their streams, through the object behind every transport."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from support.several import Processes
from support.shelf import SampleProvider, make_server
from support.wire import BOUND

from asdlc_kb.mcp.dispatch.provider import Validator
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.inbound import Call, McpHeaders, Rejection
from asdlc_kb.mcp.protocol.model import Resource
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.protocol.versions import HANDSHAKE, KNOWN
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.mcp.sessions.session_store import SessionsExhausted
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.events import (
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)

L0, L1, L2, L3, M = KNOWN
NOTICE = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def request(method: str, request_id: Any = 1, **params: Any) -> dict[str, Any]:
    """Return a request without an envelope."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


async def ask(
    server: McpServer,
    message: Any,
    headers: McpHeaders | None = None,
    session: Session | None = None,
) -> Response:
    """Pass one message or batch to a server."""
    text = json.dumps(message).encode()
    received = server.receive(text, headers, session)
    return await server.answer(received, session=session)


async def begin(server: McpServer, version: str) -> Session:
    """Open a session over HTTP."""
    message = request("initialize", protocolVersion=version)
    reply = await ask(server, message, McpHeaders())
    session = server.find_session(McpHeaders(session=reply.session))
    assert session is not None
    return session


async def list_delivered(feed: EventQueue) -> list[str]:
    """Return the methods of the next messages of a stream."""
    messages = await asyncio.wait_for(feed.next(), BOUND)
    return [json.loads(message)["method"] for message in messages]


async def test_a_batch_is_answered_as_an_array_in_its_order() -> None:
    """The specification, 2025-03-26 transports: every request, no notification; each
    with the id and the error it would have alone.
    """
    batch = [
        request("tools/call", 2, name="echo", arguments={"a": 1}),
        NOTICE,
        request("nope", "x"),
        {"jsonrpc": "2.0", "id": 3, "result": {}},
        5,
        request("ping", 0),
    ]
    reply = await ask(make_server(), batch, McpHeaders())
    assert (reply.status, reply.error) == (200, None)
    echoed, missing, broken, pong = json.loads(reply.body)
    assert echoed["id"] == 2
    assert echoed["result"]["content"] == [{"type": "text", "text": '{"a": 1}'}]
    assert (missing["id"], missing["error"]["code"]) == ("x", -32601)
    assert broken["error"]["code"] == -32600
    assert broken["id"] is None
    assert pong == {"jsonrpc": "2.0", "id": 0, "result": {}}


@pytest.mark.parametrize("headers", [None, McpHeaders()])
async def test_a_batch_that_asks_nothing_gets_no_answer(
    headers: McpHeaders | None,
) -> None:
    """The specification, 2025-03-26 transports: 202 with no body, never an array."""
    batch = [NOTICE, {"jsonrpc": "2.0", "id": 3, "result": {}}]
    assert await ask(make_server(), batch, headers) == Response(202)


async def test_a_failure_in_a_batch_is_one_member_of_its_answer() -> None:
    """Nothing that a provider does breaks the other members."""
    batch = [request("tools/call", 1, name="break"), request("ping", 2)]
    failed, pong = json.loads((await ask(make_server(), batch)).body)
    assert failed["error"] == {"code": -32603, "message": "Internal server error"}
    assert pong["id"] == 2


async def test_a_batch_belongs_to_the_session_it_names() -> None:
    """D-113: the version agreed on decides, for each member too."""
    provider = SampleProvider()
    server = make_server(provider)
    old, new = await begin(server, L0), await begin(server, L3)
    batch = [
        request("tools/call", 1, name="echo"),
        request("resources/subscribe", 2, uri="note://a"),
    ]
    assert (await ask(server, batch, McpHeaders(session=old.id))).status == 200
    assert [context.version for context in provider.seen] == [L0]
    assert old.subscription.filter.uris == {"note://a": "note://a"}
    refused = await ask(server, batch, McpHeaders(session=new.id))
    assert (refused.status, refused.error) == (400, -32600)


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_a_session_is_told_of_every_list_and_of_what_it_subscribed_to(
    version: str,
) -> None:
    """The specification, server: unsolicited list changes, updates after a subscribe;
    what came before the stream waits for it.
    """
    server = make_server()
    session = await begin(server, version)
    headers = McpHeaders(session=session.id)
    await ask(server, request("resources/subscribe", uri="note://a"), headers)
    server.sessions.bus.publish(
        [ToolsChanged(), PromptsChanged(), ResourceUpdated("note://b")]
    )
    server.sessions.bus.publish(
        [ResourcesChanged(), ResourceUpdated("note://a"), ToolsChanged()]
    )
    feed = server.sessions.open_queue(session)
    assert await list_delivered(feed) == [
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
    ]
    await ask(server, request("resources/unsubscribe", uri="note://a"), headers)
    server.sessions.bus.publish([ResourceUpdated("note://a")])
    assert await read_to_end(feed) == []


async def read_to_end(feed: EventQueue) -> list[str]:
    """Return what an ended queue still delivers."""
    feed.end()
    return await list_delivered(feed)


@pytest.mark.parametrize(
    ("last", "is_told"),
    [
        (NOTICE, True),
        ([NOTICE], True),
        (request("tools/list"), True),
        (request("ping"), False),
        ({"jsonrpc": "2.0", "method": "notifications/x"}, False),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, False),
        (request("initialize", protocolVersion=L1), False),
    ],
    ids=str,
)
@pytest.mark.parametrize("transport", ["channel", "pipe"])
async def test_events_wait_for_the_end_of_the_handshake(
    transport: str, last: Any, is_told: bool
) -> None:
    """The specification, lifecycle: nothing but pings before `initialized`; a first
    request also counts. What happened meanwhile is delivered then.
    """
    server = make_server()
    sessions = server.sessions
    is_pipe = transport == "pipe"
    session = Session(is_channel=True) if is_pipe else sessions.open_channel()
    feed = sessions.open_queue(session)
    await ask(server, NOTICE, session=session)
    sessions.bus.publish([PromptsChanged()])
    assert feed.drain() == ([], 0)
    hello = request("initialize", protocolVersion=L1)
    await ask(server, hello, session=session)
    sessions.bus.publish([ToolsChanged()])
    assert feed.drain() == ([], 0)
    await ask(server, last, session=session)
    messages, _ = feed.drain()
    assert (b"tools/list_changed" in b"".join(messages)) == is_told


async def test_a_stream_of_a_session_is_told_at_once() -> None:
    """Its client has the response to `initialize`."""
    server = make_server()
    session = await begin(server, L3)
    feed = server.sessions.open_queue(session)
    server.sessions.bus.publish([ToolsChanged()])
    assert await list_delivered(feed) == ["notifications/tools/list_changed"]


@dataclass
class Growing(SampleProvider):
    """A provider with lists that are cached while they are equal."""

    counted: int = 0

    def validator(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Depend on the notes."""
        return Validator(tuple(self.notes))

    def resources(self) -> Sequence[Listed[Resource]]:
        """Count how often they are listed."""
        self.counted += 1
        return super().resources()


async def test_a_stream_begins_with_the_lists_that_changed_since_initialize() -> None:
    """A change between initialize and GET is not lost; and one only that is one."""
    provider = Growing()
    server = make_server(provider)
    before, unchanged = await begin(server, L3), await begin(server, L3)
    assert await server.find_missed(unchanged) == []
    assert provider.counted == 1
    provider.notes.append("d")
    after = await begin(server, L3)
    assert await server.find_missed(before) == [ResourcesChanged()]
    assert await server.find_missed(after) == []
    assert provider.counted == 2
    feed = server.sessions.open_queue(before, [ResourcesChanged()])
    assert await list_delivered(feed) == ["notifications/resources/list_changed"]
    assert await server.find_missed(before) == []


async def test_a_stateless_call_ends_no_handshake() -> None:
    """D-030: both eras may share a pipe, independently."""
    server, session = make_server(), Session(L3, is_channel=True)
    prefix = "io.modelcontextprotocol/"
    meta = {f"{prefix}protocolVersion": M, f"{prefix}clientCapabilities": {}}
    await ask(server, request("server/discover", _meta=meta), session=session)
    assert not session.is_initialized


async def test_a_channel_of_its_own_is_told_while_its_feed_is_open() -> None:
    """A session without an id is in no store."""
    server, session = make_server(), Session(L3, is_channel=True)
    server.sessions.bus.publish([ToolsChanged()])
    session.begin()
    feed = server.sessions.open_queue(session)
    assert session.queue is feed
    server.sessions.bus.publish([PromptsChanged()])
    assert await list_delivered(feed) == ["notifications/prompts/list_changed"]
    feed.close()
    server.sessions.bus.publish([ToolsChanged()])
    assert not session.has_stream
    assert await read_to_end(server.sessions.open_queue(session)) == []


async def test_closing_a_session_ends_its_streams() -> None:
    """The specification, 2025-11-25 transports: DELETE ends the session and all."""
    server = make_server()
    session = await begin(server, L3)
    feed = server.sessions.open_queue(session)
    assert server.sessions.is_stored(session)
    assert server.end_session(McpHeaders(session=session.id))
    assert not server.sessions.is_stored(session)
    assert await list_delivered(feed) == []
    feed.close()
    assert not session.has_stream


async def test_an_http_sse_channel_is_found_by_its_own_transport_only() -> None:
    """D-115: an id of one transport opens nothing in the other."""
    server = make_server(sessions=Sessions(max_sessions=1))
    channel = server.sessions.open_channel()
    assert (channel.version, channel.is_channel) == (None, True)
    assert server.find_channel(channel.id) is channel
    assert server.find_session(McpHeaders(session=channel.id)) is None
    refusal = server.receive(
        json.dumps(request("ping")).encode(), McpHeaders(session=channel.id)
    )
    assert isinstance(refusal, Rejection)
    assert (refusal.status, refusal.error.message) == (404, "Session not found")
    session = await begin(server, L3)
    assert server.find_channel(session.id) is None
    assert server.find_channel("unknown") is None
    assert server.find_session(McpHeaders()) is None
    server.sessions.open_queue(channel)
    with pytest.raises(SessionsExhausted):
        server.sessions.open_channel()


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_initialize_on_a_channel_agrees_for_that_channel(version: str) -> None:
    """D-113: transport and version are independent; no id is created."""
    server = make_server()
    channel, pipe = server.sessions.open_channel(), Session(is_channel=True)
    message = request("initialize", protocolVersion=version)
    for session, opened in ((channel, channel.id), (pipe, None)):
        reply = await ask(server, message, session=session)
        assert (reply.status, reply.session) == (200, opened)
        assert session.version == version
        call = server.receive(json.dumps(request("ping")).encode(), session=session)
        assert isinstance(call, Call)
        assert call.version == version


async def test_an_envelope_is_served_on_a_pipe_and_not_on_http_sse() -> None:
    """D-115: the stateless version has no HTTP+SSE; -32601 there."""
    server = make_server()
    prefix = "io.modelcontextprotocol/"
    meta = {f"{prefix}protocolVersion": M, f"{prefix}clientCapabilities": {}}
    message = request("server/discover", _meta=meta)
    pipe = await ask(server, message, session=Session(is_channel=True))
    channel = await ask(server, message, session=server.sessions.open_channel())
    assert (pipe.status, pipe.error) == (200, None)
    assert (channel.status, channel.error) == (404, -32601)


@pytest.mark.parametrize("version", KNOWN[:-1])
async def test_progress_has_a_message_since_2025_03_26(version: str) -> None:
    """The specification, schema.ts: ProgressNotification.message."""
    server = make_server()
    sent: list[bytes] = []
    session = Session(version, is_channel=True)
    meta = {"progressToken": 0}
    text = json.dumps(request("tools/call", name="count", _meta=meta)).encode()
    await server.answer(server.receive(text, session=session), sent.append, session)
    first = json.loads(sent[0])["params"]
    message = {} if version == L0 else {"message": "step 1"}
    assert first == {"progressToken": 0, "progress": 1, "total": 3, **message}


async def test_a_change_while_the_missed_ones_are_found_is_delivered() -> None:
    """The lists are read and digested in a thread; the session listens meanwhile."""
    server = make_server(Growing())
    session = await begin(server, L3)
    finding = asyncio.ensure_future(server.find_missed(session))
    await asyncio.sleep(0)
    server.sessions.bus.publish([ToolsChanged()])
    feed = server.sessions.open_queue(session, await finding)
    assert await list_delivered(feed) == ["notifications/tools/list_changed"]


async def test_a_new_channel_of_another_process_is_awaited() -> None:
    """Its client may be faster than the message that announces it."""
    processes = Processes()
    first, second = processes.start("first"), processes.start("second")
    server = make_server(sessions=second)
    held: list[Any] = []
    deliver, first.publish = first.publish, held.append
    channel = first.open_channel()
    first.open_queue(channel)
    assert server.find_channel(channel.id) is None
    awaited = asyncio.ensure_future(server.await_channel(channel.id))
    await asyncio.sleep(0.02)
    assert not awaited.done()
    for message in held:
        deliver(message)
    found = await awaited
    assert found is not None
    assert found.holder == "first"
    assert await server.await_channel("unknown") is None


async def test_a_channel_that_no_process_announces_is_not_found() -> None:
    """HTTP+SSE: its POST is 404, after a moment."""
    server = make_server()
    session_id = server.sessions.ids.issue(None)
    assert await server.await_channel(session_id) is None
