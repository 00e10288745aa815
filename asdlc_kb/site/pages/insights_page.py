"""Usage statistics as a page of the website, or as a file that needs no other one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Final, NamedTuple

from asdlc_kb.ops.insights.daily_counts import DayCount, Measure
from asdlc_kb.ops.insights.log_line import AGENTS, WEBSITE
from asdlc_kb.ops.insights.report import (
    InsightsReport,
    Latency,
    Period,
    QueryCount,
    SourceCounts,
)
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.layout.languages import ENGLISH
from asdlc_kb.site.pages.charts import (
    BarPart,
    ChartSeries,
    draw_bar,
    draw_calendar,
    draw_columns,
    draw_line,
    draw_range,
    find_level,
)
from asdlc_kb.site.representation import Representation
from asdlc_kb.unicode.invisible import strip_invisible
from asdlc_kb.unicode.truncation import truncate

PERIODS: Final = {7: "7 days", 30: "30 days", 90: "90 days", 365: "1 year"}
"""The periods of the page in days, and their names."""

DEFAULT_DAYS: Final = 30

MIN_CALENDAR_DAYS: Final = 182

MAX_ROWS: Final = 12
"""Rows of a table."""

MAX_UNREAD: Final = 60
"""Titles of what was not read."""

MAX_TOOLS: Final = 8
"""Tools in the table of clients; the others are one column."""

MAX_TEXT_CHARS: Final = 120
"""Characters of a query or name."""


@dataclass(frozen=True, slots=True)
class InsightsData:
    """Counts, and what else is known of a server or of a log."""

    counts: Sequence[DayCount]
    documents: Mapping[str, Link] | None = None
    """The visible content, if it is known: addresses and titles by resource URI."""
    query_days: int | None = None
    """Days after which queries are deleted."""
    logs_queries: bool | None = None
    """Whether the server logs queries."""
    is_logging: bool = True
    """Whether the server logs requests."""
    has_links: bool = True
    """Whether addresses lead to the website."""


class BarRow(NamedTuple):
    """A row of a table with a bar."""

    name: str
    address: str
    counts: SourceCounts
    bar: str


class HeatRow(NamedTuple):
    """A client and its requests by tool, each with its shade."""

    name: str
    total: int
    cells: Sequence[tuple[int, int]]


class LatencyRow(NamedTuple):
    """Durations of the requests with one name."""

    name: str
    latency: Latency
    drawing: str


class InsightsView:
    """The figures and charts of a period, computed as the template uses them."""

    max_unread: Final = MAX_UNREAD

    def __init__(self, data: InsightsData, period: Period) -> None:
        self.data = data
        self.period = period
        days = frozenset(period.days)
        within = [count for count in data.counts if count.day in days]
        self.report = report = InsightsReport(within, period)
        self.requests = report.by_source(Measure.REQUESTS)
        self.searches = report.total(Measure.SEARCHES)
        self.empty = report.total(Measure.EMPTY_SEARCHES)
        self.has_queries = report.total(Measure.QUERIES) > 0
        self.empty_queries = report.queries(Measure.EMPTY_QUERIES)
        self.unlogged = report.total(Measure.UNLOGGED)
        self.dropped = report.total(Measure.DROPPED)

    @property
    def empty_share(self) -> int:
        """The percentage of searches without results."""
        return round(100 * self.empty / self.searches) if self.searches else 0

    @property
    def empty_query_rows(self) -> Sequence[BarRow]:
        """The most frequent queries without results."""
        return _draw_queries(self.empty_queries, "empty")

    @property
    def query_rows(self) -> Sequence[BarRow]:
        """The most frequent queries."""
        return _draw_queries(self.report.queries(Measure.QUERIES), "agents", "website")

    @cached_property
    def search_days(self) -> Sequence[tuple[str, int, int]]:
        """Each day, and its searches with and without results."""
        totals = self.report.by_day(Measure.SEARCHES)
        empty = self.report.by_day(Measure.EMPTY_SEARCHES)
        rows = zip(self.period.days, totals, empty, strict=True)
        return [(day, total - without, without) for day, total, without in rows]

    @property
    def search_chart(self) -> str:
        """The searches of each day."""
        _, found, empty = zip(*self.search_days, strict=True)
        series = (
            ChartSeries("with results", "found", found),
            ChartSeries("without results", "empty", empty),
        )
        return draw_columns("Searches per day", self.period.days, series)

    @cached_property
    def _reads(self) -> Mapping[str, SourceCounts]:
        """The reads of what is visible, or of everything if that is not known."""
        known = self.data.documents
        reads = self.report.by_label(Measure.READS)
        return {
            uri: counts
            for uri, counts in reads.items()
            if known is None or uri in known
        }

    @property
    def reads(self) -> SourceCounts:
        """The number of reads."""
        agents = sum(counts.agents for counts in self._reads.values())
        return SourceCounts(agents, sum(c.website for c in self._reads.values()))

    @property
    def read_rows(self) -> Sequence[BarRow]:
        """What was read most."""
        known = self.data.documents or {}
        rows = [
            (known.get(uri, Link("", uri)), counts)
            for uri, counts in list(self._reads.items())[:MAX_ROWS]
        ]
        return _draw_rows(rows, "agents", "website")

    @cached_property
    def unread(self) -> Sequence[Link]:
        """What is visible and was not read, by title."""
        known = self.data.documents or {}
        unread = {known[uri] for uri in known.keys() - self._reads.keys()}
        return sorted(unread, key=lambda link: (link.title.casefold(), link.address))

    @property
    def unread_bar(self) -> str:
        """The share of what was not read."""
        total = len(self.data.documents or {})
        unread = len(self.unread)
        parts = BarPart(total - unread, "read"), BarPart(unread, "unread-part")
        return draw_bar(parts, total)

    @cached_property
    def tools(self) -> Sequence[str]:
        """The most used tools and methods of clients."""
        return self.report.tools[:MAX_TOOLS]

    @property
    def client_rows(self) -> Sequence[HeatRow]:
        """The busiest clients, and their requests by tool; the last cell is others."""
        found = list(self.report.clients.items())[:MAX_ROWS]
        table = [
            (name, [by_tool[tool] for tool in self.tools], by_tool.total())
            for name, by_tool in found
        ]
        table = [(name, [*row, total - sum(row)], total) for name, row, total in table]
        largest = max((max(row) for _, row, _ in table), default=0)
        return [
            HeatRow(
                _show(name) or "unnamed",
                total,
                [(number, find_level(number, largest)) for number in row],
            )
            for name, row, total in table
        ]

    @cached_property
    def latency_rows(self) -> Sequence[LatencyRow]:
        """The durations of the slowest tools, methods and pages."""
        found = list(self.report.latencies.items())[:MAX_ROWS]
        least = min((latency.median for _, latency in found), default=0.0)
        most = max((latency.p95 for _, latency in found), default=0.0)
        return [
            LatencyRow(
                _show(name),
                latency,
                draw_range(latency.median, latency.p95, least, most),
            )
            for name, latency in found
        ]

    @cached_property
    def latency_days(self) -> Sequence[tuple[str, float | None]]:
        """Each day, and the 95th percentile of its durations."""
        daily = self.report.daily_latencies
        values = [None if latency is None else latency.p95 for latency in daily]
        return list(zip(self.period.days, values, strict=True))

    @property
    def latency_peak(self) -> float:
        """The largest 95th percentile of a day."""
        return max(p95 for _, p95 in self.latency_days if p95 is not None)

    @property
    def latency_chart(self) -> str:
        """The 95th percentile of each day."""
        days, values = zip(*self.latency_days, strict=True)
        return draw_line("95th percentile per day", days, values)

    @cached_property
    def calendar_days(self) -> Sequence[tuple[str, int, int]]:
        """Each day of the calendar, and its requests by source."""
        last = self.period.last
        first = min(self.period.first, last - timedelta(days=MIN_CALENDAR_DAYS - 1))
        calendar = InsightsReport(self.data.counts, Period(first, last))
        agents, website = (
            calendar.by_day(Measure.REQUESTS, source) for source in (AGENTS, WEBSITE)
        )
        return list(zip(calendar.period.days, agents, website, strict=True))

    @property
    def calendar_chart(self) -> str:
        """The requests of each day."""
        days = [day for day, *_ in self.calendar_days]
        totals = [agents + website for _, agents, website in self.calendar_days]
        return draw_calendar("Requests per day", days, totals)


def make_insights(
    frame: PageLayout, data: InsightsData, days: int, navigation: Sequence[Link]
) -> Representation:
    """Return the page of the last days, one of `PERIODS`."""
    today = datetime.now(UTC).date()
    period = Period(today - timedelta(days=days - 1), today)
    return frame.make(
        "insights.html",
        urls.INSIGHTS,
        title="Insights",
        language=ENGLISH,
        description="What agents and people asked and read",
        navigation=navigation,
        days=days,
        periods=PERIODS,
        view=InsightsView(data, period),
    )


def write_insights(frame: PageLayout, data: InsightsData) -> bytes:
    """Return an HTML file of all days that were counted."""
    period = Period.of_days(count.day for count in data.counts)
    view = InsightsView(data, period)
    return frame.write_file("insights_file.html", title="Insights", view=view)


def _draw_queries(queries: Iterable[QueryCount], *kinds: str) -> Sequence[BarRow]:
    rows = [(Link("", _show(each.query)), each.counts) for each in queries]
    return _draw_rows(rows[:MAX_ROWS], *kinds)


def _draw_rows(
    rows: Sequence[tuple[Link, SourceCounts]], *kinds: str
) -> Sequence[BarRow]:
    """Return rows with bars: of one kind, or with a part for each source."""
    largest = max((counts.total for _, counts in rows), default=0)

    def split(counts: SourceCounts) -> Iterator[BarPart]:
        values = (counts.agents, counts.website) if len(kinds) > 1 else (counts.total,)
        yield from map(BarPart, values, kinds)

    return [
        BarRow(link.title, link.address, counts, draw_bar(split(counts), largest))
        for link, counts in rows
    ]


def _show(text: str) -> str:
    """Return a text of a client in one line."""
    return truncate(" ".join(strip_invisible(text).split()), MAX_TEXT_CHARS)
