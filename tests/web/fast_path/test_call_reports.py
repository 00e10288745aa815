"""Metrics and log fields of calls: shared by equal ones, and by no others."""

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
READY = ReadyResult(b"{}", 3, None, is_cached=True)
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
    report = open_reports().find(receive(), READY, sender)
    assert dict(report.fields.fields) == {
        "verb": "POST",
        "path": "/mcp",
        "status": 200,
        "address": "10.0.0.1",
        "principal": "token:me",
        "trace": TRACE,
        "document": None,
        "method": "tools/call",
        "tool": "search_articles",
        "query": None,
        "version": "2025-06-18",
        "client": None,
    }


def test_the_document_in_the_result_is_logged() -> None:
    """Its URI; the arguments of the call are not logged."""
    ready = READY._replace(document="kb://article/a")
    report = open_reports().find(receive(), ready, SENDER)
    assert report.fields.fields["document"] == "kb://article/a"


def test_a_query_is_logged_only_if_the_operator_wants_it() -> None:
    """Queries are private."""
    report = open_reports(logs_queries=True).find(receive(), READY, SENDER)
    assert report.fields.fields["query"] == "agents"


def test_the_trace_of_the_call_comes_before_that_of_its_request() -> None:
    """As in the handlers."""
    own = TRACE.replace("1", "3")
    call = msgspec.structs.replace(
        CALL, params={**PARAMS, "_meta": {"traceparent": own}}
    )
    sender = SENDER._replace(trace=TRACE)
    report = open_reports().find(receive(call), READY, sender)
    assert report.fields.fields["trace"] == own


def test_equal_calls_have_one_report() -> None:
    """Of the same client, with a result of the same origin, found or not."""
    reports, received = open_reports(), receive()

    def find(ready: ReadyResult = READY, sender: Sender = SENDER) -> CallReport:
        return reports.find(received, ready, sender)

    assert find() is find()
    assert find(READY._replace(total=4)) is find()
    for ready, sender in (
        (READY._replace(total=0), SENDER),
        (READY._replace(is_cached=False), SENDER),
        (READY._replace(document="kb://article/other"), SENDER),
        (READY, SENDER._replace(address="10.0.0.2")),
        (READY, SENDER._replace(principal=Principal("token:me"))),
    ):
        assert find(ready, sender) is not find()
        assert find(ready, sender) is find(ready, sender)


def test_different_searches_of_a_client_have_the_same_log_fields() -> None:
    """Encoding them takes longer than to find them."""
    reports = open_reports()
    other = {"name": "search_articles", "arguments": {"query": "models"}}
    calls = CALL, msgspec.structs.replace(CALL, id=2, params=other)
    first, second = (
        reports.find(receive(call, is_known=False), READY, SENDER) for call in calls
    )
    assert first.fields is second.fields
    assert first.series is second.series


def test_logged_queries_are_those_of_their_calls() -> None:
    """Two searches of a client are not logged with one query."""
    reports = open_reports(logs_queries=True)
    other = {"name": "search_articles", "arguments": {"query": "models"}}
    calls = CALL, msgspec.structs.replace(CALL, params=other)
    found = [reports.find(receive(call), READY, SENDER) for call in calls]
    assert [each.fields.fields["query"] for each in found] == ["agents", "models"]


@pytest.mark.parametrize(
    ("received", "sender"),
    [(receive(is_known=False), SENDER), (receive(), SENDER._replace(trace=TRACE))],
)
def test_what_does_not_come_again_is_not_cached(
    received: ReceivedCall, sender: Sender
) -> None:
    """An unknown call, and one of a traced request, whose id no other has."""
    reports = open_reports()
    found = [reports.find(received, READY, sender) for _ in "12"]
    assert found[0] is not found[1]
