"""Counts of requests with the same fields."""

from datetime import UTC, datetime

from asdlc_kb.ops.insights.daily_counts import DailyCounts
from asdlc_kb.ops.insights.log_line import LogLine
from asdlc_kb.ops.insights.request_counts import MAX_KINDS, RequestCounts, find_day
from asdlc_kb.ops.logs.access_lines import AnyRecord, RepeatedFields, RepeatedRecord

DAYS = "2026-02-01", "2026-02-02"
MIDNIGHT = datetime(2026, 2, 2, tzinfo=UTC).timestamp()


def make_fields(document: str) -> RepeatedFields:
    """Return the fields of calls that return a document."""
    tool = {"path": "/mcp", "method": "tools/call", "tool": "get_article"}
    return RepeatedFields("http", {**tool, "document": document})


def make_record(fields: RepeatedFields, moment: float, ms: float = 5) -> RepeatedRecord:
    """Return the record of one call."""
    return (moment, "id", ms / 1000, 10, 1, fields)


def count_alone(records: list[RepeatedRecord]) -> DailyCounts:
    """Count each record by itself."""
    counts = DailyCounts()
    for record in records:
        _, request_id, seconds, size, found, fields = record
        logged = fields.with_request(request_id, seconds, size, found)
        counts.add_line(find_day(record), LogLine.of_fields(logged))
    return counts


def test_requests_of_two_days_are_counted_as_each_alone() -> None:
    """What is counted together has the days and durations of each."""
    fields = make_fields("kb://doc/a")
    records = [
        make_record(fields, MIDNIGHT - 1),
        make_record(fields, MIDNIGHT - 1, 80),
        make_record(fields, MIDNIGHT + 1),
    ]
    requests, counts = RequestCounts(), DailyCounts()
    for record in records:
        requests.record([record], counts)
    assert not counts
    requests.move_to(counts)
    assert {row.day for row in counts} == set(DAYS)
    assert sorted(counts) == sorted(count_alone(records))


def test_moved_requests_are_not_counted_again() -> None:
    """Moving begins at none."""
    requests, counts, later = RequestCounts(), DailyCounts(), DailyCounts()
    requests.record([make_record(make_fields("kb://doc/a"), MIDNIGHT)], counts)
    requests.move_to(counts)
    requests.move_to(later)
    assert counts
    assert not later


def test_more_kinds_than_are_kept_are_counted_at_once() -> None:
    """The number of kinds in memory is bounded."""
    requests, counts = RequestCounts(), DailyCounts()
    kinds = [make_fields(f"kb://doc/{number}") for number in range(MAX_KINDS + 1)]
    requests.record([make_record(kind, MIDNIGHT) for kind in kinds[:-1]], counts)
    assert not counts
    requests.record([make_record(kinds[-1], MIDNIGHT)], counts)
    assert counts


def test_a_line_that_does_not_repeat_is_counted_at_once() -> None:
    """It is not kept."""
    record: AnyRecord = (MIDNIGHT, {"event": "request", "path": "/x", "status": 404})
    requests, counts = RequestCounts(), DailyCounts()
    requests.record([record], counts)
    assert counts
