"""Responses that continue as event streams, within limits and with an access record."""

from collections.abc import Callable
from time import monotonic

from asdlc_kb.web.connections.event_stream import (
    COMMENT,
    EVENT_STREAM,
    MessageQueue,
    set_stream_headers,
    sse_frame,
)
from asdlc_kb.web.handler import BaseHandler, describe_request


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

    def log() -> None:
        record["ms"] = round((monotonic() - started) * 1000, 2)
        access_log.record(record)

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
