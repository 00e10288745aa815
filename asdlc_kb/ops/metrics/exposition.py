"""The metrics as Prometheus reads them, in the text format that it asks for.

Loaded with the first scrape: nobody else needs prometheus_client.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from operator import add
from typing import Final, NamedTuple, TypeAlias

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from asdlc_kb.ops.metrics import definitions
from asdlc_kb.ops.metrics.counters import (
    BOUNDS,
    MICROS,
    UNTIMED,
    GaugeValues,
    MetricValues,
)
from asdlc_kb.ops.metrics.definitions import FAMILIES, MetricFamily

Plain: TypeAlias = CounterMetricFamily | GaugeMetricFamily


class _Source(NamedTuple):
    """What becomes of the numbers of one kind of key."""

    counter: MetricFamily | None
    """Has all labels of the key."""
    histogram: MetricFamily | None = None
    """Has the first of them."""


_SOURCES: Final[Mapping[str, _Source]] = {
    "call": _Source(definitions.CALLS, definitions.CALL_SECONDS),
    "http": _Source(definitions.REQUESTS, definitions.REQUEST_SECONDS),
    "lateness": _Source(None, definitions.LATENESS),
    "search": _Source(definitions.SEARCHES),
    "limited": _Source(definitions.LIMITED),
    "refused": _Source(definitions.REFUSED),
    "cut": _Source(definitions.CUT),
    "reload": _Source(definitions.SETTINGS_RELOADS),
    "dropped": _Source(definitions.DROPPED),
}

_JOINED: Final[Mapping[str, Callable[[float, float], float]]] = {
    "sum": add,
    "most": max,
    "least": min,
}
"""How the levels of two processes make one."""

_BY_NAME: Final = {family.name: family for family in FAMILIES}

_LIMITS: Final = (*map(str, BOUNDS), "+Inf")


def write_exposition(
    numbers: MetricValues, levels: Mapping[str, GaugeValues], accept: str
) -> tuple[bytes, str]:
    """Return the text and its media type, of those that an Accept header names.

    `levels` are those of each process, by its number.
    """
    registry = CollectorRegistry()
    registry.register(_Collection(numbers, levels))
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type


class _Collection(Collector):
    """Arranges numbers by family, each with all of its samples."""

    def __init__(
        self, numbers: MetricValues, levels: Mapping[str, GaugeValues]
    ) -> None:
        self._samples: dict[MetricFamily, dict[tuple[str, ...], float]] = {}
        self._places: dict[MetricFamily, dict[tuple[str, ...], list[int]]] = {}
        for family in FAMILIES:
            self._samples[family] = defaultdict(float)
            self._places[family] = defaultdict(lambda: [0] * (MICROS + 1))
        # The one series of a family without labels is there from the start.
        _ = self._places[definitions.LATENESS][()]
        for name, number in numbers.items():
            self._take(name.split("\t"), number)
        for process, told in levels.items():
            for name, level in told.items():
                self._join(process, name.split("\t"), level)

    def collect(self) -> Iterator[Plain | HistogramMetricFamily]:
        """Yield every family, also one that has no samples yet."""
        for family in FAMILIES:
            if family.kind == "histogram":
                yield _write_histogram(family, self._places[family].items())
            else:
                yield _write_plain(family, self._samples[family].items())

    def _join(self, process: str, parts: list[str], level: float) -> None:
        """Put the level of a process beside those of others, or into one with them."""
        family = _BY_NAME.get(parts[0])
        if family is None:
            return
        samples, labels = self._samples[family], tuple(parts[1:])
        if family.over == "each":
            samples[*labels, process] = level
        elif labels in samples:
            samples[labels] = _JOINED[family.over](samples[labels], level)
        else:
            samples[labels] = level

    def _take(self, parts: list[str], number: int) -> None:
        source = _SOURCES.get(parts[0])
        if source is None:
            # Of a process that runs another version.
            return
        labels, place = parts[1:], None
        if source.histogram is not None:
            place = int(labels.pop())
            width = len(source.histogram.labels)
            self._places[source.histogram][tuple(labels[:width])][place] += number
        if source.counter is not None and place != MICROS:
            self._samples[source.counter][tuple(labels)] += number


def _write_plain(
    family: MetricFamily, samples: Iterable[tuple[tuple[str, ...], float]]
) -> Plain:
    kind: type[Plain] = (
        CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
    )
    metric = kind(family.name, family.told, labels=family.labels)
    for labels, value in sorted(samples):
        metric.add_metric(labels, value)
    return metric


def _write_histogram(
    family: MetricFamily, samples: Iterable[tuple[tuple[str, ...], list[int]]]
) -> HistogramMetricFamily:
    metric = HistogramMetricFamily(family.name, family.told, labels=family.labels)
    for labels, places in sorted(samples):
        up_to = accumulate(places[:UNTIMED])
        buckets = list(zip(_LIMITS, up_to, strict=True))
        metric.add_metric(labels, buckets, sum_value=places[MICROS] / 1e6)
    return metric
