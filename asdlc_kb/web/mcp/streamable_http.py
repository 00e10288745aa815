"""The Streamable HTTP transport: sessions of 2025-03-26 and later, stateless calls."""

import asyncio
from functools import partial

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.event_limits import fit_event
from asdlc_kb.mcp.protocol.inbound import Batch, Call, Inbound, McpHeaders
from asdlc_kb.mcp.protocol.versions import HANDSHAKE, STATELESS
from asdlc_kb.mcp.server import CANCELLED
from asdlc_kb.mcp.sessions.session_store import SessionsExhausted
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.mcp.headers import (
    accepts_event_stream,
    accepts_json,
    names_event_stream,
    names_html,
    read_headers,
)
from asdlc_kb.web.mcp.mcp_handler import McpHandler
from asdlc_kb.web.mcp.preflight import answer_preflight
from asdlc_kb.web.stream_response import (
    finish_stream,
    has_capacity,
    send_event,
    start_stream,
)


class StreamableHttpHandler(McpHandler):
    """Accepts one message per POST; answers with JSON, or with an event stream."""

    def initialize(self, context: HandlerContext) -> None:
        """Set up the request, without a call under way."""
        super().initialize(context)
        self._answering: asyncio.Task[Response] | None = None
        self._is_stream = False

    def needs_token(self) -> bool:
        """Admit a CORS preflight, which comes without a token."""
        return self.request.method != "OPTIONS"

    async def post(self) -> None:
        """Answer one JSON-RPC message."""
        message = self._receive()
        if message is None or not self.admits(message):
            return
        cached = self.context.server.cached_response(message)
        self.is_cached = cached is not None
        reply = cached or await self._answer(message)
        if reply is None:
            return
        if reply.queue is None:
            self.send_reply(reply)
            return
        self.record_reply(reply)
        if has_capacity(self):
            start_stream(self, reply.queue)
        else:
            reply.queue.close()

    def _receive(self) -> Inbound | Batch | None:
        """Parse the message; reject a request of another form."""
        invalid = self.check_form()
        if invalid is None and not accepts_json(self.request.headers):
            invalid = 406, "Accept must allow application/json"
        if invalid is not None:
            self.reject_message(*invalid)
            return None
        return self.context.server.receive(bytes(self.body), self._read_headers())

    async def _answer(self, message: Inbound | Batch) -> Response | None:
        """Return the response; None if the client of a stateless call left.

        Closing the stream cancels the request (MCP 2026-07-28).
        """
        emit = self._emit if accepts_event_stream(self.request.headers) else None
        self._answering = asyncio.ensure_future(
            self.context.server.answer(message, emit)
        )
        try:
            return await self._answering
        except asyncio.CancelledError:
            self.reply = CANCELLED
            self.log_fields["cancelled"] = True
            return None
        finally:
            # The task keeps the response, and the handler lives until it is read.
            self._answering = None

    def delete(self) -> None:
        """End a session at the client's request."""
        headers = self._read_headers()
        if headers.version in STATELESS:
            self._reject_method("POST")
        elif headers.session is None:
            self.reject(400, "Mcp-Session-Id header is missing")
        elif not self.context.server.end_session(headers):
            self.reject(404, "Session not found")
        else:
            self.set_status(204)
            self.finish()

    async def get(self) -> None:
        """Open a stream of a session.

        Accept must name event streams: other clients would wait for ever.
        """
        headers = self._read_headers()
        if headers.version is not None and headers.version not in HANDSHAKE:
            self._reject_method("POST")
        elif not names_event_stream(self.request.headers):
            self._redirect_browser()
        elif headers.session is None:
            # `web.routes` gives it to `LegacySseHandler` where that is offered.
            self._reject_method("POST, DELETE")
        else:
            try:
                await self._open_stream(headers)
            except SessionsExhausted as error:
                self.reject(503, str(error))

    def _redirect_browser(self) -> None:
        """Redirect a browser to the instructions; send 405 to other clients."""
        if self.context.site is None or not names_html(self.request.headers):
            self._reject_method(self.allow)
            return
        self.set_status(303)
        self.set_header("Location", f"{self.context.prefix}/connect")
        self.set_header("Vary", "Accept")
        self.clear_header("Content-Type")
        self.finish()

    async def _open_stream(self, headers: McpHeaders) -> None:
        """Open the stream of a session; an older one of it ends."""
        # A stream may outlive the server object, and must not keep it alive.
        server, sessions = self.context.server, self.context.server.sessions
        session = server.find_session(headers)
        missed = await server.find_missed(session) if session else []
        # The client may have ended it meanwhile.
        if session is None or server.find_session(headers) is None:
            self.reject(404, "Session not found")
            return
        if not has_capacity(self):
            return
        queue = sessions.open_queue(session, missed)
        if session.claims is not None:
            self.log_fields["client"] = session.claims.client_name
        start_stream(self, queue, is_wanted=partial(sessions.is_stored, session))

    def options(self) -> None:
        """Answer a CORS preflight for the allowed origins."""
        if not answer_preflight(self):
            self._reject_method(self.allow)

    def on_connection_close(self) -> None:
        """Cancel the call of a stateless client that left."""
        super().on_connection_close()
        is_stateless = isinstance(self.message, Call) and self.message.is_stateless
        if self._answering is not None and is_stateless:
            self._answering.cancel()

    def _read_headers(self) -> McpHeaders:
        return read_headers(self.request.headers, self.principal, self.client_key)

    def _reject_method(self, allow: str) -> None:
        self.set_header("Allow", allow)
        self.reject(405, "this is an MCP endpoint: send JSON-RPC messages by POST")

    def _emit(self, notification: bytes) -> None:
        """Send a notification before the result: the response becomes a stream."""
        self._is_stream = True
        send_event(self, notification)

    def send_reply(self, reply: Response) -> None:
        """Send a response, or an error if it is too long for the stream."""
        super().send_reply(fit_event(self.message, reply) if self._is_stream else reply)

    def write_reply(self, reply: Response) -> None:
        """Send a response, as the last event if the response is a stream."""
        if self._is_stream or (reply.is_cancelled and reply.status == 200):
            finish_stream(self, reply.body)
        else:
            super().write_reply(reply)
