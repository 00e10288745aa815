"""Counts what may happen thousands of times a second, and tells of it now and then.

The first time is told at once, the rest in one line for each pause: a flood of events
must not become a flood of lines.
"""

import asyncio
import logging
from collections import Counter
from time import monotonic
from typing import Final

from asdlc_kb.ops.metrics import metrics

PAUSE_SECONDS: Final = 10.0
"""Between two lines of one tally."""


class Tally:
    """How often each kind of one event happened."""

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
        self._next = 0.0
        self._alarm: asyncio.TimerHandle | None = None

    def note(self, kind: str) -> None:
        """Count one; called on the loop."""
        self.counts[kind] += 1
        if self._family is not None:
            metrics.count((self._family, kind))
        if self._alarm is not None:
            return
        wait = self._next - monotonic()
        if wait <= 0:
            self._tell()
        else:
            self._alarm = asyncio.get_running_loop().call_later(wait, self._tell)

    def close(self) -> None:
        """Tell what was not told yet."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._tell()

    def _tell(self) -> None:
        self._alarm = None
        self._next = monotonic() + PAUSE_SECONDS
        fresh = self.counts - self._told
        self._told = self.counts.copy()
        self._logger.log(self._level, self._event, extra=dict(fresh))
