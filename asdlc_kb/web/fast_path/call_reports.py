"""What is counted and logged of a call, resolved once for all calls of its kind."""

from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.mcp.dispatch.result_cache import PreparedCall
from asdlc_kb.mcp.protocol.inbound import Call
from asdlc_kb.mcp.server import ReadyResult
from asdlc_kb.ops.logs.access_lines import RepeatedFields
from asdlc_kb.ops.metrics.counters import RequestSeries
from asdlc_kb.web.admission.bearer import ENDPOINT
from asdlc_kb.web.fast_path.bounded_cache import BoundedCache
from asdlc_kb.web.fast_path.call_cache import ReceivedCall
from asdlc_kb.web.fast_path.sender import Sender
from asdlc_kb.web.handler import http_fields
from asdlc_kb.web.request_metrics import RequestMetrics

MAX_BYTES: Final = 1024 * 1024
"""Bytes of the cached reports, and of the cached log fields, estimated."""

_REPORT_BYTES: Final = 512
_FIELDS_BYTES: Final = 2_048


class CallReport(NamedTuple):
    """Metrics and log fields of calls of one kind."""

    series: RequestSeries
    fields: RepeatedFields


_Key: TypeAlias = tuple[PreparedCall, Sender, bool | None, str | None, bool]
"""A call, its sender, whether anything was found, the document in the result, and
whether the result was cached."""

_Kind: TypeAlias = tuple[Sender, tuple[str | None, ...]]
"""A sender, and the values of a call's log fields."""


class CallReports:
    """The reports of a server's calls."""

    def __init__(self, requests: RequestMetrics, *, logs_queries: bool) -> None:
        self._requests = requests
        self._logs_queries = logs_queries
        self._reports: BoundedCache[_Key, CallReport] = BoundedCache(MAX_BYTES)
        """Those of known calls."""
        self._fields: BoundedCache[_Kind, RepeatedFields] = BoundedCache(MAX_BYTES)

    def find(
        self, received: ReceivedCall, ready: ReadyResult, sender: Sender
    ) -> CallReport:
        """Return the report of an answered call."""
        has_results = None if ready.total is None else ready.total > 0
        document = ready.document
        key = received.prepared, sender, has_results, document, ready.is_cached
        report = self._reports.find(key)
        if report is None:
            call = received.prepared.call
            series = self._requests.find_answered(
                call, ready.total, is_cached=ready.is_cached
            )
            report = CallReport(series, self._find_fields(call, sender, document))
            if received.is_known and sender.trace is None:
                self._reports.store(key, report, _REPORT_BYTES)
        return report

    def _find_fields(
        self, call: Call, sender: Sender, document: str | None
    ) -> RepeatedFields:
        described = {
            "document": document,
            **call.describe(with_query=self._logs_queries),
        }
        kind = sender, tuple(described.values())
        fields = self._fields.find(kind)
        if fields is None:
            trace = described.pop("trace") or sender.trace
            shared = http_fields(
                verb="POST",
                path=ENDPOINT,
                status=200,
                address=sender.address,
                principal=sender.principal,
                **{"trace": trace, **described},
            )
            fields = RepeatedFields("http", shared)
            if trace is None:
                self._fields.store(kind, fields, _FIELDS_BYTES)
        return fields
