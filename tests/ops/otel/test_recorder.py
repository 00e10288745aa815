"""The recorder with a real collector: spans, metrics, and a collector that fails."""

import os
import socket
import threading
from collections.abc import Iterator, Mapping
from time import monotonic
from typing import NamedTuple

import pytest
from opentelemetry.sdk.trace import Tracer
from support.canary import Scanner
from support.collector import BOUND, ERROR, SERVER, Collector, open_collector
from support.loglines import captured

from asdlc_kb.ops.otel import recorder as recorder_module
from asdlc_kb.ops.otel.recorder import CLOSE_SECONDS, OtelRecorder, open_recorder

TRACE = "0af7651916cd43dd8448eb211c80319c"
CLIENT_SPAN = "b7ad6b7169203331"
SENT = {"traceparent": f"00-{TRACE}-{CLIENT_SPAN}-01", "tracestate": "a=b"}
OTHER = {"traceparent": f"00-{'1' * 32}-{'2' * 16}-01"}


class Finished(NamedTuple):
    """A finished operation."""

    name: str = "GET /x"
    labels: Mapping[str, str | int] = {"http.request.method": "GET"}
    details: Mapping[str, str | int] = {"url.path": "/x"}
    trace: Mapping[str, str] = {}
    seconds: float = 0.25
    ended: float = 1_700_000_000.0


CALL = Finished("tools/call", {"mcp.method.name": "tools/call"}, {})


@pytest.fixture
def collector(scanner: Scanner, monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector to which the environment points."""
    # A busy machine takes longer to export than a process may to end.
    monkeypatch.setattr(recorder_module, "CLOSE_SECONDS", BOUND)
    with open_collector(scanner) as opened:
        for name, value in opened.environment.items():
            monkeypatch.setenv(name, value)
        yield opened


@pytest.fixture
def recorder(collector: Collector) -> Iterator[OtelRecorder]:
    """A recorder that exports to it."""
    opened = open_recorder(os.environ, "1.2.3")
    yield opened
    opened.close()


def test_a_request_is_a_span_and_a_duration(
    collector: Collector, recorder: OtelRecorder
) -> None:
    """Labels are attributes of both, details of the span."""
    recorder.record_request(Finished())
    (span,) = collector.await_spans("GET /x")
    assert (span.kind, span.parent, span.links, span.status) == (SERVER, "", (), 0)
    assert span.seconds == pytest.approx(0.25, abs=1e-6)
    assert span.attributes == {"http.request.method": "GET", "url.path": "/x"}
    (point,) = collector.await_points("http.server.request.duration", 1)
    assert point.attributes == {"http.request.method": "GET"}
    assert point.unit == "s"
    # Of the conventions, and finer ones below.
    assert point.bounds[:2] == (0.0001, 0.00025)
    assert point.bounds[-1] == 10.0


def test_an_operation_is_a_child_of_its_request(
    collector: Collector, recorder: OtelRecorder
) -> None:
    """Which continues the trace of its headers."""
    recorder.record_request(Finished(trace=SENT), (CALL,))
    request, call = collector.await_spans("GET /x", "tools/call")
    assert (request.trace, request.parent, request.state) == (TRACE, CLIENT_SPAN, "a=b")
    assert (call.trace, call.parent, call.links) == (TRACE, request.id, ())
    (point,) = collector.await_points("mcp.server.operation.duration", 1)
    assert point.attributes == {"mcp.method.name": "tools/call"}
    assert 0.01 in point.bounds
    assert point.bounds[-1] == 300.0


def test_an_operation_with_a_trace_of_its_own_links_to_its_request(
    collector: Collector, recorder: OtelRecorder
) -> None:
    """The client's span of the call is its parent, whatever transport carried it."""
    recorder.record_request(Finished(trace=OTHER), (CALL._replace(trace=SENT),))
    request, call = collector.await_spans("GET /x", "tools/call")
    assert request.trace == "1" * 32
    assert (call.trace, call.parent, call.state) == (TRACE, CLIENT_SPAN, "a=b")
    assert call.links == (request.id,)


def test_an_operation_without_a_request_is_a_root_or_a_client_s(
    collector: Collector, recorder: OtelRecorder
) -> None:
    """As over stdio."""
    recorder.record_operation(CALL._replace(name="root"))
    recorder.record_operation(CALL._replace(name="child", trace=SENT))
    root, child = collector.await_spans("root", "child")
    assert (root.parent, root.links) == ("", ())
    assert (child.trace, child.parent) == (TRACE, CLIENT_SPAN)


def test_a_failure_is_an_error(collector: Collector, recorder: OtelRecorder) -> None:
    """With `error.type`, its status is that of an error."""
    labels = {"error.type": "tool_error"}
    recorder.record_operation(CALL._replace(labels=labels))
    (span,) = collector.await_spans("tools/call")
    assert span.status == ERROR


def test_a_stream_has_no_duration_among_the_metrics(
    collector: Collector, recorder: OtelRecorder
) -> None:
    """It is long, not slow."""
    recorder.record_request(Finished("stream"), (CALL,), is_timed=False)
    recorder.record_request(Finished("after"))
    collector.await_spans("stream", "tools/call", "after")
    collector.await_points("http.server.request.duration", 1)
    assert [(p.metric, p.count) for p in collector.points] == [
        ("http.server.request.duration", 1)
    ]


def test_a_process_says_what_it_is(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator's names come first; two processes are two instances."""
    for _ in "12":
        opened = open_recorder(os.environ, "1.2.3")
        opened.record_operation(CALL)
        opened.close()
    first, second = (span.resource for span in collector.spans)
    assert (first["service.name"], first["service.version"]) == ("asdlc-kb", "1.2.3")
    assert first["service.instance.id"] != second["service.instance.id"]
    monkeypatch.setenv("OTEL_SERVICE_NAME", "knowledge")
    attributes = "service.instance.id=one,deployment.environment.name=test"
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", attributes)
    opened = open_recorder(os.environ, "1.2.3")
    opened.record_operation(CALL._replace(name="named"))
    opened.close()
    (named,) = collector.await_spans("named")
    assert named.resource["service.name"] == "knowledge"
    assert named.resource["service.instance.id"] == "one"
    assert named.resource["deployment.environment.name"] == "test"


def test_the_sampler_is_that_of_the_environment(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default that of the client's trace; metrics count every request."""
    opened = open_recorder(os.environ, "1")
    unsampled = {"traceparent": f"00-{TRACE}-{CLIENT_SPAN}-00"}
    opened.record_operation(CALL._replace(name="unsampled", trace=unsampled))
    opened.record_operation(CALL._replace(name="sampled"))
    opened.close()
    collector.await_points("mcp.server.operation.duration", 2)
    assert [span.name for span in collector.spans] == ["sampled"]
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    opened = open_recorder(os.environ, "1")
    opened.record_operation(CALL._replace(name="never"))
    opened.close()
    assert [span.name for span in collector.spans] == ["sampled"]


def test_one_signal_may_be_off(collector: Collector) -> None:
    """The other is exported all the same."""
    for signal in ("TRACES", "METRICS"):
        opened = open_recorder({f"OTEL_{signal}_EXPORTER": "none"}, "1")
        opened.record_request(Finished(signal), (CALL,))
        opened.close()
    assert {span.name for span in collector.spans} == {"METRICS", "tools/call"}
    collector.await_points("http.server.request.duration", 1)


def test_the_end_exports_what_is_left(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without waiting for the next time."""
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000")
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "3600000")
    opened = open_recorder(os.environ, "1")
    opened.record_request(Finished())
    assert not collector.spans
    opened.close()
    assert [span.name for span in collector.spans] == ["GET /x"]
    assert [point.count for point in collector.points] == [1]
    # Later requests are not recorded, and do no harm.
    opened.record_request(Finished())
    opened.record_operation(CALL)


def end_exports() -> None:
    """Wait for the threads of the SDK, which would log in the next test."""
    for thread in threading.enumerate():
        if thread.name.startswith("Otel"):
            thread.join(BOUND)
            assert not thread.is_alive(), thread.name


@pytest.mark.parametrize("fault", ["refused", "unavailable", "hanging"])
def test_a_failing_collector_holds_nothing_up(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Neither a request, nor the end of the process for long."""
    if fault == "refused":
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
    collector.status = 503 if fault == "unavailable" else 200
    collector.is_hanging = fault == "hanging"
    monkeypatch.setattr(recorder_module, "CLOSE_SECONDS", CLOSE_SECONDS)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    opened = open_recorder(os.environ, "1")
    with captured("") as lines:
        began = monotonic()
        for _ in range(5_000):
            opened.record_request(Finished(), (CALL,))
        # A bound for a busy machine: a hanging request waits for ten seconds.
        assert monotonic() - began < 9
        if fault != "refused":
            collector.await_requests(1)
        began = monotonic()
        opened.close()
        assert monotonic() - began < CLOSE_SECONDS + 3
    written = [row for row in lines.rows if row["level"] != "debug"]
    # A few lines for each batch of 512 spans, not one for each request.
    assert 0 < len(written) < 50
    end_exports()


def test_an_unexpected_error_ends_the_recording(
    recorder: OtelRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is logged once, and reaches no request."""

    def fail(*args: object, **named: object) -> None:
        raise RuntimeError("a fault of the SDK")

    monkeypatch.setattr(Tracer, "start_span", fail)
    with captured("asdlc_kb") as lines:
        for _ in "12":
            recorder.record_request(Finished())
            recorder.record_operation(CALL)
    (row,) = lines.rows
    assert "recording stopped" in row["event"]
    assert "a fault of the SDK" in row["traceback"]
