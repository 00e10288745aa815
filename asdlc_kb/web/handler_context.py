"""The dependencies of the HTTP handlers, and the state of the running server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from asdlc_kb.corpus import Corpus
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.ops.async_lazy import AsyncLazy
from asdlc_kb.ops.auth.bearer_tokens import Principal, SourceNames
from asdlc_kb.ops.insights.recorder import InsightsRecorder
from asdlc_kb.ops.logs.access_log import AccessLog
from asdlc_kb.ops.metrics.counters import MetricsSource
from asdlc_kb.site import urls
from asdlc_kb.web.admission.bearer import BearerAuth
from asdlc_kb.web.admission.client_address import Networks, TrustedProxies
from asdlc_kb.web.admission.host_origin import HostOriginPolicy
from asdlc_kb.web.admission.rate_limit import RateLimits
from asdlc_kb.web.connections.connection_limits import ConnectionLimits
from asdlc_kb.web.connections.connection_manager import ConnectionManager
from asdlc_kb.web.connections.event_stream import EventStreams
from asdlc_kb.web.request_metrics import RequestMetrics

if TYPE_CHECKING:
    from asdlc_kb.site.page_cache import PageCache
    from asdlc_kb.store.values import StoreStatus
    from asdlc_kb.web.request_spans import RequestSpans


@dataclass(slots=True)
class ServerState:
    """State of the running server."""

    streams: EventStreams = field(default_factory=EventStreams)
    """The open event streams."""
    manager: ConnectionManager = field(default_factory=ConnectionManager)
    """The open connections."""
    is_draining: bool = False
    """Whether a shutdown has begun: each connection ends with its response."""
    is_outdated: bool = False
    """Whether the content is too old to be served: its store was away too long."""
    certificate_ends: float | None = None
    """The end of the server's certificate, in seconds since 1970; None without one."""
    is_bus_connected: Callable[[], bool] | None = None
    """Whether the bus between replicas can be used; None without one."""
    bearer: BearerAuth | None = None
    """The current token check: streams outlive the settings they began with."""
    insights: InsightsRecorder | None = None
    """The usage statistics, if they are recorded."""

    @property
    def in_flight(self) -> set[object]:
        """Requests with a waiting client."""
        return self.manager.in_flight

    def admits(self, principal: Principal | None) -> bool:
        """Whether a principal admitted before is still admitted."""
        if self.bearer is None:
            return True
        return principal is not None and self.bearer.tokens.accept(principal)

    def apply(
        self,
        limits: ConnectionLimits,
        proxies: TrustedProxies,
        bearer: BearerAuth | None,
    ) -> None:
        """Apply reloaded settings to the open connections and streams."""
        self.manager.apply(limits, proxies)
        self.bearer = bearer
        if bearer is not None:
            self.streams.recheck()


class SourceViews(Protocol):
    """The contexts of tokens that are for some of the sources only."""

    def find(
        self, whole: "HandlerContext", sources: SourceNames
    ) -> "HandlerContext | None":
        """Return the context of a token's sources; None if it is not open.

        It is `whole`, that of all sources, if the token names all of them.
        """

    async def open(
        self, whole: "HandlerContext", sources: SourceNames
    ) -> "HandlerContext":
        """Return the context of a token's sources, opened if necessary."""

    def listen(self, listener: Callable[[], None]) -> None:
        """Call a function after each closing of a context that was found."""

    def is_of(self, context: "HandlerContext", sources: SourceNames) -> bool:
        """Whether a context is the open one of a token's sources."""

    async def close(self) -> None:
        """Close all of them: the application ends, or another one replaces it."""


@dataclass(frozen=True, slots=True)
class HandlerContext:
    """Dependencies of the HTTP handlers."""

    server: McpServer
    corpus: Corpus
    host_origin: HostOriginPolicy
    max_body: int
    sse: bool
    """Whether the HTTP+SSE transport of 2024-11-05 is offered."""
    base_url: str | None
    """The public address, if known."""
    has_mcp: bool
    """Whether there is an MCP endpoint."""
    site: "AsyncLazy[PageCache] | None"
    """The website, created with the first page request."""
    proxies: TrustedProxies
    """Proxies trusted to set X-Forwarded-For."""
    limits: RateLimits
    """Rate limits per client."""
    bearer: BearerAuth | None
    """The bearer token check; None if no token is required."""
    state: ServerState
    metrics_observers: Networks
    """The addresses that may see the metrics."""
    insights_observers: Networks
    """The addresses that may see the usage statistics."""
    logs_queries: bool
    """Whether search queries are logged."""
    access_log: AccessLog
    metrics: MetricsSource
    """The metrics of all processes of the server."""
    requests: RequestMetrics
    """Counts requests in the metrics of this process."""
    spans: "RequestSpans | None" = None
    """Records requests for OpenTelemetry, if the settings ask for it."""
    views: SourceViews | None = None
    """The contexts of tokens for some sources; None if no token is required."""
    limited_to: SourceNames | None = None
    """The names of the sources of this context; None for all."""
    count_embedded: Callable[[], int | None] = lambda: None
    """Return the number of sections that are compared by meaning; None if none are."""
    describe_store: "Callable[[], StoreStatus | None]" = lambda: None
    """Return the state of the store; None if folders are served."""

    def serves(self, principal: Principal | None) -> bool:
        """Whether a principal may see exactly the sources of this context."""
        if principal is None or principal.sources is None:
            return self.limited_to is None
        return self.views is not None and self.views.is_of(self, principal.sources)

    @property
    def is_ready(self) -> bool:
        """Whether content may be served and no shutdown is under way.

        All of it was scanned once, and it is not outdated.
        """
        state = self.state
        is_refusing = state.is_draining or state.is_outdated
        return self.corpus.was_seen and not is_refusing

    @property
    def prefix(self) -> str:
        """The path of the public address, without a trailing slash."""
        return urls.path_prefix(self.base_url)
