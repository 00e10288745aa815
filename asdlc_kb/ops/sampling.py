"""How often the same thing is said: once in a while for each subject, seldom in all.

What a client does wrong a thousand times a second must not fill the disk.
"""

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic
from typing import Final

EACH_SECONDS: Final = 10.0
"""A subject is spoken of again after so long."""

MOST_A_SECOND: Final = 10
"""Lines of all subjects together."""

MOST_SUBJECTS: Final = 10_000
"""Subjects that are remembered; beyond, the oldest is forgotten."""


class Samples:
    """Counts what happens, and says when it is time for a line."""

    def __init__(
        self,
        each: float = EACH_SECONDS,
        most_a_second: int = MOST_A_SECOND,
        most: int = MOST_SUBJECTS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._each = each
        self._most_a_second = most_a_second
        self._most = most
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, int]] = OrderedDict()
        """When a subject was spoken of, and how often it came since."""
        self._second = 0
        self._said = 0

    def count(self, subject: str) -> int:
        """Count an event; return how many a line now would be about, 0 for no line."""
        now = self._clock()
        said, untold = self._known.get(subject, (now - self._each, 0))
        untold += 1
        is_due = now - said >= self._each and self._has_room(int(now))
        self._known[subject] = (now, 0) if is_due else (said, untold)
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return untold if is_due else 0

    def _has_room(self, second: int) -> bool:
        """Whether this second may have one more line; it is counted then."""
        if second != self._second:
            self._second, self._said = second, 0
        self._said += 1
        return self._said <= self._most_a_second
