"""Connection limits and time-outs.

A connection costs its client next to nothing, and a client may send and read slowly.
Each connection is counted by its peer, and a periodic sweep closes those that are late.
At the limit the longest idle connection is closed for a new one.
"""

import asyncio
import logging
import socket
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from itertools import islice
from time import monotonic
from typing import Final

from asdlc_kb.ops.logs.log_throttle import ThrottledCounter
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.metrics.definitions import CUT, REFUSED
from asdlc_kb.ops.process.allocator import trim_malloc
from asdlc_kb.web.admission.client_address import TrustedProxies, rate_limit_key
from asdlc_kb.web.connections.backlog import UnsentBytes
from asdlc_kb.web.connections.connection_limits import ConnectionLimits, max_connections
from asdlc_kb.web.connections.direct_stream import FastPath
from asdlc_kb.web.connections.idle import IdleQueue
from asdlc_kb.web.connections.lingering import Lingering
from asdlc_kb.web.connections.monitored_stream import MonitoredStream

logger = logging.getLogger(__name__)

SWEEP_SECONDS: Final = 0.5
"""Interval of sweeps."""

_TRIM_THRESHOLD_BYTES: Final = 2 * 1024 * 1024
"""Freed bytes of connections and unread responses that are worth returning to the
system."""

_TRIMS: Final = 4
"""Sweeps that return freed memory: requests of closed connections end later."""

_CONNECTION_BYTES: Final = 8 * 1024
"""Memory of an open connection, as measured."""

_SWEEP_BATCH: Final = 1_000
"""Connections checked in one turn of the event loop."""


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
        self.lingering = Lingering()
        """Half-closed connections, drained until their peers close."""
        close = partial(self.close_connection, reason="too_much_unread")
        self.backlog = UnsentBytes(close)
        self.fast_path: FastPath | None = None
        """Answers requests without Tornado; None if it is off."""
        self.in_flight: set[object] = set()
        """Requests with a waiting client."""
        self._open: set[MonitoredStream] = set()
        self._watched: set[MonitoredStream] = set()
        self._per_client: Counter[str] = Counter()
        self._sweep_timer: asyncio.TimerHandle | None = None
        self._freed = self._freed_before = self._trims_due = 0
        self._idle: IdleQueue[MonitoredStream] = IdleQueue()

    @property
    def connections(self) -> int:
        """The number of open connections, streams included."""
        return len(self._open)

    def apply(self, limits: ConnectionLimits, proxies: TrustedProxies) -> None:
        """Apply other settings to new connections."""
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

    def watch(
        self,
        connection: socket.socket,
        peer: str,
        make: type[MonitoredStream] = MonitoredStream,
    ) -> MonitoredStream:
        """Return a new connection as a monitored stream."""
        client_key = None if self.proxies.is_trusted(peer) else rate_limit_key(peer)
        stream = make(connection, self, peer, client_key)
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
        if (client_key := stream.client_key) is not None:
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
        """Check all connections, periodically while any is open."""
        # Skip a late sweep: the peers' bytes may have arrived but not been read.
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
        is_trim_due = self._trims_due or self._freed > _TRIM_THRESHOLD_BYTES
        if self._open or is_trim_due:
            self._schedule()
        else:
            self._sweep_timer = None

    def _trim(self) -> None:
        """Return freed memory to the system, in some sweeps after the last close.

        A closed connection's requests may hold their responses for a while, and bytes
        that were not handed to its stream yet are not counted.
        """
        if self._freed > _TRIM_THRESHOLD_BYTES and self._freed == self._freed_before:
            self._freed, self._trims_due = 0, _TRIMS
        if self._trims_due:
            self._trims_due -= 1
            # Cached addresses of many peers fragment the freed memory.
            self.proxies.forget()
            with suppress(RuntimeError):
                # Without a free thread memory is returned later, and sweeps go on.
                asyncio.get_running_loop().run_in_executor(None, trim_malloc)
        self._freed_before = self._freed

    def close_connection(self, stream: MonitoredStream, reason: str) -> None:
        """Close a connection, and count the reason."""
        if reason != "idle":
            self.cut.record(reason)
        stream.close()
