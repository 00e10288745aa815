"""What happened, counted: the numbers behind `/metrics`, kept by this process.

A number is found by its family and labels, a tuple of texts. Whoever counts takes care
that there are few: what a client may make up is never a label. Counting is in the way
of each request, so it is one look into a dictionary; what the numbers mean to those who
read them is in `asdlc_kb.ops.metrics.definitions`.
"""

from bisect import bisect_left
from collections.abc import Mapping
from typing import Final, Protocol, TypeAlias

BOUNDS: Final = (
    0.0001,
    0.00025,
    0.0005,
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
)
"""Seconds: durations are told apart by the first of these that they do not exceed."""

UNTIMED: Final = len(BOUNDS) + 1
"""Where those are counted whose duration says nothing, as that of a stream."""

MICROS: Final = len(BOUNDS) + 2
"""Where the sum of all durations is, in microseconds."""

_PLACES: Final = MICROS + 1
_MICRO: Final = 1_000_000

MetricKey: TypeAlias = tuple[str, ...]
"""A family and its labels."""

LabelIndex: TypeAlias = tuple[list[int], ...]
"""Where durations are counted, each list by place."""

_FROM_THE_START: Final[tuple[MetricKey, ...]] = (
    ("limited", "calls"),
    ("limited", "pages"),
    ("limited", "refusals"),
    ("reload", "ok"),
    ("reload", "error"),
)
"""What is 0 before it happens: who watches for the first time sees no gap then."""

MetricValues: TypeAlias = Mapping[str, int]
"""Numbers by key, its parts joined by tabs; of durations the last part is the place."""


GaugeValues: TypeAlias = Mapping[str, float]
"""What is so right now, by family and labels, joined in the same way."""


class MetricsSource(Protocol):
    """Puts together the numbers of all processes that serve as one."""

    async def add_up(
        self, levels: GaugeValues
    ) -> tuple[MetricValues, Mapping[str, GaugeValues]]:
        """Return the sums, and how things are in each process, by its number.

        `levels` are those of this one.
        """


class Metrics:
    """Counts for the process it is in; all calls are on its event loop."""

    def __init__(self) -> None:
        self._counts: dict[MetricKey, int] = dict.fromkeys(_FROM_THE_START, 0)
        self._durations: dict[MetricKey, list[int]] = {}
        self._taken: dict[str, int] = {}

    def count(self, key: MetricKey, number: int = 1) -> None:
        """Count something."""
        self._counts[key] = self._counts.get(key, 0) + number

    def observe(self, key: MetricKey, seconds: float) -> None:
        """Count something that took so long."""
        self.observe_at((self.find(key),), seconds)

    def observe_at(self, places: LabelIndex, seconds: float) -> None:
        """The same where all that it counts for was found before."""
        place, micros = bisect_left(BOUNDS, seconds), int(seconds * _MICRO)
        for counts in places:
            counts[place] += 1
            counts[MICROS] += micros

    def observe_open(self, key: MetricKey) -> None:
        """Count something of such a family that goes on."""
        self.find(key)[UNTIMED] += 1

    def find(self, key: MetricKey) -> list[int]:
        """Return where something of such a family is counted."""
        counts = self._durations.get(key)
        if counts is None:
            counts = self._durations[key] = [0] * _PLACES
        return counts

    def note_limited(self, limit: str) -> None:
        """Count a request beyond a limit: `calls`, `pages` or `refusals`."""
        self.count(("limited", limit))

    def note_reload(self, outcome: str) -> None:
        """Count that settings were read again: `ok`, or `error` if they are wrong."""
        self.count(("reload", outcome))

    def note_lateness(self, seconds: float) -> None:
        """Count that the event loop answered after so long."""
        self.observe(("lateness",), seconds)

    def take(self) -> dict[str, int]:
        """Return what is new since the last call, for those who add up numbers."""
        numbers = self.read()
        news = {k: n - self._taken.get(k, 0) for k, n in numbers.items()}
        self._taken = numbers
        return {key: number for key, number in news.items() if number}

    def read(self) -> dict[str, int]:
        """Return all numbers; of those that are not there it is 0."""
        numbers = {"\t".join(key): number for key, number in self._counts.items()}
        for key, places in self._durations.items():
            name = "\t".join(key)
            numbers |= {f"{name}\t{i}": n for i, n in enumerate(places) if n}
        return numbers


metrics: Final = Metrics()
"""Those of this process."""


class LocalMetrics:
    """The numbers of a process that serves alone."""

    async def add_up(
        self, levels: GaugeValues
    ) -> tuple[MetricValues, Mapping[str, GaugeValues]]:
        """Return what this process counted."""
        return metrics.read(), {"0": levels}
