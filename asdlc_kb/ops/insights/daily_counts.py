"""Counts by day, measure and labels, bounded in bytes."""

import math
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.ops.insights.log_line import LogLine

MAX_BYTES: Final = 16 * 1024 * 1024
"""Bytes of the counts in memory, estimated. Beyond it the oldest days are dropped."""

_KEY_BYTES: Final = 250
"""Bytes of a count in addition to its labels."""

MIN_MS: Final = 0.01
"""Shorter durations are counted as this one: the log has two decimals."""

_GROWTH: Final = math.log(1.04)
"""The width of a histogram's buckets: a percentile is off by 2 % at most."""


class Measure(StrEnum):
    """What is counted, and its two labels."""

    REQUESTS = "requests"
    """Name and source."""
    REFUSED = "refused"
    """Rejected or failed requests: name and source."""
    CLIENTS = "clients"
    """Requests of MCP clients: the client's name, and the tool's or method's."""
    VERSIONS = "versions"
    """Protocol version."""
    DURATIONS = "durations"
    """Name, and the number of the bucket of `find_bucket`."""
    SEARCHES = "searches"
    """Tool or page, and source."""
    EMPTY_SEARCHES = "empty searches"
    """Searches without results: tool or page, and source."""
    QUERIES = "queries"
    """Query and source."""
    EMPTY_QUERIES = "empty queries"
    """Queries without results: query and source."""
    READS = "reads"
    """The URI of an article or page that was sent, and the source."""
    UNLOGGED = "unlogged"
    """Requests of which only the number was logged."""
    DROPPED = "dropped"
    """Events that were not counted because of the limit: measure."""


TEXTS: Final = (Measure.QUERIES, Measure.EMPTY_QUERIES)
"""The measures with texts that people or agents wrote."""

Key: TypeAlias = tuple[str, str, str]
"""Measure and labels."""


class DayCount(NamedTuple):
    """The number of one event on a day."""

    day: str
    """ISO 8601 date, UTC."""
    measure: str
    label: str
    detail: str
    number: int


class DailyCounts:
    """Counts by day; not safe for threads."""

    def __init__(self, max_bytes: int | None = MAX_BYTES) -> None:
        """Count within a limit of bytes; without one, everything."""
        self._max_bytes = max_bytes
        self._days: dict[str, Counter[Key]] = {}
        self._sizes: Counter[str] = Counter()
        self.size = 0
        """Bytes of the counts, estimated."""

    def __bool__(self) -> bool:
        return bool(self._days)

    def __iter__(self) -> Iterator[DayCount]:
        """Yield every count, by day."""
        for day in sorted(self._days):
            for key, number in self._days[day].items():
                yield DayCount(day, *key, number)

    def add(
        self, day: str, measure: str, label: str = "", detail: str = "", number: int = 1
    ) -> None:
        """Count an event; within the limit only, once there is but one day."""
        counts = self._days.get(day)
        if counts is None:
            counts = self._days[day] = Counter()
        key = measure, label, detail
        if key not in counts:
            size = _KEY_BYTES + len(label) + len(detail)
            if not self._make_room(day, size):
                counts[Measure.DROPPED, measure, ""] += number
                return
            self._sizes[day] += size
            self.size += size
        counts[key] += number

    def add_line(self, day: str, line: LogLine) -> None:
        """Count a request."""
        self.add_requests(day, line, 1)
        if line.is_timed:
            self.add(day, Measure.DURATIONS, line.name, find_bucket(line.ms))

    def add_requests(self, day: str, line: LogLine, number: int) -> None:
        """Count requests that differ in nothing but time, id and duration."""
        add, name, source = self.add, line.name, line.source
        add(day, Measure.REQUESTS, name, source, number)
        if line.is_bad:
            add(day, Measure.REFUSED, name, source, number)
        if line.method is not None:
            add(day, Measure.CLIENTS, line.client or "", name, number)
        if line.version is not None:
            add(day, Measure.VERSIONS, line.version, "", number)
        if line.is_read and line.document is not None:
            add(day, Measure.READS, line.document, source, number)
        if not line.is_search:
            return
        query = line.query
        add(day, Measure.SEARCHES, name, source, number)
        if query:
            add(day, Measure.QUERIES, query, source, number)
        if not line.found:
            add(day, Measure.EMPTY_SEARCHES, name, source, number)
            if query:
                add(day, Measure.EMPTY_QUERIES, query, source, number)

    def merge(self, others: "DailyCounts") -> None:
        """Add other counts."""
        for count in others:
            self.add(*count)

    def expire(self, first_day: str, first_text_day: str) -> None:
        """Delete the counts before a day, and texts before another one."""
        for day in [day for day in self._days if day < first_day]:
            self._drop(day)
        for day in [day for day in self._days if day < first_text_day]:
            counts = self._days[day]
            for key in [key for key in counts if key[0] in TEXTS]:
                del counts[key]
                size = _KEY_BYTES + len(key[1]) + len(key[2])
                self._sizes[day] -= size
                self.size -= size

    def _make_room(self, day: str, size: int) -> bool:
        """Drop the oldest days; return whether there is room in a day."""
        if self._max_bytes is None:
            return True
        while self.size + size > self._max_bytes:
            oldest = min(self._days)
            if oldest >= day:
                return False
            self._drop(oldest)
        return True

    def _drop(self, day: str) -> None:
        del self._days[day]
        self.size -= self._sizes.pop(day, 0)


@lru_cache(maxsize=4_096)
def find_bucket(ms: float) -> str:
    """Return the number of a duration's bucket; each is 4 % wider than the last."""
    return str(math.ceil(math.log(max(ms, MIN_MS)) / _GROWTH))


def bucket_ms(bucket: int) -> float:
    """Return the middle of a bucket, in milliseconds."""
    return math.exp((bucket - 0.5) * _GROWTH)
