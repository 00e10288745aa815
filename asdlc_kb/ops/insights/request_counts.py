"""Counts of logged requests, by day and fields, before they are counted by measure.

Most requests repeat the fields of others. To count one of these costs a tenth of what
it costs to count its fields.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Final, TypeAlias

from asdlc_kb.ops.insights.daily_counts import DailyCounts, Measure, find_bucket
from asdlc_kb.ops.insights.log_line import LogLine
from asdlc_kb.ops.logs.access_lines import AnyRecord, RepeatedFields, RepeatedRecord

MAX_KINDS: Final = 1_000
"""Days and fields that are counted apart before all are moved."""

_DAY_SECONDS: Final = 86_400

_Numbers: TypeAlias = tuple[dict[int | None, int], dict[str, int]]
"""Numbers of requests by result (0, 1 or None), and by bucket of their duration."""


class RequestCounts:
    """Numbers of requests that have the same fields."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[int, RepeatedFields], _Numbers] = {}

    def record(
        self, records: Sequence[AnyRecord | RepeatedRecord], counts: DailyCounts
    ) -> None:
        """Count the records of a batch; those that do not repeat in `counts`."""
        for record in records:
            day = int(record[0] // _DAY_SECONDS)
            if len(record) == 2:
                _count_line(_format_day(day), LogLine.of_fields(record[1]), counts)
                continue
            if (numbers := self._kinds.get((day, record[5]))) is None:
                numbers = self._kinds[day, record[5]] = ({}, {})
            results, buckets = numbers
            result = record[4] and 1
            results[result] = results.get(result, 0) + 1
            bucket = find_bucket(round(record[2] * 1000, 2))
            buckets[bucket] = buckets.get(bucket, 0) + 1
        if len(self._kinds) > MAX_KINDS:
            self.move_to(counts)

    def move_to(self, counts: DailyCounts) -> None:
        """Count all of them by measure, and begin at none."""
        for (day, fields), (results, buckets) in self._kinds.items():
            line, text = LogLine.of_fields(fields.fields), _format_day(day)
            for line.found, number in results.items():
                counts.add_requests(text, line, number)
            if line.is_timed:
                for bucket, number in buckets.items():
                    counts.add(text, Measure.DURATIONS, line.name, bucket, number)
        self._kinds.clear()


def find_day(record: AnyRecord | RepeatedRecord) -> str:
    """Return the day of a record, in UTC."""
    return _format_day(int(record[0] // _DAY_SECONDS))


def _count_line(day: str, line: LogLine, counts: DailyCounts) -> None:
    """Count a line; it may be about others, which were not logged."""
    if line.event:
        counts.add(day, Measure.UNLOGGED, number=line.number)
    elif line.lines_lost is None:
        counts.add_line(day, line)


@lru_cache(maxsize=4)
def _format_day(day: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()
