"""The short way of a remembered answer: from the connection to the server and back.

Most requests to the MCP endpoint are calls that were answered before. What stands in
front of the application answers those with the same pure decisions as the handler
(`Gate.admit`, `message`, `Server.receive`, `Server.ready`), but without making a
handler for each. Everything else, and everything in doubt, goes to the application as
it came.
"""

import time
from collections.abc import Awaitable
from email.utils import formatdate
from functools import lru_cache
from typing import cast

from tornado.http1connection import HTTP1Connection
from tornado.httputil import (
    HTTPConnection,
    HTTPHeaders,
    HTTPMessageDelegate,
    HTTPServerConnectionDelegate,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.web import Application

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.inbound import Call
from asdlc_kb.ops.logs.access_log import access
from asdlc_kb.ops.logs.request_context import make_request_id
from asdlc_kb.web.admission.client_address import read_request_id
from asdlc_kb.web.handler import COMMON_HEADERS, HandlerContext
from asdlc_kb.web.mcp.headers import accepts_json, check_headers, read_headers
from asdlc_kb.web.request_metrics import count_cached

PATH = "/mcp"

_MAX_BODY_BYTES = 64 * 1024
"""Bytes of a body that is held back until it is whole."""

_OK = ResponseStartLine("HTTP/1.1", 200, "OK")

_UNUSUAL = frozenset({"Origin", "Expect", "Transfer-Encoding"})
"""Headers whose requests are the application's."""


class FastPath(HTTPServerConnectionDelegate):
    """Answers what is remembered, and hands the rest to the application."""

    def __init__(self, application: Application, door: HandlerContext) -> None:
        self.application = application
        self.door = door
        self.headers = HTTPHeaders(
            {**COMMON_HEADERS, "Content-Type": "application/json"}
        )
        """Of one answer after another: each is written before the next is made."""

    def replace(self, application: Application, door: HandlerContext) -> None:
        """Have every request that begins from now on answered by another one."""
        self.application, self.door = application, door

    def start_request(
        self, server_conn: object, request_conn: HTTPConnection
    ) -> HTTPMessageDelegate:
        """Begin with a request whose headers are still to come."""
        return _FastRequest(self, server_conn, cast(HTTP1Connection, request_conn))


class _FastRequest(HTTPMessageDelegate):
    """One request: held back while it may be a short one, else passed on."""

    def __init__(
        self, front: FastPath, server_conn: object, connection: HTTP1Connection
    ) -> None:
        self._front = front
        self._door = front.door
        self._application = front.application
        self._server_conn = server_conn
        self._connection = connection
        self._handler: HTTPMessageDelegate | None = None
        self._body = bytearray()
        self._principal: str | None = None

    def headers_received(
        self,
        start_line: RequestStartLine | ResponseStartLine,
        headers: HTTPHeaders,
    ) -> Awaitable[None] | None:
        """Hold a request back that looks like a plain call."""
        assert isinstance(start_line, RequestStartLine)
        self._began = time.perf_counter()
        # A connection may have waited for its next request for long.
        self._door = self._front.door
        self._application = self._front.application
        self._start_line, self._headers = start_line, headers
        if self._is_plain():
            # A server on its way out waits for who has begun to ask.
            self._door.state.in_flight.add(self)
            return None
        return self._pass_on()

    def data_received(self, chunk: bytes) -> Awaitable[None] | None:
        """Hold the body back with the headers."""
        if self._handler is not None:
            return self._handler.data_received(chunk)
        self._body += chunk
        return None

    def finish(self) -> None:
        """Answer from memory, or let the application answer."""
        self._door.state.in_flight.discard(self)
        if self._handler is None:
            found = self._find()
            # Who asks too often is the application's: it knows how to refuse.
            if found is not None and self._door.limits.admits_call(self.address):
                self._answer(*found)
                return
            self._pass_on()
            self.data_received(bytes(self._body))
        assert self._handler is not None
        self._handler.finish()

    def on_connection_close(self) -> None:
        """Tell who has the request; one that was held back ends with its sender."""
        self._door.state.in_flight.discard(self)
        if self._handler is not None:
            self._handler.on_connection_close()

    def _is_plain(self) -> bool:
        """Whether the headers are those of a call, and of nothing unusual."""
        line = self._start_line
        if (line.method, line.path, line.version) != ("POST", PATH, "HTTP/1.1"):
            return False
        if not self._door.has_mcp:
            return False
        listed = list(self._headers.get_all())
        self._sent = sent = dict(listed)
        length = sent.get("Content-Length", "")
        return (
            len(sent) == len(listed)
            and length.isdecimal()
            and len(length) < 6
            and int(length) <= _MAX_BODY_BYTES
            and _UNUSUAL.isdisjoint(sent)
            and sent.get("Connection", "keep-alive").lower() == "keep-alive"
            and not self._door.state.is_draining
            and self._door.gate.admit(sent.get("Host", ""), None) is None
            and check_headers(sent) is None
            and accepts_json(sent)
        )

    def _pass_on(self) -> Awaitable[None] | None:
        self._handler = self._application.start_request(
            self._server_conn, self._connection
        )
        return self._handler.headers_received(self._start_line, self._headers)

    def _find(self) -> tuple[Call, Response] | None:
        """Return the call and the answer that is remembered for it, if there is one."""
        server = self._door.server
        if len(self._body) > self._door.max_body or self._door.state.is_draining:
            return None
        if (bearer := self._door.bearer) is not None:
            found = bearer.recall(self._sent.get("Authorization"))
            if found is None:
                return None
            self._principal = found.name
        headers = read_headers(self._sent, self._principal)
        try:
            call = server.receive(bytes(self._body), headers)
            reply = server.ready(call)
        except Exception:
            # The handler meets it again, and knows how to tell.
            return None
        if reply is None or not isinstance(call, Call):
            return None
        return call, reply

    def _answer(self, call: Call, reply: Response) -> None:
        """Write an answer, count it, and write its line in the log."""
        body = reply.body
        request_id = self._request_id
        headers = self._front.headers
        headers["Content-Length"] = str(len(body))
        headers["Date"] = _http_date(int(time.time()))
        headers["X-Request-Id"] = request_id
        self._connection.write_headers(_OK, headers, body)
        self._connection.finish()
        seconds = time.perf_counter() - self._began
        count_cached(call, reply, seconds)
        if access.takes(None):
            self._log(call, reply, seconds, request_id=request_id)

    @property
    def _peer(self) -> str | None:
        peer: str | None = getattr(self._connection.context, "remote_ip", None)
        return peer

    @property
    def _request_id(self) -> str:
        """The id that a trusted proxy gave it, or our own."""
        given = read_request_id(self._sent, self._peer, self._door.proxies)
        return given or make_request_id()

    @property
    def address(self) -> str:
        """Whose request it is."""
        peer = self._peer
        return self._door.proxies.find(peer, self._sent.get("X-Forwarded-For"))

    def _log(
        self, call: Call, reply: Response, seconds: float, *, request_id: str
    ) -> None:
        access.note(
            {
                "door": "http",
                "verb": "POST",
                "path": PATH,
                "status": 200,
                "ms": round(seconds * 1000, 2),
                "address": self.address,
                "principal": self._principal,
                "request_id": request_id,
                "bytes": len(reply.body),
                "found": reply.found,
                **call.describe(with_query=self._door.logs_queries),
            }
        )


@lru_cache(maxsize=1)
def _http_date(second: int) -> str:
    return formatdate(second, usegmt=True)
