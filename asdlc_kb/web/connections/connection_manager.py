"""Connection limits and time-outs.

A connection costs its client next to nothing, and a client may send and read slowly.
Each connection is counted by its peer, and a periodic sweep closes those that are late:
a begun request must continue to arrive, a response must continue to be read. At the
limit the longest idle connection is closed for a new one.
"""

import asyncio
import logging
import socket
from collections import Counter
from collections.abc import Iterable
from enum import Enum, auto
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any, Final

from tornado.iostream import StreamClosedError

from asdlc_kb.ops.logs.log_throttle import ThrottledCounter
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.metrics.definitions import CUT, REFUSED
from asdlc_kb.ops.process.allocator import trim_malloc
from asdlc_kb.web.admission.client_address import TrustedProxies, rate_limit_key
from asdlc_kb.web.connections.backlog import UnsentBytes
from asdlc_kb.web.connections.connection_limits import ConnectionLimits, max_connections
from asdlc_kb.web.connections.framing import (
    HEADER_END,
    TORNADO_END,
    reject_bare_line_feeds,
)
from asdlc_kb.web.connections.idle import IdleQueue
from asdlc_kb.web.connections.lingering import Lingering, LingeringStream
from asdlc_kb.web.connections.rejections import (
    BAD_REQUEST,
    HEADER_TOO_LARGE,
    URI_TOO_LONG,
)

logger = logging.getLogger(__name__)

IDLE_SECONDS: Final = 75.0
"""Maximum idle time between requests; proxies close theirs at 60."""

HEAD_SECONDS: Final = 10.0
"""Deadline of the header, from its first byte."""

BODY_SECONDS: Final = 10.0
"""Deadline of the body; extended while it arrives fast enough."""

BODY_RATE: Final = 64 * 1024
"""Bytes of a body that extend its time by a second: the rate of a slow line."""

MAX_CHUNKS: Final = 4_096
"""Maximum chunks of a body. Each costs the same work: a megabyte of one-byte
chunks would take seconds of CPU time."""

MIN_CHUNK_BYTES: Final = 64
"""Bytes, framing included, that permit a further chunk; most have a thousand."""

STALL_SECONDS: Final = 20.0
"""Time in which a peer must read `STALL_BYTES` of its unsent bytes, or all."""

STALL_BYTES: Final = 64 * 1024
"""Progress that resets the stall; a few bytes would hold a response for hours."""

SWEEP_SECONDS: Final = 0.5
"""Interval of sweeps."""

_TRIM_THRESHOLD_BYTES: Final = 4 * 1024 * 1024
"""Freed bytes of connections and unread responses that are worth returning to the
system."""

_CONNECTION_BYTES: Final = 8 * 1024
"""Memory of an open connection, as measured."""

_MAX_LINE_BYTES: Final = 16 * 1024
"""Maximum request line; an oversized header with a longer one has too long a URI."""

_SWEEP_BATCH: Final = 1_000
"""Connections checked in one turn of the event loop."""


class _Stage(Enum):
    """The part of a request that is being read."""

    IDLE = auto()
    HEAD = auto()
    BODY = auto()


class MonitoredStream(LingeringStream):
    """A stream that records how long it has waited for its peer.

    Tornado reads the header of each request with `read_until_regex`, its body with the
    two others; these run for every request, so they do next to nothing.
    """

    # With Tornado's attributes these would be too many for a key-sharing dict, and
    # each connection would take two kilobytes more.
    __slots__ = (
        "_chunks",
        "_manager",
        "_queued",
        "_received",
        "_since",
        "_stage",
        "_taken",
        "client_key",
        "stalled_since",
        "unsent",
    )

    def __init__(
        self,
        connection: socket.socket,
        manager: "ConnectionManager",
        client_key: str | None,
    ) -> None:
        super().__init__(connection, manager.lingering)
        self.client_key = client_key
        """The key its peer is counted by; None for a peer without a limit."""
        self.unsent = 0
        """Buffered bytes that its peer has not read, as last recorded."""
        self.stalled_since: float | None = None
        """Time of the last progress of its peer, while bytes are unsent."""
        self._manager = manager
        self._stage = _Stage.IDLE
        self._since = monotonic()
        self._received = self._taken = self._chunks = self._queued = 0

    @property
    def idle_since(self) -> float | None:
        """Time at which it began to wait for a request; None if it is not idle."""
        is_idle = self._stage is _Stage.IDLE and self.reading()
        return self._since if is_idle and not self.has_waiting() else None

    def read_until_regex(self, regex: bytes, max_bytes: int | None = None) -> Any:
        """Read the header of the next request; its lines must end with CRLF."""
        # A peer may pipeline requests, the last one in part.
        self._stage = _Stage.HEAD if self._read_buffer_size else _Stage.IDLE
        self._since = monotonic()
        if regex == TORNADO_END:
            regex = HEADER_END
        return reject_bare_line_feeds(super().read_until_regex(regex, max_bytes))

    def read_bytes(self, num_bytes: int, partial: bool = False) -> Any:
        """Read part of a body."""
        if self._stage is not _Stage.BODY:
            self._begin_body()
        return super().read_bytes(num_bytes, partial)

    def read_until(self, delimiter: bytes, max_bytes: int | None = None) -> Any:
        """Read the size line of a chunk."""
        if self._stage is not _Stage.BODY:
            self._begin_body()
        self._chunks += 1
        if self._chunks > MAX_CHUNKS:
            self._check_chunks()
        return super().read_until(delimiter, max_bytes)

    def read_from_fd(self, buf: bytearray | memoryview) -> int | None:
        """Read available bytes, and record the begin of a request."""
        try:
            count = super().read_from_fd(buf)
        finally:
            # The stream stores its error, and its frames would hold this 64 KiB buffer.
            del buf
        if count:
            self._received += count
            if self._stage is _Stage.IDLE:
                self._stage = _Stage.HEAD
                self._since = monotonic()
        return count

    def write_to_fd(self, data: memoryview) -> int:
        """Write what the socket accepts, and record a stall if bytes remain."""
        size = len(data)
        try:
            count = super().write_to_fd(data)
        except BlockingIOError:
            self._record_stall(0)
            raise
        if count < size:
            self._record_stall(count)
        elif self.stalled_since is not None:
            self.stalled_since, self.unsent = None, 0
            self._manager.backlog.record(self, self._queued)
        return count

    def count_queued(self, size: int) -> None:
        """Count bytes queued by the stream's owner among the unsent ones."""
        if size != self._queued and not self.closed():
            self._queued = size
            self._manager.backlog.record(self, self.unsent + size)

    def close_fd(self) -> None:
        """Close the socket; unsent bytes are dropped."""
        self._manager.backlog.release(self)
        super().close_fd()

    def forget(self) -> None:
        """Remove the closed connection from the counts."""
        self._manager.forget(self)

    def timeout_reason(self, now: float) -> str | None:
        """Return the time-out that its peer has exceeded, if any."""
        stalled = self.stalled_since
        if stalled is not None and now - stalled >= STALL_SECONDS:
            return "slow_reader"
        if not self.reading():
            return None
        quiet = now - self._since
        if self._stage is _Stage.IDLE:
            return "idle" if quiet >= IDLE_SECONDS else None
        if self._stage is _Stage.HEAD:
            return "slow_header" if quiet >= HEAD_SECONDS else None
        allowed = BODY_SECONDS + self._received / BODY_RATE
        return "slow_body" if quiet >= allowed else None

    def _begin_body(self) -> None:
        self._stage = _Stage.BODY
        self._since = monotonic()
        # Part of the body may have arrived with the header.
        self._received = self._read_buffer_size
        self._chunks = 0

    def choose_rejection(self) -> bytes:
        """Return the response to an oversized line or header."""
        if self._stage is _Stage.BODY:
            return BAD_REQUEST
        has_line = 0 <= self._read_buffer.find(b"\n") <= _MAX_LINE_BYTES
        return HEADER_TOO_LARGE if has_line else URI_TOO_LONG

    def _check_chunks(self) -> None:
        """Close the connection of a peer that sends many tiny chunks."""
        if self._chunks > MAX_CHUNKS + self._received // MIN_CHUNK_BYTES:
            self._manager.close_connection(self, "small_chunks")
            # Otherwise the buffer would still be parsed.
            raise StreamClosedError

    def _record_stall(self, count: int) -> None:
        self.unsent = len(self._write_buffer) - count
        self._taken += count
        if has_read := self.stalled_since is None or self._taken >= STALL_BYTES:
            self.stalled_since, self._taken = monotonic(), 0
        unread = self.unsent + self._queued
        self._manager.backlog.record(self, unread, has_read=has_read)


class ConnectionManager:
    """Counts connections, and closes those of slow peers."""

    def __init__(
        self,
        limits: ConnectionLimits | None = None,
        proxies: TrustedProxies | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        metrics = metrics or Metrics()
        self.limits = limits or ConnectionLimits(max_connections())
        self.proxies = proxies or TrustedProxies()
        """Peers without a connection limit: each forwards for many clients."""
        self.rejected = ThrottledCounter(
            logger, "connections refused", count=metrics.counter(REFUSED)
        )
        """Rejected connections, by reason."""
        self.cut = ThrottledCounter(
            logger, "connections closed", level=logging.INFO, count=metrics.counter(CUT)
        )
        """Closed connections, by the time-out or limit exceeded."""
        self.malformed = ThrottledCounter(
            logger, "malformed requests", level=logging.INFO
        )
        """Malformed requests."""
        self.lingering = Lingering()
        """Half-closed connections, drained until their peers close."""
        close = partial(self.close_connection, reason="too_much_unread")
        self.backlog = UnsentBytes(close)
        self._open: set[MonitoredStream] = set()
        self._watched: set[MonitoredStream] = set()
        self._per_client: Counter[str] = Counter()
        self._sweep_timer: asyncio.TimerHandle | None = None
        self._freed = self._freed_before = 0
        self._idle: IdleQueue[MonitoredStream] = IdleQueue()

    @property
    def connections(self) -> int:
        """The number of open connections, streams included."""
        return len(self._open)

    def apply(self, limits: ConnectionLimits, proxies: TrustedProxies) -> None:
        """Apply other settings; open connections stay."""
        self.limits, self.proxies = limits, proxies

    def find_rejection(self, peer: str) -> str | None:
        """Return why a further connection of a peer is rejected, or None.

        At the total limit an idle connection is closed first.
        """
        is_full = self._per_client[rate_limit_key(peer)] >= self.limits.max_per_client
        if is_full and not self.proxies.is_trusted(peer):
            return "most_each"
        has_capacity = len(self._open) < self.limits.max_total or self.close_idle()
        return None if has_capacity else "most"

    def close_idle(self) -> bool:
        """Close the longest idle connection; False if none is idle."""
        stream = self._idle.pop(self._watched)
        if stream is not None:
            self.close_connection(stream, "displaced")
        return stream is not None

    def watch(self, connection: socket.socket, peer: str) -> MonitoredStream:
        """Return a new connection as a monitored stream."""
        client_key = None if self.proxies.is_trusted(peer) else rate_limit_key(peer)
        stream = MonitoredStream(connection, self, client_key)
        self._open.add(stream)
        self._watched.add(stream)
        if client_key is not None:
            self._per_client[client_key] += 1
        if self._sweep_timer is None:
            self._schedule()
        return stream

    def release(self, stream: MonitoredStream) -> None:
        """Stop monitoring a connection that became an event stream; still count it."""
        self._watched.discard(stream)

    def forget(self, stream: MonitoredStream) -> None:
        """Remove a closed connection from the counts."""
        self._open.discard(stream)
        self._watched.discard(stream)
        self._freed += stream.unsent + _CONNECTION_BYTES
        client_key = stream.client_key
        if client_key is not None:
            self._per_client[client_key] -= 1
            if not self._per_client[client_key]:
                del self._per_client[client_key]

    def close(self) -> None:
        """Stop the sweep, the lingering closes and the counters."""
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()
            self._sweep_timer = None
        self.lingering.close()
        for counter in (self.rejected, self.cut, self.malformed):
            counter.close()

    def _schedule(self) -> None:
        self._due = monotonic() + SWEEP_SECONDS
        loop = asyncio.get_running_loop()
        self._sweep_timer = loop.call_later(SWEEP_SECONDS, self._sweep)

    def _sweep(self) -> None:
        """Check all connections, periodically while any is open.

        Skip a late sweep: the peers' bytes may have arrived but not been read.
        """
        if monotonic() - self._due < SWEEP_SECONDS:
            self._sweep_batch(iter(tuple(self._watched)))
        else:
            self._schedule()

    def _sweep_batch(self, waiting: Iterable[MonitoredStream]) -> None:
        """Check a batch, and the rest in later turns of the event loop."""
        now = monotonic()
        some = tuple(islice(waiting, _SWEEP_BATCH))
        for stream in some:
            if reason := stream.timeout_reason(now):
                self.close_connection(stream, reason)
        if some:
            loop = asyncio.get_running_loop()
            self._sweep_timer = loop.call_later(0, self._sweep_batch, waiting)
            return
        self._trim()
        if self._open or self._freed > _TRIM_THRESHOLD_BYTES:
            self._schedule()
        else:
            self._sweep_timer = None

    def _trim(self) -> None:
        """Return freed memory to the system, one sweep after the last close.

        At the close of a connection its requests still hold their responses.
        """
        if self._freed > _TRIM_THRESHOLD_BYTES and self._freed == self._freed_before:
            self._freed = 0
            # Cached addresses of many peers fragment the freed memory.
            self.proxies.forget()
            asyncio.get_running_loop().run_in_executor(None, trim_malloc)
        self._freed_before = self._freed

    def close_connection(self, stream: MonitoredStream, reason: str) -> None:
        """Close a connection, and count the reason."""
        if reason != "idle":
            self.cut.record(reason)
        stream.close()
