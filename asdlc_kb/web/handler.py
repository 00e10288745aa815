"""Base HTTP handler: admission, body limits, headers, errors, access log."""

import logging
from asyncio import Future
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from tornado.web import HTTPError, RequestHandler, stream_request_body

from asdlc_kb.mcp.protocol.param_headers import read_trace
from asdlc_kb.ops.auth.bearer_tokens import Principal, SourceNames
from asdlc_kb.ops.logs.access_lines import access_record
from asdlc_kb.ops.logs.access_log import EntryKind
from asdlc_kb.ops.logs.request_context import begin_request, make_request_id
from asdlc_kb.web.admission.bearer import AuthFailure
from asdlc_kb.web.admission.client_address import read_request_id
from asdlc_kb.web.admission.rate_limit import REASON, RateLimitExceeded
from asdlc_kb.web.connections.monitored_stream import MonitoredStream
from asdlc_kb.web.handler_context import HandlerContext

if TYPE_CHECKING:
    from asdlc_kb.mcp.dispatch.operation import Operation
    from asdlc_kb.web.request_spans import HttpRequest, RequestSpans

COMMON_HEADERS: Final = {
    "Server": "asdlc-kb",
    "Cache-Control": "no-store, no-transform",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

RETRY_SECONDS: Final = "30"
"""Retry-After of a 503 response."""

_EXPOSED_HEADERS: Final = (
    "Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate"
)
"""Response headers that cross-origin scripts may read."""

_MAX_DRAINED_BYTES: Final = 16 * 1024 * 1024
"""Maximum number of bytes read of a rejected body, so that the client sees the
response."""


_REJECTED: Final = "REJECTED"
"""The method for Tornado of a request that is rejected whatever its own: Tornado calls
`BaseHandler.rejected` once the body was read. Tornado would reject an unknown method
before admission, and a client's method must never select a Python attribute."""


@stream_request_body
class BaseHandler(RequestHandler):
    """Admits, counts and logs a request; sends errors as short JSON."""

    SUPPORTED_METHODS = (*RequestHandler.SUPPORTED_METHODS, _REJECTED)

    context: HandlerContext
    route: str = "other"
    """The route label of the metrics."""
    allow: str = "GET, HEAD"
    """The methods of the Allow header."""

    def initialize(self, context: HandlerContext) -> None:
        """Set up the request: address, request id, trace context."""
        self.context = context
        self.body = bytearray()
        self.received = 0
        self.log_fields: dict[str, Any] = {}
        self._early_response: Callable[[], None] | None = None
        """Sends the response that was decided before the body was read."""
        request = self.request
        self.verb = request.method or ""
        """The method as sent by the client."""
        if self.verb not in RequestHandler.SUPPORTED_METHODS:
            request.method = _REJECTED
        self.address = self.find_address()
        """The client's address."""
        self.principal: Principal | None = None
        """The authenticated sender, if a token is required."""
        given = read_request_id(request.headers, request.remote_ip, context.proxies)
        if given is not None:
            self.request_id = given
            self.set_header("X-Request-Id", given)
        self.trace = read_trace(request.headers.get("Traceparent"))
        context.state.in_flight.add(self)

    def find_address(self) -> str:
        """Return the client's address; behind a trusted proxy it is in a header."""
        forwarded = self.request.headers.get("X-Forwarded-For")
        return self.context.proxies.find(self.request.remote_ip, forwarded)

    def set_default_headers(self) -> None:
        """Set the headers of every response, errors included."""
        if not hasattr(self, "request_id"):
            # Tornado resets the headers for an error: it is the same request.
            self.request_id = make_request_id()
        for name, value in COMMON_HEADERS.items():
            self.set_header(name, value)
        self.set_header("X-Request-Id", self.request_id)

    def prepare(self) -> Awaitable[None] | None:
        """Begin the request, and admit it to the sources of its token."""
        begin_request(request_id=self.request_id, trace=self.trace)
        self.admit()
        sources = None if self.principal is None else self.principal.sources
        return None if sources is None else self._limit_context(sources)

    async def _limit_context(self, sources: SourceNames) -> None:
        """Serve the request with these sources only."""
        assert self.context.views is not None
        self.context = await self.context.views.open(self.context, sources)

    def admit(self) -> None:
        """Check Host, Origin, rate limit, token and the announced body size."""
        origin = self.request.headers.get("Origin")
        host = self.request.headers.get("Host", "")
        rejection = self.context.host_origin.admit(host, origin, is_probe=self.is_probe)
        if rejection is not None:
            self._reject_origin(rejection)
            return
        if origin is not None and self.context.host_origin.allows_origin(origin):
            self.set_header("Access-Control-Allow-Origin", origin)
            self.set_header("Access-Control-Expose-Headers", _EXPOSED_HEADERS)
            self.set_header("Vary", "Origin")
        if (exceeded := self.check_rate_limit()) is not None:
            self._defer_rate_limited(exceeded)
        elif self.context.state.is_outdated and not self.is_probe:
            self._defer(self._send_outdated)
        elif (failure := self._identify()) is not None:
            self._defer(partial(self.send_challenge, failure))
        length = self.request.headers.get("Content-Length", "")
        if (
            length.isascii()
            and length.isdigit()
            and int(length[:16]) > _MAX_DRAINED_BYTES
        ):
            self._reject_and_close(413, self.size_reason)

    def _send_outdated(self) -> None:
        """Send 503: the content was not compared with its store for too long."""
        self.set_header("Retry-After", RETRY_SECONDS)
        self.reject(503, "the store of the content cannot be reached")

    def _reject_origin(self, reason: str) -> None:
        """Reject a Host or Origin without reading on; rejections are rate limited."""
        exceeded = self.context.limits.consume_rejection(self.address)
        if exceeded is None:
            self._reject_and_close(403, reason)
        else:
            self._close_after_answer()
            self.send_rate_limited(exceeded)

    def check_rate_limit(self) -> RateLimitExceeded | None:
        """Count the request; return an error if the client exceeds its rate."""
        return self.context.limits.consume_page(self.address)

    def send_rate_limited(self, exceeded: RateLimitExceeded) -> None:
        """Send 429 with the time of the next permitted request."""
        self.set_rate_limited(exceeded)
        self.finish({"error": REASON, **exceeded.describe()})

    def set_rate_limited(self, exceeded: RateLimitExceeded) -> None:
        """Set the status and headers of a 429 response."""
        self.set_status(429)
        for name, value in exceeded.headers.items():
            self.set_header(name, value)

    @property
    def is_probe(self) -> bool:
        """Whether it sends no content: then Host may be any name of this machine."""
        return False

    def needs_token(self) -> bool:
        """Whether the request needs a token where the server requires one."""
        return True

    @property
    def principal_name(self) -> str | None:
        """The name of the authenticated sender, if a token is required."""
        return None if self.principal is None else self.principal.name

    def _identify(self) -> AuthFailure | None:
        """Authenticate the request; return the failure, if any."""
        bearer = self.context.bearer
        if bearer is None or not self.needs_token():
            return None
        authorization = self.request.headers.get("Authorization")
        result = bearer.identify(authorization, self.address)
        if isinstance(result, AuthFailure):
            return result
        self.principal = result
        return None

    def send_challenge(self, failure: AuthFailure) -> None:
        """Send a WWW-Authenticate challenge: no valid token, or a missing scope."""
        assert self.context.bearer is not None
        host = self.request.headers.get("Host", "")
        challenge = self.context.bearer.challenge(failure, host)
        self.set_header("WWW-Authenticate", challenge)
        self.reject(failure.status, failure.reason)

    def _defer_rate_limited(self, exceeded: RateLimitExceeded) -> None:
        """Send 429 after the body was read; a chunked body is not read."""
        if "Transfer-Encoding" in self.request.headers:
            self._close_after_answer()
            self.send_rate_limited(exceeded)
        else:
            self._defer(partial(self.send_rate_limited, exceeded))

    def _defer(self, response: Callable[[], None]) -> None:
        """Send a response instead of the method's, after the body was read.

        An earlier response would have to close the connection.
        """
        self._early_response = response
        self.request.method = _REJECTED

    def rejected(self) -> None:
        """Send the early response; reject an unknown HTTP method like an unsupported
        one."""
        # Tornado sends no body in response to HEAD.
        self.request.method = self.verb
        if self._early_response is None:
            raise HTTPError(405)
        self._early_response()

    def data_received(self, chunk: bytes) -> None:
        """Store the body up to the limit, drop the rest."""
        self.received += len(chunk)
        if self.received > _MAX_DRAINED_BYTES:
            self._reject_and_close(413, self.size_reason)
        elif self.received <= self.context.max_body:
            self.body += chunk

    @property
    def is_too_large(self) -> bool:
        """Whether the body was larger than the limit."""
        return self.received > self.context.max_body

    @property
    def size_reason(self) -> str:
        """The error message for an oversized body."""
        return f"the body is larger than {self.context.max_body} bytes"

    def finish(self, chunk: str | bytes | dict[str, Any] | None = None) -> Future[None]:
        """End the response; close the connection if the server is draining."""
        if self.context.state.is_draining:
            self.set_header("Connection", "close")
        return super().finish(chunk)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Send an error without internal details."""
        error = kwargs.get("exc_info", (None, None))[1]
        if status_code == 405:
            self.set_header("Allow", self.allow)
        message = error.log_message if isinstance(error, HTTPError) else None
        self.reject(status_code, message or HTTPStatus(status_code).phrase)

    def reject(self, status: int, reason: str) -> None:
        """Send an error in the format of this handler's clients."""
        self.set_status(status)
        self.finish({"error": reason})

    def _reject_and_close(self, status: int, reason: str) -> None:
        """Send an error without reading on, then close the connection."""
        self._close_after_answer()
        self.reject(status, reason)

    def abort(self) -> None:
        """Close the connection within a response, so that it is seen as incomplete."""
        stream = getattr(self.request.connection, "stream", None)
        if isinstance(stream, MonitoredStream):
            stream.close()

    def _close_after_answer(self) -> None:
        """Close the connection after the response, although the peer still sends."""
        self.set_header("Connection", "close")
        stream = getattr(self.request.connection, "stream", None)
        if isinstance(stream, MonitoredStream):
            stream.linger()

    def log_exception(self, typ: Any, value: BaseException | None, tb: Any) -> None:
        """Log unexpected exceptions only; HTTP errors are in the access log."""
        if not isinstance(value, HTTPError):
            logging.getLogger(__name__).error(
                "unexpected error",
                exc_info=(typ, value, tb),  # type: ignore[arg-type]
            )

    def count(self, *, is_stream: bool = False) -> None:
        """Count a request that is finished, or continues as a stream."""
        seconds = None if is_stream else self.request.request_time()
        self.context.requests.count_request(
            self.route, self.verb, self.get_status(), seconds
        )

    def describe_span(self, spans: "RequestSpans") -> "HttpRequest":
        """Return the request as OpenTelemetry records it."""
        return spans.describe_request(
            route=self.route,
            verb=self.verb,
            path=self.request.path,
            status=self.get_status(),
            address=self.address,
            headers=self.request.headers,
            seconds=self.request.request_time(),
            scheme=self.request.protocol,
            query=self.log_fields.get("query"),
        )

    def describe_operations(self, spans: "RequestSpans") -> "Sequence[Operation]":
        """Return the MCP operations in the request."""
        return ()

    @property
    def rejection(self) -> EntryKind | None:
        """The status and error code of a rejected request, None if it was served."""
        status = self.get_status()
        return (status, None) if status >= 400 else None

    def on_connection_close(self) -> None:
        """Remove the request from those in flight: the client left."""
        super().on_connection_close()
        self.context.state.in_flight.discard(self)

    def on_finish(self) -> None:
        """Remove the request from those in flight."""
        self.context.state.in_flight.discard(self)


class NotFound(BaseHandler):
    """Sends a plain 404 for any method."""

    async def get(self) -> None:
        """Send 404."""
        raise HTTPError(404)

    head = post = put = patch = delete = options = get

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Send 404 for unsupported methods too."""
        super().write_error(404 if status_code == 405 else status_code, **kwargs)


def http_fields(
    *,
    verb: str,
    path: str,
    status: int,
    address: str,
    principal: Principal | None,
    **fields: Any,
) -> dict[str, Any]:
    """Return the log fields that equal HTTP requests share; `fields` come last."""
    return {
        "verb": verb[:20],
        "path": path[:200],
        "status": status,
        "address": address,
        "principal": None if principal is None else principal.name,
        **fields,
    }


def describe_request(handler: BaseHandler) -> dict[str, Any]:
    """Return the access record of a request so far."""
    fields = http_fields(
        verb=handler.verb,
        path=handler.request.path,
        status=handler.get_status(),
        address=handler.address,
        principal=handler.principal,
        **{"trace": handler.trace, **handler.log_fields},
    )
    seconds = handler.request.request_time()
    return access_record("http", handler.request_id, seconds, fields)


def log_request(handler: RequestHandler) -> None:
    """Count a finished request and write its access log line."""
    if isinstance(handler, BaseHandler):
        handler.count()
        access_log = handler.context.access_log
        if access_log.should_record(handler.rejection):
            access_log.record(describe_request(handler))
        if (spans := handler.context.spans) is not None:
            operations = handler.describe_operations(spans)
            spans.recorder.record_request(handler.describe_span(spans), operations)
