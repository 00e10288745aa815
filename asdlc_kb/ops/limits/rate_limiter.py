"""Rate limits per client: a sliding window counter in memory.

The previous window counts in proportion to its overlap with the sliding window: a burst
is not forgotten at the start of the next minute. Every request is counted, so counting
is synchronous and takes less than a microsecond, without awaiting any storage.
Several processes exchange their counts afterwards
(`asdlc_kb.ops.limits.rate_limit_sync`).
"""

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from asdlc_kb.exceptions import SettingsError

MAX_CLIENTS: Final = 50_000
"""Maximum number of tracked clients; the least recently active one is evicted: an
attacker with many addresses must not fill the memory."""

MAX_WINDOW_SECONDS: Final = 3600
"""Longest window; counts are kept for two windows."""

SPELLING: Final = r"^([1-9][0-9]{0,8}/(s|sec|second|min|minute|h|hour)|off)\Z"
"""The pattern of a rate."""

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600}
_NAMES: Final = {1: "s", 60: "min", 3600: "hour"}
_NANOSECONDS: Final = 1_000_000_000
"""Nanoseconds per second; the clock counts integers, which need no rounding."""

_ANCHOR: Final = time.time_ns() - time.monotonic_ns()


def wall_clock() -> int:
    """Return nanoseconds since 1970, monotonic even if the system clock is set.

    Processes agree as well as their machines' clocks did when they started.
    """
    return time.monotonic_ns() + _ANCHOR


@dataclass(frozen=True, slots=True)
class Rate:
    """A number of requests in a number of seconds."""

    requests: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.requests}/{_NAMES.get(self.seconds, f'{self.seconds}s')}"


def parse_rate(text: str) -> Rate | None:
    """Return the rate of a text such as `120/minute`; None for `off`."""
    if re.fullmatch(SPELLING, text) is None:
        raise SettingsError(
            f"invalid setting: '{text}' is not a rate: write 120/minute, 10/second "
            "or off"
        )
    requests, _, unit = text.partition("/")
    return Rate(int(requests), _SECONDS[unit[0]]) if unit else None


class RateLimiter:
    """Limits the requests of each client to one rate."""

    def __init__(
        self,
        name: str,
        rate: Rate,
        max_clients: int = MAX_CLIENTS,
        clock: Callable[[], int] = wall_clock,
    ) -> None:
        self.name = name
        self.rate = rate
        self._span = rate.seconds * _NANOSECONDS
        self._max_clients = max_clients
        self._clock = clock
        self._window = 0
        # With cachetools.LRUCache a count takes three times as long: 2.9 µs, not 0.9.
        self._current: OrderedDict[str, int] = OrderedDict()
        """Requests of this window by client, the most recently active last."""
        self._previous: dict[str, int] = {}
        """Requests of the previous window by client."""
        self._unsynced: dict[tuple[int, str], int] = {}
        """Counts since the last `drain`."""
        self._on_change: Callable[[], None] | None = None

    @property
    def clients(self) -> int:
        """The number of clients in this window."""
        return len(self._current)

    def allows(self, client: str) -> bool:
        """Whether a further request of a client is within the rate; counts nothing."""
        return not self._find_wait(client, 1)

    def consume(self, client: str, number: int = 1) -> int:
        """Count requests, all of them or none; return 0, or the seconds to wait.

        Rejected requests are not counted, so that waiting helps impatient clients.
        `number` must not exceed the rate.
        """
        if wait := self._find_wait(client, number):
            return wait
        counts = self._current
        counts[client] = counts.get(client, 0) + number
        counts.move_to_end(client)
        if len(counts) > self._max_clients:
            counts.popitem(last=False)
        if self._on_change is not None:
            self._record(client, number)
        return 0

    def enable_sync(self, on_change: Callable[[], None]) -> None:
        """Record counts for `drain`; call `on_change` for the first new one."""
        self._on_change = on_change

    def drain(self) -> Mapping[tuple[int, str], int]:
        """Return the counts since the last call, by window and client."""
        unsynced, self._unsynced = self._unsynced, {}
        return unsynced

    def merge(self, window: int, client: str, total: int) -> None:
        """Merge the total of all processes, including drained counts.

        An evicted client is not restored, and no count decreases: the total may lag.
        It is capped at the rate: an attacker that can write the store can exhaust the
        rate of a client, which recovers with time as after requests of the client.
        """
        if window == self._window:
            counts: dict[str, int] = self._current
        elif window == self._window - 1:
            counts = self._previous
        else:
            return
        if client in counts:
            total += self._unsynced.get((window, client), 0)
            counts[client] = max(counts[client], min(total, self.rate.requests))

    def _advance(self, window: int) -> None:
        """Start a new window."""
        is_next = window == self._window + 1
        self._previous = self._current if is_next else {}
        self._current = OrderedDict()
        self._window = window

    def _record(self, client: str, number: int) -> None:
        """Record a count for `drain`; bounded, as `drain` may never be called."""
        key = self._window, client
        if key in self._unsynced or len(self._unsynced) < self._max_clients:
            self._unsynced[key] = self._unsynced.get(key, 0) + number
        if len(self._unsynced) == 1 and self._on_change is not None:
            self._on_change()

    def _find_wait(self, client: str, number: int) -> int:
        """Return 0 if the number is within the rate, else the seconds to wait."""
        window, part = divmod(self._clock(), self._span)
        if window != self._window:
            self._advance(window)
        count, previous = self._current.get(client, 0), self._previous.get(client, 0)
        remaining = self.rate.requests - count - number
        if remaining * self._span >= previous * (self._span - part):
            return 0
        return self._seconds_to_wait(count, previous, part, number)

    def _seconds_to_wait(
        self, count: int, previous: int, part: int, number: int
    ) -> int:
        """Return the whole seconds until so many requests are allowed."""
        remaining = self.rate.requests - count - number
        if remaining >= 0:
            wait = self._time_until(previous, remaining) - part
        else:
            wait = self._span - part
            wait += self._time_until(count, self.rate.requests - number)
        return -(-wait // _NANOSECONDS)

    def _time_until(self, previous: int, remaining: int) -> int:
        """Return when in a window at most `remaining` of the last one counts."""
        return self._span - min(self._span, remaining * self._span // previous)
