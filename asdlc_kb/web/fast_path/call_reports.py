"""What is counted and logged of a call, resolved once for all equal calls."""

from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.mcp.dispatch.result_cache import PreparedCall
from asdlc_kb.mcp.server import ReadyResult
from asdlc_kb.ops.logs.access_lines import RepeatedFields
from asdlc_kb.ops.metrics.counters import RequestSeries
from asdlc_kb.web.admission.bearer import ENDPOINT
from asdlc_kb.web.fast_path.bounded_cache import BoundedCache
from asdlc_kb.web.fast_path.call_cache import ReceivedCall
from asdlc_kb.web.fast_path.sender import Sender
from asdlc_kb.web.handler import http_fields
from asdlc_kb.web.request_metrics import RequestMetrics

MAX_BYTES: Final = 2 * 1024 * 1024
"""Bytes of the cached reports, estimated."""

_ENTRY_BYTES: Final = 2_048


class CallReport(NamedTuple):
    """Metrics and log fields of equal calls with equal results."""

    series: RequestSeries
    fields: RepeatedFields


_Key: TypeAlias = tuple[PreparedCall, Sender, int, int | None, bool]


class CallReports:
    """The reports of a server's calls."""

    def __init__(self, requests: RequestMetrics, *, logs_queries: bool) -> None:
        self._requests = requests
        self._logs_queries = logs_queries
        self._reports: BoundedCache[_Key, CallReport] = BoundedCache(MAX_BYTES)

    def find(
        self, received: ReceivedCall, ready: ReadyResult, sender: Sender, size: int
    ) -> CallReport:
        """Return the report of a call, answered with a body of `size` bytes."""
        key = received.prepared, sender, size, ready.total, ready.is_cached
        report = self._reports.find(key)
        if report is None:
            report = self._make(received, ready, sender, size)
            if received.is_known and sender.trace is None:
                self._reports.store(key, report, _ENTRY_BYTES)
        return report

    def _make(
        self, received: ReceivedCall, ready: ReadyResult, sender: Sender, size: int
    ) -> CallReport:
        call = received.prepared.call
        described = call.describe(with_query=self._logs_queries)
        trace = described.pop("trace") or sender.trace
        fields = http_fields(
            verb="POST",
            path=ENDPOINT,
            status=200,
            address=sender.address,
            principal=sender.principal,
            **{"trace": trace, "bytes": size, "found": ready.total, **described},
        )
        series = self._requests.find_answered(
            call, ready.total, is_cached=ready.is_cached
        )
        return CallReport(series, RepeatedFields("http", fields))
