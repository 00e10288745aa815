"""The figures of a period."""

from datetime import date
from typing import Any

import pytest

from asdlc_kb.ops.insights.daily_counts import DailyCounts, Measure
from asdlc_kb.ops.insights.log_line import LogLine
from asdlc_kb.ops.insights.report import (
    MAX_DAYS,
    InsightsReport,
    Latency,
    Period,
    SourceCounts,
)

FIRST, LAST = "2026-01-01", "2026-01-03"
SEARCH: dict[str, Any] = {"method": "tools/call", "path": "/mcp", "tool": "search_docs"}


def report(*lines: tuple[str, LogLine]) -> InsightsReport:
    """Return the figures of lines, each with its day."""
    counts = DailyCounts()
    for day, line in lines:
        counts.add_line(day, line)
    return InsightsReport(counts, Period(date(2026, 1, 1), date(2026, 1, 3)))


def search(query: str, client: str = "", found: int = 0) -> LogLine:
    """Return a search."""
    return LogLine(**SEARCH, query=query, client=client or None, found=found)


PAGE = LogLine(path="/search", query="WHY", found=0)
FOUND = report(
    (FIRST, search("why", "one")),
    (FIRST, search("why  not", "two", found=1)),
    (LAST, search("why", "one")),
    (LAST, PAGE),
    (LAST, LogLine(method="ping", client="one", version="2025-11-25")),
)


def test_days_without_events_are_zero() -> None:
    """Every day of the period has a number."""
    assert FOUND.by_day(Measure.SEARCHES) == [2, 0, 2]
    assert FOUND.by_day(Measure.SEARCHES, "website") == [0, 0, 1]
    assert FOUND.total(Measure.EMPTY_SEARCHES) == 3


def test_queries_are_counted_however_they_are_written() -> None:
    """Shown as the most are, split by source."""
    found = [(each.query, each.counts) for each in FOUND.queries(Measure.QUERIES)]
    assert found == [("why", SourceCounts(2, 1)), ("why  not", SourceCounts(1, 0))]
    (empty,) = FOUND.queries(Measure.EMPTY_QUERIES)
    assert (empty.query, empty.counts.total) == ("why", 3)


def test_clients_and_tools_are_ordered_by_requests() -> None:
    """The busiest first, then by name; pages are of no client."""
    assert list(FOUND.clients) == ["one", "two"]
    assert FOUND.clients["one"] == {"search_docs": 2, "ping": 1}
    assert FOUND.tools == ["search_docs", "ping"]
    assert FOUND.versions == {"2025-11-25": 1}
    assert FOUND.by_source(Measure.REQUESTS) == SourceCounts(4, 1)
    assert list(FOUND.by_label(Measure.REQUESTS)) == ["search_docs", "/search", "ping"]


def test_percentiles_are_near_to_the_durations() -> None:
    """2 % at most; those of days are of all requests."""
    lines = [LogLine(method="ping", ms=float(ms)) for ms in range(1, 101)]
    found = report(*((FIRST, line) for line in lines))
    latency = found.latencies["ping"]
    assert latency.requests == 100
    assert latency.median == pytest.approx(50, rel=0.03)
    assert latency.p95 == pytest.approx(95, rel=0.03)
    assert found.daily_latencies == [latency, None, None]


def test_the_slowest_requests_come_first() -> None:
    """By their 95th percentile."""
    slow, fast = LogLine(method="b", ms=9.0), LogLine(method="a", ms=1.0)
    found = report((FIRST, fast), (FIRST, slow))
    assert list(found.latencies) == ["b", "a"]
    assert isinstance(found.latencies["a"], Latency)


@pytest.mark.parametrize(
    ("days", "first", "last", "number"),
    [
        (["2026-01-03", "2026-01-01"], "2026-01-01", "2026-01-03", 3),
        (["2026-01-03", "nonsense", ""], "2026-01-03", "2026-01-03", 1),
        (["0001-01-01", "2026-01-03"], "2024-11-30", "2026-01-03", MAX_DAYS),
        ([], "1970-01-01", "1970-01-01", 1),
    ],
)
def test_a_period_is_that_of_valid_days(
    days: list[str], first: str, last: str, number: int
) -> None:
    """It is bounded: a line of a log can name any year."""
    period = Period.of_days(days)
    assert (period.days[0], period.days[-1]) == (first, last)
    assert len(period.days) == number
