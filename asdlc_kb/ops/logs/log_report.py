"""What the lines of the access log add up to: tools, versions, searches, the slowest.

Reads one line after another and keeps numbers, so that a log may be of any length;
of texts it keeps the queries, if they were logged.
"""

import heapq
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import msgspec

_SEARCHES: Final = frozenset({"search_articles", "search_docs"})
_SEARCH_PAGE: Final = "/search"
_TYPING: Final = "/-/search.json"
"""What the pages' script asks while somebody types: the beginnings of queries."""


class LogLine(msgspec.Struct, kw_only=True):
    """A line of the log, as far as it is of interest here."""

    event: str = ""
    time: str = ""
    door: str = ""
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
        """What was asked for, in a word."""
        return self.tool or self.method or self.path or self.door

    @property
    def is_bad(self) -> bool:
        """Whether the request was refused or failed."""
        return self.failed or self.code is not None or self.status >= 400

    @property
    def is_search(self) -> bool:
        """Whether it was a search that was answered, by one who had asked."""
        is_one = self.tool in _SEARCHES or self.path == _SEARCH_PAGE
        return is_one and self.found is not None and not self.is_bad


@dataclass(frozen=True, slots=True)
class ReportRow:
    """How often something was asked for, and how long that took, in milliseconds."""

    name: str
    requests: int
    refused: int
    median: float
    most_of_them: float
    """95 of 100 took no longer."""
    slowest: float


@dataclass(frozen=True, slots=True)
class SlowRequest:
    """A request that took long."""

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
    """Adds up lines; `limit` is how many queries and slow requests are told."""

    def __init__(self, limit: int = 10) -> None:
        self._limit = limit
        self.first = self.last = ""
        """When the first and the last request were."""
        self.requests = 0
        self.unlogged = 0
        """Requests of which the log has but the number."""
        self.unread = 0
        """Lines that are none of the log."""
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
        """Take all lines of a log."""
        for text in lines:
            try:
                line = self._decode(text)
            except msgspec.MsgspecError:
                self.unread += bool(text.strip())
                continue
            if line.event == "request":
                self._take(line)
            elif line.event == "requests not logged":
                self.unlogged += line.number

    @property
    def rows(self) -> Sequence[ReportRow]:
        """What was asked for, the most frequent first."""
        found = [series.describe(name) for name, series in self._series.items()]
        return sorted(found, key=lambda row: (-row.requests, row.name))

    @property
    def queries(self) -> Sequence[tuple[str, int]]:
        """What was searched for most often."""
        return self._spell(self._queries)

    @property
    def fruitless_queries(self) -> Sequence[tuple[str, int]]:
        """What was searched for most often without a result."""
        return self._spell(self._fruitless)

    @property
    def slowest(self) -> Sequence[SlowRequest]:
        """The requests that took longest."""
        return [
            SlowRequest(ms, line.what, line.time, line.request_id, line.query)
            for ms, _, line in sorted(self._slowest, reverse=True)
        ]

    def _take(self, line: LogLine) -> None:
        self.requests += 1
        self.first = min(self.first or line.time, line.time)
        self.last = max(self.last, line.time)
        series = self._series.setdefault(_name(line), _Series())
        series.durations.append(line.ms)
        series.refused += line.is_bad
        if line.version is not None:
            self.versions[line.version] += 1
        if line.is_search:
            self._take_search(line)
        if _is_over(line):
            entry = (line.ms, -next(self._order), line)
            push = heapq.heappush if len(self._slowest) < self._limit else _replace
            push(self._slowest, entry)

    def _take_search(self, line: LogLine) -> None:
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

    def _spell(self, counted: Counter[str]) -> Sequence[tuple[str, int]]:
        """Return the most frequent ones, as they were first written."""
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        return [(self._spellings[key], n) for key, n in ordered[: self._limit]]


def _name(line: LogLine) -> str:
    """Return what a request is counted under: paths are too many."""
    known = {_SEARCH_PAGE, _TYPING, "/mcp"}
    if line.tool or line.method or line.path in known or not line.path:
        return line.what
    return "pages"


def _is_over(line: LogLine) -> bool:
    """Whether it ended with its answer: a stream is long, not slow."""
    is_stream = line.method == "subscriptions/listen"
    return not is_stream and (line.method is not None or line.path != "/mcp")


def _replace(
    heap: list[tuple[float, int, LogLine]], entry: tuple[float, int, LogLine]
) -> None:
    if heap:
        heapq.heappushpop(heap, entry)
