"""The membership of a process in a cluster: its sessions and rate limits on the bus.

It lasts from start to end; a reload may replace the limits.
"""

import asyncio
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any, Final

import msgspec

from asdlc_kb.cluster.bus import Bus
from asdlc_kb.cluster.envelope import count_dropped
from asdlc_kb.cluster.rate_counts import RateCounts
from asdlc_kb.cluster.topic import SESSIONS, BusTopic
from asdlc_kb.mcp.sessions.session_ids import SessionIds
from asdlc_kb.mcp.sessions.session_messages import (
    AnySessionMessage,
    ChannelMessage,
    publish_nothing,
)
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.ops.limits.rate_limit_sync import RateLimitSync
from asdlc_kb.ops.limits.rate_limiter import RateLimiter
from asdlc_kb.ops.metrics.counters import Metrics

ANNOUNCE_SECONDS: Final = 60.0
"""Interval at which a process repeats its state on a bus over the network."""

MAX_SILENT_SECONDS: Final = 3 * ANNOUNCE_SECONDS
"""Silence after which a process counts as gone."""


class ClusterMembership:
    """Connects the sessions and rate limits of one process to those of the others."""

    def __init__(
        self,
        sessions_bus: Bus,
        rates_bus: Bus,
        key: bytes | None,
        metrics: Metrics,
        *,
        rates_key: bytes | None = None,
        work: Callable[[], Coroutine[Any, Any, None]] | None = None,
        is_connected: Callable[[], bool] | None = None,
    ) -> None:
        """Without a key sessions are not shared; `work` runs in the background."""
        self.is_connected = is_connected
        """Whether the bus can be used; None for one that is always there."""
        self.sessions = Sessions(
            SessionIds(key), publish=publish_nothing if key is None else self._publish
        )
        """The sessions of this process, which others answer as well."""
        self._metrics = metrics
        self._buses = {sessions_bus, rates_bus}
        self._name = sessions_bus.name
        self._counts = RateCounts(rates_bus, rates_key, metrics)
        self._work = work
        self._tasks: set[asyncio.Task[None]] = set()
        self._limiters: tuple[RateLimiter, ...] = ()
        self._heard: dict[str, float] = {}
        """Time of the last message of each process."""
        self._sync: asyncio.Task[None] | None = None
        self._topic: BusTopic[AnySessionMessage] | None = None
        if key is not None:
            self._topic = BusTopic(
                sessions_bus,
                key,
                SESSIONS,
                msgspec.msgpack.Decoder(AnySessionMessage),
                self._receive,
                metrics,
                joined=self.sessions.join,
                left=self._forget,
            )

    def follow(self, limiters: tuple[RateLimiter, ...]) -> None:
        """Share the counts of these limiters from now on."""
        if self._work is not None:
            self._tasks.add(asyncio.ensure_future(self._work()))
            self._tasks.add(asyncio.ensure_future(self._announce()))
            self._work = None
        if limiters != self._limiters:
            self._limiters = limiters
            if self._sync is not None:
                self._sync.cancel()
            sync = RateLimitSync(limiters, self._counts)
            self._sync = asyncio.ensure_future(sync.run())

    async def leave(self) -> None:
        """Notify the other processes, and stop the background tasks."""
        self.sessions.leave()
        for bus in self._buses:
            await bus.flush()
        if self._sync is not None:
            self._tasks.add(self._sync)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _forget(self, name: str) -> None:
        self._heard.pop(name, None)
        self.sessions.forget_process(name)

    async def _announce(self) -> None:
        """Announce this process periodically; forget those that are silent.

        A server on the network reports no disconnect, and a process may end without
        leaving.
        """
        while True:
            await asyncio.sleep(ANNOUNCE_SECONDS)
            if self._topic is not None:
                self.sessions.announce()
            self.forget_silent(monotonic())

    def forget_silent(self, now: float) -> None:
        """Forget the streams and channels of processes that published long ago."""
        for name, heard in tuple(self._heard.items()):
            if now - heard >= MAX_SILENT_SECONDS:
                self._forget(name)

    def _publish(self, message: AnySessionMessage) -> None:
        assert self._topic is not None
        if isinstance(message, ChannelMessage) and message.holder is None:
            count_dropped(self._metrics, "channel")
        else:
            self._topic.publish(message)

    def _receive(self, sender: str, message: AnySessionMessage) -> None:
        self._heard[sender] = monotonic()
        is_for_another = (
            isinstance(message, ChannelMessage) and message.holder != self._name
        )
        if not is_for_another and not self.sessions.receive(sender, message):
            count_dropped(self._metrics, "channel")
