"""Idle connections, in the order of their eviction.

A client that has just been answered usually asks again: if its connection were closed
at once, a flood of new ones would keep all clients from ending a handshake.
"""

from collections import deque
from collections.abc import Collection
from operator import itemgetter
from time import monotonic
from typing import Final, Generic, Protocol, TypeVar

RESCAN_SECONDS: Final = 0.1
"""Pause after a scan that found no idle connection: a scan takes a millisecond with
10,000 connections, and a flood of new ones must not repeat it."""

MIN_IDLE_SECONDS: Final = 0.1
"""Idle time before a connection may be closed for a new one."""


class Idle(Protocol):
    """A connection that may be idle."""

    @property
    def idle_since(self) -> float | None:
        """Time at which it began to wait for a request; None if it is not idle."""


IdleConnection = TypeVar("IdleConnection", bound=Idle)


class IdleQueue(Generic[IdleConnection]):
    """Finds the longest idle connection; one scan serves for as many as it finds."""

    def __init__(self) -> None:
        self._candidates: deque[tuple[float, IdleConnection]] = deque()
        self._failed = float("-inf")

    def pop(self, connections: Collection[IdleConnection]) -> IdleConnection | None:
        """Return the longest idle of these connections, if any."""
        connection = self._pop_candidate(connections)
        if connection is None:
            self._scan(connections)
            connection = self._pop_candidate(connections)
        return connection

    def _pop_candidate(
        self, connections: Collection[IdleConnection]
    ) -> IdleConnection | None:
        """Return the first connection of the last scan that is still idle, if any."""
        while self._candidates:
            since, connection = self._candidates.popleft()
            # It may have been used, or closed, after the scan.
            if connection in connections and connection.idle_since == since:
                return connection
        return None

    def _scan(self, connections: Collection[IdleConnection]) -> None:
        now = monotonic()
        if now - self._failed < RESCAN_SECONDS:
            return
        latest = now - MIN_IDLE_SECONDS
        every = ((connection.idle_since, connection) for connection in connections)
        idle = [
            (since, connection)
            for since, connection in every
            if since is not None and since <= latest
        ]
        self._candidates.extend(sorted(idle, key=itemgetter(0)))
        if not idle:
            self._failed = now
