"""An OTLP/HTTP collector: receives spans and metrics as OpenTelemetry exports them."""

import gzip
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from support.canary import Scanner

T = TypeVar("T")

BOUND = 60.0
"""Seconds that a wait for the exporter may take."""

SERVER = 2
"""The kind of a span of a server."""

ERROR = 2
"""The status of a span of a failure."""


@dataclass(frozen=True)
class ReceivedSpan:
    """A span, with ids in hexadecimal."""

    name: str
    trace: str
    id: str
    parent: str
    links: tuple[str, ...]
    """The ids of linked spans."""
    state: str
    """The tracestate."""
    kind: int
    status: int
    seconds: float
    attributes: Mapping[str, Any]
    resource: Mapping[str, Any]


@dataclass(frozen=True)
class ReceivedPoint:
    """The histogram of one set of attributes."""

    metric: str
    unit: str
    count: int
    bounds: tuple[float, ...]
    attributes: Mapping[str, Any]
    resource: Mapping[str, Any]


def read_attributes(pairs: Sequence[KeyValue]) -> dict[str, Any]:
    """Return attributes as values."""
    return {
        pair.key: getattr(pair.value, str(pair.value.WhichOneof("value")))
        for pair in pairs
    }


def read_spans(body: bytes) -> Iterator[ReceivedSpan]:
    """Yield the spans of a message."""
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        about = read_attributes(resource.resource.attributes)
        for scope in resource.scope_spans:
            assert scope.scope.name == "asdlc_kb"
            for span in scope.spans:
                nanoseconds = span.end_time_unix_nano - span.start_time_unix_nano
                yield ReceivedSpan(
                    span.name,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    tuple(link.span_id.hex() for link in span.links),
                    span.trace_state,
                    span.kind,
                    span.status.code,
                    nanoseconds / 1e9,
                    read_attributes(span.attributes),
                    about,
                )


def read_points(body: bytes) -> Iterator[ReceivedPoint]:
    """Yield the histograms of a message."""
    for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
        about = read_attributes(resource.resource.attributes)
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                for point in metric.histogram.data_points:
                    yield ReceivedPoint(
                        metric.name,
                        metric.unit,
                        point.count,
                        tuple(point.explicit_bounds),
                        read_attributes(point.attributes),
                        about,
                    )


@dataclass
class Collector:
    """What was received, and how requests are answered."""

    port: int
    status: int = 200
    is_hanging: bool = False
    """Whether requests wait until the end of the collector."""
    bodies: list[bytes] = field(default_factory=list)
    spans: list[ReceivedSpan] = field(default_factory=list)
    points: list[ReceivedPoint] = field(default_factory=list)
    requests: int = 0
    ended: threading.Event = field(default_factory=threading.Event)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process that exports to it, at once."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.port}",
            "OTEL_BSP_SCHEDULE_DELAY": "50",
            "OTEL_METRIC_EXPORT_INTERVAL": "100",
        }

    def receive(self, path: str, body: bytes) -> None:
        """Decode a message."""
        with self._changed:
            self.requests += 1
            if self.status == 200:
                self.bodies.append(body)
                if path == "/v1/traces":
                    self.spans += read_spans(body)
                else:
                    assert path == "/v1/metrics"
                    self.points = [*read_points(body)] or self.points
            self._changed.notify_all()

    def await_spans(self, *names: str) -> list[ReceivedSpan]:
        """Return the first span of each name, once all were received."""

        def find() -> list[ReceivedSpan] | None:
            found = [
                next((span for span in self.spans if span.name == name), None)
                for name in names
            ]
            whole = [span for span in found if span is not None]
            return whole if len(whole) == len(names) else None

        return self.await_value(find, f"{names}: {[s.name for s in self.spans]}")

    def await_points(self, metric: str, count: int) -> list[ReceivedPoint]:
        """Return the histograms of a metric once they have that count together."""

        def find() -> list[ReceivedPoint] | None:
            points = [point for point in self.points if point.metric == metric]
            return points if sum(point.count for point in points) >= count else None

        return self.await_value(find, metric)

    def await_requests(self, number: int) -> None:
        """Wait until that many messages came, whatever the answer."""
        self.await_value(lambda: self.requests >= number or None, "requests")

    def await_value(self, find: Callable[[], T | None], what: str) -> T:
        """Return what a function finds, as soon as it finds anything."""
        with self._changed:
            self._changed.wait_for(find, BOUND)
            found = find()
            assert found, what
            return found


@contextmanager
def open_collector(scanner: Scanner | None = None) -> Iterator[Collector]:
    """Run a collector on a free port; all that it receives is scanned."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if scanner is not None:
                scanner.scan(body, self.client_address)
            assert self.headers["Content-Type"] == "application/x-protobuf"
            collector.receive(self.path, body)
            if collector.is_hanging:
                collector.ended.wait(BOUND)
            self.send_response(collector.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector = Collector(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        collector.ended.set()
        server.shutdown()
        server.server_close()
        thread.join(BOUND)
