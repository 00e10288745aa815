"""The MCP endpoint: one handler for POST, GET and DELETE.

It moves bytes and headers; what they mean is decided in `asdlc_kb.mcp`.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from asdlc_kb.mcp import jsonrpc
from asdlc_kb.mcp.errors import (
    InternalError,
    InvalidRequest,
    ParseError,
    ProtocolError,
)
from asdlc_kb.mcp.feed import Feed
from asdlc_kb.mcp.inbound import Batch, Call, Headers, Inbound, Refusal
from asdlc_kb.mcp.reply import Reply
from asdlc_kb.mcp.sessions import SessionsExhausted
from asdlc_kb.mcp.versions import HANDSHAKE, STATELESS
from asdlc_kb.web.base import BaseHandler, Door
from asdlc_kb.web.events import COMMENT, EventStream, frame

_PARAMETER: Final = "mcp-param-"
_EVENTS: Final = "text/event-stream"
_ACCEPTED: Final = {"application/json", _EVENTS, "application/*", "text/*", "*/*"}
_CORS_HEADERS: Final = (
    "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, "
    "Mcp-Method, Mcp-Name, Last-Event-ID"
)


class McpHandler(BaseHandler):
    """Takes one message a POST and answers it as JSON, or as events with progress."""

    allow = "GET, POST, DELETE"

    def initialize(self, door: Door) -> None:
        """Start without an answer under way."""
        super().initialize(door)
        self._answering: asyncio.Task[Reply] | None = None
        self._is_stream = False
        self._message: Inbound | Batch | None = None
        self._stream: EventStream | None = None

    async def post(self) -> None:
        """Answer one JSON-RPC message, or take it for an HTTP+SSE stream."""
        channel_id = self.get_query_argument("session_id", None)
        if channel_id is not None:
            await self._post_to_channel(channel_id)
            return
        refusal = self._refuse_form()
        if refusal is None and not self._takes_answers():
            refusal = _refusal(406, "Accept must allow application/json")
        if refusal is not None:
            self._send(await self.door.server.answer(refusal))
            return
        message = self.door.server.receive(bytes(self.body), self._read_headers())
        self._message = message
        emit = self._emit if self._takes_events() else None
        self._answering = asyncio.ensure_future(self.door.server.answer(message, emit))
        try:
            reply = await self._answering
        except asyncio.CancelledError:
            # The client closed the stream, which cancels the request (2026-07-28).
            self.log_fields["cancelled"] = True
            return
        if reply.feed is not None:
            await self._run_stream(reply.feed)
        else:
            self._send(reply)

    def delete(self) -> None:
        """End a session at its client's wish."""
        headers = self._read_headers()
        if headers.version in STATELESS:
            self._refuse_method("POST")
        elif headers.session is None:
            self.refuse(400, "Mcp-Session-Id header is missing")
        elif self.door.server.close_session(headers.session):
            self.set_status(204)
            self.finish()
        else:
            self.refuse(404, "Session not found")

    async def get(self) -> None:
        """Open a stream of a session, or of the HTTP+SSE transport.

        Only for who asks for events explicitly: others would wait for ever.
        """
        headers = self._read_headers()
        server = self.door.server
        if headers.version is not None and headers.version not in HANDSHAKE:
            self._refuse_method("POST")
        elif _EVENTS not in _media_types(self.request.headers.get("Accept", "")):
            self._refuse_method(self.allow)
        elif headers.session is None and not self.door.sse:
            self._refuse_method("POST, DELETE")
        elif headers.session is None:
            await self._open_channel()
        elif (session := server.find_session(headers)) is None:
            self.refuse(404, "Session not found")
        else:
            feed = server.open_feed(session)
            await self._run_stream(feed, is_wanted=partial(server.keep, session))

    async def _open_channel(self) -> None:
        """Open an HTTP+SSE stream, whose first event says where to send messages."""
        server = self.door.server
        try:
            session = server.open_channel()
        except SessionsExhausted as error:
            self._refuse_for_now(str(error))
            return
        address = f"{self.request.path}?session_id={session.id}".encode()
        try:
            await self._run_stream(
                server.open_feed(session),
                frame(address, b"endpoint"),
                is_wanted=partial(server.keep, session),
            )
        finally:
            server.close_session(session.id)

    async def _post_to_channel(self, channel_id: str) -> None:
        """Take a message whose answer goes over its HTTP+SSE stream."""
        server = self.door.server
        session = server.find_channel(channel_id)
        if session is None:
            self.refuse(404, "Session not found")
            return
        if refusal := self._refuse_form():
            self._send(await server.answer(refusal))
            return
        message = server.receive(bytes(self.body), session=session)
        if isinstance(message, Refusal) and isinstance(message.error, ParseError):
            self._send(await server.answer(message))
            return
        self._message = message
        (feed,) = session.feeds
        reply = await server.answer(message, feed.post, session)
        if reply.body:
            feed.post(reply.body)
        self._note(reply)
        self.set_status(202)
        self.finish()

    async def _run_stream(
        self,
        feed: Feed,
        opening: bytes = COMMENT,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        """Keep a stream open as long as both ends want it."""
        streams = self.door.state.streams
        address = self.request.remote_ip
        if not streams.has_room(address):
            feed.close()
            self._refuse_for_now("too many streams are open")
            return
        self._stream = EventStream(self, feed, is_wanted)
        await streams.run(self._stream, address, opening)

    def options(self) -> None:
        """Answer a browser's preflight for pages the operator let call."""
        origin = self.request.headers.get("Origin")
        if origin is None or not self.door.gate.allows_origin(origin):
            self._refuse_method(self.allow)
            return
        self.set_header("Access-Control-Allow-Methods", self.allow)
        self.set_header("Access-Control-Allow-Headers", _CORS_HEADERS)
        self.set_header("Access-Control-Max-Age", "600")
        self.set_status(204)
        self.finish()

    def refuse(self, status: int, reason: str) -> None:
        """Answer a refusal as a JSON-RPC error, with the id of a request."""
        error: ProtocolError = InvalidRequest(data={"reason": reason})
        if status >= 500:
            error = InternalError()
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        request_id = self._message.id if isinstance(self._message, Call) else None
        self.finish(jsonrpc.write_error(request_id, jsonrpc.describe(error)))

    def on_connection_close(self) -> None:
        """Cancel what a stateless client no longer waits for."""
        super().on_connection_close()
        is_stateless = isinstance(self._message, Call) and self._message.is_stateless
        if self._answering is not None and is_stateless:
            self._answering.cancel()
        if self._stream is not None:
            self._stream.leave()

    def _refuse_for_now(self, reason: str) -> None:
        self.set_header("Retry-After", "30")
        self.refuse(503, reason)

    def _refuse_method(self, allow: str) -> None:
        self.set_header("Allow", allow)
        self.refuse(405, "this is an MCP endpoint: send JSON-RPC messages by POST")

    def _refuse_form(self) -> Refusal | None:
        """Return why the request is not read: its size, type or wish."""
        headers = self.request.headers
        if self.is_too_large:
            return _refusal(413, self.size_reason)
        if headers.get("Content-Encoding", "identity").lower() != "identity":
            return _refusal(415, "send the body without Content-Encoding")
        media_type = headers.get("Content-Type", "").split(";", 1)[0].strip().lower()
        if media_type != "application/json":
            return _refusal(415, "Content-Type must be application/json")
        return None

    def _takes_answers(self) -> bool:
        """Whether the client takes what we send; many say less than they take."""
        accept = self.request.headers.get("Accept")
        return accept is None or bool(_media_types(accept) & _ACCEPTED)

    def _takes_events(self) -> bool:
        """Whether the client says that it reads events; the others get JSON alone."""
        accept = self.request.headers.get("Accept", "")
        return bool(_media_types(accept) & {_EVENTS, "text/*"})

    def _read_headers(self) -> Headers:
        """Return the MCP headers, each identical repetition collapsed."""
        sent = self.request.headers
        return Headers(
            version=_collapse(sent.get("MCP-Protocol-Version")),
            session=_collapse(sent.get("Mcp-Session-Id")),
            method=sent.get("Mcp-Method"),
            name=sent.get("Mcp-Name"),
            parameters={
                name.lower().removeprefix(_PARAMETER): value
                for name, value in sent.items()
                if name.lower().startswith(_PARAMETER)
            },
        )

    def _emit(self, notification: bytes) -> None:
        """Send a notification before the answer: from here on it is a stream."""
        if not self._is_stream:
            self._is_stream = True
            self.set_header("Content-Type", _EVENTS)
            self.set_header("X-Accel-Buffering", "no")
        self.write(frame(notification))
        self.flush()

    def _send(self, reply: Reply) -> None:
        self._note(reply)
        if self._is_stream:
            self.finish(frame(reply.body))
            return
        self.set_status(reply.status)
        if reply.session is not None:
            self.set_header("Mcp-Session-Id", reply.session)
        if reply.body:
            self.set_header("Content-Type", "application/json")
            self.finish(reply.body)
        else:
            self.finish()

    def _note(self, reply: Reply) -> None:
        self.log_fields |= {"code": reply.error, "bytes": len(reply.body)}
        if isinstance(self._message, Call):
            call = self._message
            is_tool = call.method == "tools/call" and call.target
            self.log_fields |= {
                "method": call.method[:100],
                "tool": call.target[:100] if is_tool and call.target else None,
                "version": call.version,
                "trace": call.trace,
            }


def _refusal(status: int, reason: str) -> Refusal:
    return Refusal(InvalidRequest(data={"reason": reason}), status)


def _media_types(accept: str) -> set[str]:
    return {part.split(";", 1)[0].strip().lower() for part in accept.split(",")}


def _collapse(value: str | None) -> str | None:
    """Return a header's one value; some clients send the same one twice."""
    if value is None:
        return None
    values = {part.strip() for part in value.split(",")}
    return values.pop() if len(values) == 1 else value
