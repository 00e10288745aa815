"""How often one client may ask: a window that slides, counted in memory.

Of the window that is over as much counts as the last seconds still reach into it: a
burst is not forgiven at the stroke of a minute. Counting is in the way of every
request, so it is synchronous and takes less than a microsecond; what awaits its storage
cannot stand there. Several processes tell each other afterwards what they counted
(`asdlc_kb.ops.limits.rate_limit_sync`).
"""

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from asdlc_kb.exceptions import SettingsError

OFF: Final = "off"
"""The rate that is none."""

MAX_CLIENTS: Final = 50_000
"""Clients that are counted at once; beyond, who has not asked for longest is forgotten:
an attacker with many addresses must not fill the memory."""

MAX_WINDOW_SECONDS: Final = 3600
"""Seconds; what is counted is kept for two windows."""

SPELLING: Final = r"^([1-9][0-9]{0,8}/(s|sec|second|min|minute|h|hour)|off)\Z"
"""What a rate looks like."""

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600}
_NAMES: Final = {1: "s", 60: "min", 3600: "hour"}
_SECOND: Final = 1_000_000_000
"""In the clock's nanoseconds: in whole numbers nothing is rounded."""

_ANCHOR: Final = time.time_ns() - time.monotonic_ns()


def wall_clock() -> int:
    """Return nanoseconds since 1970 that go on evenly, whatever is done to the clock.

    Processes agree about them as well as their machines' clocks did when they started.
    """
    return time.monotonic_ns() + _ANCHOR


@dataclass(frozen=True, slots=True)
class Rate:
    """So many requests in so many seconds."""

    requests: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.requests}/{_NAMES.get(self.seconds, f'{self.seconds}s')}"


def parse_rate(text: str) -> Rate | None:
    """Return the rate that is spelled as in `120/minute`; None for `off`."""
    if re.fullmatch(SPELLING, text) is None:
        raise SettingsError(
            f"wrong setting: '{text}' is no rate, as 120/minute, 10/second and off are"
        )
    requests, _, unit = text.partition("/")
    return Rate(int(requests), _SECONDS[unit[0]]) if unit else None


class RateLimiter:
    """Counts the requests of each client against one rate."""

    def __init__(
        self,
        name: str,
        rate: Rate,
        most: int = MAX_CLIENTS,
        clock: Callable[[], int] = wall_clock,
    ) -> None:
        self.name = name
        self.rate = rate
        self._span = rate.seconds * _SECOND
        self._most = most
        self._clock = clock
        self._window = 0
        self._now: OrderedDict[str, int] = OrderedDict()
        """Requests of this window by client, who asked last at the end."""
        self._before: dict[str, int] = {}
        """Requests of the window before it."""
        self._news: dict[tuple[int, str], int] = {}
        """What was counted since it was handed over."""
        self._tell: Callable[[], None] | None = None

    @property
    def clients(self) -> int:
        """How many are counted in this window."""
        return len(self._now)

    def take(self, client: str, number: int = 1) -> int:
        """Count requests, all of them or none; return 0, or the seconds to wait.

        What is refused is not counted, so that waiting helps whoever is impatient. More
        than the rate allows at once are never to be asked for.
        """
        window, part = divmod(self._clock(), self._span)
        if window != self._window:
            self._turn(window)
        counts = self._now
        count = counts.get(client, 0)
        room = self.rate.requests - count - number
        before = self._before.get(client, 0)
        if room * self._span < before * (self._span - part):
            return self._find_wait(count, before, part, number)
        counts[client] = count + number
        counts.move_to_end(client)
        if len(counts) > self._most:
            counts.popitem(last=False)
        if self._tell is not None:
            self._note(client, number)
        return 0

    def share(self, tell: Callable[[], None]) -> None:
        """Keep what is counted for others too; `tell` is called when there is some."""
        self._tell = tell

    def hand_over(self) -> Mapping[tuple[int, str], int]:
        """Return what was counted since the last time, by window and client."""
        news, self._news = self._news, {}
        return news

    def adopt(self, window: int, client: str, total: int) -> None:
        """Take over what all processes counted, including what was handed over.

        A client that was forgotten here stays forgotten, and nobody's count shrinks:
        the others may not have heard of everything. A total counts up to the rate, and
        no further: whoever can write it can use up the rate of a client, which comes
        back with time as after requests of its own.
        """
        if window == self._window:
            counts: dict[str, int] = self._now
        elif window == self._window - 1:
            counts = self._before
        else:
            return
        if client in counts:
            total += self._news.get((window, client), 0)
            counts[client] = max(counts[client], min(total, self.rate.requests))

    def _turn(self, window: int) -> None:
        """Begin another window."""
        is_next = window == self._window + 1
        self._before = self._now if is_next else {}
        self._now = OrderedDict()
        self._window = window

    def _note(self, client: str, number: int) -> None:
        """Keep a count for others; within bounds, for nobody may be listening."""
        key = self._window, client
        if key in self._news or len(self._news) < self._most:
            self._news[key] = self._news.get(key, 0) + number
        if len(self._news) == 1 and self._tell is not None:
            self._tell()

    def _find_wait(self, count: int, before: int, part: int, number: int) -> int:
        """Return after how many whole seconds there is room for so many requests."""
        room = self.rate.requests - count - number
        if room >= 0:
            wait = self._forgive(before, room) - part
        else:
            wait = self._span - part
            wait += self._forgive(count, self.rate.requests - number)
        return -(-wait // _SECOND)

    def _forgive(self, before: int, room: int) -> int:
        """Return how far into a window no more than `room` of the last one counts."""
        return self._span - min(self._span, room * self._span // before)
