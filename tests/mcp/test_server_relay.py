"""Messages of sessions in other processes, through the object behind transports."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from support.shelf import SampleProvider, make_server
from support.wire import BOUND

from asdlc_kb.mcp.dispatch.provider import Provider, Validator
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.eras.session_routing import (
    RemoteMessage,
    RemoteStream,
    SessionHostGone,
    SessionHostTimeout,
    SessionIds,
    SessionLocation,
)
from asdlc_kb.mcp.protocol.inbound import (
    Batch,
    Call,
    InboundNotification,
    McpHeaders,
    Rejection,
)
from asdlc_kb.mcp.protocol.versions import HANDSHAKE, STATELESS
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.pending_events import PendingEvents, SubscriptionFilter
from asdlc_kb.mcp.subscriptions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.subscribers import Subscribers

THERE = SessionIds("there", b"a key of this test")
FAILURES = (SessionHostGone, SessionHostTimeout)


class Told:
    """A relay controlled by the test, with a record of its calls."""

    def __init__(self, failure: type[Exception] | None = None) -> None:
        self.failure = failure
        self.asked: list[Any] = []

    def _fail(self, *asked: Any) -> None:
        self.asked.append(asked)
        if self.failure is not None:
            raise self.failure

    def locate(self, session_id: str) -> SessionLocation | None:
        """Read ids."""
        return THERE.read(session_id)

    async def forward(
        self, message: RemoteMessage, emit: Callable[[bytes], None] | None
    ) -> Response:
        """Answer with a text of its own."""
        self._fail(message, emit)
        return Response(200, b"from home")

    async def forward_to_channel(
        self, session_id: str, origin: SessionLocation, text: bytes
    ) -> Response:
        """Accept it."""
        self._fail(session_id, origin, text)
        return Response(202)

    async def close_session(self, session_id: str, origin: SessionLocation) -> bool:
        """End it."""
        self._fail(session_id, origin)
        return True

    async def open_stream(
        self, session_id: str, origin: SessionLocation
    ) -> RemoteStream | None:
        """Open one with one message."""
        self._fail(session_id, origin)
        feed = EventQueue(PendingEvents(SubscriptionFilter()))
        feed.post(b"from home")
        return RemoteStream(feed, lambda: True)


class Steady(SampleProvider):
    """A provider whose results are cached."""

    def validator(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return a constant."""
        return Validator(1)


def serve(
    failure: type[Exception] | None = None, *providers: Provider
) -> tuple[McpServer, Told]:
    """Return a server with a relay."""
    ids = SessionIds("here", b"a key of this test")
    server = make_server(*providers, audience=Subscribers(Sessions(make_id=ids.make)))
    relay = Told(failure)
    server.relay = relay
    return server, relay


def write(method: str, request_id: Any = 1, **params: Any) -> bytes:
    """Return a request."""
    message = {"jsonrpc": "2.0", "method": method, "params": params, "id": request_id}
    return json.dumps(message).encode()


def headers(agreed: str | None = "2025-11-25", **given: Any) -> McpHeaders:
    """Return the headers of a foreign session."""
    return McpHeaders(session=THERE.make(agreed), **given)


INITIALIZED = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'


async def test_a_message_of_a_foreign_session_is_its_homes() -> None:
    """D-049: it is forwarded whole."""
    server, relay = serve()
    sent = headers("2025-06-18", version="2025-06-18")
    received = server.receive(write("tools/list"), sent)
    assert isinstance(received, RemoteMessage)
    assert isinstance(received.message, Call)
    assert received.message.version == "2025-06-18"
    assert (received.text, received.headers) == (write("tools/list"), sent)
    assert received.origin == SessionLocation("there", "2025-06-18")
    emitted: list[bytes] = []
    emit = emitted.append
    assert await server.answer(received, emit) == Response(200, b"from home")
    assert relay.asked == [(received, emit)]


async def test_nothing_of_a_foreign_session_is_answered_from_memory() -> None:
    """Only the session's process knows whether it still lives."""
    server, _ = serve(None, Steady())
    await server.answer(server.receive(write("tools/list"), McpHeaders()))
    assert server.ready(server.receive(write("tools/list"), McpHeaders())) is not None
    assert server.ready(server.receive(write("tools/list"), headers())) is None


@pytest.mark.parametrize("text", [INITIALIZED, b"[" + write("ping") + b"]"])
async def test_notifications_and_batches_are_forwarded_too(text: bytes) -> None:
    """The session's version is the one in its id."""
    server, relay = serve()
    received = server.receive(text, headers("2025-03-26"))
    assert isinstance(received, RemoteMessage)
    assert isinstance(received.message, (InboundNotification, Batch))
    assert (await server.answer(received)).body == b"from home"
    assert len(relay.asked) == 1


@pytest.mark.parametrize(
    ("text", "version", "status"),
    [
        (write("initialize", protocolVersion="2025-11-25"), None, 200),
        (b'{"jsonrpc": "2.0", "id": 1, "result": {}}', None, 202),
        (b"nonsense", None, 400),
        (write("tools/list"), "1999-01-01", 400),
    ],
)
async def test_what_needs_no_session_stays_here(
    text: bytes, version: str | None, status: int
) -> None:
    """A client that lost its session starts over, with the old id."""
    server, relay = serve()
    received = server.receive(text, headers(version=version))
    assert (await server.answer(received)).status == status
    assert relay.asked == []


async def test_a_stateless_request_ignores_a_foreign_session() -> None:
    """2026-07-28: the header means nothing."""
    server, relay = serve()
    meta = {
        "io.modelcontextprotocol/protocolVersion": STATELESS[0],
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    text = write("tools/list", _meta=meta)
    sent = headers(version=STATELESS[0])
    sent = McpHeaders(sent.version, sent.session, method="tools/list")
    assert (await server.answer(server.receive(text, sent))).status == 200
    assert relay.asked == []


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_a_silent_homes_calls_are_answered_here(version: str) -> None:
    """D-049: by the version in the id; never an error for what needs no session."""
    server, _ = serve(SessionHostTimeout)
    reply = await server.answer(server.receive(write("ping"), headers(version)))
    assert (reply.status, json.loads(reply.body)["result"]) == (200, {})
    reply = await server.answer(server.receive(INITIALIZED, headers(version)))
    assert reply.status == 202


@pytest.mark.parametrize("method", ["resources/subscribe", "resources/unsubscribe"])
async def test_a_silent_homes_subscriptions_are_lost(method: str) -> None:
    """D-049: no other process can keep them, so the client has to start over."""
    server, _ = serve(SessionHostTimeout)
    text = write(method, "an id", uri="kb://x")
    reply = await server.answer(server.receive(text, headers()))
    assert reply.status == 404
    assert json.loads(reply.body) == {
        "jsonrpc": "2.0",
        "id": "an id",
        "error": {"code": -32600, "message": "Session not found"},
    }


@pytest.mark.parametrize("text", [write("ping"), INITIALIZED])
async def test_a_gone_homes_sessions_are_gone(text: bytes) -> None:
    """2025-11-25 transports: 404, upon which the client starts over."""
    server, _ = serve(SessionHostGone)
    reply = await server.answer(server.receive(text, headers()))
    assert reply.status == 404
    error = {"code": -32600, "message": "Session not found"}
    assert json.loads(reply.body)["error"] == error


async def test_streams_and_ends_of_foreign_sessions_are_their_homes() -> None:
    """D-049: GET and DELETE go the same way as messages."""
    server, relay = serve()
    sent = headers()
    stream = await server.open_stream(sent)
    assert stream is not None
    assert await asyncio.wait_for(stream.feed.next(), BOUND) == [b"from home"]
    assert await server.end_session(sent)
    channel = THERE.make(None)
    assert await server.forward_to_channel(channel, b"text") == Response(202)
    origin, channels = (
        SessionLocation("there", "2025-11-25"),
        SessionLocation("there", None),
    )
    assert relay.asked == [
        (sent.session, origin),
        (sent.session, origin),
        (channel, channels, b"text"),
    ]


@pytest.mark.parametrize("failure", FAILURES)
async def test_streams_and_ends_of_lost_sessions_are_not_found(
    failure: type[Exception],
) -> None:
    """D-049: 404, never a 5xx."""
    server, relay = serve(failure)
    assert await server.open_stream(headers()) is None
    assert not await server.end_session(headers())
    assert await server.forward_to_channel(THERE.make(None), b"") is None
    assert len(relay.asked) == 3


async def test_a_session_is_found_only_by_its_own_transport() -> None:
    """D-113: a stream's id is no session's, wherever it is."""
    server, relay = serve()
    channel = McpHeaders(session=THERE.make(None))
    assert await server.open_stream(channel) is None
    assert not await server.end_session(channel)
    assert isinstance(server.receive(write("ping"), channel), Rejection)
    session = THERE.make("2025-11-25")
    assert await server.forward_to_channel(session, b"") is None
    assert relay.asked == []


@pytest.mark.parametrize("session", ["unknown", "there.2025-11-25.random.mac", ""])
async def test_a_forged_id_is_unknown(session: str) -> None:
    """D-049: forged ids reach no other process."""
    server, relay = serve()
    received = server.receive(write("ping"), McpHeaders(session=session))
    assert isinstance(received, Rejection)
    assert received.status == 404
    assert await server.open_stream(McpHeaders(session=session)) is None
    assert await server.forward_to_channel(session, b"") is None
    assert relay.asked == []
