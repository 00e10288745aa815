"""Statistics of an access log: tools, versions, searches, slowest requests.

Reads line by line and stores only numbers, so that a log may be of any length, and the
queries, if they were logged.
"""

import heapq
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

import msgspec

from asdlc_kb.ops.insights.daily_counts import DailyCounts, Measure
from asdlc_kb.ops.insights.log_line import LogLine
from asdlc_kb.ops.insights.report import InsightsReport


@dataclass(frozen=True, slots=True)
class ReportRow:
    """Number and durations, in milliseconds, of the requests with one name."""

    name: str
    requests: int
    refused: int
    median: float
    most_of_them: float
    """The 95th percentile."""
    slowest: float


@dataclass(frozen=True, slots=True)
class SlowRequest:
    """One of the slowest requests."""

    ms: float
    name: str
    time: str
    request_id: str
    query: str | None


@dataclass(slots=True)
class _Series:
    durations: "array[float]" = field(default_factory=lambda: array("f"))
    refused: int = 0

    def describe(self, name: str) -> ReportRow:
        ordered = sorted(self.durations)
        last = len(ordered) - 1
        return ReportRow(
            name,
            len(ordered),
            self.refused,
            median=round(ordered[last // 2], 2),
            most_of_them=round(ordered[last * 95 // 100], 2),
            slowest=round(ordered[last], 2),
        )


class LogReport:
    """Aggregates lines; `limit` is the number of queries and slow requests."""

    def __init__(self, limit: int = 10) -> None:
        self._limit = limit
        self.first = self.last = ""
        """Timestamps of the first and the last request."""
        self.requests = 0
        self.unread = 0
        """Lines that are not valid log lines."""
        self._counts = DailyCounts(max_bytes=None)
        self.figures = InsightsReport(())
        """What was counted by day."""
        self._series: dict[str, _Series] = {}
        self._slowest: list[tuple[float, int, LogLine]] = []
        self._order = count()
        self._decode = msgspec.json.Decoder(LogLine).decode

    def read(self, lines: Iterable[bytes]) -> None:
        """Aggregate all lines of a log."""
        for text in lines:
            try:
                line = self._decode(text)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                self.unread += bool(text.strip())
                continue
            if line.event == "request":
                self._add(line)
            elif line.event == "requests not logged":
                self._counts.add(line.time[:10], Measure.UNLOGGED, number=line.number)
        self.figures = InsightsReport(self._counts)

    @property
    def unlogged(self) -> int:
        """Requests of which only the number was logged."""
        return self.figures.total(Measure.UNLOGGED)

    @property
    def searches(self) -> int:
        """Number of submitted searches."""
        return self.figures.total(Measure.SEARCHES)

    @property
    def fruitless(self) -> int:
        """Number of searches without a result."""
        return self.figures.total(Measure.EMPTY_SEARCHES)

    @property
    def has_queries(self) -> bool:
        """Whether queries were logged."""
        return bool(self.figures.total(Measure.QUERIES))

    @property
    def rows(self) -> Sequence[ReportRow]:
        """The requests by name, the most frequent first."""
        rows = [series.describe(name) for name, series in self._series.items()]
        return sorted(rows, key=lambda row: (-row.requests, row.name))

    @property
    def queries(self) -> Sequence[tuple[str, int]]:
        """The most frequent queries."""
        return self._list_queries(Measure.QUERIES)

    @property
    def queries_without_results(self) -> Sequence[tuple[str, int]]:
        """The most frequent queries without a result."""
        return self._list_queries(Measure.EMPTY_QUERIES)

    @property
    def slowest(self) -> Sequence[SlowRequest]:
        """The slowest requests."""
        return [
            SlowRequest(ms, line.what, line.time, line.request_id, line.query)
            for ms, _, line in sorted(self._slowest, reverse=True)
        ]

    def _add(self, line: LogLine) -> None:
        if line.lines_lost is not None:
            return
        self.requests += 1
        self.first = min(self.first or line.time, line.time)
        self.last = max(self.last, line.time)
        self._counts.add_line(line.time[:10], line)
        series = self._series.setdefault(line.name, _Series())
        series.durations.append(line.ms)
        series.refused += line.is_bad
        if line.is_timed:
            entry = (line.ms, -next(self._order), line)
            push = heapq.heappush if len(self._slowest) < self._limit else _replace
            push(self._slowest, entry)

    def _list_queries(self, measure: Measure) -> Sequence[tuple[str, int]]:
        found = self.figures.queries(measure)[: self._limit]
        return [(each.query, each.counts.total) for each in found]


def _replace(
    heap: list[tuple[float, int, LogLine]], entry: tuple[float, int, LogLine]
) -> None:
    if heap:
        heapq.heappushpop(heap, entry)
