"""What every handler shares: the gate, body limits, headers, errors, the log line."""

import logging
from asyncio import Future
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from tornado.web import HTTPError, RequestHandler, stream_request_body

from asdlc_kb.corpus import Corpus
from asdlc_kb.mcp.protocol.param_headers import read_trace
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.ops.async_lazy import AsyncLazy
from asdlc_kb.ops.auth.bearer_tokens import Principal
from asdlc_kb.ops.logs.access_log import EntryKind, access
from asdlc_kb.ops.logs.request_context import begin_request, make_request_id
from asdlc_kb.ops.metrics.counters import LocalMetrics, MetricsSource
from asdlc_kb.web.admission.bearer import AuthFailure, BearerAuth
from asdlc_kb.web.admission.client_address import (
    Networks,
    TrustedProxies,
    read_request_id,
)
from asdlc_kb.web.admission.host_origin import HostOriginPolicy
from asdlc_kb.web.admission.rate_limit import REASON, RateLimitExceeded, RateLimits
from asdlc_kb.web.connections.connection_manager import MonitoredStream
from asdlc_kb.web.connections.event_stream import EventStreams
from asdlc_kb.web.request_metrics import count_request

if TYPE_CHECKING:
    from asdlc_kb.site.page_cache import PageCache

COMMON_HEADERS: Final = {
    "Server": "asdlc-kb",
    "Cache-Control": "no-store, no-transform",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

RETRY_SECONDS: Final = "30"
"""Retry-After of what is refused for now (503)."""

_EXPOSED: Final = (
    "Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate"
)
"""What scripts of other origins may read of an answer's headers."""

_DRAINED: Final = 16 * 1024 * 1024
"""Bytes of a refused body that are read, so that its sender sees the answer."""


_UNKNOWN: Final = "UNKNOWN"
"""Stands for every method that Tornado does not know. It would refuse them before
anything is asked of the request, and a method is never to name anything of ours."""


@dataclass(slots=True)
class ServerState:
    """What the running server is doing."""

    in_flight: set[object] = field(default_factory=set)
    """The requests that somebody waits for."""
    streams: EventStreams = field(default_factory=EventStreams)
    """The event streams that are open."""
    count_connections: Callable[[], int] = lambda: 0
    """Tells how many connections are open."""
    is_draining: bool = False
    figures: MetricsSource = field(default_factory=LocalMetrics)
    """What is counted, here and by other processes of the same server."""
    bearer: BearerAuth | None = None
    """Who decides on tokens now: streams outlive the settings that they began with."""

    def admits(self, principal: Principal | None) -> bool:
        """Whether whoever was let in once would still be."""
        if self.bearer is None:
            return True
        return principal is not None and self.bearer.tokens.accept(principal)


@dataclass(frozen=True, slots=True)
class HandlerContext:
    """Everything a handler may use."""

    server: McpServer
    corpus: Corpus
    gate: HostOriginPolicy
    max_body: int
    sse: bool
    """Whether the HTTP+SSE transport of 2024-11-05 is offered."""
    version: str
    base_url: str | None = None
    """The public address, where it is known."""
    has_mcp: bool = True
    """Whether there is an MCP endpoint."""
    site: "AsyncLazy[PageCache] | None" = None
    """The website, which is made when its first page is asked for."""
    proxies: TrustedProxies = field(default_factory=TrustedProxies)
    """Who is believed about whose request it is."""
    limits: RateLimits = field(default_factory=RateLimits)
    """How often a client may ask."""
    bearer: BearerAuth | None = None
    """Who is let in by a token; None where everybody is."""
    state: ServerState = field(default_factory=ServerState)
    observers: Networks = field(default_factory=lambda: Networks(()))
    """The addresses that may see the metrics."""
    logs_queries: bool = False
    """Whether what is searched for is in the log."""

    @property
    def is_ready(self) -> bool:
        """Whether all content was seen once and no shutdown is under way."""
        return self.corpus.was_seen and not self.state.is_draining

    @property
    def prefix(self) -> str:
        """Below which path others find the server; without a slash at its end."""
        path = urlsplit(self.base_url or "").path.strip("/")
        return f"/{path}" if path else ""


@stream_request_body
class BaseHandler(RequestHandler):
    """Admits, counts and logs a request; answers errors as short JSON."""

    SUPPORTED_METHODS = (*RequestHandler.SUPPORTED_METHODS, _UNKNOWN)

    door: HandlerContext
    route: str = "other"
    """By what name its requests are counted."""
    allow: str = "GET, HEAD"
    """The methods of the Allow header."""
    is_open: bool = False
    """Whether everybody is answered, also where others need a token."""
    is_probe: bool = False
    """Whether it sends no content: then any name of this machine may be its Host."""

    def initialize(self, door: HandlerContext) -> None:
        """Take what the routes give to each handler."""
        self.door = door
        self.body = bytearray()
        self.received = 0
        self.log_fields: dict[str, Any] = {}
        request = self.request
        self.verb = request.method or ""
        """The method that the client named."""
        if self.verb not in RequestHandler.SUPPORTED_METHODS:
            request.method = _UNKNOWN
        self.address = door.proxies.find(
            request.remote_ip, request.headers.get("X-Forwarded-For")
        )
        """Whose request it is."""
        self.principal: Principal | None = None
        """Who sent it, where that is asked for."""
        given = read_request_id(request.headers, request.remote_ip, door.proxies)
        if given is not None:
            self.request_id = given
            self.set_header("X-Request-Id", given)
        self.trace = read_trace(request.headers.get("Traceparent"))
        door.state.in_flight.add(self)

    def set_default_headers(self) -> None:
        """Set what every answer carries, errors included."""
        if not hasattr(self, "request_id"):
            # Headers are set anew for an error: it is the same request.
            self.request_id = make_request_id()
        for name, value in COMMON_HEADERS.items():
            self.set_header(name, value)
        self.set_header("X-Request-Id", self.request_id)

    def prepare(self) -> None:
        """Refuse what the gate or a limit does not admit, and bodies too large."""
        begin_request(request_id=self.request_id, trace=self.trace)
        origin = self.request.headers.get("Origin")
        host = self.request.headers.get("Host", "")
        denial = self.door.gate.admit(host, origin, is_probe=self.is_probe)
        if denial is not None:
            self._deny(denial.reason)
            return
        if origin is not None and self.door.gate.allows_origin(origin):
            self.set_header("Access-Control-Allow-Origin", origin)
            self.set_header("Access-Control-Expose-Headers", _EXPOSED)
            self.set_header("Vary", "Origin")
        if (excess := self.meter()) is not None:
            self._refuse_for_now(excess)
        elif (stranger := self._identify()) is not None:
            self._put_off(partial(self.refuse_stranger, stranger))
        length = self.request.headers.get("Content-Length", "")
        if length.isascii() and length.isdigit() and int(length[:16]) > _DRAINED:
            self._hang_up(413, self.size_reason)

    def _deny(self, reason: str) -> None:
        """Refuse a Host or Origin without reading on; this counts against a rate."""
        excess = self.door.limits.take_refusal(self.address)
        if excess is None:
            self._hang_up(403, reason)
        else:
            self._close_after_answer()
            self.refuse_excess(excess)

    def meter(self) -> RateLimitExceeded | None:
        """Count the request, or say that it is one too many of its client."""
        return self.door.limits.take_page(self.address)

    def refuse_excess(self, excess: RateLimitExceeded) -> None:
        """Answer that the client asked too often, and when it may ask again."""
        self.set_excess(excess)
        self.finish({"error": REASON, **excess.describe()})

    def set_excess(self, excess: RateLimitExceeded) -> None:
        """Set status and headers of such an answer."""
        self.set_status(429)
        for name, value in excess.headers.items():
            self.set_header(name, value)

    def needs_token(self) -> bool:
        """Whether only somebody with a token is answered."""
        return not self.is_open

    def _identify(self) -> AuthFailure | None:
        """Find out who sent the request; return why that cannot be told."""
        bearer = self.door.bearer
        if bearer is None or not self.needs_token():
            return None
        authorization = self.request.headers.get("Authorization")
        found = bearer.identify(authorization, self.address)
        if isinstance(found, AuthFailure):
            return found
        self.principal = found
        return None

    def refuse_stranger(self, stranger: AuthFailure) -> None:
        """Answer that a token is required, or one with more scopes."""
        assert self.door.bearer is not None
        host = self.request.headers.get("Host", "")
        challenge = self.door.bearer.challenge(stranger, host)
        self.set_header("WWW-Authenticate", challenge)
        self.refuse(stranger.status, stranger.reason)

    def _refuse_for_now(self, excess: RateLimitExceeded) -> None:
        """Answer once the body was taken; chunks, which may be many, are not."""
        if "Transfer-Encoding" in self.request.headers:
            self._close_after_answer()
            self.refuse_excess(excess)
        else:
            self._put_off(partial(self.refuse_excess, excess))

    def unknown(self) -> None:
        """Refuse a method that nobody has heard of, as one that is not offered."""
        raise HTTPError(405)

    def _put_off(self, answer: Callable[[], None]) -> None:
        """Answer so in place of what was asked for, once the body was taken.

        To answer before would mean to close the connection.
        """
        setattr(self, (self.request.method or "").lower(), answer)

    def data_received(self, chunk: bytes) -> None:
        """Keep the body up to the limit, pass over the rest."""
        self.received += len(chunk)
        if self.received > _DRAINED:
            self._hang_up(413, self.size_reason)
        elif self.received <= self.door.max_body:
            self.body += chunk

    @property
    def is_too_large(self) -> bool:
        """Whether the body was larger than the limit."""
        return self.received > self.door.max_body

    @property
    def size_reason(self) -> str:
        """What the sender of such a body is told."""
        return f"the body is larger than {self.door.max_body} bytes"

    def finish(self, chunk: str | bytes | dict[str, Any] | None = None) -> Future[None]:
        """End the answer, and the connection of a server on its way out."""
        if self.door.state.is_draining:
            self.set_header("Connection", "close")
        return super().finish(chunk)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Answer an error without detail of the server."""
        error = kwargs.get("exc_info", (None, None))[1]
        if status_code == 405:
            self.set_header("Allow", self.allow)
        told = error.log_message if isinstance(error, HTTPError) else None
        self.refuse(status_code, told or HTTPStatus(status_code).phrase)

    def refuse(self, status: int, reason: str) -> None:
        """Answer a refusal in the words of this handler's clients."""
        self.set_status(status)
        self.finish({"error": reason})

    def _hang_up(self, status: int, reason: str) -> None:
        """Refuse without reading on, which ends the connection."""
        self._close_after_answer()
        self.refuse(status, reason)

    def _close_after_answer(self) -> None:
        """Have the connection end with the answer, although more is being sent."""
        self.set_header("Connection", "close")
        stream = getattr(self.request.connection, "stream", None)
        if isinstance(stream, MonitoredStream):
            stream.linger()

    def log_exception(self, typ: Any, value: BaseException | None, tb: Any) -> None:
        """Log unforeseen failures only; refusals are in the request's own line."""
        if not isinstance(value, HTTPError):
            logging.getLogger(__name__).error(
                "unforeseen failure",
                exc_info=(typ, value, tb),  # type: ignore[arg-type]
            )

    def count(self, *, goes_on: bool = False) -> None:
        """Count a request that is over, or goes on as a stream."""
        seconds = None if goes_on else self.request.request_time()
        count_request(self.route, self.verb, self.get_status(), seconds)

    @property
    def refusal(self) -> EntryKind | None:
        """What kind of refusal it was, None if it was none."""
        status = self.get_status()
        return (status, None) if status >= 400 else None

    def on_connection_close(self) -> None:
        """Count the request as done: nobody waits for it any more."""
        super().on_connection_close()
        self.door.state.in_flight.discard(self)

    def on_finish(self) -> None:
        """Count the request as done."""
        self.door.state.in_flight.discard(self)


class NotFound(BaseHandler):
    """Every path that is not in the routes: a plain 404, whatever the method."""

    async def get(self) -> None:
        """Refuse."""
        raise HTTPError(404)

    head = post = put = patch = delete = options = get

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Refuse methods that nobody has heard of in the same way."""
        super().write_error(404 if status_code == 405 else status_code, **kwargs)


def describe_request(handler: BaseHandler) -> dict[str, Any]:
    """Return the log fields of a request so far."""
    request = handler.request
    return {
        "door": "http",
        "verb": handler.verb[:20],
        "path": request.path[:200],
        "status": handler.get_status(),
        "ms": round(request.request_time() * 1000, 2),
        "address": handler.address,
        "principal": handler.principal and handler.principal.name,
        "request_id": handler.request_id,
        "trace": handler.trace,
        **handler.log_fields,
    }


def log_request(handler: RequestHandler) -> None:
    """Count one finished request, and write its line."""
    if isinstance(handler, BaseHandler):
        handler.count()
        if access.takes(handler.refusal):
            access.note(describe_request(handler))
