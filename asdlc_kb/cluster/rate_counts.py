"""Rate limit counts over the bus: each process adds up those of all."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from asdlc_kb.cluster.bus import Bus
from asdlc_kb.cluster.topic import RATES, BusTopic
from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.ops.metrics.counters import Metrics

MAX_WINDOWS: Final = 200_000
"""Sums of rate limit windows; beyond, the oldest ones are evicted."""

WINDOW_SECONDS: Final = 2 * 3600.0
"""Age at which a window is dropped."""


class BusUnreachable(KnowledgeBaseError):
    """Raised if counts cannot be published."""


class RateCounts:
    """The counter store of a process: sums by window, of this process and all others.

    A process knows the counts since it joined the bus. Without the key of the session
    ids they are not authenticated: a forged count uses up the rate of a client.
    """

    def __init__(
        self,
        bus: Bus,
        key: bytes | None,
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._windows: OrderedDict[str, tuple[int, float]] = OrderedDict()
        decoder = msgspec.msgpack.Decoder(dict[str, int])
        self._topic: BusTopic[dict[str, int]] = BusTopic(
            bus, key or b"\0", RATES, decoder, self._receive, metrics
        )

    async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Publish counts; return the sums of the same windows."""
        if not self._topic.publish(dict(counted)):
            raise BusUnreachable("the other processes cannot be reached")
        return {key: self._add(key, number) for key, number in counted.items()}

    def _receive(self, sender: str, counted: dict[str, int]) -> None:
        for key, number in counted.items():
            if number > 0:
                self._add(key, number)

    def _add(self, key: str, number: int) -> int:
        now = self._clock()
        total, since = self._windows.get(key, (0, now))
        self._windows[key] = total + number, since
        while self._windows:
            _, (_, oldest) = next(iter(self._windows.items()))
            is_old = now - oldest >= WINDOW_SECONDS
            if not is_old and len(self._windows) <= MAX_WINDOWS:
                break
            self._windows.popitem(last=False)
        return total + number
