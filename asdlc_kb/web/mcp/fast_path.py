"""Fast path of the MCP endpoint: cached responses, without a Tornado handler.

Most requests to the endpoint repeat earlier calls. They are admitted and parsed here,
with the same pure decisions as in the handlers. A response that is not cached is left
to `StreamableHttpHandler`, which gets the parsed `McpRequest`. A request that is not
plain, not admitted or not to the endpoint is passed unchanged to the application.
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
    HTTPServerRequest,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.web import Application

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.inbound import Call
from asdlc_kb.ops.logs.request_context import make_request_id
from asdlc_kb.web.admission.client_address import rate_limit_key, read_request_id
from asdlc_kb.web.handler import COMMON_HEADERS, http_record
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.mcp.headers import accepts_json, check_headers, read_headers
from asdlc_kb.web.mcp.mcp_request import McpRequest
from asdlc_kb.web.mcp.streamable_http import StreamableHttpHandler

PATH = "/mcp"

_MAX_BODY_BYTES = 64 * 1024
"""Largest body that is buffered here, in bytes."""

_OK = ResponseStartLine("HTTP/1.1", 200, "OK")

_UNUSUAL = frozenset({"Origin", "Expect", "Transfer-Encoding"})
"""Headers of requests that are not plain."""


class FastPath(HTTPServerConnectionDelegate):
    """Answers cached calls, and passes on other requests."""

    def __init__(self, application: Application, context: HandlerContext) -> None:
        self.application = application
        self.context = context
        self.headers = HTTPHeaders(
            {**COMMON_HEADERS, "Content-Type": "application/json"}
        )
        """Headers of all responses: each is written before the next is built."""

    def replace(self, application: Application, context: HandlerContext) -> None:
        """Use another application for every request from now on."""
        self.application, self.context = application, context

    def start_request(
        self, server_conn: object, request_conn: HTTPConnection
    ) -> HTTPMessageDelegate:
        """Return the delegate of a new request."""
        return _FastRequest(self, server_conn, cast(HTTP1Connection, request_conn))


class _FastRequest(HTTPMessageDelegate):
    """One request: buffered while it may be a cached call, else passed on."""

    def __init__(
        self, fast_path: FastPath, server_conn: object, connection: HTTP1Connection
    ) -> None:
        self._fast_path = fast_path
        self._context = fast_path.context
        self._application = fast_path.application
        self._server_conn = server_conn
        self._connection = connection
        self._handler: HTTPMessageDelegate | None = None
        self._body = bytearray()

    def headers_received(
        self,
        start_line: RequestStartLine | ResponseStartLine,
        headers: HTTPHeaders,
    ) -> Awaitable[None] | None:
        """Buffer a request that looks like a plain call."""
        assert isinstance(start_line, RequestStartLine)
        self._began = time.perf_counter()
        # The application may have been replaced since the last request.
        self._context = self._fast_path.context
        self._application = self._fast_path.application
        self._start_line, self._headers = start_line, headers
        if self._is_plain():
            # A draining server waits for requests in flight.
            self._context.state.in_flight.add(self)
            return None
        return self._pass_on()

    def data_received(self, chunk: bytes) -> Awaitable[None] | None:
        """Buffer the body, or pass it on."""
        if self._handler is not None:
            return self._handler.data_received(chunk)
        self._body += chunk
        return None

    def finish(self) -> None:
        """Answer from the cache, hand the parsed request on, or pass it on unparsed."""
        self._context.state.in_flight.discard(self)
        if self._handler is None:
            request = self._receive()
            if request is None:
                self._pass_on()
                self.data_received(bytes(self._body))
            elif request.cached is not None and isinstance(request.message, Call):
                self._answer(request, request.message, request.cached)
                return
            else:
                self._hand_on(request)
        assert self._handler is not None
        self._handler.finish()

    def on_connection_close(self) -> None:
        """Notify the handler, if any; a buffered request is dropped."""
        self._context.state.in_flight.discard(self)
        if self._handler is not None:
            self._handler.on_connection_close()

    def _is_plain(self) -> bool:
        """Whether the headers are those of a plain call."""
        line = self._start_line
        if (line.method, line.path, line.version) != ("POST", PATH, "HTTP/1.1"):
            return False
        if not self._context.has_mcp:
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
            and not self._context.state.is_draining
            and self._context.host_origin.admit(sent.get("Host", ""), None) is None
            and check_headers(sent) is None
            and accepts_json(sent)
        )

    def _pass_on(self) -> Awaitable[None] | None:
        self._handler = self._application.start_request(
            self._server_conn, self._connection
        )
        return self._handler.headers_received(self._start_line, self._headers)

    def _hand_on(self, request: McpRequest) -> None:
        """Let the handler of the endpoint answer a parsed request."""
        self._handler = self._application.get_handler_delegate(
            HTTPServerRequest(
                connection=self._connection,
                server_connection=self._server_conn,
                start_line=self._start_line,
                headers=self._headers,
            ),
            StreamableHttpHandler,
            target_kwargs={"context": self._context, "received": request},
        )
        self._handler.headers_received(self._start_line, self._headers)

    def _receive(self) -> McpRequest | None:
        """Admit and parse the request; None if the application is to reject it."""
        context, principal = self._context, None
        if len(self._body) > context.max_body or context.state.is_draining:
            return None
        if (bearer := context.bearer) is not None:
            principal = bearer.lookup_cached(self._sent.get("Authorization"))
            if principal is None:
                return None
        address = context.proxies.find(self._peer, self._sent.get("X-Forwarded-For"))
        if not context.limits.try_call(address):
            return None
        name = None if principal is None else principal.name
        headers = read_headers(self._sent, name, rate_limit_key(address))
        try:
            message = context.server.receive(bytes(self._body), headers)
            cached = context.server.cached_response(message)
        except Exception:
            # The handler repeats the failure and reports it.
            return None
        return McpRequest(message, cached, address, principal)

    def _answer(self, request: McpRequest, call: Call, reply: Response) -> None:
        """Write the response, count it, and log it."""
        body = reply.body
        request_id = self._request_id
        headers = self._fast_path.headers
        headers["Content-Length"] = str(len(body))
        headers["Date"] = _http_date(int(time.time()))
        headers["X-Request-Id"] = request_id
        self._connection.write_headers(_OK, headers, body)
        self._connection.finish()
        seconds = time.perf_counter() - self._began
        self._context.requests.count_cached(call, reply, seconds)
        access_log = self._context.access_log
        if access_log.should_record(None):
            record = http_record(
                request_id,
                seconds,
                verb="POST",
                path=PATH,
                status=200,
                address=request.address,
                principal=request.principal,
                **reply.describe_call(call, with_query=self._context.logs_queries),
            )
            access_log.record(record)

    @property
    def _peer(self) -> str | None:
        peer: str | None = getattr(self._connection.context, "remote_ip", None)
        return peer

    @property
    def _request_id(self) -> str:
        """The id from a trusted proxy, or a generated one."""
        given = read_request_id(self._sent, self._peer, self._context.proxies)
        return given or make_request_id()


@lru_cache(maxsize=1)
def _http_date(second: int) -> str:
    return formatdate(second, usegmt=True)
