"""Counts by day: each event once, within a limit of bytes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.ops.insights.daily_counts import (
    DailyCounts,
    Measure,
    bucket_ms,
    find_bucket,
)
from asdlc_kb.ops.insights.log_line import LogLine

DAY = "2026-01-01"
CALL: dict[str, Any] = {"method": "tools/call", "path": "/mcp"}
SEARCH: dict[str, Any] = {**CALL, "tool": "search_docs", "client": "one"}


def count(*lines: LogLine) -> dict[tuple[str, str, str], int]:
    """Return the counts of lines, without their durations."""
    counts = DailyCounts()
    for line in lines:
        counts.add_line(DAY, line)
    return {
        (row.measure, row.label, row.detail): row.number
        for row in counts
        if row.measure != Measure.DURATIONS
    }


def test_a_request_is_counted_by_name_source_client_and_version() -> None:
    """A failed one is refused as well."""
    line = LogLine(**CALL, tool="x", client="one", version="2026-07-28", failed=True)
    assert count(line, line) == {
        ("requests", "x", "agents"): 2,
        ("refused", "x", "agents"): 2,
        ("clients", "one", "x"): 2,
        ("versions", "2026-07-28", ""): 2,
    }


def test_a_search_is_counted_with_its_query_if_that_is_logged() -> None:
    """And again if it has no result."""
    found, empty = LogLine(**SEARCH, found=2), LogLine(**SEARCH, found=0, query="why")
    counted = count(found, empty)
    assert counted["searches", "search_docs", "agents"] == 2
    assert counted["empty searches", "search_docs", "agents"] == 1
    assert counted["queries", "why", "agents"] == 1
    assert counted["empty queries", "why", "agents"] == 1


def test_a_page_is_read_on_the_website_and_by_no_client() -> None:
    """Browsers give themselves no name."""
    assert count(LogLine(path="/concepts/a", document="kb://article/a")) == {
        ("requests", "pages", "website"): 1,
        ("reads", "kb://article/a", "website"): 1,
    }


def test_the_duration_of_a_stream_is_not_counted() -> None:
    """It is long, not slow."""
    counts = DailyCounts()
    counts.add_line(DAY, LogLine(method="subscriptions/listen", ms=1e6))
    assert Measure.DURATIONS not in {row.measure for row in counts}


@given(st.floats(0.01, 1e7))
def test_a_bucket_is_near_to_its_durations(ms: float) -> None:
    """2 % at most."""
    assert bucket_ms(int(find_bucket(ms))) == pytest.approx(ms, rel=0.021)


@pytest.mark.parametrize("ms", [0.0, -1.0, 0.001])
def test_any_duration_has_a_bucket(ms: float) -> None:
    """The clock may be coarse."""
    assert find_bucket(ms) == find_bucket(0.01)


def test_the_oldest_days_make_room() -> None:
    """Within the limit of bytes; the latest day is kept."""
    counts = DailyCounts(max_bytes=3_000)
    for day in range(1, 31):
        counts.add(f"2026-01-{day:02}", Measure.READS, "kb://article/a", "agents")
    days = [row.day for row in counts]
    assert days[-1] == "2026-01-30"
    assert days == sorted(days)
    assert 5 < len(days) < 12
    assert counts.size <= 3_000


def test_a_flood_of_one_day_is_counted_but_not_stored() -> None:
    """Known keys are still counted; the others are one number."""
    counts = DailyCounts(max_bytes=3_000)
    for number in range(100):
        counts.add(DAY, Measure.QUERIES, f"q{number}", "agents")
    counts.add(DAY, Measure.QUERIES, "q0", "agents", 5)
    rows = {(row.measure, row.label): row.number for row in counts}
    assert rows["queries", "q0"] == 6
    stored = sum(1 for measure, _ in rows if measure == Measure.QUERIES)
    assert stored + rows["dropped", "queries"] == 100
    assert counts.size <= 3_000


def test_an_older_day_makes_no_room() -> None:
    """Counts of a file that is merged never replace those of today."""
    counts = DailyCounts(max_bytes=300)
    counts.add(DAY, Measure.READS, "a", "agents")
    counts.add("2025-12-31", Measure.READS, "a", "agents")
    assert [row.day for row in counts if row.measure == Measure.READS] == [DAY]


def test_texts_expire_before_numbers() -> None:
    """And their bytes are free again."""
    counts = DailyCounts()
    for day in ("2025-01-01", "2026-01-01", "2026-02-01"):
        counts.add(day, Measure.QUERIES, "why", "agents")
        counts.add(day, Measure.EMPTY_QUERIES, "why", "agents")
        counts.add(day, Measure.SEARCHES, "search", "agents")
    whole = counts.size
    counts.expire("2025-06-01", "2026-01-15")
    assert [(row.day, row.measure) for row in counts] == [
        ("2026-01-01", "searches"),
        ("2026-02-01", "queries"),
        ("2026-02-01", "empty queries"),
        ("2026-02-01", "searches"),
    ]
    again = DailyCounts()
    again.merge(counts)
    assert again.size == counts.size < whole
