"""The command `stats`: summarizes a log."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from asdlc_kb import app
from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.sources import as_json, open_sources
from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.ops.insights.log_report import LogReport, ReportRow, SlowRequest
from asdlc_kb.settings import Settings

_COLUMNS: Final = ("", "requests", "refused", "median ms", "p95 ms", "slowest")
_UNLOGGED: Final = (
    "Queries are not in this log: start the server with --log-queries to log them."
)


@click.command(cls=HelpCommand)
@click.argument(
    "logfile",
    type=click.File("rb"),
    default="-",
    help="Log of a server in JSON; by default standard input",
)
@settings_options(
    *("docs", "dialect", "language", "missing_grace", "max_files"),
    *("base_url", "title"),
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    metavar="N",
    default=10,
    show_default=True,
    help="Maximum number of queries and slow requests to list",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write charts to an HTML file, with what of CONTENT was never read",
)
@as_json
def stats(
    given: CommandSettings,
    logfile: BinaryIO,
    limit: int,
    html: Path | None,
    as_json: bool,
) -> None:
    """Summarize a server log: LOGFILE, or standard input."""
    if logfile.isatty():
        raise click.UsageError(
            "name a log file, or redirect one: asdlc-kb stats < server.log"
        )
    statistics = LogReport(limit)
    statistics.read(logfile)
    if html is not None:
        html.write_bytes(_draw(statistics, given.settings))
    terminal.report(_report(statistics), _write(statistics), as_json=as_json)


def _draw(statistics: LogReport, settings: Settings) -> bytes:
    """Return the charts as HTML; of content that is named, only what is visible."""
    # Loaded with the website.
    from asdlc_kb.site.layout.frame import PageLayout, SiteIdentity
    from asdlc_kb.site.pages.insights_page import InsightsData, write_insights
    from asdlc_kb.site.site_snapshot import list_documents

    counts = statistics.figures.counts
    if settings.content is None and not settings.docs:
        identity = SiteIdentity(settings.title or "Server log")
        frame = PageLayout(identity, has_docs=False, has_articles=False)
        return write_insights(frame, InsightsData(counts, has_links=False))
    site = app.open_site(settings, open_sources(settings), is_served=False)
    documents = list_documents(site.snapshot, site.identity)
    has_links = settings.base_url is not None
    data = InsightsData(counts, documents=documents, has_links=has_links)
    return write_insights(site.frame, data)


def _report(statistics: LogReport) -> dict[str, Any]:
    return {
        "from": statistics.first or None,
        "to": statistics.last or None,
        "requests": statistics.requests,
        "notLogged": statistics.unlogged,
        "linesSkipped": statistics.unread,
        "byName": [_describe(row) for row in statistics.rows],
        "byVersion": dict(sorted(statistics.figures.versions.items())),
        "searches": statistics.searches,
        "searchesWithoutResult": statistics.fruitless,
        "queries": _list(statistics.queries),
        "queriesWithoutResult": _list(statistics.queries_without_results),
        "slowest": [asdict(slow) for slow in statistics.slowest],
    }


def _describe(row: ReportRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "requests": row.requests,
        "refused": row.refused,
        "ms": {"median": row.median, "p95": row.most_of_them, "max": row.slowest},
    }


def _list(counted: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    return [{"query": query, "times": times} for query, times in counted]


def _write(statistics: LogReport) -> Iterator[str]:
    """Yield the report in lines."""
    if not statistics.requests:
        yield "No requests in this log."
        if statistics.unread:
            lines = terminal.count_noun(statistics.unread, "line is", "lines are")
            yield f"{lines} not JSON: start the server with --log-format json."
        return
    yield f"{statistics.requests:,} requests, {statistics.first} to {statistics.last}"
    if statistics.unlogged:
        yield f"{statistics.unlogged:,} more were refused and not logged individually"
    if statistics.unread:
        yield f"{statistics.unread:,} lines are not log entries"
    yield ""
    yield from _tabulate(statistics.rows)
    if statistics.figures.versions:
        yield from ("", "Protocol versions")
        yield from _number(sorted(statistics.figures.versions.items()))
    yield from (
        "",
        f"{statistics.searches:,} searches, {statistics.fruitless:,} without results",
    )
    if statistics.searches and not statistics.has_queries:
        yield _UNLOGGED
    for title, counted in (
        ("Most frequent queries", statistics.queries),
        ("Queries without results", statistics.queries_without_results),
    ):
        if counted:
            yield from ("", title)
            yield from _number(counted)
    yield from ("", "Slowest requests")
    yield from map(_print, statistics.slowest)


def _tabulate(rows: Sequence[ReportRow]) -> Iterator[str]:
    width = max(len(row.name) for row in rows)
    yield f"{_COLUMNS[0]:{width}}" + "".join(f"{name:>11}" for name in _COLUMNS[1:])
    for row in rows:
        times = (row.median, row.most_of_them, row.slowest)
        numbers = f"{row.requests:11,}{row.refused:11,}"
        yield f"{row.name:{width}}{numbers}" + "".join(f"{ms:11.2f}" for ms in times)


def _number(counted: Iterable[tuple[str, int]]) -> Iterator[str]:
    for name, number in counted:
        yield f"{number:7,}  {name}"


def _print(slow: SlowRequest) -> str:
    query = f"  '{slow.query}'" if slow.query is not None else ""
    return f"{slow.ms:11.2f} ms  {slow.name}  {slow.time}  {slow.request_id}{query}"
