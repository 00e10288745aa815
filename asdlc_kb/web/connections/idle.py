"""The idle connections, in the order in which they give way to new ones."""

from collections import deque
from collections.abc import Collection
from operator import itemgetter
from time import monotonic
from typing import Final, Generic, Protocol, TypeVar

RESCAN_SECONDS: Final = 0.1
"""Where no connection was idle, none is looked for again for so long: a scan takes a
millisecond with 10,000 connections, and a flood of new ones must not repeat it."""


class Idle(Protocol):
    """A connection that may be idle."""

    @property
    def idle_since(self) -> float | None:
        """Since when it waits for the first byte of a request, if it does."""


IdleConnection = TypeVar("IdleConnection", bound=Idle)


class IdleQueue(Generic[IdleConnection]):
    """Finds the longest idle connection; one scan serves for as many as it finds."""

    def __init__(self) -> None:
        self._found: deque[tuple[float, IdleConnection]] = deque()
        self._failed = float("-inf")

    def pop(self, connections: Collection[IdleConnection]) -> IdleConnection | None:
        """Return the one of these that is idle for longest, if one is."""
        found = self._pop_found(connections)
        if found is None:
            self._scan(connections)
            found = self._pop_found(connections)
        return found

    def _pop_found(
        self, connections: Collection[IdleConnection]
    ) -> IdleConnection | None:
        """Return the first connection of the last scan that is still idle, if any."""
        while self._found:
            since, connection = self._found.popleft()
            # It may have been used, or closed, after the scan.
            if connection in connections and connection.idle_since == since:
                return connection
        return None

    def _scan(self, connections: Collection[IdleConnection]) -> None:
        now = monotonic()
        if now - self._failed < RESCAN_SECONDS:
            return
        every = ((each.idle_since, each) for each in connections)
        idle = [(since, each) for since, each in every if since is not None]
        self._found.extend(sorted(idle, key=itemgetter(0)))
        if not idle:
            self._failed = now
