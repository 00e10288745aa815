"""Ingestion of folders into a store: once, or following their changes.

Each source is written as it is at one moment, in one transaction: a file that changes
meanwhile has the folder read again. While the database is away, folders are followed
and written once it is back.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from asdlc_kb.app.source_files import KnownFiles, SourceFiles, find_files
from asdlc_kb.app.source_names import list_libraries, list_sources, list_trees
from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.app.watching import watch_folders
from asdlc_kb.exceptions import OperationalError, StoreUnavailable, UnreadableFile
from asdlc_kb.files.reader import ChangedWhileRead
from asdlc_kb.settings import Settings
from asdlc_kb.store.database import StoreAddress, connect
from asdlc_kb.store.schema import migrate
from asdlc_kb.store.snapshot_writer import ReportProgress, SnapshotWriter
from asdlc_kb.store.values import SourceRecord

logger = logging.getLogger(__name__)

MAX_ATTEMPTS: Final = 5
"""Attempts to read a folder that changes meanwhile."""

CHECK_SECONDS: Final = 2.0
"""Interval between checks of files that no event names, as attachments."""

COMPARE_SECONDS: Final = 60.0
"""Interval between comparisons of what was written with the numbers in the store."""

_MAX_CHECK_SHARE: Final = 0.05
"""Share of the time that these checks take."""

RETRY_SECONDS: Final = (1.0, 30.0)
"""First and longest pause between two attempts while the database is away."""


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


class IngestFollower:
    """Follows the folders of an ingester, and writes each change."""

    def __init__(
        self, ingester: Ingester, report: Callable[[WrittenSource], None]
    ) -> None:
        """Call `report` after each write."""
        self._ingester = ingester
        self._report = report
        self._has_changed = asyncio.Event()
        self._is_away = False
        self._failures: Counter[str] = Counter()
        """By source, attempts that failed since the last one that did not."""

    async def run(self) -> None:
        """Follow until cancelled. Raises StoreMisconfigured."""
        ingester = self._ingester
        for library in ingester.sources.libraries:
            library.listen(lambda before, after: self._has_changed.set)
        try:
            async with asyncio.TaskGroup() as tasks:
                for watcher in watch_folders(ingester.settings, ingester.sources):
                    tasks.create_task(watcher.run())
                tasks.create_task(self._write_changes())
        except ExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _write_changes(self) -> None:
        pause, write_at = RETRY_SECONDS[0], 0.0
        compare_at = time.monotonic() + COMPARE_SECONDS
        while True:
            try:
                if self._is_away or time.monotonic() >= compare_at:
                    if await asyncio.to_thread(self._ingester.forget_lost):
                        self._has_changed.set()
                    compare_at = time.monotonic() + COMPARE_SECONDS
                started = time.monotonic()
                if self._is_away or self._has_changed.is_set() or started >= write_at:
                    self._has_changed.clear()
                    await self._write_once()
                    ended = time.monotonic()
                    spent = ended - started
                    write_at = ended + max(CHECK_SECONDS, spent / _MAX_CHECK_SHARE)
            except StoreUnavailable as error:
                if not self._is_away:
                    logger.warning("store unavailable", extra={"reason": str(error)})
                self._is_away = True
                await asyncio.sleep(pause)
                pause = min(pause * 2, RETRY_SECONDS[1])
                continue
            if self._is_away:
                logger.warning("store available again")
            self._is_away, pause = False, RETRY_SECONDS[0]
            await self._wait(min(write_at, compare_at) - time.monotonic())

    async def _write_once(self) -> None:
        for name in self._ingester.names():
            try:
                written = await asyncio.to_thread(self._ingester.write_changed, name)
            except (ChangedWhileRead, UnreadableFile, OSError) as error:
                self._record_failure(name, error)
                continue
            if self._failures.pop(name, 0) >= MAX_ATTEMPTS:
                logger.warning("source written again", extra={"source": name})
            if written is not None:
                self._report(written)

    def _record_failure(self, name: str, error: Exception) -> None:
        """Log that a source is not written, once it is more than an edit."""
        self._failures[name] += 1
        if self._failures[name] == MAX_ATTEMPTS:
            is_changing = isinstance(error, ChangedWhileRead)
            reason = f"{error} changes while it is read" if is_changing else str(error)
            logger.warning(
                "source not written", extra={"source": name, "reason": reason}
            )

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._has_changed.wait()
