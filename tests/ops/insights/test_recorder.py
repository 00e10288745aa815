"""Counts of the running server, in memory and in a store."""

import json
import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.ops.insights.daily_counts import DailyCounts, DayCount, Measure
from asdlc_kb.ops.insights.log_report import LogReport
from asdlc_kb.ops.insights.recorder import InsightsRecorder
from asdlc_kb.ops.logs.access_lines import (
    AnyRecord,
    RepeatedFields,
    RepeatedRecord,
    access_record,
    format_lines,
)

DAY = "2026-02-01"
NOON = datetime(2026, 2, 1, 12, tzinfo=UTC).timestamp()
BOUND = 30

TOOL: dict[str, Any] = {"path": "/mcp", "method": "tools/call", "version": "2026-07-28"}
REPEATED = (
    RepeatedFields("http", {**TOOL, "tool": "get_article", "document": "kb://doc/a"}),
    RepeatedFields("http", {**TOOL, "tool": "search_docs", "query": "why"}),
    RepeatedFields("http", {"path": "/a", "status": 200, "document": "kb://article/a"}),
)
ANY = (
    access_record("http", "a", 0.5, {"path": "/x", "status": 404}),
    access_record("stdio", "a", 0.1, {**TOOL, "tool": "search_docs", "found": 0}),
    access_record("http", "a", 9.0, {"path": "/mcp", "status": 200}),
    {"event": "requests not logged", "status": 404, "code": None, "number": 7},
    {"lines_lost": 5},
)


class Store:
    """A store in memory that can fail, as a full disk does."""

    def __init__(self) -> None:
        self.counts = DailyCounts()
        self.is_full = False
        self.error: Exception = OSError("database or disk is full")
        self.saved = threading.Event()
        self.expired: list[tuple[str, str]] = []

    def add(self, counts: DailyCounts) -> None:
        """Add counts."""
        self._check()
        self.counts.merge(counts)
        self.saved.set()

    def read(self, first_day: str) -> DailyCounts:
        """Return all counts."""
        self._check()
        return self.counts

    def expire(self, first_day: str, first_text_day: str) -> None:
        """Record the call."""
        self._check()
        self.expired.append((first_day, first_text_day))

    def _check(self) -> None:
        if self.is_full:
            raise self.error


def open_recorder(
    store: Store | None = None, clock: Callable[[], float] = lambda: NOON
) -> InsightsRecorder:
    """Return a recorder on a day of 2026."""
    return InsightsRecorder(store, query_days=30, clock=clock)


def read(recorder: InsightsRecorder) -> set[DayCount]:
    """Return all counts."""
    return set(recorder.read("2026-01-01"))


def page(times: int = 1) -> list[AnyRecord | RepeatedRecord]:
    """Return the records of a page."""
    return [(NOON, "0" * 8, 0.001, None, None, REPEATED[2])] * times


@given(
    st.lists(
        st.tuples(st.floats(0, 9e4), st.sampled_from(ANY))
        | st.tuples(
            st.floats(0, 9e4),
            st.just("0123456789abcdef"),
            st.floats(0, 60),
            st.none() | st.just(7),
            st.none() | st.integers(0, 3),
            st.sampled_from(REPEATED),
        )
    )
)
def test_the_counts_are_those_of_the_log(
    records: list[AnyRecord | RepeatedRecord],
) -> None:
    """D-209: a page of the server and `stats` of its log show the same figures."""
    moved: list[Any] = [(NOON + record[0], *record[1:]) for record in records]
    recorder, report = open_recorder(), LogReport()
    recorder.record(moved)
    report.read(line.encode() for line in format_lines(moved).splitlines())
    assert set(recorder.read("2026-01-01")) == set(report.figures.counts)


def test_counts_in_memory_are_read_from_a_day_on() -> None:
    """Older ones are not returned."""
    recorder = open_recorder()
    recorder.record(page(3))
    recorder.record([(NOON - 86_400, *page()[0][1:])])
    assert DayCount(DAY, Measure.READS, "kb://article/a", "website", 3) in read(
        recorder
    )
    assert {count.day for count in recorder.read(DAY)} == {DAY}


def test_counts_are_moved_to_the_store() -> None:
    """Each once; what was read is that of the store, which others add to."""
    store = Store()
    recorder = open_recorder(store)
    recorder.record(page(2))
    store.counts.add(DAY, Measure.READS, "kb://article/a", "website", 5)
    reads = DayCount(DAY, Measure.READS, "kb://article/a", "website", 7)
    assert reads in read(recorder)
    assert reads in read(recorder)
    assert reads in store.counts


@pytest.mark.parametrize("error", [OSError("disk is full"), ValueError("a query")])
def test_a_failure_loses_no_count_and_is_reported_once(
    caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    """The counts stay in memory until they can be saved, after any error."""
    store = Store()
    recorder = open_recorder(store)
    store.error, store.is_full = error, True
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            recorder.record(page())
            assert not recorder.save()
    assert [record.getMessage() for record in caplog.records] == [
        "insights cannot be saved"
    ]
    reads = DayCount(DAY, Measure.READS, "kb://article/a", "website", 3)
    assert reads in read(recorder)
    store.is_full = False
    assert recorder.save()
    assert reads in store.counts
    assert reads in read(recorder)
    assert "a query" not in repr([vars(record) for record in caplog.records])


def test_a_thread_saves_and_expires() -> None:
    """Without a request too: queries are deleted on time."""
    store = Store()
    recorder = open_recorder(store)
    recorder.open()
    recorder.record(page())
    assert store.saved.wait(BOUND)
    recorder.record(page())
    recorder.close()
    assert DayCount(DAY, Measure.READS, "kb://article/a", "website", 2) in store.counts
    assert store.expired[0] == ("2024-12-28", "2026-01-02")


def test_queries_in_memory_expire_with_the_next_day() -> None:
    """The texts, and after a year the numbers."""
    now = [NOON]
    recorder = open_recorder(clock=lambda: now[0])
    query = access_record("http", "a", 0.1, {**TOOL, "tool": "search_docs", "found": 0})
    recorder.record([(NOON, {**query, "query": "why"})])
    assert "why" in {count.label for count in read(recorder)}
    now[0] += 31 * 86_400
    recorder.record([(now[0], query)])
    counts = read(recorder)
    assert "why" not in {count.label for count in counts}
    assert sum(c.number for c in counts if c.measure == Measure.SEARCHES) == 2


def test_lines_of_counts_are_not_requests() -> None:
    """Those that were not logged have a number; lost ones are counted elsewhere."""
    recorder = open_recorder()
    recorder.record([(NOON, fields) for fields in ANY[3:]])
    assert read(recorder) == {DayCount(DAY, Measure.UNLOGGED, "", "", 7)}
    assert json.loads(format_lines([(NOON, ANY[4])]))["lines_lost"] == 5
