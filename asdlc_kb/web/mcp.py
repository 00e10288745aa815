"""The MCP endpoint: one handler for POST, DELETE and, in time, GET.

It moves bytes and headers; what they mean is decided in `asdlc_kb.mcp`.
"""

import asyncio
from typing import Final

from asdlc_kb.mcp import jsonrpc
from asdlc_kb.mcp.errors import InternalError, InvalidRequest, ProtocolError
from asdlc_kb.mcp.inbound import Call, Headers, Inbound, Refusal
from asdlc_kb.mcp.reply import Reply
from asdlc_kb.mcp.versions import STATELESS
from asdlc_kb.web.base import BaseHandler, Door

_PARAMETER: Final = "mcp-param-"
_EVENTS: Final = "text/event-stream"
_ACCEPTED: Final = {"application/json", _EVENTS, "application/*", "text/*", "*/*"}
_CORS_HEADERS: Final = (
    "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, "
    "Mcp-Method, Mcp-Name, Last-Event-ID"
)


class McpHandler(BaseHandler):
    """Takes one message a POST and answers it as JSON, or as events with progress."""

    allow = "POST, DELETE"

    def initialize(self, door: Door) -> None:
        """Start without an answer under way."""
        super().initialize(door)
        self._answering: asyncio.Task[Reply] | None = None
        self._is_stream = False
        self._message: Inbound | None = None

    async def post(self) -> None:
        """Answer one JSON-RPC message."""
        if refusal := self._refuse_form():
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

    def get(self) -> None:
        """Decline: no stream is offered, and a hint tells people what this is."""
        self._refuse_method(
            "POST" if self._read_headers().version in STATELESS else self.allow
        )

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
        """Answer a refusal as a JSON-RPC error without an id."""
        error: ProtocolError = InvalidRequest(data={"reason": reason})
        if status >= 500:
            error = InternalError()
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.finish(jsonrpc.write_error(None, jsonrpc.describe(error)))

    def on_connection_close(self) -> None:
        """Cancel what a stateless client no longer waits for."""
        super().on_connection_close()
        is_stateless = isinstance(self._message, Call) and self._message.is_stateless
        if self._answering is not None and is_stateless:
            self._answering.cancel()

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
        if not self._takes_answers():
            return _refusal(406, "Accept must allow application/json")
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
        self.write(_event(notification))
        self.flush()

    def _send(self, reply: Reply) -> None:
        self._note(reply)
        if self._is_stream:
            self.finish(_event(reply.body))
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


def _event(message: bytes) -> bytes:
    return b"event: message\ndata: " + message + b"\n\n"


def _media_types(accept: str) -> set[str]:
    return {part.split(";", 1)[0].strip().lower() for part in accept.split(",")}


def _collapse(value: str | None) -> str | None:
    """Return a header's one value; some clients send the same one twice."""
    if value is None:
        return None
    values = {part.strip() for part in value.split(",")}
    return values.pop() if len(values) == 1 else value
