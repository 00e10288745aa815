"""Responses that continue as event streams, within limits and with an access record."""

from collections.abc import Callable
from time import monotonic

from asdlc_kb.ops.logs.access_log import access
from asdlc_kb.web.connections.event_stream import COMMENT, MessageQueue
from asdlc_kb.web.handler import BaseHandler, describe_request


def start_stream(
    handler: BaseHandler,
    queue: MessageQueue,
    opening: bytes = COMMENT,
    is_wanted: Callable[[], bool] = lambda: True,
    on_end: Callable[[], object] = lambda: None,
) -> None:
    """Send a queue's messages until either end closes the stream.

    It ends with the validity of the request's token too. 503 beyond the limits.
    """
    state, principal = handler.context.state, handler.principal
    name = None if principal is None else principal.name
    if not state.streams.has_capacity(handler.address, name):
        queue.close()
        on_end()
        handler.refuse(503, "too many streams are open")
        return
    started, record = monotonic(), describe_request(handler)

    def finish() -> None:
        on_end()
        record["ms"] = round((monotonic() - started) * 1000, 2)
        access.record(record)

    handler.count(is_stream=True)
    state.streams.start(
        handler,
        queue,
        address=handler.address,
        principal=name,
        opening=opening,
        is_wanted=lambda: is_wanted() and state.admits(principal),
        on_end=finish,
    )
    state.in_flight.discard(handler)
