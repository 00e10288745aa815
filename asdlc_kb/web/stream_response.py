"""Responses that continue as event streams, within limits and with an access record."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic, time
from typing import TYPE_CHECKING

from asdlc_kb.web.connections.event_stream import (
    COMMENT,
    EVENT_STREAM,
    MessageQueue,
    set_stream_headers,
    sse_frame,
)
from asdlc_kb.web.handler import BaseHandler, describe_request

if TYPE_CHECKING:
    from asdlc_kb.mcp.dispatch.operation import Operation
    from asdlc_kb.ops.otel.recorder import OtelRecorder
    from asdlc_kb.web.request_spans import HttpRequest


@dataclass(frozen=True, slots=True)
class _StreamTrace:
    """What OpenTelemetry records of a stream at its end; keeps no context."""

    recorder: "OtelRecorder"
    request: "HttpRequest"
    operations: "Sequence[Operation]"

    def record(self, seconds: float) -> None:
        """Record the stream, which lasted that long."""
        ended = time()
        operations = [
            operation._replace(seconds=seconds, ended=ended)
            for operation in self.operations
        ]
        request = self.request._replace(seconds=seconds, ended=ended)
        self.recorder.record_request(request, operations, is_timed=False)


def _describe_trace(handler: BaseHandler) -> _StreamTrace | None:
    if (spans := handler.context.spans) is None:
        return None
    request, operations = (
        handler.describe_span(spans),
        handler.describe_operations(spans),
    )
    return _StreamTrace(spans.recorder, request, operations)


def has_capacity(handler: BaseHandler) -> bool:
    """Whether a further stream is within the limits; if not, send 503."""
    streams = handler.context.state.streams
    if streams.has_capacity(handler.address, handler.principal_name):
        return True
    handler.reject(503, "too many streams are open")
    return False


def send_event(handler: BaseHandler, message: bytes) -> None:
    """Send an event before the result; the first makes the response a stream."""
    # Without effect after the first event: the head is sent.
    set_stream_headers(handler)
    handler.write(sse_frame(message))
    handler.flush()


def finish_stream(handler: BaseHandler, message: bytes) -> None:
    """End a response as a stream, with a last event unless `message` is empty."""
    handler.set_header("Content-Type", EVENT_STREAM)
    handler.finish(sse_frame(message) if message else None)


def start_stream(
    handler: BaseHandler,
    queue: MessageQueue,
    opening: bytes = COMMENT,
    is_wanted: Callable[[], bool] = lambda: True,
) -> None:
    """Send a queue's messages until either end closes the stream.

    It ends with the validity of the request's token too. Ask `has_capacity` first.
    """
    # A stream must not keep the context, which a reload replaces.
    state, principal = handler.context.state, handler.principal
    access_log = handler.context.access_log
    started, record = monotonic(), describe_request(handler)

    trace = _describe_trace(handler)

    def log() -> None:
        seconds = monotonic() - started
        record["ms"] = round(seconds * 1000, 2)
        access_log.record(record)
        if trace is not None:
            trace.record(seconds)

    handler.count(is_stream=True)
    state.streams.start(
        handler,
        queue,
        address=handler.address,
        principal=handler.principal_name,
        opening=opening,
        is_wanted=lambda: is_wanted() and state.admits(principal),
        on_end=log,
    )
    state.in_flight.discard(handler)
