"""Synchronization of rate limiters across processes, asynchronous to the requests.

No request waits for it. A process submits its counts since the last exchange and gets
the sums of all processes, several times a second while requests are counted. Until
then, or if the store is unreachable, each uses its local counts.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from asdlc_kb.ops.limits.rate_limiter import RateLimiter

logger = logging.getLogger(__name__)

PAUSE_SECONDS: Final = 0.1
"""Delay of an exchange after a count."""

MAX_PAUSE_SECONDS: Final = 10.0
"""Delay after repeated failures."""

ANSWER_SECONDS: Final = 0.5
"""Timeout of an exchange."""


class CounterStore(Protocol):
    """Sums the counts of all processes."""

    async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Add to the sums; return those of all processes for the same keys.

        A key contains the number of a window, and may be deleted twice
        `rate_limiter.MAX_WINDOW_SECONDS` after it was first submitted.
        """


class RateLimitSync:
    """Synchronizes rate limiters with those of other processes."""

    def __init__(
        self,
        limiters: Sequence[RateLimiter],
        store: CounterStore,
        pause: float = PAUSE_SECONDS,
    ) -> None:
        self._limiters = limiters
        self._store = store
        self._usual_pause = self.pause = pause
        self._has_counts = asyncio.Event()
        for limiter in limiters:
            limiter.enable_sync(self._has_counts.set)

    async def run(self) -> None:
        """Exchange counts whenever there are new ones, until cancelled."""
        while True:
            await self._has_counts.wait()
            await asyncio.sleep(self.pause)
            self._has_counts.clear()
            await self.exchange()

    async def exchange(self) -> None:
        """Submit new counts once, and merge the sums; pause longer after failures.

        Counts that may not have arrived are not resent: they could count twice.
        """
        submitted = dict(self._drain())
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                sums = await self._store.exchange(
                    {k: submitted[k][-1] for k in submitted}
                )
            self._merge(submitted, sums)
        except Exception as error:
            self._slow_down(error)
        else:
            self._recover()

    def _drain(self) -> "list[tuple[str, _Submitted]]":
        """Return the new counts of all limiters, by key."""
        return [
            (
                f"{limiter.name}/{limiter.rate.seconds}/{window}/{client}",
                (limiter, window, client, n),
            )
            for limiter in self._limiters
            for (window, client), n in limiter.drain().items()
        ]

    def _merge(
        self, submitted: "dict[str, _Submitted]", sums: Mapping[str, int]
    ) -> None:
        for key, (limiter, window, client, _) in submitted.items():
            total = sums.get(key)
            if isinstance(total, int):
                limiter.merge(window, client, total)

    def _slow_down(self, error: Exception) -> None:
        if self.pause == self._usual_pause:
            logger.warning(
                "rate limits are counted per process: no access to the shared counts",
                extra={"reason": type(error).__name__},
            )
        self.pause = min(MAX_PAUSE_SECONDS, self.pause * 2)

    def _recover(self) -> None:
        if self.pause > self._usual_pause:
            logger.warning("rate limits are counted across processes again")
        self.pause = self._usual_pause


_Submitted = tuple[RateLimiter, int, str, int]
