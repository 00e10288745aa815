"""Lines that are alike, a thousand times a second: some are written, the rest counted.

Whoever sends what is refused must not fill the disk, nor cost more than who asks well.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Final, Generic, TypeVar

MOST_A_SECOND: Final = 10
"""Lines of one kind that are written in one second."""

Kind = TypeVar("Kind", bound=Hashable)


class Storms(Generic[Kind]):
    """Decides line by line; kinds are few, for they are kept while it storms."""

    def __init__(
        self,
        most: int = MOST_A_SECOND,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._clock = clock
        self._second = 0
        self._counts: Counter[Kind] = Counter()
        self._untold: Counter[Kind] = Counter()
        self._lock = threading.Lock()

    def admits(self, kind: Kind) -> bool:
        """Whether a line of this kind is written now; otherwise it is counted."""
        with self._lock:
            self._turn()
            self._counts[kind] += 1
            return self._counts[kind] <= self._most

    def collect(self, *, is_last: bool = False) -> Sequence[tuple[Kind, int]]:
        """Return how many lines of which kinds were not written, and forget them.

        Of the second that is not over yet only if there will be no other call.
        """
        with self._lock:
            self._turn(is_over=is_last)
            untold = list(self._untold.items())
            self._untold.clear()
            return untold

    def _turn(self, *, is_over: bool = False) -> None:
        """Begin to count anew with each second."""
        second = int(self._clock())
        if second == self._second and not is_over:
            return
        for kind, number in self._counts.items():
            if number > self._most:
                self._untold[kind] += number - self._most
        self._counts.clear()
        self._second = second
