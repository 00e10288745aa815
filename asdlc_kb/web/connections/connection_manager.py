"""How long a connection may take, and how many there may be.

A connection costs whoever opens it next to nothing, and its holder may say little and
slowly. Here each one is counted, by its peer, and a round goes over all of them: what
has begun to ask must go on asking, what is answered must go on reading. Where there are
as many as there may be, the longest idle one is closed for a new one.
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
from asdlc_kb.ops.process.allocator import trim_malloc
from asdlc_kb.web.admission.client_address import UNIX, TrustedProxies, rate_limit_key
from asdlc_kb.web.connections.backlog import UnsentBytes
from asdlc_kb.web.connections.connection_limits import (
    ConnectionLimits,
    max_connections,
)
from asdlc_kb.web.connections.framing import (
    HEADER_END,
    TORNADO_END,
    refuse_bare_line_feeds,
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
"""Between two requests, and before the first; proxies give up at 60."""

HEAD_SECONDS: Final = 10.0
"""From the first byte of a request to the end of its header: some packets at most."""

BODY_SECONDS: Final = 10.0
"""From then to the end of its body, and longer only while it comes fast enough."""

BODY_RATE: Final = 64 * 1024
"""Bytes of a body that buy it another second: a slow telephone line sends as many."""

MAX_CHUNKS: Final = 4_096
"""Chunks that a body may have, however small. Each costs the same work: a megabyte of
them, with a byte in each, would take the processor for seconds."""

MIN_CHUNK_BYTES: Final = 64
"""Bytes, with what is around them, that buy a further chunk; most have a thousand."""

STALL_SECONDS: Final = 20.0
"""In which a reader must take `STALL_BYTES` of what is kept for it, or all of it."""

STALL_BYTES: Final = 64 * 1024
"""A reader that takes a byte now and then would hold a large answer for hours."""

ROUND_SECONDS: Final = 0.5
"""Between two rounds: what is late is noticed so much later."""

_TRIM_THRESHOLD_BYTES: Final = 4 * 1024 * 1024
"""Bytes of connections and unread answers that, once free, are worth giving back to the
system."""

_CONNECTION_BYTES: Final = 8 * 1024
"""What an open connection takes, as far as is measured."""

_MAX_LINE_BYTES: Final = 16 * 1024
"""Of a request line; a header that is too large for a longer one has a long address."""

_SLICE: Final = 1_000
"""Connections that are looked at before other work gets its turn."""


class _Stage(Enum):
    """What a connection was last asked to read."""

    IDLE = auto()
    HEAD = auto()
    BODY = auto()


class MonitoredStream(LingeringStream):
    """A connection that knows since when it waits for its peer.

    Tornado asks for the header of each request by `read_until_regex`, for its body by
    the two others; these run for every request, so they do next to nothing.
    """

    # Beside Tornado's own attributes these would be too many for a dict that shares its
    # keys, and each connection would have two kilobytes more.
    __slots__ = (
        "_chunks",
        "_guard",
        "_received",
        "_since",
        "_stage",
        "_taken",
        "_waiting",
        "origin",
        "stuck_since",
        "unsent",
    )

    def __init__(
        self, connection: socket.socket, guard: "ConnectionManager", origin: str | None
    ) -> None:
        super().__init__(connection, guard.lingering)
        self.origin = origin
        """What its peer is counted by; None for one that may have any number."""
        self.unsent = 0
        """Bytes that its peer did not take so far, as far as is known."""
        self.stuck_since: float | None = None
        """When its peer last took enough, if it does not take all."""
        self._guard = guard
        self._stage = _Stage.IDLE
        self._since = monotonic()
        self._received = self._taken = self._chunks = self._waiting = 0

    @property
    def idle_since(self) -> float | None:
        """Since when it waits for the first byte of a request, if it does."""
        is_idle = self._stage is _Stage.IDLE and self.reading()
        return self._since if is_idle and not self.has_waiting() else None

    def read_until_regex(self, regex: bytes, max_bytes: int | None = None) -> Any:
        """Read the header of the next request; its lines must end with CRLF."""
        # A peer may send several requests at once, and a part of the last.
        self._stage = _Stage.HEAD if self._read_buffer_size else _Stage.IDLE
        self._since = monotonic()
        if regex == TORNADO_END:
            regex = HEADER_END
        return refuse_bare_line_feeds(super().read_until_regex(regex, max_bytes))

    def read_bytes(self, num_bytes: int, partial: bool = False) -> Any:
        """Read a part of a body."""
        if self._stage is not _Stage.BODY:
            self._begin_body()
        return super().read_bytes(num_bytes, partial)

    def read_until(self, delimiter: bytes, max_bytes: int | None = None) -> Any:
        """Read the line before a part of a body."""
        if self._stage is not _Stage.BODY:
            self._begin_body()
        self._chunks += 1
        if self._chunks > MAX_CHUNKS:
            self._look_at_chunks()
        return super().read_until(delimiter, max_bytes)

    def read_from_fd(self, buf: bytearray | memoryview) -> int | None:
        """Read what is there, and note when a request begins."""
        try:
            count = super().read_from_fd(buf)
        finally:
            # An error keeps the frames that it passed, for as long as the stream is
            # there: each would keep 64 KiB.
            del buf
        if count:
            self._received += count
            if self._stage is _Stage.IDLE:
                self._stage = _Stage.HEAD
                self._since = monotonic()
        return count

    def write_to_fd(self, data: memoryview) -> int:
        """Write what the peer takes, and note when that is not all."""
        size = len(data)
        try:
            count = super().write_to_fd(data)
        except BlockingIOError:
            self._note_stuck(0)
            raise
        if count < size:
            self._note_stuck(count)
        elif self.stuck_since is not None:
            self.stuck_since, self.unsent = None, 0
            self._guard.backlog.record(self, self._waiting)
        return count

    def count_waiting(self, size: int) -> None:
        """Count bytes that will be written here as soon as the peer takes more."""
        if size != self._waiting and not self.closed():
            self._waiting = size
            self._guard.backlog.record(self, self.unsent + size)

    def close_fd(self) -> None:
        """Close the socket; unsent bytes are dropped."""
        self._guard.backlog.release(self)
        super().close_fd()

    def forget(self) -> None:
        """Make room for another connection: this one is closed."""
        self._guard.forget(self)

    def find_fault(self, now: float) -> str | None:
        """Return what its peer takes too long for, if there is something."""
        stuck = self.stuck_since
        if stuck is not None and now - stuck >= STALL_SECONDS:
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
        # Some of it may have come with the header.
        self._received = self._read_buffer_size
        self._chunks = 0

    def choose_refusal(self) -> bytes:
        """Return what is answered to a line or a header that does not end."""
        if self._stage is _Stage.BODY:
            return BAD_REQUEST
        has_line = 0 <= self._read_buffer.find(b"\n") <= _MAX_LINE_BYTES
        return HEADER_TOO_LARGE if has_line else URI_TOO_LONG

    def _look_at_chunks(self) -> None:
        """Hang up on who sends very many that are very small."""
        if self._chunks > MAX_CHUNKS + self._received // MIN_CHUNK_BYTES:
            self._guard.cut_off(self, "small_chunks")
            # What is in the buffer would still be read.
            raise StreamClosedError

    def _note_stuck(self, count: int) -> None:
        self.unsent = len(self._write_buffer) - count
        self._taken += count
        if has_taken := self.stuck_since is None or self._taken >= STALL_BYTES:
            self.stuck_since, self._taken = monotonic(), 0
        kept = self.unsent + self._waiting
        self._guard.backlog.record(self, kept, has_taken=has_taken)


class ConnectionManager:
    """Counts the connections, and ends those whose peers take too long."""

    def __init__(
        self,
        caps: ConnectionLimits | None = None,
        proxies: TrustedProxies | None = None,
    ) -> None:
        self.caps = caps or ConnectionLimits(max_connections())
        self.proxies = proxies or TrustedProxies()
        """Whose connections are those of many: they may have any number."""
        self.refused = ThrottledCounter(logger, "connections refused", family="refused")
        """Newcomers that were sent away, by the reason."""
        self.cut = ThrottledCounter(
            logger, "connections cut", level=logging.INFO, family="cut"
        )
        """Connections that were ended, by what took too long."""
        self.malformed = ThrottledCounter(
            logger, "requests not understood", level=logging.INFO
        )
        """Requests that were not even HTTP."""
        self.lingering = Lingering()
        """Those that are closed, but for what their peers still send."""
        self.backlog = UnsentBytes(partial(self.cut_off, fault="too_much_unread"))
        self._open: set[MonitoredStream] = set()
        self._watched: set[MonitoredStream] = set()
        self._each: Counter[str] = Counter()
        self._round: asyncio.TimerHandle | None = None
        self._freed = self._freed_before = 0
        self._idle: IdleQueue[MonitoredStream] = IdleQueue()

    @property
    def connections(self) -> int:
        """How many are open, streams among them."""
        return len(self._open)

    def refuse(self, peer: str) -> str | None:
        """Return why one more connection of this peer is refused, or None.

        At the cap of all connections an idle one gives way.
        """
        is_full = self._each[rate_limit_key(peer)] >= self.caps.most_each
        if is_full and not self.proxies.trusts(peer):
            return "most_each"
        is_room = len(self._open) < self.caps.most or self.close_idle()
        return None if is_room else "most"

    def close_idle(self) -> bool:
        """Close the connection that is idle for longest; False if there is none."""
        stream = self._idle.pop(self._watched)
        if stream is not None:
            self.cut_off(stream, "displaced")
        return stream is not None

    def watch(self, connection: socket.socket, peer: str) -> MonitoredStream:
        """Return a new connection as a stream that is looked after."""
        origin = None if self.proxies.trusts(peer) else rate_limit_key(peer)
        stream = MonitoredStream(connection, self, origin)
        self._open.add(stream)
        self._watched.add(stream)
        if origin is not None:
            self._each[origin] += 1
        if self._round is None:
            self._schedule()
        return stream

    def release(self, stream: MonitoredStream) -> None:
        """Only count a connection from now on: it has become somebody's stream."""
        self._watched.discard(stream)

    def forget(self, stream: MonitoredStream) -> None:
        """Count a connection no more: it is closed."""
        self._open.discard(stream)
        self._watched.discard(stream)
        self._freed += stream.unsent + _CONNECTION_BYTES
        origin = stream.origin
        if origin is not None:
            self._each[origin] -= 1
            if not self._each[origin]:
                del self._each[origin]

    def close(self) -> None:
        """Look after nothing any more."""
        if self._round is not None:
            self._round.cancel()
            self._round = None
        self.lingering.close()
        for tally in (self.refused, self.cut, self.malformed):
            tally.close()

    def _schedule(self) -> None:
        self._due = monotonic() + ROUND_SECONDS
        loop = asyncio.get_running_loop()
        self._round = loop.call_later(ROUND_SECONDS, self._go_round)

    def _go_round(self) -> None:
        """Look at every connection, once in a while as long as there are any.

        Where the round itself is late, what the peers sent may just not be read yet.
        """
        if monotonic() - self._due < ROUND_SECONDS:
            self._go_on(iter(tuple(self._watched)))
        else:
            self._schedule()

    def _go_on(self, waiting: Iterable[MonitoredStream]) -> None:
        """Look at some, and at the others when other work had its turn."""
        now = monotonic()
        some = tuple(islice(waiting, _SLICE))
        for stream in some:
            if fault := stream.find_fault(now):
                self.cut_off(stream, fault)
        if some:
            loop = asyncio.get_running_loop()
            self._round = loop.call_later(0, self._go_on, waiting)
            return
        self._give_back()
        if self._open or self._freed > _TRIM_THRESHOLD_BYTES:
            self._schedule()
        else:
            self._round = None

    def _give_back(self) -> None:
        """Return to the system what many connections took, a round after the last.

        When a connection is closed, its requests still hold what they had to say.
        """
        if self._freed > _TRIM_THRESHOLD_BYTES and self._freed == self._freed_before:
            self._freed = 0
            # What is remembered of so many peers lies between what they took.
            self.proxies.forget()
            asyncio.get_running_loop().run_in_executor(None, trim_malloc)
        self._freed_before = self._freed

    def cut_off(self, stream: MonitoredStream, fault: str) -> None:
        """End a connection, and count why."""
        if fault != "idle":
            self.cut.note(fault)
        stream.close()


def find_peer(connection: socket.socket, address: Any) -> str:
    """Return the address of a peer without its port."""
    is_named = connection.family in (socket.AF_INET, socket.AF_INET6)
    return str(address[0]) if is_named else UNIX
