"""Long-lived answers: events as they come, a comment when nothing does.

Once its head is sent a stream needs no handler, no task and no timer of its own; it is
a socket, a feed, and what joins them. A reader that does not keep up is cut, one that
went away is noticed by its connection, and a shutdown ends each stream with a whole
last chunk.
"""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable
from contextvars import Context
from functools import partial
from time import monotonic
from typing import Final

from tornado.iostream import IOStream, StreamClosedError
from tornado.web import RequestHandler

from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.ops.logs.request_context import describe_current
from asdlc_kb.web.admission.client_address import rate_limit_key
from asdlc_kb.web.connections.connection_manager import MonitoredStream

logger = logging.getLogger(__name__)

KEEP_ALIVE_SECONDS: Final = 15.0
"""A comment is sent after so long without an event."""

STALL_SECONDS: Final = 20.0
"""A reader that takes nothing for so long is cut."""

MAX_STREAMS: Final = 10_000
"""Streams of the whole server."""

MAX_STREAMS_PER_CLIENT: Final = 32
"""Streams to one client, by its address."""

MAX_EACH_PRINCIPAL: Final = 1_000
"""Streams of one principal, from whatever addresses."""

COMMENT: Final = b": keep-alive\n\n"

_SLICE: Final = 200
"""Streams that are written to before other work gets its turn: some milliseconds."""

_MAX_UNREAD: Final = 64 * 1024
"""Bytes that a peer may send into its stream, where nothing is expected."""


def sse_frame(message: bytes, event: bytes = b"message") -> bytes:
    """Return one server-sent event."""
    return b"event: %b\ndata: %b\n\n" % (event, message)


class EventStream:
    """Writes a feed to one peer until the peer leaves or the feed ends."""

    __slots__ = (
        "_alarm",
        "_ended",
        "_feed",
        "_is_chunked",
        "_is_finishing",
        "_is_wanted",
        "_is_writing",
        "_since",
        "_stream",
        "about",
        "is_due",
        "origins",
    )

    def __init__(
        self,
        stream: IOStream,
        feed: EventQueue,
        origins: tuple[str, ...],
        is_wanted: Callable[[], bool],
        ended: "Callable[[EventStream], None]",
        *,
        is_chunked: bool,
    ) -> None:
        self.origins = origins
        """What it is counted by: its peer's address, and its principal."""
        self.about = describe_current()
        """What lines of the log say of the request that opened it."""
        self.is_due = False
        """Whether it waits for its turn to be written to."""
        self._stream = stream
        self._feed = feed
        self._is_wanted = is_wanted
        self._ended = ended
        self._is_chunked = is_chunked
        self._is_writing = self._is_finishing = False
        self._alarm: asyncio.TimerHandle | None = None
        self._since = monotonic()
        stream.max_buffer_size = _MAX_UNREAD
        stream.set_close_callback(self._close)

    def count_waiting(self) -> None:
        """Count the posted messages that wait among the connection's unsent bytes."""
        if isinstance(self._stream, MonitoredStream):
            self._stream.count_waiting(self._feed.waiting)

    def pump(self) -> None:
        """Write what the feed has, as far as the peer takes it."""
        while not self._is_writing and not self._stream.closed():
            messages, pause = self._feed.take()
            if messages:
                self.count_waiting()
                self._write(b"".join(map(sse_frame, messages)))
            if self._feed.is_drained or (messages and not self._is_wanted()):
                self._finish()
            elif not messages:
                self._sleep(pause)
                return

    def look_after(self, now: float, keep_alive: float, stall: float) -> None:
        """Cut a reader that stalls; tell a silent one that it is still served."""
        quiet = now - self._since
        if self._is_writing and quiet >= stall:
            self._stream.close()
        elif not self._is_writing and quiet >= keep_alive:
            if self._is_wanted():
                self._write(COMMENT)
            else:
                self._finish()

    def review(self) -> None:
        """Finish at once if it is not wanted any more; what was posted stays untold."""
        if not (self._is_finishing or self._stream.closed() or self._is_wanted()):
            self._finish()

    def end(self) -> None:
        """Let what was posted go out, then finish."""
        self._feed.end()

    def cut(self) -> None:
        """Close the connection at once."""
        self._stream.close()

    def flush(self) -> None:
        """Take what is in the connection's buffer for a write under way."""
        if self._stream.closed():
            # It closed before there was somebody to tell: closing again tells.
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
            written.add_done_callback(self._go_on)

    def _go_on(self, written: "asyncio.Future[None]") -> None:
        """Continue after a write that the peer took its time for."""
        if written.exception() is not None or self._stream.writing():
            return
        self._is_writing = False
        if self._is_finishing:
            self._stream.close()
        else:
            self.pump()

    def _finish(self) -> None:
        """Say what is said last, and close once the peer has it."""
        self._is_finishing = True
        if self._feed.closing:
            self._write(sse_frame(self._feed.closing))
        if self._is_chunked:
            self._send(b"0\r\n\r\n")
        if not self._is_writing:
            self._stream.close()

    def _sleep(self, pause: float) -> None:
        """Be rung, if not before, once waiting events may be taken."""
        if pause and self._alarm is None:
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(pause, self._wake)

    def _wake(self) -> None:
        self._alarm = None
        self.pump()

    def _close(self) -> None:
        """Let go of everything: the connection is no more."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._feed.close()
        self._ended(self)


class EventStreams:
    """The open streams: counted in total and for each client, ended together."""

    def __init__(
        self,
        most: int = MAX_STREAMS,
        most_each: int = MAX_STREAMS_PER_CLIENT,
        *,
        keep_alive: float = KEEP_ALIVE_SECONDS,
        stall: float = STALL_SECONDS,
    ) -> None:
        self._most = most
        self._most_each = most_each
        self._keep_alive = keep_alive
        self._stall = stall
        self._open: set[EventStream] = set()
        self._each: Counter[str] = Counter()
        self._due: deque[EventStream] = deque()
        self._round: asyncio.TimerHandle | None = None
        self._is_ending = False

    def __len__(self) -> int:
        return len(self._open)

    def has_room(self, address: str, principal: str | None = None) -> bool:
        """Whether one more stream may be opened to this address and principal."""
        caps = (self._most_each, MAX_EACH_PRINCIPAL)
        counted = zip(_list_origins(address, principal), caps, strict=False)
        is_within = all(self._each[origin] < cap for origin, cap in counted)
        return len(self._open) < self._most and is_within

    def start(
        self,
        handler: RequestHandler,
        feed: EventQueue,
        *,
        address: str,
        principal: str | None = None,
        opening: bytes = COMMENT,
        is_wanted: Callable[[], bool] = lambda: True,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        """Send a stream's head and first frames; it then lives without its handler."""
        handler.set_header("Content-Type", "text/event-stream")
        handler.set_header("X-Accel-Buffering", "no")
        # The connection is of no use for a second request.
        handler.set_header("Connection", "close")
        handler.write(sse_frame(feed.opening) if feed.opening else opening)
        handler.flush()
        feed.opening = b""

        def forget(stream: EventStream) -> None:
            self._open.discard(stream)
            self._each.subtract(stream.origins)
            for origin in stream.origins:
                if not self._each[origin]:
                    del self._each[origin]
            ended()

        stream = EventStream(
            handler.detach(),
            feed,
            _list_origins(address, principal),
            is_wanted,
            forget,
            is_chunked=handler.request.version == "HTTP/1.1",
        )
        self._open.add(stream)
        self._each.update(stream.origins)
        self._begin(stream, feed)

    def review(self) -> None:
        """Finish those that are not wanted any more, before they are told anything."""
        for stream in tuple(self._open):
            self._attempt(stream, stream.review)

    def end(self) -> None:
        """Let every stream finish, and each that is still opened."""
        if self._is_ending:
            return
        self._is_ending = True
        for stream in tuple(self._open):
            stream.end()

    def cut(self) -> None:
        """Close every connection at once, whatever is under way."""
        for stream in tuple(self._open):
            stream.cut()

    def _begin(self, stream: EventStream, feed: EventQueue) -> None:
        stream.flush()
        feed.listen(lambda: self._ring(stream))
        if self._is_ending:
            stream.end()
        if self._round is None:
            self._look_after()

    def _ring(self, stream: EventStream) -> None:
        """Give a stream its turn; one change may concern all of them at once."""
        stream.count_waiting()
        if stream.is_due:
            return
        stream.is_due = True
        self._due.append(stream)
        if len(self._due) == 1:
            self._pump_soon()

    def _pump_soon(self) -> None:
        asyncio.get_running_loop().call_soon(self._pump, context=Context())

    def _pump(self) -> None:
        for _ in range(min(_SLICE, len(self._due))):
            stream = self._due.popleft()
            stream.is_due = False
            self._attempt(stream, stream.pump)
        if self._due:
            self._pump_soon()

    def _attempt(self, stream: EventStream, step: Callable[[], None]) -> None:
        """Do something for one stream; a fault in it ends that one alone."""
        try:
            step()
        except Exception:
            logger.exception("a stream failed", extra=dict(stream.about))
            stream.cut()

    def _look_after(self) -> None:
        """Go round all streams, again and again while there are any."""
        now = monotonic()
        for stream in tuple(self._open):
            look_after = partial(stream.look_after, now, self._keep_alive, self._stall)
            self._attempt(stream, look_after)
        pause = min(1.0, self._keep_alive / 2, self._stall / 2)
        loop = asyncio.get_running_loop()
        self._round = None
        if self._open:
            # The round is of no request, not even of the one that began it.
            self._round = loop.call_later(pause, self._look_after, context=Context())


def _list_origins(address: str, principal: str | None) -> tuple[str, ...]:
    """Return what a stream is counted by: an address, then a principal if any."""
    origin = rate_limit_key(address)
    return (origin,) if principal is None else (origin, f"principal {principal}")
