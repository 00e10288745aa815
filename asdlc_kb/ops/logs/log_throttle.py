"""What may happen thousands of times a second is told now and then, with how often.

A flood of events must not become a flood of lines: it would fill the disk, and cost
more than who behaves well.
"""

import asyncio
import logging
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Final, Generic, TypeVar

from asdlc_kb.ops.metrics.counters import metrics

PAUSE_SECONDS: Final = 10.0
"""Between two lines about the same."""

MAX_LINES_PER_SECOND: Final = 10
"""Lines that are written in one second where some are."""

MAX_KINDS: Final = 10_000
"""Kinds that are remembered; beyond, the one known for longest is forgotten."""

ThrottledKind = TypeVar("ThrottledKind", bound=Hashable)


class LogThrottle(Generic[ThrottledKind]):
    """Admits so many lines of each kind in so long; the others are counted."""

    def __init__(
        self,
        most: int = 1,
        seconds: float = PAUSE_SECONDS,
        *,
        together: int | None = None,
        kinds: int = MAX_KINDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Admit in one second, of all kinds `together`, no more than these."""
        self._most = most
        self._seconds = seconds
        self._kinds = kinds
        self._clock = clock
        self._all: LogThrottle[None] | None = None
        if together is not None:
            self._all = LogThrottle(together, 1.0, clock=clock)
        self._known: OrderedDict[ThrottledKind, tuple[float, int, int]] = OrderedDict()
        """By kind: since when its lines are counted, how many were written, and how
        many were not since the last that was."""
        self._lock = threading.Lock()

    def count(self, kind: ThrottledKind) -> int:
        """Count an event; return how many a line now would be about, 0 for no line."""
        with self._lock:
            now = self._clock()
            since, told, untold = self._known.get(kind, (now, 0, 0))
            if now - since >= self._seconds:
                since, told = now, 0
            untold += 1
            if told >= self._most or (self._all and not self._all.count(None)):
                number, row = 0, (since, told, untold)
            else:
                number, row = untold, (since if told else now, told + 1, 0)
            self._known[kind] = row
            if len(self._known) > self._kinds:
                self._known.popitem(last=False)
            return number

    def collect(self, *, is_last: bool = False) -> Sequence[tuple[ThrottledKind, int]]:
        """Return what was not written of which kinds, and forget it.

        Of the time that is not over yet only if there will be no other call.
        """
        with self._lock:
            now = self._clock()
            over = [
                kind
                for kind, (since, _, _) in self._known.items()
                if is_last or now - since >= self._seconds
            ]
            untold = [(kind, self._known.pop(kind)[2]) for kind in over]
        return [(kind, number) for kind, number in untold if number]


class ThrottledCounter:
    """How often each kind of one event happened, in one line for all of them.

    This is no `LogThrottle`, which speaks only when asked: who is refused may be the
    last for hours, and is told of after the pause all the same. Time is kept by the
    loop.
    """

    def __init__(
        self,
        logger: logging.Logger,
        event: str,
        *,
        level: int = logging.WARNING,
        family: str | None = None,
    ) -> None:
        """Tell of an event in the log; a family of the metrics counts it too."""
        self.counts: Counter[str] = Counter()
        """Since the start, by kind."""
        self._logger = logger
        self._event = event
        self._level = level
        self._family = family
        self._told: Counter[str] = Counter()
        self._alarm: asyncio.TimerHandle | None = None
        """The end of a pause; None where the next event is told at once."""

    def note(self, kind: str) -> None:
        """Count one; called on the loop."""
        self.counts[kind] += 1
        if self._family is not None:
            metrics.count((self._family, kind))
        if self._alarm is None:
            self._tell()

    def close(self) -> None:
        """Tell what was not told yet."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
            self._say()

    def _tell(self) -> None:
        """Tell what is new, and look again after a pause, until nothing is."""
        self._alarm = None
        if self._say():
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(PAUSE_SECONDS, self._tell)

    def _say(self) -> bool:
        """Write a line about what is new, if there is something."""
        fresh = self.counts - self._told
        if fresh:
            self._told = self.counts.copy()
            self._logger.log(self._level, self._event, extra=dict(fresh))
        return bool(fresh)
