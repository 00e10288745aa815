"""Exposition of the metrics in the text format that Prometheus requests.

Loaded with the first scrape: only it needs prometheus_client.
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

PlainFamily: TypeAlias = CounterMetricFamily | GaugeMetricFamily


class _Source(NamedTuple):
    """The metrics that numbers with one kind of key belong to."""

    counter: MetricFamily | None
    """With all labels of the key."""
    histogram: MetricFamily | None = None
    """With the first of them."""


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

_AGGREGATIONS: Final[Mapping[str, Callable[[float, float], float]]] = {
    "sum": add,
    "max": max,
    "min": min,
}
"""Functions that merge the gauges of two processes."""

_BY_NAME: Final = {family.name: family for family in FAMILIES}

_LIMITS: Final = (*map(str, BOUNDS), "+Inf")


def write_exposition(
    numbers: MetricValues, levels: Mapping[str, GaugeValues], accept: str
) -> tuple[bytes, str]:
    """Return the text and its media type, negotiated by the Accept header.

    `levels` are the gauges of each process, by its number.
    """
    registry = CollectorRegistry()
    registry.register(_MetricsCollector(numbers, levels))
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type


class _MetricsCollector(Collector):
    """Groups numbers by family."""

    def __init__(
        self, numbers: MetricValues, levels: Mapping[str, GaugeValues]
    ) -> None:
        self._samples: dict[MetricFamily, dict[tuple[str, ...], float]] = {}
        self._buckets: dict[MetricFamily, dict[tuple[str, ...], list[int]]] = {}
        for family in FAMILIES:
            self._samples[family] = defaultdict(float)
            self._buckets[family] = defaultdict(lambda: [0] * (MICROS + 1))
        # The only series of a histogram without labels exists from the start.
        _ = self._buckets[definitions.LATENESS][()]
        for name, number in numbers.items():
            self._add_number(name.split("\t"), number)
        for process, gauges in levels.items():
            for name, level in gauges.items():
                self._merge_gauge(process, name.split("\t"), level)

    def collect(self) -> Iterator[PlainFamily | HistogramMetricFamily]:
        """Yield every family, including those without samples."""
        for family in FAMILIES:
            if family.kind == "histogram":
                yield _write_histogram(family, self._buckets[family].items())
            else:
                yield _write_plain(family, self._samples[family].items())

    def _merge_gauge(self, process: str, parts: list[str], level: float) -> None:
        """Add the gauge of a process, as a separate series or merged with others."""
        family = _BY_NAME.get(parts[0])
        if family is None:
            return
        samples, labels = self._samples[family], tuple(parts[1:])
        if family.aggregation == "each":
            samples[*labels, process] = level
        elif labels in samples:
            samples[labels] = _AGGREGATIONS[family.aggregation](samples[labels], level)
        else:
            samples[labels] = level

    def _add_number(self, parts: list[str], number: int) -> None:
        source = _SOURCES.get(parts[0])
        if source is None:
            # From a process that runs another version.
            return
        labels, bucket = parts[1:], None
        if source.histogram is not None:
            bucket = int(labels.pop())
            width = len(source.histogram.labels)
            self._buckets[source.histogram][tuple(labels[:width])][bucket] += number
        if source.counter is not None and bucket != MICROS:
            self._samples[source.counter][tuple(labels)] += number


def _write_plain(
    family: MetricFamily, samples: Iterable[tuple[tuple[str, ...], float]]
) -> PlainFamily:
    kind: type[PlainFamily] = (
        CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
    )
    metric = kind(family.name, family.help, labels=family.labels)
    for labels, value in sorted(samples):
        metric.add_metric(labels, value)
    return metric


def _write_histogram(
    family: MetricFamily, samples: Iterable[tuple[tuple[str, ...], list[int]]]
) -> HistogramMetricFamily:
    metric = HistogramMetricFamily(family.name, family.help, labels=family.labels)
    for labels, counts in sorted(samples):
        cumulative = accumulate(counts[:UNTIMED])
        buckets = list(zip(_LIMITS, cumulative, strict=True))
        metric.add_metric(labels, buckets, sum_value=counts[MICROS] / 1e6)
    return metric
