"""Statistics of the access log: tools, versions, searches, slowest requests.

Reads line by line and stores only numbers, so that a log may be of any length, and the
queries, if they were logged.
"""

import heapq
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import msgspec

_SEARCHES: Final = frozenset({"search_articles", "search_docs", "search"})
_SEARCH_PAGE: Final = "/search"
_SUGGESTIONS: Final = "/-/search.json"
"""The endpoint of search-as-you-type: prefixes of queries."""


class LogLine(msgspec.Struct, kw_only=True):
    """The fields of a log line that the report uses."""

    event: str = ""
    time: str = ""
    transport: str = ""
    door: str = ""
    """The former name of `transport`."""
    path: str = ""
    status: int = 200
    code: int | str | None = None
    failed: bool = False
    method: str | None = None
    tool: str | None = None
    version: str | None = None
    ms: float = 0.0
    found: int | None = None
    query: str | None = None
    request_id: str = ""
    number: int = 0

    @property
    def what(self) -> str:
        """The name of the tool, method, path or transport."""
        return self.tool or self.method or self.path or self.transport or self.door

    @property
    def is_bad(self) -> bool:
        """Whether the request was rejected or failed."""
        return self.failed or self.code is not None or self.status >= 400

    @property
    def is_search(self) -> bool:
        """Whether it was a submitted search that succeeded."""
        is_one = self.tool in _SEARCHES or self.path == _SEARCH_PAGE
        return is_one and self.found is not None and not self.is_bad


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
        self.unlogged = 0
        """Requests of which only the number was logged."""
        self.unread = 0
        """Lines that are not valid log lines."""
        self.searches = 0
        self.fruitless = 0
        """Searches without a result."""
        self.has_queries = False
        self.versions: Counter[str] = Counter()
        self._series: dict[str, _Series] = {}
        self._queries: Counter[str] = Counter()
        self._fruitless: Counter[str] = Counter()
        self._spellings: dict[str, str] = {}
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
                self.unlogged += line.number

    @property
    def rows(self) -> Sequence[ReportRow]:
        """The requests by name, the most frequent first."""
        rows = [series.describe(name) for name, series in self._series.items()]
        return sorted(rows, key=lambda row: (-row.requests, row.name))

    @property
    def queries(self) -> Sequence[tuple[str, int]]:
        """The most frequent queries."""
        return self._format_queries(self._queries)

    @property
    def queries_without_results(self) -> Sequence[tuple[str, int]]:
        """The most frequent queries without a result."""
        return self._format_queries(self._fruitless)

    @property
    def slowest(self) -> Sequence[SlowRequest]:
        """The slowest requests."""
        return [
            SlowRequest(ms, line.what, line.time, line.request_id, line.query)
            for ms, _, line in sorted(self._slowest, reverse=True)
        ]

    def _add(self, line: LogLine) -> None:
        self.requests += 1
        self.first = min(self.first or line.time, line.time)
        self.last = max(self.last, line.time)
        series = self._series.setdefault(_name(line), _Series())
        series.durations.append(line.ms)
        series.refused += line.is_bad
        if line.version is not None:
            self.versions[line.version] += 1
        if line.is_search:
            self._add_search(line)
        if _is_timed(line):
            entry = (line.ms, -next(self._order), line)
            push = heapq.heappush if len(self._slowest) < self._limit else _replace
            push(self._slowest, entry)

    def _add_search(self, line: LogLine) -> None:
        self.searches += 1
        self.fruitless += not line.found
        if line.query is None:
            return
        self.has_queries = True
        key = " ".join(line.query.casefold().split())
        self._spellings.setdefault(key, line.query)
        self._queries[key] += 1
        if not line.found:
            self._fruitless[key] += 1

    def _format_queries(self, counted: Counter[str]) -> Sequence[tuple[str, int]]:
        """Return the most frequent queries, in their first spelling."""
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        return [(self._spellings[key], n) for key, n in ordered[: self._limit]]


def _name(line: LogLine) -> str:
    """Return the name for statistics; page paths are grouped."""
    known = {_SEARCH_PAGE, _SUGGESTIONS, "/mcp"}
    if line.tool or line.method or line.path in known or not line.path:
        return line.what
    return "pages"


def _is_timed(line: LogLine) -> bool:
    """Whether the duration is meaningful: streams are long, not slow."""
    is_stream = line.method == "subscriptions/listen"
    return not is_stream and (line.method is not None or line.path != "/mcp")


def _replace(
    heap: list[tuple[float, int, LogLine]], entry: tuple[float, int, LogLine]
) -> None:
    if heap:
        heapq.heappushpop(heap, entry)
