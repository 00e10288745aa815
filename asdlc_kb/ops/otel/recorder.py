"""Spans and durations of finished operations, exported with OpenTelemetry.

Each is recorded once it is finished, so a request in progress carries nothing. Threads
of the SDK export: the process must not fork afterwards. A failing exporter is logged by
the SDK; an unexpected error of the SDK ends the recording, and never a request.
"""

import atexit
import logging
import os
import threading
import uuid
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Final, Literal, Protocol, TypeAlias

from opentelemetry.context import Context
from opentelemetry.metrics import Histogram, MeterProvider, NoOpMeterProvider
from opentelemetry.sdk.metrics import MeterProvider as SdkMeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import (
    Link,
    NoOpTracerProvider,
    Span,
    SpanKind,
    StatusCode,
    TracerProvider,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from asdlc_kb.ops.otel.exporters import Exporters, open_exporters

logger = logging.getLogger(__name__)

CLOSE_SECONDS: Final = 1.0
"""Time limit for exporting what is left at the end."""

SCOPE: Final = "asdlc_kb"
"""The instrumentation scope."""

_FINE: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005)
"""Bounds below those of the conventions: cached results take less than 1 ms."""

_Kind: TypeAlias = Literal["http", "mcp"]
_DURATIONS: Final[Mapping[_Kind, tuple[str, str, Sequence[float]]]] = {
    "http": (
        "http.server.request.duration",
        "Duration of HTTP server requests.",
        (0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0),
    ),
    "mcp": (
        "mcp.server.operation.duration",
        "MCP request or notification duration as observed on the receiver from the "
        "time it was received until the result or ack is sent.",
        (
            0.01,
            0.02,
            0.05,
            0.1,
            0.2,
            0.5,
            1.0,
            2.0,
            5.0,
            10.0,
            30.0,
            60.0,
            120.0,
            300.0,
        ),
    ),
}
"""Name, description and bucket bounds of each histogram, from the conventions."""

Attributes: TypeAlias = Mapping[str, str | int]


class FinishedOperation(Protocol):
    """A finished operation, as values."""

    @property
    def name(self) -> str:
        """The name of its span."""

    @property
    def labels(self) -> Mapping[str, str | int]:
        """Attributes of the span and of the metric; with `error.type` it failed."""

    @property
    def details(self) -> Mapping[str, str | int]:
        """Attributes of the span only."""

    @property
    def trace(self) -> Mapping[str, str]:
        """The trace context that came with it; empty without one."""

    @property
    def seconds(self) -> float:
        """Its duration."""

    @property
    def ended(self) -> float:
        """Its end, as Unix time."""


class OtelRecorder:
    """Records the operations of one process."""

    def __init__(self, exporters: Exporters, version: str) -> None:
        # Attributes of the environment come before ours.
        resource = Resource.create(_describe_process(version)).merge(
            OTELResourceDetector().detect()
        )
        self._tracers: TracerProvider = NoOpTracerProvider()
        self._meters: MeterProvider = NoOpMeterProvider()
        self._closed: list[SdkTracerProvider | SdkMeterProvider] = []
        if exporters.traces is not None:
            tracers = SdkTracerProvider(resource=resource, shutdown_on_exit=False)
            tracers.add_span_processor(BatchSpanProcessor(exporters.traces))
            self._tracers = tracers
            self._closed.append(tracers)
        if exporters.metrics is not None:
            reader = PeriodicExportingMetricReader(exporters.metrics)
            meters = SdkMeterProvider([reader], resource, shutdown_on_exit=False)
            self._meters = meters
            self._closed.append(meters)
        self._tracer = self._tracers.get_tracer(SCOPE, version)
        meter = self._meters.get_meter(SCOPE, version)
        self._durations: Mapping[_Kind, Histogram] = {
            kind: meter.create_histogram(
                name,
                unit="s",
                description=description,
                explicit_bucket_boundaries_advisory=[*_FINE, *bounds],
            )
            for kind, (name, description, bounds) in _DURATIONS.items()
        }
        self._propagator = TraceContextTextMapPropagator()
        self._is_open = True
        atexit.register(self.close)

    def record_request(
        self,
        request: FinishedOperation,
        operations: Sequence[FinishedOperation] = (),
        *,
        is_timed: bool = True,
    ) -> None:
        """Record an HTTP request, and the MCP operations in it.

        An operation with a trace context of its own belongs to that trace, and links to
        the request; others are children of the request. Streams are not timed.
        """
        if not self._is_open:
            return
        try:
            span = self._record("http", request, self._extract(request), is_timed)
            for operation in operations:
                self._record_within(operation, span, is_timed)
        except Exception:
            self._stop()

    def record_operation(self, operation: FinishedOperation) -> None:
        """Record an MCP operation that came without an HTTP request."""
        if not self._is_open:
            return
        try:
            self._record("mcp", operation, self._extract(operation), is_timed=True)
        except Exception:
            self._stop()

    def close(self) -> None:
        """Export what is left, in `CLOSE_SECONDS` at most."""
        atexit.unregister(self.close)
        self._is_open = False
        deadline = monotonic() + CLOSE_SECONDS
        closing = [
            threading.Thread(
                name="OtelShutdown", target=_shut_down, args=(provider,), daemon=True
            )
            for provider in self._closed
        ]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join(max(0.0, deadline - monotonic()))
        if any(thread.is_alive() for thread in closing):
            logger.warning("OpenTelemetry: not everything was exported before the exit")

    def _record_within(
        self, operation: FinishedOperation, request: Span, is_timed: bool
    ) -> None:
        if operation.trace:
            parent, links = (
                self._extract(operation),
                (Link(request.get_span_context()),),
            )
            self._record("mcp", operation, parent, is_timed, links)
        else:
            parent = set_span_in_context(request, Context())
            self._record("mcp", operation, parent, is_timed)

    def _record(
        self,
        kind: _Kind,
        operation: FinishedOperation,
        parent: Context,
        is_timed: bool,
        links: Sequence[Link] = (),
    ) -> Span:
        labels = dict(operation.labels)
        ended = int(operation.ended * 1e9)
        span = self._tracer.start_span(
            operation.name,
            parent,
            SpanKind.SERVER,
            {**labels, **operation.details},
            links,
            ended - int(operation.seconds * 1e9),
        )
        if "error.type" in labels:
            span.set_status(StatusCode.ERROR)
        span.end(ended)
        if is_timed:
            context = set_span_in_context(span, Context())
            self._durations[kind].record(operation.seconds, labels, context)
        return span

    def _extract(self, operation: FinishedOperation) -> Context:
        if not operation.trace:
            return Context()
        return self._propagator.extract(operation.trace, Context())

    def _stop(self) -> None:
        """End the recording after an unexpected error."""
        self._is_open = False
        logger.exception("OpenTelemetry: recording stopped after an unexpected error")


def open_recorder(environ: Mapping[str, str], version: str) -> OtelRecorder:
    """Return a recorder with the exporters of the environment.

    Raises OperationalError and SettingsError as `open_exporters`.
    """
    return OtelRecorder(open_exporters(environ), version)


def _shut_down(provider: SdkTracerProvider | SdkMeterProvider) -> None:
    """Export what is left of one signal."""
    try:
        provider.shutdown()
    except Exception as error:
        logger.warning("OpenTelemetry: export failed", extra={"reason": str(error)})


def _describe_process(version: str) -> dict[str, str | int]:
    """Return the resource attributes; workers of a server differ in the instance."""
    return {
        "service.name": "asdlc-kb",
        "service.version": version,
        "service.instance.id": str(uuid.uuid4()),
        "process.pid": os.getpid(),
    }
