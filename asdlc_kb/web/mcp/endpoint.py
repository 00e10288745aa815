"""The MCP endpoint: one handler for POST, GET and DELETE.

It handles bytes and headers only; `asdlc_kb.mcp` interprets them.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Final

from tornado.web import HTTPError

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.errors import InternalError, InvalidRequest, ProtocolError
from asdlc_kb.mcp.protocol.inbound import Batch, Call, Inbound, McpHeaders, Rejection
from asdlc_kb.mcp.protocol.versions import HANDSHAKE, STATELESS
from asdlc_kb.mcp.server import CANCELLED
from asdlc_kb.mcp.sessions.session_store import SessionsExhausted
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.ops.logs.access_log import EntryKind, access
from asdlc_kb.web.admission.client_address import rate_limit_key
from asdlc_kb.web.admission.rate_limit import REASON, RateLimitExceeded
from asdlc_kb.web.connections.event_stream import COMMENT, sse_frame
from asdlc_kb.web.handler import (
    RETRY_SECONDS,
    BaseHandler,
    HandlerContext,
    describe_request,
)
from asdlc_kb.web.mcp.headers import (
    EVENTS,
    accepts_event_stream,
    accepts_json,
    check_headers,
    names_event_stream,
    names_html,
    read_headers,
)
from asdlc_kb.web.request_metrics import count_call

_CORS_HEADERS: Final = (
    "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, "
    "Mcp-Method, Mcp-Name, Last-Event-ID"
)

_MAX_ID_SCAN_BYTES: Final = 8 * 1024
"""Longest message that is parsed for its id beyond the rate, in bytes."""


class McpHandler(BaseHandler):
    """Accepts one message per POST; answers with JSON, or with an event stream."""

    route = "mcp"
    allow = "GET, POST, DELETE"

    def initialize(self, context: HandlerContext) -> None:
        """Set up the request, without a call under way."""
        super().initialize(context)
        self._answering: asyncio.Task[Response] | None = None
        self._is_stream = False
        self._message: Inbound | Batch | None = None
        self._reply: Response | None = None
        self._is_cached = False

    def check_rate_limit(self) -> RateLimitExceeded | None:
        """Count a message as a call."""
        if self.request.method == "POST":
            return self.context.limits.consume_call(self.address)
        return super().check_rate_limit()

    def needs_token(self) -> bool:
        """Admit a CORS preflight, which comes without a token."""
        return self.request.method != "OPTIONS"

    def send_rate_limited(self, exceeded: RateLimitExceeded) -> None:
        """Send a JSON-RPC error, with the id of a short request."""
        request_id = None
        if len(self.body) <= _MAX_ID_SCAN_BYTES:
            request_id = jsonrpc.recover_id(bytes(self.body))
        error = InternalError(REASON, exceeded.describe())
        self.set_rate_limited(exceeded)
        self.set_header("Content-Type", "application/json")
        self.finish(jsonrpc.write_error(request_id, jsonrpc.describe(error)))

    async def post(self) -> None:
        """Answer one JSON-RPC message, here or on its HTTP+SSE stream."""
        channel_id = self._read_channel_id()
        if channel_id is not None:
            await self._post_to_channel(channel_id)
            return
        refusal = self._check_form()
        if refusal is None and not accepts_json(self.request.headers):
            refusal = _refusal(406, "Accept must allow application/json")
        if refusal is not None:
            self._send(await self.context.server.answer(refusal))
            return
        message = self.context.server.receive(bytes(self.body), self._read_headers())
        if not self._admits(message):
            return
        if (cached := self.context.server.ready(message)) is not None:
            self._is_cached = True
            self._send(cached)
            return
        emit = self._emit if accepts_event_stream(self.request.headers) else None
        self._answering = asyncio.ensure_future(
            self.context.server.answer(message, emit)
        )
        try:
            reply = await self._answering
        except asyncio.CancelledError:
            # Closing the stream cancels the request (MCP 2026-07-28).
            self._reply = CANCELLED
            self.log_fields["cancelled"] = True
            return
        if reply.feed is not None:
            self._record_reply(reply)
            if self._has_capacity():
                self._start_stream(reply.feed)
            else:
                reply.feed.close()
        else:
            self._send(reply)

    def delete(self) -> None:
        """End a session at the client's request."""
        headers = self._read_headers()
        if headers.version in STATELESS:
            self._refuse_method("POST")
        elif headers.session is None:
            self.refuse(400, "Mcp-Session-Id header is missing")
        elif not self.context.server.end_session(headers):
            self.refuse(404, "Session not found")
        else:
            self.set_status(204)
            self.finish()

    async def get(self) -> None:
        """Open a stream of a session, or of the HTTP+SSE transport.

        Accept must name event streams: other clients would wait for ever.
        """
        headers = self._read_headers()
        if headers.version is not None and headers.version not in HANDSHAKE:
            self._refuse_method("POST")
        elif not names_event_stream(self.request.headers):
            self._redirect_browser()
        elif headers.session is None and not self.context.sse:
            self._refuse_method("POST, DELETE")
        else:
            try:
                await self._open_stream(headers)
            except SessionsExhausted as error:
                self.refuse(503, str(error))

    def _redirect_browser(self) -> None:
        """Redirect a browser to the instructions; send 405 to other clients."""
        if self.context.site is None or not names_html(self.request.headers):
            self._refuse_method(self.allow)
            return
        self.set_status(303)
        self.set_header("Location", f"{self.context.prefix}/connect")
        self.set_header("Vary", "Accept")
        self.finish()

    def _open_channel(self) -> None:
        """Open an HTTP+SSE stream; its first event is the URL for messages."""
        # A stream may outlive the server object, and must not keep it alive.
        sessions = self.context.server.sessions
        if not self._has_capacity():
            return
        session = sessions.open_channel(
            self._principal_name, rate_limit_key(self.address)
        )
        address = f"{self._own_path()}?session_id={session.id}".encode()
        self._start_stream(
            sessions.open_queue(session),
            sse_frame(address, b"endpoint"),
            is_wanted=partial(sessions.keeps, session),
        )

    async def _open_stream(self, headers: McpHeaders) -> None:
        """Open a channel, or the stream of a session; an older one of it ends."""
        server = self.context.server
        if headers.session is None:
            self._open_channel()
            return
        session = server.find_session(headers)
        missed = await server.find_missed(session) if session else []
        # The client may have ended it meanwhile.
        if session is None or server.find_session(headers) is None:
            self.refuse(404, "Session not found")
            return
        if not self._has_capacity():
            return
        queue = server.sessions.open_queue(session, missed)
        if session.claims is not None:
            self.log_fields["client"] = session.claims.client_name
        self._start_stream(queue, is_wanted=partial(server.sessions.keeps, session))

    def _read_channel_id(self) -> str | None:
        """Return the `session_id` argument; empty if it is not valid UTF-8."""
        try:
            return self.get_query_argument("session_id", None)
        except HTTPError:
            # Tornado's error would repeat it.
            return ""

    async def _post_to_channel(self, channel_id: str) -> None:
        """Accept a message that is answered on its stream, in any process."""
        server, principal = self.context.server, self._principal_name
        if (refusal := self._check_form()) is not None:
            self._send(await server.answer(refusal))
            return
        channel = await server.await_channel(channel_id, principal)
        if channel is None:
            self.refuse(404, "Session not found")
            return
        message = server.receive(bytes(self.body), session=channel)
        if self._admits(message):
            self._send(await server.answer_on_channel(channel, message))

    def _admits(self, message: Inbound | Batch) -> bool:
        """Record the message; reject a batch beyond the client's rate.

        The request was counted as one call, so its other members are counted here.
        """
        self._message = message
        if not isinstance(message, Batch):
            return True
        limits, number = self.context.limits, len(message.members)
        if limits.max_calls is not None and number > limits.max_calls:
            detail = (
                f"the rate limit admits at most {limits.max_calls} messages together"
            )
            self.refuse(400, f"{detail}, and the batch has {number}: send smaller ones")
            return False
        if (exceeded := limits.consume_calls(self.address, number - 1)) is not None:
            self.send_rate_limited(exceeded)
            return False
        return True

    def _start_stream(
        self,
        queue: EventQueue,
        opening: bytes = COMMENT,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        """Start a stream that lasts until either end closes it."""
        started, fields = monotonic(), describe_request(self)

        def log() -> None:
            fields["ms"] = round((monotonic() - started) * 1000, 2)
            access.record(fields)

        self.count(is_stream=True)
        self.context.state.streams.start(
            self,
            queue,
            address=self.address,
            principal=self._principal_name,
            opening=opening,
            is_wanted=self._while_admitted(is_wanted),
            on_end=log,
        )
        self.context.state.in_flight.discard(self)

    def _has_capacity(self) -> bool:
        """Whether a further stream is within the limits; if not, send 503."""
        streams = self.context.state.streams
        if streams.has_capacity(self.address, self._principal_name):
            return True
        self.refuse(503, "too many streams are open")
        return False

    def _while_admitted(self, is_wanted: Callable[[], bool]) -> Callable[[], bool]:
        """Limit a stream to the validity of its token."""
        state, principal = self.context.state, self.principal
        return lambda: is_wanted() and state.admits(principal)

    def options(self) -> None:
        """Answer a CORS preflight for the allowed origins."""
        origin = self.request.headers.get("Origin")
        if origin is None or not self.context.host_origin.allows_origin(origin):
            self._refuse_method(self.allow)
            return
        self.set_header("Access-Control-Allow-Methods", self.allow)
        self.set_header("Access-Control-Allow-Headers", _CORS_HEADERS)
        self.set_header("Access-Control-Max-Age", "600")
        self.set_status(204)
        self.finish()

    def refuse(self, status: int, reason: str) -> None:
        """Send a JSON-RPC error, with the id of the request if known."""
        error: ProtocolError = InvalidRequest(data={"reason": reason})
        if status == 503:
            error = InternalError(data={"reason": reason})
        elif status >= 500:
            error = InternalError()
        self._set_status(status)
        self.set_header("Content-Type", "application/json")
        request_id = self._message.id if isinstance(self._message, Call) else None
        self.finish(jsonrpc.write_error(request_id, jsonrpc.describe(error)))

    def on_connection_close(self) -> None:
        """Cancel the call of a stateless client that left."""
        super().on_connection_close()
        is_stateless = isinstance(self._message, Call) and self._message.is_stateless
        if self._answering is not None and is_stateless:
            self._answering.cancel()

    @property
    def _principal_name(self) -> str | None:
        return None if self.principal is None else self.principal.name

    def _read_headers(self) -> McpHeaders:
        return read_headers(
            self.request.headers, self._principal_name, rate_limit_key(self.address)
        )

    def _set_status(self, status: int) -> None:
        """Set the status, with Retry-After for 503."""
        self.set_status(status)
        if status == 503:
            self.set_header("Retry-After", RETRY_SECONDS)

    def _own_path(self) -> str:
        """Return the endpoint's path as seen by clients, also behind a proxy."""
        if self.context.base_url is None:
            return self.request.path
        return f"{self.context.prefix}/mcp"

    def _refuse_method(self, allow: str) -> None:
        self.set_header("Allow", allow)
        self.refuse(405, "this is an MCP endpoint: send JSON-RPC messages by POST")

    def _check_form(self) -> Rejection | None:
        """Return a rejection if the size or headers of the request are invalid."""
        if self.is_too_large:
            return _refusal(413, self.size_reason)
        refused = check_headers(self.request.headers)
        return _refusal(*refused) if refused else None

    def _emit(self, notification: bytes) -> None:
        """Send a notification before the result: the response becomes a stream."""
        if not self._is_stream:
            self._is_stream = True
            self.set_header("Content-Type", EVENTS)
            self.set_header("X-Accel-Buffering", "no")
        self.write(sse_frame(notification))
        self.flush()

    def _send(self, reply: Response) -> None:
        self._record_reply(reply)
        if self._is_stream or (reply.is_cancelled and reply.status == 200):
            self.set_header("Content-Type", EVENTS)
            self.finish(sse_frame(reply.body) if reply.body else None)
            return
        self._set_status(reply.status)
        if reply.session is not None:
            self.set_header("Mcp-Session-Id", reply.session)
        if reply.body:
            self.set_header("Content-Type", "application/json")
            self.finish(reply.body)
        else:
            self.finish()

    def count(self, *, is_stream: bool = False) -> None:
        """Count the request and its call."""
        super().count(is_stream=is_stream)
        if self._message is None and self._reply is None:
            return
        count_call(
            self.context.server,
            self._message,
            self._reply,
            is_cached=self._is_cached,
            seconds=None if is_stream else self.request.request_time(),
        )

    @property
    def refusal(self) -> EntryKind | None:
        """The status and error code; a code may come with any status."""
        if self._reply is not None and self._reply.refusal is not None:
            return self.get_status(), self._reply.refusal
        return super().refusal

    def _record_reply(self, reply: Response) -> None:
        # The handler lives until the peer has read all: do not keep the bytes twice.
        self._answering, self._reply = None, replace(reply, body=b"", result=b"")
        self.log_fields |= {"bytes": len(reply.body), **reply.describe()}
        if isinstance(self._message, Call):
            logs_queries = self.context.logs_queries
            self.log_fields |= self._message.describe(with_query=logs_queries)


def _refusal(status: int, reason: str) -> Rejection:
    return Rejection(InvalidRequest(data={"reason": reason}), status)
