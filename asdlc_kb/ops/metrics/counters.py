"""In-process counters and histograms behind `/metrics`.

A number is found by its family (`asdlc_kb.ops.metrics.definitions`) and label values.
Callers must keep their number small: values that clients can invent are never labels.

Every request is counted, most of them twice. Here that takes 0.4 µs once the labels
are resolved (`RequestSeries`), with the counters of prometheus_client 3.2 µs; importing
it takes 80 ms and 12 MB. So it only writes the exposition.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Final, Protocol, TypeAlias

from asdlc_kb.ops.metrics import definitions
from asdlc_kb.ops.metrics.definitions import MetricFamily, MetricKey

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
"""Upper bounds of the histogram buckets, in seconds."""

UNTIMED: Final = len(BOUNDS) + 1
"""The index of events without a meaningful duration, such as streams."""

MICROS: Final = len(BOUNDS) + 2
"""The index of the sum of all durations, in microseconds."""

_SLOTS: Final = MICROS + 1
_MICRO: Final = 1_000_000

_INITIAL: Final = (
    *(
        definitions.LIMITED.series(limit)
        for limit in ("calls", "pages", "searches", "refusals")
    ),
    *(definitions.SETTINGS_RELOADS.series(outcome) for outcome in ("ok", "error")),
)
"""Counters that start at 0, so that the first scrape has them."""

MetricValues: TypeAlias = Mapping[str, int]
"""Numbers by encoded key, as processes exchange them; the key of a histogram's number
ends with the index of its bucket."""

GaugeValues: TypeAlias = Mapping[str, float]
"""Current values of gauges by encoded key."""


def encode_key(key: MetricKey) -> str:
    """Return the text of a key; label values contain no tabs."""
    return "\t".join(key)


def decode_key(text: str) -> MetricKey:
    """Return the key of a text."""
    return tuple(text.split("\t"))


class MetricsSource(Protocol):
    """Aggregates the metrics of all worker processes."""

    async def add_up(
        self, levels: GaugeValues
    ) -> tuple[MetricValues, Mapping[str, GaugeValues]]:
        """Return the sums of counters, and the gauges by process number.

        `levels` are the gauges of this process.
        """


class RequestSeries:
    """The numbers of one kind of request, whose labels were resolved once."""

    __slots__ = ("_counters", "_histograms")

    def __init__(
        self, histograms: tuple[list[int], ...], counters: tuple[list[int], ...] = ()
    ) -> None:
        self._histograms = histograms
        """Slots of each, as returned by `Metrics.find_histogram`."""
        self._counters = counters
        """Each a list of one number, as returned by `Metrics.find_counter`."""

    def record(self, seconds: float) -> None:
        """Count a request, and its duration."""
        bucket, micros = bisect_left(BOUNDS, seconds), int(seconds * _MICRO)
        for slots in self._histograms:
            slots[bucket] += 1
            slots[MICROS] += micros
        for counter in self._counters:
            counter[0] += 1


class Metrics:
    """The metrics of one process; all calls are on its event loop."""

    def __init__(self) -> None:
        self._counters: dict[MetricKey, list[int]] = {key: [0] for key in _INITIAL}
        self._histograms: dict[MetricKey, list[int]] = {}
        self._reported: dict[str, int] = {}

    def count(self, key: MetricKey, number: int = 1) -> None:
        """Increase a counter."""
        self.find_counter(key)[0] += number

    def counter(self, family: MetricFamily) -> Callable[[str], None]:
        """Return a function that increases a counter of a family by its only label."""
        return lambda label: self.count(family.series(label))

    def observe(self, key: MetricKey, seconds: float) -> None:
        """Add a duration to a histogram."""
        RequestSeries((self.find_histogram(key),)).record(seconds)

    def observe_open(self, key: MetricKey) -> None:
        """Count an event without a duration in a histogram."""
        self.find_histogram(key)[UNTIMED] += 1

    def find_counter(self, key: MetricKey) -> list[int]:
        """Return a counter, a list of one number; create it if necessary."""
        counter = self._counters.get(key)
        if counter is None:
            counter = self._counters[key] = [0]
        return counter

    def find_histogram(self, key: MetricKey) -> list[int]:
        """Return the slots of a histogram; create them if necessary."""
        slots = self._histograms.get(key)
        if slots is None:
            slots = self._histograms[key] = [0] * _SLOTS
        return slots

    def record_reload(self, outcome: str) -> None:
        """Count a reload of the settings by outcome: `ok` or `error`."""
        self.count(definitions.SETTINGS_RELOADS.series(outcome))

    def record_lateness(self, seconds: float) -> None:
        """Add a measured lag of the event loop."""
        self.observe(definitions.LATENESS.series(), seconds)

    def drain(self) -> dict[str, int]:
        """Return the changes since the last call, for aggregation.

        New counters are among them, also those that are 0.
        """
        before, numbers = self._reported, self.read()
        self._reported = numbers
        return {
            key: number - before.get(key, 0)
            for key, number in numbers.items()
            if number != before.get(key)
        }

    def read(self) -> dict[str, int]:
        """Return all numbers; absent buckets are 0."""
        numbers = {
            encode_key(key): counter[0] for key, counter in self._counters.items()
        }
        for key, slots in self._histograms.items():
            buckets = ((*key, str(i)) for i in range(_SLOTS))
            pairs = zip(buckets, slots, strict=True)
            numbers |= {encode_key(bucket): n for bucket, n in pairs if n}
        return numbers


class LocalMetrics:
    """The metrics source of a single process."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    async def add_up(
        self, levels: GaugeValues
    ) -> tuple[MetricValues, Mapping[str, GaugeValues]]:
        """Return the metrics of this process."""
        return self._metrics.read(), {"0": levels}
