"""The command that adds up a log: stats."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, BinaryIO, Final

import click

from asdlc_kb.cli import terminal
from asdlc_kb.cli.sources import as_json
from asdlc_kb.ops.tally import Row, Slow, Tally

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
    tally = Tally(limit)
    tally.read(logfile)
    if as_json:
        click.echo(json.dumps(_report(tally), indent=2))
        return
    for line in _write(tally):
        terminal.say(line)


def _report(tally: Tally) -> dict[str, Any]:
    return {
        "from": tally.first or None,
        "to": tally.last or None,
        "requests": tally.requests,
        "notLogged": tally.unlogged,
        "linesSkipped": tally.unread,
        "byName": [_describe(row) for row in tally.rows],
        "byVersion": dict(sorted(tally.versions.items())),
        "searches": tally.searches,
        "searchesWithoutResult": tally.fruitless,
        "queries": _list(tally.queries),
        "queriesWithoutResult": _list(tally.fruitless_queries),
        "slowest": [asdict(slow) for slow in tally.slowest],
    }


def _describe(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "requests": row.requests,
        "refused": row.refused,
        "ms": {"median": row.median, "p95": row.most_of_them, "max": row.slowest},
    }


def _list(counted: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    return [{"query": query, "times": times} for query, times in counted]


def _write(tally: Tally) -> Iterator[str]:
    """Yield the report in lines."""
    if not tally.requests:
        yield "There is no request in this log."
        return
    yield f"{tally.requests:,} requests, {tally.first} to {tally.last}"
    if tally.unlogged:
        yield f"{tally.unlogged:,} more were refused and not logged one by one"
    if tally.unread:
        yield f"{tally.unread:,} lines are none of the log"
    yield ""
    yield from _tabulate(tally.rows)
    if tally.versions:
        yield from ("", "Versions of the protocol")
        yield from _number(sorted(tally.versions.items()))
    yield from (
        "",
        f"{tally.searches:,} searches, {tally.fruitless:,} without a result",
    )
    if tally.searches and not tally.has_queries:
        yield _UNLOGGED
    for title, counted in (
        ("Most asked", tally.queries),
        ("Without a result", tally.fruitless_queries),
    ):
        if counted:
            yield from ("", title)
            yield from _number(counted)
    yield from ("", "Slowest")
    yield from map(_tell, tally.slowest)


def _tabulate(rows: Sequence[Row]) -> Iterator[str]:
    width = max(len(row.name) for row in rows)
    yield f"{_COLUMNS[0]:{width}}" + "".join(f"{name:>11}" for name in _COLUMNS[1:])
    for row in rows:
        times = (row.median, row.most_of_them, row.slowest)
        numbers = f"{row.requests:11,}{row.refused:11,}"
        yield f"{row.name:{width}}{numbers}" + "".join(f"{ms:11.2f}" for ms in times)


def _number(counted: Iterable[tuple[str, int]]) -> Iterator[str]:
    for name, number in counted:
        yield f"{number:7,}  {name}"


def _tell(slow: Slow) -> str:
    query = f"  '{slow.query}'" if slow.query is not None else ""
    return f"{slow.ms:11.2f} ms  {slow.name}  {slow.time}  {slow.request_id}{query}"
