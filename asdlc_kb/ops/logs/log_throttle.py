"""Log throttling: frequent events are logged rarely, with their number.

A flood of events must not become a flood of lines: it would fill the disk, and take
resources from legitimate clients.
"""

import asyncio
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Final, Generic, TypeVar

from cachetools import LRUCache

PAUSE_SECONDS: Final = 10.0
"""Minimum interval between two lines of one kind."""

MAX_LINES_PER_SECOND: Final = 10
"""Maximum lines per second, of kinds that may have several."""

MAX_KINDS: Final = 10_000
"""Maximum number of tracked kinds; the least recent one is evicted."""

ThrottledKind = TypeVar("ThrottledKind", bound=Hashable)


class LogThrottle(Generic[ThrottledKind]):
    """Allows a number of lines per kind and period; the others are counted."""

    def __init__(
        self,
        max_lines: int = 1,
        seconds: float = PAUSE_SECONDS,
        *,
        together: int | None = None,
        max_kinds: int = MAX_KINDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Allow `max_lines` per kind in `seconds`, of all `together` per second."""
        self._max_lines = max_lines
        self._seconds = seconds
        self._clock = clock
        self._all: LogThrottle[None] | None = None
        if together is not None:
            self._all = LogThrottle(together, 1.0, clock=clock)
        self._by_kind = LRUCache[ThrottledKind, tuple[float, int, int]](max_kinds)
        """By kind: start of its period, lines written in it, and events since the
        last line."""
        self._lock = threading.Lock()

    def count(self, kind: ThrottledKind) -> int:
        """Count an event; return the number for a line to write now, 0 for no line."""
        with self._lock:
            now = self._clock()
            since, written, suppressed = self._by_kind.get(kind, (now, 0, 0))
            if now - since >= self._seconds:
                since, written = now, 0
            suppressed += 1
            if written >= self._max_lines or (self._all and not self._all.count(None)):
                number, row = 0, (since, written, suppressed)
            else:
                number, row = suppressed, (since if written else now, written + 1, 0)
            self._by_kind[kind] = row
            return number

    @property
    def is_counting(self) -> bool:
        """Whether there may be events to collect."""
        return bool(self._by_kind)

    def collect(self, *, is_last: bool = False) -> Sequence[tuple[ThrottledKind, int]]:
        """Return the suppressed events by kind, and reset them.

        Unfinished periods are included only if `is_last`.
        """
        with self._lock:
            now = self._clock()
            expired = [
                kind
                for kind, (since, _, _) in self._by_kind.items()
                if is_last or now - since >= self._seconds
            ]
            suppressed = [(kind, self._by_kind.pop(kind)[2]) for kind in expired]
        return [(kind, number) for kind, number in suppressed if number]


class ThrottledCounter:
    """Counts one event by kind, and logs one line for all kinds.

    Unlike a `LogThrottle` it uses a timer of the event loop: the last event for hours
    is logged after the pause all the same.
    """

    def __init__(
        self,
        logger: logging.Logger,
        event: str,
        *,
        level: int = logging.WARNING,
        count: Callable[[str], object] = lambda kind: None,
    ) -> None:
        """Log an event; `count` is called with the kind of each."""
        self.counts: Counter[str] = Counter()
        """Events since the start, by kind."""
        self._logger = logger
        self._event = event
        self._level = level
        self._count = count
        self._logged: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None
        """The end of a pause; None if the next event is logged at once."""

    def record(self, kind: str) -> None:
        """Count an event; called on the event loop."""
        self.counts[kind] += 1
        self._count(kind)
        if self._timer is None:
            self._log_periodically()

    def close(self) -> None:
        """Log the events that were not logged yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._log_new()

    def _log_periodically(self) -> None:
        """Log new events, and check again after a pause, until there are none."""
        self._timer = None
        if self._log_new():
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(PAUSE_SECONDS, self._log_periodically)

    def _log_new(self) -> bool:
        """Log the new events, if any; return whether there were any."""
        new = self.counts - self._logged
        if new:
            self._logged = self.counts.copy()
            self._logger.log(self._level, self._event, extra=dict(new))
        return bool(new)
