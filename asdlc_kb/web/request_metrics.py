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
from asdlc_kb.ops.metrics.counters import LabelIndex, Metrics
from asdlc_kb.ops.metrics.definitions import CALLS, REQUESTS, SEARCHES, MetricKey

VERBS: Final = frozenset(
    {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"}
)

_POST: Final = REQUESTS.series("mcp", "POST", "200")

_Kind: TypeAlias = tuple[str, str, str | None]


class RequestMetrics:
    """Counts requests and calls in the metrics of the process."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._kinds: dict[_Kind, LabelIndex] = {}
        """Label indexes of cached calls, by version, method and tool."""

    def count_request(
        self, route: str, verb: str, status: int, seconds: float | None
    ) -> None:
        """Count a request; one that continues as a stream has no duration."""
        known = verb if verb in VERBS else OTHER
        self._observe(REQUESTS.series(route, known, str(status)), seconds)

    def count_cached(self, call: Call, reply: Response, seconds: float) -> None:
        """Count a call answered from the cache; its names are known.

        Most calls are, so their label indexes are cached too.
        """
        kind = (call.version, call.method, call.tool)
        index = self._kinds.get(kind)
        if index is None:
            index = self._kinds[kind] = self._find_series(*kind)
        self._metrics.observe_at(index, seconds)
        if reply.total is not None:
            self._count_search_call(call, reply.total)

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
        if isinstance(message, Call) and reply is not None and reply.total is not None:
            self._count_search_call(message, reply.total)

    def count_search(self, source: str, found: int) -> None:
        """Count a search by its tool or page."""
        self._metrics.count(SEARCHES.series(source, "yes" if found else "no"))

    def _count_search_call(self, call: Call, found: int) -> None:
        """Count a call that has a query; other calls only list."""
        if call.query is not None:
            self.count_search(call.params["name"], found)

    def _find_series(self, version: str, method: str, tool: str | None) -> LabelIndex:
        key = CALLS.series(method, tool or "", ERAS[version], version, "ok", "yes")
        return self._metrics.find(key), self._metrics.find(_POST)

    def _observe(self, key: MetricKey, seconds: float | None) -> None:
        if seconds is None:
            self._metrics.observe_open(key)
        else:
            self._metrics.observe(key, seconds)


def _classify(reply: Response) -> str:
    """Return the outcome label of a call."""
    if reply.is_cancelled:
        return "cancelled"
    if reply.error == InternalError.CODE:
        return "failure"
    if reply.error is not None:
        return "error"
    return "tool_error" if reply.has_failed else "ok"
