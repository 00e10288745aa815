"""A connection's stream, with the deadlines of its peer.

A begun request must continue to arrive, and a response must continue to be read. The
stream records its progress; `connection_manager` closes those that are late.
"""

import socket
from enum import Enum, auto
from time import monotonic
from typing import Any, Final, Protocol

from tornado.iostream import StreamClosedError

from asdlc_kb.ops.logs.log_throttle import ThrottledCounter
from asdlc_kb.web.connections.backlog import UnsentBytes
from asdlc_kb.web.connections.direct_stream import DirectStream, FastPath
from asdlc_kb.web.connections.framing import (
    HEADER_END,
    TORNADO_END,
    reject_bare_line_feeds,
)
from asdlc_kb.web.connections.lingering import Lingering
from asdlc_kb.web.connections.rejections import (
    BAD_REQUEST,
    HEADER_TOO_LARGE,
    URI_TOO_LONG,
)

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

_MAX_LINE_BYTES: Final = 16 * 1024
"""Maximum request line; an oversized header with a longer one has too long a URI."""


class _Stage(Enum):
    """The part of a request that is being read."""

    IDLE = auto()
    HEAD = auto()
    BODY = auto()


class StreamOwner(Protocol):
    """What a stream needs of its connection manager."""

    fast_path: FastPath | None
    in_flight: set[object]
    lingering: Lingering
    malformed: ThrottledCounter
    backlog: "UnsentBytes[MonitoredStream]"

    def forget(self, stream: "MonitoredStream") -> None:
        """Remove a closed connection from the counts."""

    def close_connection(self, stream: "MonitoredStream", reason: str) -> None:
        """Close a connection, and count the reason."""


class MonitoredStream(DirectStream):
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
        manager: StreamOwner,
        peer: str,
        client_key: str | None,
    ) -> None:
        super().__init__(connection, manager.lingering, peer)
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
    def fast_path(self) -> FastPath | None:
        """The fast path of all connections, if any."""
        return self._manager.fast_path

    @property
    def idle_since(self) -> float | None:
        """Time at which it began to wait for a request; None if it is not idle."""
        is_idle = self._stage is _Stage.IDLE and self._awaits_peer()
        return self._since if is_idle and not self.has_waiting() else None

    def record_idle(self) -> None:
        """Record that no incomplete request is held."""
        self._stage, self._since = _Stage.IDLE, monotonic()
        self._manager.in_flight.discard(self)

    def record_body(self, size: int) -> None:
        """Record the received bytes of the body of a held request."""
        if self._stage is not _Stage.BODY:
            self._stage, self._since = _Stage.BODY, monotonic()
            self._manager.in_flight.add(self)
        self._received = size

    def read_until_regex(self, regex: bytes, max_bytes: int | None = None) -> Any:
        """Read the header of the next request; its lines must end with CRLF."""
        # A peer may pipeline requests, the last one in part.
        self._stage = _Stage.HEAD if self.unread_size else _Stage.IDLE
        self.awaits_header = True
        self._since = monotonic()
        self.serve_unread()
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
            del buf  # As in `DirectStream.read_from_fd`.
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
        if not self._awaits_peer():
            return None
        quiet = now - self._since
        if self._stage is _Stage.IDLE:
            return "idle" if quiet >= IDLE_SECONDS else None
        if self._stage is _Stage.HEAD:
            return "slow_header" if quiet >= HEAD_SECONDS else None
        allowed = BODY_SECONDS + self._received / BODY_RATE
        return "slow_body" if quiet >= allowed else None

    def _awaits_peer(self) -> bool:
        """Whether the next bytes are the peer's to send."""
        return self.reading() and not self.writing()

    def _begin_body(self) -> None:
        self._stage = _Stage.BODY
        self.awaits_header = False
        self._since = monotonic()
        # Part of the body may have arrived with the header.
        self._received = self.unread_size
        self._chunks = 0

    def choose_rejection(self) -> bytes:
        """Return the response to an oversized line or header."""
        if self._stage is _Stage.BODY:
            return BAD_REQUEST
        has_line = 0 <= self.find_unread(b"\n") <= _MAX_LINE_BYTES
        return HEADER_TOO_LARGE if has_line else URI_TOO_LONG

    def _check_chunks(self) -> None:
        """Close the connection of a peer that sends many tiny chunks."""
        if self._chunks > MAX_CHUNKS + self._received // MIN_CHUNK_BYTES:
            self._manager.close_connection(self, "small_chunks")
            # Otherwise the buffer would still be parsed.
            raise StreamClosedError

    def _record_stall(self, count: int) -> None:
        self.unsent = self.unsent_size - count
        self._taken += count
        if has_read := self.stalled_since is None or self._taken >= STALL_BYTES:
            self.stalled_since, self._taken = monotonic(), 0
        unread = self.unsent + self._queued
        self._manager.backlog.record(self, unread, has_read=has_read)
