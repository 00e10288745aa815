"""The command `ingest`: writes folders into a store."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import click

from asdlc_kb import app
from asdlc_kb.app import ConfiguredSources
from asdlc_kb.app.store_address import read_store
from asdlc_kb.cli import terminal
from asdlc_kb.cli.early_signals import exit_on_sigterm
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.progress import show_progress
from asdlc_kb.cli.sources import as_json, open_sources
from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.ops.logs import structured

if TYPE_CHECKING:
    from asdlc_kb.ingestion.ingester import Ingester, WrittenSource

MAX_NAMED: Final = 5
"""Files of a source that are named in warnings of one kind."""


@click.command(cls=HelpCommand)
@settings_options(
    *("docs", "dialect", "language", "store", "poll", "cache_dir"),
    *("missing_grace", "max_files", "log_level"),
)
@click.option("--follow", is_flag=True, help="Keep running, and write each change")
@click.option(
    "--owner",
    metavar="TEAM",
    default="",
    help="Team of the sources; others cannot write them",
)
@as_json
def ingest(given: CommandSettings, follow: bool, owner: str, as_json: bool) -> None:
    """Write CONTENT and documentation into a store, for servers elsewhere."""
    exit_on_sigterm()
    settings = given.settings
    address = read_store(settings)
    # Imported late: needs the extra `postgres`.
    from asdlc_kb.ingestion.ingester import Ingester

    sources = open_sources(settings)
    ingester = Ingester(settings, sources, address, owner, terminal.warn)
    ingester.prepare()
    _write(list(_ingest(ingester)), as_json=as_json)
    _store_parsed_files(sources)
    if follow:
        structured.configure(settings.log_level, None, form="text")
        _follow(ingester, as_json=as_json)


def _ingest(ingester: "Ingester") -> "Iterator[WrittenSource]":
    for name in ingester.names():
        with show_progress(f"Writing {name}") as progress:
            written = ingester.write(name, progress)
        yield written


def _store_parsed_files(sources: ConfiguredSources) -> None:
    """Store them in the cache folder, if there is one: the next start is faster."""
    for library in sources.libraries:
        try:
            library.save()
        except OSError as error:
            terminal.warn(f"parsed files are not stored: {error.strerror}")
        except OperationalError as error:
            terminal.warn(f"parsed files are not stored: {error}")


def _follow(ingester: "Ingester", *, as_json: bool) -> None:
    """Follow the folders until SIGTERM or SIGINT. Raises StoreMisconfigured."""
    from asdlc_kb.ingestion.ingest_follower import IngestFollower

    def report(written: "WrittenSource") -> None:
        if as_json:
            click.echo(json.dumps(asdict(written)))
        else:
            terminal.echo(_describe(written))
            _warn(written)

    app.run(app.run_until_signal(IngestFollower(ingester, report).run()))


def _write(written: "list[WrittenSource]", *, as_json: bool) -> None:
    rows = list(map(asdict, written))
    terminal.report(rows, map(_describe, written), as_json=as_json)
    for each in written:
        _warn(each)


def _warn(written: "WrittenSource") -> None:
    for path in written.omitted[:MAX_NAMED]:
        terminal.warn(f"{written.name}: {path} is not stored: it is outside")
    for path in written.unreadable[:MAX_NAMED]:
        terminal.warn(f"{written.name}: {path} cannot be read")


def _describe(written: "WrittenSource") -> str:
    """Return one line: the snapshot, and what changed."""
    changes = [
        terminal.count_noun(number, f"file {verb}", f"files {verb}")
        for number, verb in (
            (written.written, "written"),
            (written.removed, "removed"),
        )
        if number
    ]
    files = terminal.count_noun(written.files, "file")
    return (
        f"{written.name}: snapshot {written.snapshot}, {files}, "
        f"{written.hidden:,} hidden, {', '.join(changes) or 'nothing changed'}"
    )
