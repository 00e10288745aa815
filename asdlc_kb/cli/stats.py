"""The command `stats`: summarizes a log."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, BinaryIO, Final

import click

from asdlc_kb.cli import terminal
from asdlc_kb.cli.sources import as_json
from asdlc_kb.ops.logs.log_report import LogReport, ReportRow, SlowRequest

_COLUMNS: Final = ("", "requests", "refused", "median ms", "95 % ms", "slowest")
_UNLOGGED: Final = "Queries are not in this log: serve with --log-queries to have them."


@click.command()
@click.argument("logfile", type=click.File("rb"), default="-")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="How many queries and slow requests to tell of",
)
@as_json
def stats(logfile: BinaryIO, limit: int, as_json: bool) -> None:
    """Add up LOGFILE, or what comes on stdin: what the server wrote on stderr."""
    if logfile.isatty():
        raise click.UsageError("name a log, or send one: asdlc-kb stats < server.log")
    statistics = LogReport(limit)
    statistics.read(logfile)
    if as_json:
        click.echo(json.dumps(_report(statistics), indent=2))
        return
    for line in _write(statistics):
        terminal.echo(line)


def _report(statistics: LogReport) -> dict[str, Any]:
    return {
        "from": statistics.first or None,
        "to": statistics.last or None,
        "requests": statistics.requests,
        "notLogged": statistics.unlogged,
        "linesSkipped": statistics.unread,
        "byName": [_describe(row) for row in statistics.rows],
        "byVersion": dict(sorted(statistics.versions.items())),
        "searches": statistics.searches,
        "searchesWithoutResult": statistics.fruitless,
        "queries": _list(statistics.queries),
        "queriesWithoutResult": _list(statistics.fruitless_queries),
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
        yield "There is no request in this log."
        return
    yield f"{statistics.requests:,} requests, {statistics.first} to {statistics.last}"
    if statistics.unlogged:
        yield f"{statistics.unlogged:,} more were refused and not logged one by one"
    if statistics.unread:
        yield f"{statistics.unread:,} lines are none of the log"
    yield ""
    yield from _tabulate(statistics.rows)
    if statistics.versions:
        yield from ("", "Versions of the protocol")
        yield from _number(sorted(statistics.versions.items()))
    yield from (
        "",
        f"{statistics.searches:,} searches, {statistics.fruitless:,} without a result",
    )
    if statistics.searches and not statistics.has_queries:
        yield _UNLOGGED
    for title, counted in (
        ("Most asked", statistics.queries),
        ("Without a result", statistics.fruitless_queries),
    ):
        if counted:
            yield from ("", title)
            yield from _number(counted)
    yield from ("", "Slowest")
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
