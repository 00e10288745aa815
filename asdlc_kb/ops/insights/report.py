"""The figures of a period, from daily counts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import accumulate
from typing import Final

from asdlc_kb.ops.insights.daily_counts import DayCount, Measure, bucket_ms
from asdlc_kb.ops.insights.log_line import AGENTS, WEBSITE

MAX_DAYS: Final = 400
"""Days of counts and of a report: a year can be compared with the last one."""

LABEL: Final = DayCount._fields.index("label")
DETAIL: Final = DayCount._fields.index("detail")

_NEVER: Final = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Period:
    """A number of days."""

    first: date
    last: date

    @classmethod
    def of_days(cls, days: Iterable[str]) -> "Period":
        """Return the period from the first to the last day, its end if it is long."""
        valid = sorted(filter(None, map(_read_day, days)))
        if not valid:
            return cls(_NEVER, _NEVER)
        first = max(valid[0].toordinal(), valid[-1].toordinal() - MAX_DAYS + 1)
        return cls(date.fromordinal(first), valid[-1])

    @property
    def days(self) -> tuple[str, ...]:
        """The days as ISO 8601 dates."""
        number = (self.last - self.first).days + 1
        return tuple(
            (self.first + timedelta(days=day)).isoformat() for day in range(number)
        )


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """A number of events by agents and on the website."""

    agents: int = 0
    website: int = 0

    @property
    def total(self) -> int:
        """The sum."""
        return self.agents + self.website


@dataclass(frozen=True, slots=True)
class Latency:
    """Percentiles of the durations of requests, in milliseconds."""

    requests: int
    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class QueryCount:
    """How often a query was searched, in any case."""

    query: str
    counts: SourceCounts


class InsightsReport:
    """Figures of a period: the one of the counts, or a longer one."""

    def __init__(
        self, counts: Iterable[DayCount], period: Period | None = None
    ) -> None:
        self._by_measure: defaultdict[str, list[DayCount]] = defaultdict(list)
        self.counts = tuple(counts)
        for count in self.counts:
            self._by_measure[count.measure].append(count)
        self.period = period or Period.of_days({count.day for count in self.counts})

    def total(self, measure: Measure) -> int:
        """Return the number of events."""
        return sum(count.number for count in self._by_measure[measure])

    def by_day(self, measure: Measure, source: str = "") -> Sequence[int]:
        """Return the number of events on each day, of all sources or of one."""
        days: Counter[str] = Counter()
        for count in self._by_measure[measure]:
            if not source or source == count.detail:
                days[count.day] += count.number
        return [days[day] for day in self.period.days]

    def by_source(self, measure: Measure) -> SourceCounts:
        """Return the number of events by source, the second label."""
        return _split(self._add_up(measure, DETAIL))

    def by_label(self, measure: Measure) -> Mapping[str, SourceCounts]:
        """Return the number of events by the first label, the most frequent first."""
        sources: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for count in self._by_measure[measure]:
            sources[count.label][count.detail] += count.number
        split = {label: _split(counted) for label, counted in sources.items()}
        ordered = sorted(split.items(), key=lambda item: (-item[1].total, item[0]))
        return dict(ordered)

    def queries(self, measure: Measure) -> Sequence[QueryCount]:
        """Return the queries, the most frequent first, in their usual spelling.

        Case and spaces do not matter.
        """
        spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
        sources: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for count in self._by_measure[measure]:
            key = " ".join(count.label.casefold().split())
            spellings[key][count.label] += count.number
            sources[key][count.detail] += count.number
        found = [
            QueryCount(spellings[key].most_common(1)[0][0], _split(counted))
            for key, counted in sources.items()
        ]
        return sorted(found, key=lambda each: (-each.counts.total, each.query))

    @cached_property
    def versions(self) -> Counter[str]:
        """The requests by protocol version."""
        return self._add_up(Measure.VERSIONS, LABEL)

    @cached_property
    def tools(self) -> Sequence[str]:
        """The tools and methods of MCP clients, the most used first."""
        counted = self._add_up(Measure.CLIENTS, DETAIL)
        return sorted(counted, key=lambda name: (-counted[name], name))

    @cached_property
    def clients(self) -> Mapping[str, Counter[str]]:
        """The requests of each MCP client by tool or method; the busiest first."""
        clients: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for count in self._by_measure[Measure.CLIENTS]:
            clients[count.label][count.detail] += count.number
        ordered = sorted(clients.items(), key=lambda item: (-item[1].total(), item[0]))
        return dict(ordered)

    @cached_property
    def latencies(self) -> Mapping[str, Latency]:
        """The durations by name, the slowest first."""
        buckets: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for count in self._by_measure[Measure.DURATIONS]:
            buckets[count.label][int(count.detail)] += count.number
        found = {name: _measure(counted) for name, counted in buckets.items()}
        ordered = sorted(found.items(), key=lambda item: (-item[1].p95, item[0]))
        return dict(ordered)

    @cached_property
    def daily_latencies(self) -> Sequence[Latency | None]:
        """The durations of all requests on each day; None without requests."""
        buckets: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for count in self._by_measure[Measure.DURATIONS]:
            buckets[count.day][int(count.detail)] += count.number
        return [
            _measure(buckets[day]) if day in buckets else None
            for day in self.period.days
        ]

    def _add_up(self, measure: Measure, column: int) -> Counter[str]:
        counted: Counter[str] = Counter()
        for count in self._by_measure[measure]:
            counted[str(count[column])] += count.number
        return counted


def _read_day(day: str) -> date | None:
    try:
        return date.fromisoformat(day)
    except ValueError:
        return None


def _split(counted: Counter[str]) -> SourceCounts:
    return SourceCounts(counted[AGENTS], counted[WEBSITE])


def _measure(buckets: Counter[int]) -> Latency:
    """Return the percentiles of a histogram."""
    ordered = sorted(buckets)
    sums = list(accumulate(buckets[bucket] for bucket in ordered))
    requests = sums[-1]

    def find(place: int) -> float:
        at = next(at for at, total in enumerate(sums) if total > place)
        return round(bucket_ms(ordered[at]), 2)

    last = requests - 1
    return Latency(requests, find(last // 2), find(last * 95 // 100))
