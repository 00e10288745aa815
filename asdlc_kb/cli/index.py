"""The command group `index`: build, validate, info, invalidate."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from asdlc_kb.app import (
    ConfiguredSources,
    IndexedSource,
    find_index,
    open_documents,
    open_index,
)
from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.progress import show_progress
from asdlc_kb.cli.sources import as_json, open_sources
from asdlc_kb.cli.terminal import HelpGroup
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.files.parsed_cache import ParsedCacheReport
from asdlc_kb.search.index.directory import drop_index
from asdlc_kb.search.index.integrity import IntegrityReport, inspect_index
from asdlc_kb.search.semantic.model_files import require_model
from asdlc_kb.settings import Settings

_MIB: Final = 1024 * 1024


@click.group(cls=HelpGroup)
def index() -> None:
    """Manage the full-text indexes: build, validate, info, invalidate."""


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the common options to a command."""
    return settings_options(
        *("docs", "dialect", "language", "cache_dir", "max_files"),
        "semantic",
    )(as_json(command))


@index.command()
@_options
def build(given: CommandSettings, as_json: bool) -> None:
    """Build or update the indexes, and store the parsed files."""
    rows = []
    sources = open_sources(given.settings)
    for source, folder in _find(given.settings, sources):
        was_current = _inspect(source, folder).is_current
        with show_progress(f"Indexing {source.kind}") as progress:
            fulltext = open_index(given.settings, source, progress)
            fulltext.sync(open_documents(source))
            fulltext.purge()
            fulltext.embed()
            fulltext.close()
        if fulltext.refused is not None:
            raise OperationalError(
                f"cannot store an index in {folder}: {fulltext.refused}"
            )
        report = _inspect(source, folder)
        rows.append(_row(source, folder, report, changed=not was_current))
    for library in sources.libraries:
        try:
            library.save()
        except OSError as error:
            message = f"cannot store parsed files of {library.root}: {error.strerror}"
            raise OperationalError(message) from None
    _write(rows, as_json=as_json)


@index.command()
@_options
def validate(given: CommandSettings, as_json: bool) -> int:
    """Check that each index is intact and up to date; exit 1 if one is not."""
    reports = [
        (source, folder, _inspect(source, folder))
        for source, folder in _find(given.settings, open_sources(given.settings))
    ]
    _write([_row(*one, valid=one[2].is_current) for one in reports], as_json=as_json)
    return 0 if all(report.is_current for _, _, report in reports) else 1


@index.command()
@_options
def info(given: CommandSettings, as_json: bool) -> None:
    """Show the location, size and state of each index and its parsed files."""
    sources = open_sources(given.settings)
    count = _find_counter(given.settings)
    rows: list[Mapping[str, Any]] = [
        {**_row(source, folder, _inspect(source, folder)), **count(folder)}
        for source, folder in _find(given.settings, sources)
    ]
    for library in sources.libraries:
        if (report := library.inspect_parsed_cache()) is not None:
            kind = "articles" if library is sources.articles else "docs"
            rows.append(_parsed_cache_row(kind, library.root, report))
    _write(rows, as_json=as_json)


@index.command()
@_options
def invalidate(given: CommandSettings, as_json: bool) -> None:
    """Delete each index and its parsed files; the next start rebuilds them."""
    rows = []
    sources = open_sources(given.settings)
    for source, folder in _find(given.settings, sources):
        try:
            is_deleted = drop_index(folder)
        except OperationalError as error:
            message = f"the index in {folder} cannot be deleted: {error}"
            raise OperationalError(message) from None
        row = {"source": source.kind, "folder": str(folder), "deleted": is_deleted}
        rows.append(row)
    for library in sources.libraries:
        library.drop_parsed_cache()
    _write(rows, as_json=as_json)


def _find(
    settings: Settings, sources: ConfiguredSources
) -> Iterator[tuple[IndexedSource, Path]]:
    """Yield each source and its index folder; raise OperationalError without one."""
    for source in sources.indexed:
        folder = find_index(settings, source)
        if folder is None:
            raise OperationalError(
                "indexes are kept in memory: set cache_dir to a folder"
            )
        yield source, folder


def _inspect(source: IndexedSource, folder: Path) -> IntegrityReport:
    return inspect_index(folder, open_documents(source).digests())


def _find_counter(settings: Settings) -> Callable[[Path], Mapping[str, int]]:
    """Return what counts the vectors in a folder, if the settings ask for them."""
    if not settings.semantic:
        return lambda folder: {}
    identity = require_model().identity
    # Imported late: its library is an extra.
    from asdlc_kb.search.semantic.vector_file import inspect_vectors

    def count(folder: Path) -> Mapping[str, int]:
        report = inspect_vectors(folder, identity)
        return {"embeddedPages": report.pages, "embeddedSections": report.sections}

    return count


def _row(
    source: IndexedSource, folder: Path, report: IntegrityReport, **further: bool
) -> Mapping[str, Any]:
    return {
        "source": source.kind,
        "folder": str(folder),
        **further,
        "exists": report.is_there,
        "fault": report.fault,
        "pages": report.pages,
        "bytes": report.size,
        "added": report.added,
        "changedPages": report.changed,
        "removed": report.removed,
    }


def _parsed_cache_row(
    kind: str, root: Path, report: ParsedCacheReport
) -> Mapping[str, Any]:
    return {
        "source": kind,
        "root": str(root),
        "file": str(report.path),
        "exists": report.size is not None,
        "fault": report.fault,
        "files": report.files,
        "bytes": report.size or 0,
        "filesToParse": report.parsed,
    }


def _write(rows: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    lines = (
        line
        for row in rows
        for line in (
            f"{row['source']}: {_describe(row)}",
            f"    {row.get('folder') or row['file']}",
        )
    )
    terminal.report(rows, lines, as_json=as_json)


def _describe(row: Mapping[str, Any]) -> str:
    """Return a row as text."""
    if "deleted" in row:
        return "deleted" if row["deleted"] else "no index"
    if "file" in row:
        return _describe_parsed_cache(row)
    if not row["exists"]:
        return f"no index yet, {row['added']} pages to index"
    if row["fault"]:
        return f"will be rebuilt: {row['fault']}"
    size = f"{row['pages']} pages, {row['bytes'] / _MIB:.1f} MiB"
    words = {"added": "new", "changedPages": "changed", "removed": "gone"}
    lacks = [f"{row[key]} {word}" for key, word in words.items() if row[key]]
    if "embeddedPages" in row:
        size += f", {row['embeddedPages']} of them with vectors"
    return f"{size}, {', '.join(lacks) or 'up to date'}"


def _describe_parsed_cache(row: Mapping[str, Any]) -> str:
    to_parse = f"{row['filesToParse']} files to parse"
    if not row["exists"]:
        return f"no parsed files yet, {to_parse}"
    if row["fault"]:
        return f"parsed files will be stored again: {row['fault']}"
    size = f"{row['files']} parsed files, {row['bytes'] / _MIB:.1f} MiB"
    return f"{size}, {to_parse if row['filesToParse'] else 'up to date'}"
