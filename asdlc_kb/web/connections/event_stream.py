"""Server-sent event streams: events as they are published, comments as keep-alive.

After its head is sent a stream needs no handler, task or timer; it connects a socket
to a queue of messages. A slow reader is disconnected, a closed one is noticed by its
connection, and a shutdown ends each stream with a complete last chunk.
"""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable
from contextvars import Context
from functools import partial
from time import monotonic
from typing import Final, Protocol

from tornado.iostream import IOStream, StreamClosedError
from tornado.web import RequestHandler

from asdlc_kb.ops.logs.request_context import describe_current
from asdlc_kb.web.admission.client_address import rate_limit_key
from asdlc_kb.web.connections.monitored_stream import MonitoredStream

logger = logging.getLogger(__name__)

KEEP_ALIVE_SECONDS: Final = 15.0
"""Silence after which a comment is sent."""

STALL_SECONDS: Final = 20.0
"""Time without progress after which a reader is disconnected."""

MAX_STREAMS: Final = 10_000
"""Maximum number of open streams of the server."""

MAX_STREAMS_PER_CLIENT: Final = 32
"""Maximum number of open streams per client address."""

MAX_STREAMS_PER_PRINCIPAL: Final = 1_000
"""Maximum number of open streams per principal, from all addresses."""

EVENT_STREAM: Final = "text/event-stream"
"""The media type of event streams."""

COMMENT: Final = b": keep-alive\n\n"

_PUMP_BATCH: Final = 200
"""Streams written to in one turn of the event loop: some milliseconds."""

_MAX_UNREAD: Final = 64 * 1024
"""Maximum number of bytes from a peer on its stream; none are expected."""


def sse_frame(message: bytes, event: bytes = b"message") -> bytes:
    """Return one server-sent event."""
    return b"event: %b\ndata: %b\n\n" % (event, message)


def set_stream_headers(handler: RequestHandler) -> None:
    """Set the headers of a response that is an event stream."""
    handler.set_header("Content-Type", EVENT_STREAM)
    handler.set_header("X-Accel-Buffering", "no")


class MessageQueue(Protocol):
    """Messages of one stream, such as `mcp.subscriptions.event_queue.EventQueue`."""

    opening: bytes
    """The first message, or nothing; cleared once it is sent, as it may be long."""

    @property
    def closing(self) -> bytes:
        """The last message when the server ends the stream, or nothing."""

    @property
    def waiting(self) -> int:
        """Bytes of queued messages."""

    @property
    def is_drained(self) -> bool:
        """Whether the stream has ended and all its messages were read."""

    def listen(self, notify: Callable[[], None]) -> None:
        """Call `notify`, now and whenever there may be messages to read."""

    def drain(self) -> tuple[list[bytes], float]:
        """Return messages to write now, or the seconds until there are some.

        Zero seconds: the listener will be called.
        """

    def end(self) -> None:
        """End the stream after the messages that are already queued."""

    def close(self) -> None:
        """Stop reading; called once, however the stream ended."""


class EventStream:
    """Writes a queue to one peer until the peer leaves or the queue ends."""

    __slots__ = (
        "_is_chunked",
        "_is_finishing",
        "_is_wanted",
        "_is_writing",
        "_on_end",
        "_queue",
        "_since",
        "_stream",
        "_timer",
        "count_keys",
        "is_due",
        "log_context",
    )

    def __init__(
        self,
        stream: IOStream,
        queue: MessageQueue,
        count_keys: tuple[str, ...],
        is_wanted: Callable[[], bool],
        on_end: "Callable[[EventStream], None]",
        *,
        is_chunked: bool,
    ) -> None:
        self.count_keys = count_keys
        """The keys it is counted by: its peer's address, and its principal."""
        self.log_context = describe_current()
        """Log fields of the request that opened it."""
        self.is_due = False
        """Whether it is scheduled to be written to."""
        self._stream = stream
        self._queue = queue
        self._is_wanted = is_wanted
        self._on_end = on_end
        self._is_chunked = is_chunked
        self._is_writing = self._is_finishing = False
        self._timer: asyncio.TimerHandle | None = None
        self._since = monotonic()
        stream.max_buffer_size = _MAX_UNREAD
        stream.set_close_callback(self._close)

    def count_queued(self) -> None:
        """Count the queued messages among the connection's unsent bytes."""
        if isinstance(self._stream, MonitoredStream):
            self._stream.count_queued(self._queue.waiting)

    def pump(self) -> None:
        """Write queued messages until the peer stops reading."""
        while not self._is_writing and not self._stream.closed():
            messages, pause = self._queue.drain()
            if messages and not self._is_wanted():
                # Its events stay pending, as they are not written.
                self._finish()
                return
            if messages:
                self.count_queued()
                self._write(b"".join(map(sse_frame, messages)))
            if self._queue.is_drained:
                self._finish()
            elif not messages:
                self._sleep(pause)
                return

    def tick(self, now: float, keep_alive: float, stall: float) -> None:
        """Disconnect a stalled reader; send a comment after a silence."""
        quiet = now - self._since
        if self._is_writing and quiet >= stall:
            self._stream.close()
        elif not self._is_writing and quiet >= keep_alive:
            if self._is_wanted():
                self._write(COMMENT)
            else:
                self._finish()

    def recheck(self) -> None:
        """Finish at once if no longer wanted, without sending queued messages."""
        if not (self._is_finishing or self._stream.closed() or self._is_wanted()):
            self._finish()

    def end(self) -> None:
        """Send queued messages, then finish."""
        self._queue.end()

    def disconnect(self) -> None:
        """Close the connection at once."""
        self._stream.close()

    def flush(self) -> None:
        """Treat the connection's buffered bytes as a write under way."""
        if self._stream.closed():
            # It closed before the callback was set: closing again calls it.
            self._stream.close()
        else:
            self._track(self._stream.write(b""))

    def _write(self, data: bytes) -> None:
        if self._is_chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        self._send(data)

    def _send(self, data: bytes) -> None:
        self._since = monotonic()
        try:
            self._track(self._stream.write(data))
        except StreamClosedError:
            self._is_writing = True

    def _track(self, written: "asyncio.Future[None]") -> None:
        if not written.done():
            self._is_writing = True
            written.add_done_callback(self._resume)

    def _resume(self, written: "asyncio.Future[None]") -> None:
        """Continue after a write that had to wait."""
        if written.exception() is not None or self._stream.writing():
            return
        self._is_writing = False
        if self._is_finishing:
            self._stream.close()
        else:
            self.pump()

    def _finish(self) -> None:
        """Send the closing message, and close once it is written."""
        self._is_finishing = True
        if self._queue.closing:
            self._write(sse_frame(self._queue.closing))
        if self._is_chunked:
            self._send(b"0\r\n\r\n")
        if not self._is_writing:
            self._stream.close()

    def _sleep(self, pause: float) -> None:
        """Schedule a pump for the end of the queue's pause."""
        if pause and self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(pause, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self.pump()

    def _close(self) -> None:
        """Release the timer and the queue of a closed connection."""
        if self._timer is not None:
            self._timer.cancel()
        self._queue.close()
        self._on_end(self)


class EventStreams:
    """The open streams: limited in total and per client, ended together."""

    def __init__(
        self,
        max_streams: int = MAX_STREAMS,
        max_per_client: int = MAX_STREAMS_PER_CLIENT,
        *,
        keep_alive: float = KEEP_ALIVE_SECONDS,
        stall: float = STALL_SECONDS,
    ) -> None:
        self._max_streams = max_streams
        self._max_per_client = max_per_client
        self._keep_alive = keep_alive
        self._stall = stall
        self._open: set[EventStream] = set()
        self._per_client: Counter[str] = Counter()
        self._due: deque[EventStream] = deque()
        self._sweep_timer: asyncio.TimerHandle | None = None
        self._is_ending = False

    def __len__(self) -> int:
        return len(self._open)

    def has_capacity(self, address: str, principal: str | None = None) -> bool:
        """Whether a further stream is within the limits of address and principal."""
        limits = (self._max_per_client, MAX_STREAMS_PER_PRINCIPAL)
        counts = zip(_list_keys(address, principal), limits, strict=False)
        is_within = all(self._per_client[key] < cap for key, cap in counts)
        return len(self._open) < self._max_streams and is_within

    def start(
        self,
        handler: RequestHandler,
        queue: MessageQueue,
        *,
        address: str,
        principal: str | None = None,
        opening: bytes = COMMENT,
        is_wanted: Callable[[], bool] = lambda: True,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        """Send a stream's head and first frames, and detach it from its handler."""
        set_stream_headers(handler)
        # The connection cannot serve a second request.
        handler.set_header("Connection", "close")
        handler.write(sse_frame(queue.opening) if queue.opening else opening)
        handler.flush()
        queue.opening = b""

        def forget(stream: EventStream) -> None:
            self._open.discard(stream)
            self._per_client.subtract(stream.count_keys)
            for key in stream.count_keys:
                if not self._per_client[key]:
                    del self._per_client[key]
            on_end()

        stream = EventStream(
            handler.detach(),
            queue,
            _list_keys(address, principal),
            is_wanted,
            forget,
            is_chunked=handler.request.version == "HTTP/1.1",
        )
        self._open.add(stream)
        self._per_client.update(stream.count_keys)
        stream.flush()
        queue.listen(lambda: self._schedule_pump(stream))
        if self._is_ending:
            stream.end()
        if self._sweep_timer is None:
            self._tick()

    def recheck(self) -> None:
        """Finish the streams no longer wanted, before any further event."""
        for stream in tuple(self._open):
            self._attempt(stream, stream.recheck)

    def end(self) -> None:
        """Finish every stream, and each that is still to be opened."""
        if self._is_ending:
            return
        self._is_ending = True
        for stream in tuple(self._open):
            stream.end()

    def disconnect(self) -> None:
        """Close every connection at once."""
        for stream in tuple(self._open):
            stream.disconnect()

    def _schedule_pump(self, stream: EventStream) -> None:
        """Schedule a write to a stream; one change may concern all of them."""
        stream.count_queued()
        if stream.is_due:
            return
        stream.is_due = True
        self._due.append(stream)
        if len(self._due) == 1:
            self._pump_soon()

    def _pump_soon(self) -> None:
        asyncio.get_running_loop().call_soon(self._pump, context=Context())

    def _pump(self) -> None:
        for _ in range(min(_PUMP_BATCH, len(self._due))):
            stream = self._due.popleft()
            stream.is_due = False
            self._attempt(stream, stream.pump)
        if self._due:
            self._pump_soon()

    def _attempt(self, stream: EventStream, step: Callable[[], None]) -> None:
        """Run a step for one stream; an exception ends that one only."""
        try:
            step()
        except Exception:
            logger.exception("stream failed", extra=dict(stream.log_context))
            stream.disconnect()

    def _tick(self) -> None:
        """Check all streams, periodically while any is open."""
        now = monotonic()
        for stream in tuple(self._open):
            tick = partial(stream.tick, now, self._keep_alive, self._stall)
            self._attempt(stream, tick)
        pause = min(1.0, self._keep_alive / 2, self._stall / 2)
        loop = asyncio.get_running_loop()
        self._sweep_timer = None
        if self._open:
            # Runs outside the context of the request that started it.
            self._sweep_timer = loop.call_later(pause, self._tick, context=Context())


def _list_keys(address: str, principal: str | None) -> tuple[str, ...]:
    """Return the keys a stream is counted by: an address, then a principal if any."""
    key = rate_limit_key(address)
    return (key,) if principal is None else (key, f"principal {principal}")
