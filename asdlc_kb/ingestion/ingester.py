"""Ingestion of folders into a store.

Each source is written as it is at one moment, in one transaction: a file that changes
meanwhile has the folder read again.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.files.reader import ChangedWhileRead
from asdlc_kb.ingestion.source_files import KnownFiles, SourceFiles, find_files
from asdlc_kb.ingestion.source_names import list_libraries, list_sources, list_trees
from asdlc_kb.settings import Settings
from asdlc_kb.store.database import StoreAddress, connect
from asdlc_kb.store.schema import migrate
from asdlc_kb.store.snapshot_writer import ReportProgress, SnapshotWriter
from asdlc_kb.store.values import SourceRecord

logger = logging.getLogger(__name__)

MAX_ATTEMPTS: Final = 5
"""Attempts to read a folder that changes meanwhile."""


@dataclass(frozen=True, slots=True)
class WrittenSource:
    """The result of writing one source."""

    name: str
    kind: str
    snapshot: int
    files: int
    """Visible files."""
    hidden: int
    written: int
    """Visible files that are new or changed."""
    removed: int
    omitted: tuple[str, ...] = ()
    """Paths of files outside of the folder that is stored."""
    unreadable: tuple[str, ...] = ()
    """Paths of files that cannot be read: what is shown of them stays as it is."""


@dataclass(slots=True)
class Ingester:
    """Writes the loaded sources of some settings into a store."""

    settings: Settings
    sources: ConfiguredSources
    address: StoreAddress
    owner: str = ""
    report: Callable[[str], None] = logger.warning
    """Called if another command writes a source too."""
    _known: dict[str, KnownFiles] = field(default_factory=dict)
    """By source."""
    _written: dict[str, tuple[int, object]] = field(default_factory=dict)
    """By source, the latest known snapshot, and the state that was written last."""

    def prepare(self) -> None:
        """Create or update the schema, and check that it takes all sources; blocks.

        Raises SettingsError and OperationalError.
        """
        records = [
            SourceRecord(name, kind, {}, self.owner, 0)
            for name, kind in list_sources(self.sources).items()
        ]
        with connect(self.address.primary) as connection:
            migrate(connection)
            SnapshotWriter(connection).check(records)

    def names(self) -> tuple[str, ...]:
        """Return the names of the sources."""
        return tuple(list_sources(self.sources))

    def find(self, name: str) -> SourceFiles:
        """Return the files of a source as they are now; blocks.

        Raises ChangedWhileRead, and OperationalError if the configuration of a tree
        cannot be used, because then none of its pages is visible.
        """
        for tree in list_trees(self.sources, name):
            if (fault := tree.library.configuration.fault) is not None:
                raise OperationalError(f"{name}: {fault.path}: {fault.message}")
        known = self._known.setdefault(name, {})
        files = find_files(self.settings, self.sources, name, known)
        return replace(files, record=replace(files.record, owner=self.owner))

    def write(self, name: str, progress: ReportProgress | None = None) -> WrittenSource:
        """Write a source; blocks. Raises OperationalError."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return self._write(self.find(name), progress)
            except ChangedWhileRead as error:
                if attempt == MAX_ATTEMPTS:
                    raise OperationalError(
                        f"{error} changes while it is read: try again"
                    ) from error
            for library in list_libraries(self.sources, name):
                library.load()
        raise AssertionError

    def write_changed(self, name: str) -> WrittenSource | None:
        """Write a source unless it is as it was written last; blocks.

        None then, and while its folder is missing. Raises ChangedWhileRead and
        OperationalError.
        """
        libraries = list_libraries(self.sources, name)
        if any(library.catalog.snapshot.is_missing for library in libraries):
            return None
        files = self.find(name)
        _, state = self._written.get(name, (0, None))
        return None if state == _state(files) else self._write(files)

    def forget_lost(self) -> bool:
        """Forget what was written and is not in the store any more; blocks.

        Returns whether there is any: a source was removed, or a failover or a restore
        lost its last snapshot. A snapshot that another command wrote is reported, and
        stays until the folder changes: two that follow would undo each other for ever.
        Raises OperationalError.
        """
        with connect(self.address.primary) as connection:
            stored = SnapshotWriter(connection).list_sources()
        numbers = {each.name: each.snapshot for each in stored}
        is_any_lost = False
        for name, (number, state) in tuple(self._written.items()):
            found = numbers.get(name, 0)
            if found > number:
                self.report(f"another command wrote the source '{name}'")
                self._written[name] = found, state
            elif found < number:
                del self._written[name]
                is_any_lost = True
        return is_any_lost

    def _write(
        self, files: SourceFiles, progress: ReportProgress | None = None
    ) -> WrittenSource:
        record = files.record
        with connect(self.address.primary) as connection:
            records = files.records.values()
            writer = SnapshotWriter(connection, self.report)
            try:
                result = writer.write(record, records, files.read, progress, files.kept)
            except ValueError as error:
                raise OperationalError(f"{record.name}: {error}") from None
        self._written[record.name] = result.number, _state(files)
        hidden = sum(each.is_hidden for each in records)
        return WrittenSource(
            record.name,
            record.kind,
            result.number,
            len(records) - hidden,
            hidden,
            result.written,
            result.removed,
            tuple(files.omitted),
            tuple(files.unreadable),
        )


def _state(files: SourceFiles) -> object:
    """Return what decides whether a source has to be written."""
    rows = {(r.path, r.digest, r.is_hidden) for r in files.records.values()}
    return rows, dict(files.record.options), files.unreadable
