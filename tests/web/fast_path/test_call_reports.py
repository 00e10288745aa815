"""Metrics and log fields of calls: shared by equal ones, and by no others."""

from typing import Any

import msgspec
import pytest

from asdlc_kb.mcp.dispatch.result_cache import PreparedCall
from asdlc_kb.mcp.protocol.inbound import Call
from asdlc_kb.mcp.server import ReadyResult
from asdlc_kb.ops.auth.bearer_tokens import Principal
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.web.fast_path.call_cache import ReceivedCall
from asdlc_kb.web.fast_path.call_reports import CallReport, CallReports
from asdlc_kb.web.fast_path.sender import Sender
from asdlc_kb.web.request_metrics import RequestMetrics

PARAMS = {"name": "search_articles", "arguments": {"query": "agents"}}
CALL = Call(1, "tools/call", PARAMS, "2025-06-18")
TRACE = "00-" + "1" * 32 + "-" + "2" * 16 + "-01"
READY = ReadyResult(b"{}", 3, is_cached=True)
SENDER = Sender("10.0.0.1", None, None)


def receive(call: Call = CALL, *, is_known: bool = True) -> ReceivedCall:
    """Return a received call."""
    return ReceivedCall(PreparedCall(call), b"1", is_known)


def open_reports(*, logs_queries: bool = False) -> CallReports:
    """Return reports without any metrics yet."""
    return CallReports(RequestMetrics(Metrics()), logs_queries=logs_queries)


def test_a_report_has_the_fields_of_the_log() -> None:
    """Those that are absent are None."""
    sender = Sender("10.0.0.1", Principal("token:me"), TRACE)
    report = open_reports().find(receive(), READY, sender, 42)
    assert dict(report.fields.fields) == {
        "verb": "POST",
        "path": "/mcp",
        "status": 200,
        "address": "10.0.0.1",
        "principal": "token:me",
        "trace": TRACE,
        "bytes": 42,
        "found": 3,
        "method": "tools/call",
        "tool": "search_articles",
        "query": None,
        "version": "2025-06-18",
    }


def test_a_query_is_logged_only_if_the_operator_wants_it() -> None:
    """Queries are private."""
    report = open_reports(logs_queries=True).find(receive(), READY, SENDER, 42)
    assert report.fields.fields["query"] == "agents"


def test_the_trace_of_the_call_comes_before_that_of_its_request() -> None:
    """As in the handlers."""
    own = TRACE.replace("1", "3")
    call = msgspec.structs.replace(
        CALL, params={**PARAMS, "_meta": {"traceparent": own}}
    )
    sender = SENDER._replace(trace=TRACE)
    report = open_reports().find(receive(call), READY, sender, 42)
    assert report.fields.fields["trace"] == own


def test_equal_calls_have_one_report() -> None:
    """Of the same client, with a result of the same size and origin."""
    reports, received = open_reports(), receive()
    given: dict[str, Any] = {"ready": READY, "sender": SENDER, "size": 42}

    def find(**changed: Any) -> CallReport:
        return reports.find(received, **{**given, **changed})

    assert find() is find()
    for changed in (
        {"ready": READY._replace(total=0)},
        {"ready": READY._replace(is_cached=False)},
        {"sender": SENDER._replace(address="10.0.0.2")},
        {"sender": SENDER._replace(principal=Principal("token:me"))},
        {"size": 43},
    ):
        assert find(**changed) is not find()
        assert find(**changed) is find(**changed)


@pytest.mark.parametrize(
    ("received", "sender"),
    [(receive(is_known=False), SENDER), (receive(), SENDER._replace(trace=TRACE))],
)
def test_what_does_not_come_again_is_not_cached(
    received: ReceivedCall, sender: Sender
) -> None:
    """An unknown call, and one of a traced request."""
    reports = open_reports()
    found = [reports.find(received, READY, sender, 42) for _ in "12"]
    assert found[0] is not found[1]
