"""The command group `source`: the sources of a store."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from asdlc_kb.app.store_address import read_store
from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, complete_settings, settings_options
from asdlc_kb.cli.sources import as_json
from asdlc_kb.cli.terminal import HelpGroup
from asdlc_kb.exceptions import KnowledgeBaseError, OperationalError
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.store.snapshot_writer import SnapshotWriter
    from asdlc_kb.store.values import SourceRecord

_options = settings_options("store", has_argument=False)


@click.group(cls=HelpGroup)
def source() -> None:
    """Manage the sources of a store: list, add, remove, rebuild."""


def complete_source(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Return the names of the store's sources with this beginning."""
    settings = complete_settings(context)
    if settings is None:
        return []
    try:
        names = [each.name for each in read_sources(settings)]
    except KnowledgeBaseError:
        return []
    found = (name for name in names if name.startswith(incomplete))
    return [name for name in found if terminal.escape(name) == name]


named = click.argument(
    "name", shell_complete=complete_source, help="Name of the source"
)


def read_sources(settings: Settings) -> "tuple[SourceRecord, ...]":
    """Return the sources that the role can see. Raises OperationalError."""
    address = read_store(settings)
    # Imported late: needs the extra `postgres`.
    from asdlc_kb.store.snapshot_reader import SnapshotReader

    with SnapshotReader(address) as reader:
        return reader.sources()


@source.command("list")
@_options
@as_json
def list_sources(given: CommandSettings, as_json: bool) -> None:
    """List the sources with their snapshots and sizes."""
    sources = read_sources(given.settings)
    terminal.report(list(map(_row, sources)), map(_describe, sources), as_json=as_json)


@source.command()
@_options
@named
@click.option("--owner", metavar="TEAM", default="", help="Team that may write it")
def add(given: CommandSettings, name: str, owner: str) -> None:
    """Add the source NAME, without files, or set its owner."""
    with _open_writer(given.settings) as writer:
        if writer.set_owner(name, owner):
            terminal.echo(f"{name}: owner {owner or 'none'}")
            return
        # Imported late: loads the readers of documentation.
        from asdlc_kb.ingestion.source_names import make_record

        record = make_record(name, owner)
        writer.check([record])
        result = writer.write(record, (), lambda path: b"")
    terminal.echo(f"{name}: added, snapshot {result.number}")


@source.command()
@_options
@named
def remove(given: CommandSettings, name: str) -> None:
    """Delete the source NAME with its files; servers stop serving it."""
    _change(given.settings, name, lambda writer: writer.remove(name))
    terminal.echo(f"{name}: removed")


@source.command()
@_options
@named
def rebuild(given: CommandSettings, name: str) -> None:
    """Have each server compare all files of the source NAME."""
    _change(given.settings, name, lambda writer: writer.rebuild(name))
    terminal.echo(f"{name}: each server reads all its files")


def _change(
    settings: Settings, name: str, change: "Callable[[SnapshotWriter], bool]"
) -> None:
    with _open_writer(settings) as writer:
        if not change(writer):
            known = ", ".join(f"'{each.name}'" for each in writer.list_sources())
            raise OperationalError(
                f"the store has no source '{name}'; it has {known or 'none'}"
            )


@contextmanager
def _open_writer(settings: Settings) -> "Iterator[SnapshotWriter]":
    address = read_store(settings)
    # Imported late: needs the extra `postgres`.
    from asdlc_kb.store.database import connect
    from asdlc_kb.store.schema import migrate
    from asdlc_kb.store.snapshot_writer import SnapshotWriter

    with connect(address.primary) as connection:
        migrate(connection)
        try:
            yield SnapshotWriter(connection, terminal.warn)
        except ValueError as error:
            raise OperationalError(str(error)) from None


def _row(record: "SourceRecord") -> dict[str, Any]:
    return {
        "name": record.name,
        "kind": record.kind,
        "owner": record.owner,
        "snapshot": record.snapshot,
        "files": record.file_count,
        "bytes": record.byte_count,
        "updated": _date(record),
        "options": dict(record.options),
    }


def _date(record: "SourceRecord") -> str:
    return datetime.fromtimestamp(record.updated_at, UTC).isoformat(timespec="seconds")


def _describe(record: "SourceRecord") -> str:
    owner = f", owner {record.owner}" if record.owner else ""
    files = terminal.count_noun(record.file_count, "file")
    return (
        f"{record.name}: {record.kind}, {files}, {record.byte_count:,} bytes, "
        f"snapshot {record.snapshot} of {_date(record)}{owner}"
    )
