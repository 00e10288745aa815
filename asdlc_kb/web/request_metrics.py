"""Per-request HTTP metrics, recorded together with the access log.

Labels are bounded whatever clients send: unknown names are counted as `other`.
"""

from typing import Final, TypeAlias

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.errors import InternalError
from asdlc_kb.mcp.protocol.inbound import (
    Batch,
    Call,
    Ignored,
    Inbound,
    InboundNotification,
)
from asdlc_kb.mcp.protocol.versions import ERAS
from asdlc_kb.mcp.server import OTHER, McpServer
from asdlc_kb.ops.metrics.counters import Metrics, RequestSeries
from asdlc_kb.ops.metrics.definitions import CALLS, REQUESTS, SEARCHES, MetricKey

VERBS: Final = frozenset(
    {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"}
)

_POST: Final = REQUESTS.series("mcp", "POST", "200")

_Kind: TypeAlias = tuple[str, str, str | None, bool | None, bool]
"""Version, method, tool, whether a search has results (None for no search), and
whether the result was cached."""


class RequestMetrics:
    """Counts requests and calls in the metrics of the process."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._answered: dict[_Kind, RequestSeries] = {}

    def count_request(
        self, route: str, verb: str, status: int, seconds: float | None
    ) -> None:
        """Count a request; one that continues as a stream has no duration."""
        self._observe(_key(route, verb, status), seconds)

    def find_answered(
        self, call: Call, total: int | None, *, is_cached: bool
    ) -> RequestSeries:
        """Return the series of a call answered without waiting.

        Its names are known. They are resolved once for all calls of its kind, and the
        caller may keep the result. `total` is that of a list or a search.
        """
        is_search = total is not None and call.query is not None
        kind = (
            call.version,
            call.method,
            call.tool,
            bool(total) if is_search else None,
            is_cached,
        )
        series = self._answered.get(kind)
        if series is None:
            series = self._answered[kind] = self._resolve(*kind)
        return series

    def find_request(self, route: str, verb: str, status: int) -> RequestSeries:
        """Return the series of requests of one kind, for the caller to keep."""
        return RequestSeries((self._metrics.find_histogram(_key(route, verb, status)),))

    def count_call(
        self,
        server: McpServer,
        message: Inbound | Batch | None,
        reply: Response | None,
        *,
        is_cached: bool,
        seconds: float | None,
    ) -> None:
        """Count a message that was answered, or abandoned by its client.

        `reply` is None after an unexpected exception.
        """
        if isinstance(message, (InboundNotification, Ignored)):
            return
        method, tool = server.metric_labels(message)
        version = message.version if isinstance(message, Call) else ""
        era = ERAS.get(version, "")
        cached = "yes" if is_cached else "no"
        outcome = "failure" if reply is None else _classify(reply)
        key = CALLS.series(method, tool, era, version, outcome, cached)
        self._observe(key, seconds)
        if not isinstance(message, Call) or reply is None or reply.total is None:
            return
        # Calls without a query only list.
        if message.query is not None:
            self.count_search(message.params["name"], reply.total)

    def count_search(self, source: str, found: int) -> None:
        """Count a search by its tool or page."""
        self._metrics.count(SEARCHES.series(source, "yes" if found else "no"))

    def _resolve(
        self,
        version: str,
        method: str,
        tool: str | None,
        has_results: bool | None,
        is_cached: bool,
    ) -> RequestSeries:
        metrics, cached = self._metrics, "yes" if is_cached else "no"
        key = CALLS.series(method, tool or "", ERAS[version], version, "ok", cached)
        histograms = metrics.find_histogram(key), metrics.find_histogram(_POST)
        if has_results is None or tool is None:
            return RequestSeries(histograms)
        found = SEARCHES.series(tool, "yes" if has_results else "no")
        return RequestSeries(histograms, (metrics.find_counter(found),))

    def _observe(self, key: MetricKey, seconds: float | None) -> None:
        if seconds is None:
            self._metrics.observe_open(key)
        else:
            self._metrics.observe(key, seconds)


def _key(route: str, verb: str, status: int) -> MetricKey:
    return REQUESTS.series(route, verb if verb in VERBS else OTHER, str(status))


def _classify(reply: Response) -> str:
    """Return the outcome label of a call."""
    if reply.is_cancelled:
        return "cancelled"
    if reply.error == InternalError.CODE:
        return "failure"
    if reply.error is not None:
        return "error"
    return "tool_error" if reply.has_failed else "ok"
