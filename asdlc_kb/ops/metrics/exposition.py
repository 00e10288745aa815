"""Exposition of the metrics in the text format that Prometheus requests.

Loaded with the first scrape: only it needs prometheus_client.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from operator import add
from typing import Final, TypeAlias

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from asdlc_kb.ops.metrics.counters import (
    BOUNDS,
    MICROS,
    UNTIMED,
    GaugeValues,
    MetricValues,
    decode_key,
)
from asdlc_kb.ops.metrics.definitions import FAMILIES, MetricFamily

PlainFamily: TypeAlias = CounterMetricFamily | GaugeMetricFamily

_Samples: TypeAlias = dict[tuple[str, ...], float]
"""Values by labels."""
_Slots: TypeAlias = dict[tuple[str, ...], list[int]]
"""Bucket counts, untimed events and microseconds by labels."""


_AGGREGATIONS: Final[Mapping[str, Callable[[float, float], float]]] = {
    "sum": add,
    "max": max,
    "min": min,
}
"""Functions that merge the gauges of two processes."""

_TIMED: Final = frozenset(
    (family.of or family).name for family in FAMILIES if family.kind == "histogram"
)
"""Families whose events have durations: their numbers are those of buckets."""

_GAUGE_FAMILIES: Final = {
    family.name: family for family in FAMILIES if family.kind != "histogram"
}

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
    """Groups numbers by family; those of families unknown here are ignored."""

    def __init__(
        self, numbers: MetricValues, levels: Mapping[str, GaugeValues]
    ) -> None:
        self._samples: defaultdict[str, _Samples] = defaultdict(dict)
        self._slots: defaultdict[str, _Slots] = defaultdict(dict)
        for text, number in numbers.items():
            name, *labels = decode_key(text)
            if name in _TIMED:
                slots = self._slots[name].setdefault(tuple(labels[:-1]), _no_slots())
                slots[int(labels[-1])] = number
            else:
                self._samples[name][tuple(labels)] = number
        for process, gauges in levels.items():
            for text, level in gauges.items():
                self._merge_gauge(process, *decode_key(text), level=level)

    def collect(self) -> Iterator[PlainFamily | HistogramMetricFamily]:
        """Yield every family, including those without samples."""
        for family in FAMILIES:
            if family.kind == "histogram":
                yield _write_histogram(family, self._merge_slots(family).items())
            elif family.name in _TIMED:
                slots = self._slots[family.name].items()
                yield _write_plain(family, ((k, sum(n[:MICROS])) for k, n in slots))
            else:
                yield _write_plain(family, self._samples[family.name].items())

    def _merge_gauge(self, process: str, name: str, *labels: str, level: float) -> None:
        """Add the gauge of a process, as a separate series or merged with others."""
        family = _GAUGE_FAMILIES.get(name)
        if family is None:
            return
        samples = self._samples[name]
        if family.aggregation == "each":
            samples[*labels, process] = level
        else:
            merge = _AGGREGATIONS[family.aggregation]
            samples[labels] = (
                merge(samples[labels], level) if labels in samples else level
            )

    def _merge_slots(self, family: MetricFamily) -> "_Slots":
        """Return the buckets of a histogram, summed over the labels it has not."""
        width = len(family.labels)
        # The only series of a histogram without labels exists from the start.
        merged: _Slots = {} if width else {(): _no_slots()}
        for labels, slots in self._slots[(family.of or family).name].items():
            known = merged.get(labels[:width], _no_slots())
            merged[labels[:width]] = list(map(add, known, slots))
        return merged


def _no_slots() -> list[int]:
    return [0] * (MICROS + 1)


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
