"""What several processes counted, as one sum: told to each other beside the requests.

No request waits for it. A process hands over what it counted since the last time and
gets the sums of all, some times a second while something is counted; until then each
knows its own. Where the others cannot be reached the own count goes on.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from asdlc_kb.ops.limits.rate_limiter import RateLimiter

logger = logging.getLogger(__name__)

PAUSE_SECONDS: Final = 0.1
"""From a count until the others are told."""

MAX_PAUSE_SECONDS: Final = 10.0
"""The same after many failures."""

ANSWER_SECONDS: Final = 0.5
"""Sums that have not come by then are not waited for."""


class CounterStore(Protocol):
    """Adds up what all processes count."""

    async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Add to the sums; return them, of all processes, for the same keys.

        A key holds the number of a window, and is of no use to anybody twice
        `rate_limiter.MAX_WINDOW_SECONDS` after it was first handed over.
        """


class RateLimitSync:
    """Keeps meters in step with those of other processes."""

    def __init__(
        self,
        meters: Sequence[RateLimiter],
        sums: CounterStore,
        pause: float = PAUSE_SECONDS,
    ) -> None:
        self._meters = meters
        self._sums = sums
        self._usual_pause = self.pause = pause
        self._news = asyncio.Event()
        for meter in meters:
            meter.share(self._news.set)

    async def run(self) -> None:
        """Exchange whenever there is something to tell, until this is cancelled."""
        while True:
            await self._news.wait()
            await asyncio.sleep(self.pause)
            self._news.clear()
            await self.exchange()

    async def exchange(self) -> None:
        """Tell once what is new, and take over the sums; longer pauses after failures.

        What may not have arrived is not told again: it could count twice.
        """
        told = dict(self._hand_over())
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                sums = await self._sums.exchange({k: told[k][-1] for k in told})
            self._adopt(told, sums)
        except Exception as error:
            self._slow_down(error)
        else:
            self._recover()

    def _hand_over(self) -> "list[tuple[str, _Told]]":
        """Return what is new of all meters, by key."""
        return [
            (
                f"{meter.name}/{meter.rate.seconds}/{window}/{client}",
                (meter, window, client, n),
            )
            for meter in self._meters
            for (window, client), n in meter.hand_over().items()
        ]

    def _adopt(self, told: "dict[str, _Told]", sums: Mapping[str, int]) -> None:
        for key, (meter, window, client, _) in told.items():
            total = sums.get(key)
            if isinstance(total, int):
                meter.adopt(window, client, total)

    def _slow_down(self, error: Exception) -> None:
        if self.pause == self._usual_pause:
            logger.warning(
                "limits are counted by each process alone: the sums cannot be had",
                extra={"reason": type(error).__name__},
            )
        self.pause = min(MAX_PAUSE_SECONDS, self.pause * 2)

    def _recover(self) -> None:
        if self.pause > self._usual_pause:
            logger.warning("limits are counted by all processes together again")
        self.pause = self._usual_pause


_Told = tuple[RateLimiter, int, str, int]
