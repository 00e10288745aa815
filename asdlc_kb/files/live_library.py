"""Live library: a content cache and a catalog, kept in sync with the disk.

A catalog holds the visible content of one snapshot of the cache. `scan` prepares the
next catalog in a thread; `publish` makes it current on the event loop and notifies
listeners there.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final, Generic, Protocol, Self, TypeAlias, TypeVar

from asdlc_kb.files.cache import ContentCache
from asdlc_kb.files.parsed_cache import ParsedCacheReport
from asdlc_kb.files.signature import STILL_SECONDS
from asdlc_kb.files.snapshot import ScanResult, Snapshot, next_generation

logger = logging.getLogger(__name__)

MAX_READ_ATTEMPTS: Final = 5
"""Reads of a file per request: a scan published meanwhile, or another save, causes one
more."""

LOAD_SECONDS: Final = 3.0
"""Seconds for which a start waits for files that are being written."""


class CatalogProtocol(Protocol):
    """The visible content of one snapshot. Immutable."""

    @property
    def snapshot(self) -> Snapshot[Any]:
        """The snapshot it was built from."""

    @property
    def is_outdated(self) -> bool:
        """Whether the same snapshot has another catalog now."""

    def updated(self, snapshot: Snapshot[Any]) -> Self:
        """Return the catalog of a later snapshot; blocks, so call it in a thread."""

    def precompute(self) -> None:
        """Precompute what the first requests need; blocks, so call it in a thread."""

    def count(self) -> Mapping[str, int]:
        """Return the numbers to log."""


T = TypeVar("T")
C = TypeVar("C", bound=CatalogProtocol)

Notify: TypeAlias = Callable[[], None]

FreshnessCheck: TypeAlias = Callable[[], bool]
"""Whether a named entry matches the disk, so that `fetch` would read nothing.

Costs the `stat`s of `fetch` and never blocks. Valid as long as the catalog is current
that it was made with.
"""


@dataclass(frozen=True, slots=True)
class LibraryUpdate(Generic[T, C]):
    """The result of a scan, prepared so that publishing it takes no time."""

    scan: ScanResult[T]
    base: Snapshot[T]
    snapshot: Snapshot[T]
    before: C
    catalog: C
    notifications: tuple[Notify, ...] = ()

    @property
    def is_unsettled(self) -> bool:
        """Whether a file is being written, so that another scan is due soon."""
        return self.scan.is_unsettled

    @property
    def is_incomplete(self) -> bool:
        """Whether something could not be read now, so that another scan is due."""
        return self.is_unsettled or self.scan.is_incomplete


class LiveLibrary(Generic[T, C]):
    """The content cache of a root and the catalog of its current snapshot."""

    def __init__(self, cache: ContentCache[T], catalog: C) -> None:
        self._cache = cache
        self.catalog = catalog
        self._listeners: tuple[Callable[[C, C], Notify], ...] = ()
        """Replaced with each change: another thread may be reading them."""
        self._listening = Lock()

    @property
    def root(self) -> Path:
        """The content root."""
        return self._cache.root

    def listen(self, listener: Callable[[C, C], Notify]) -> Callable[[], None]:
        """Register a listener for each later change; return what removes it.

        It is called with the catalogs before and after a change, in the scanning
        thread. The function it returns is called on the event loop after publication.
        Safe in any thread, as is the removal.
        """
        with self._listening:
            self._listeners = (*self._listeners, listener)

        def remove() -> None:
            with self._listening:
                others = (each for each in self._listeners if each != listener)
                self._listeners = tuple(others)

        return remove

    def load(self) -> C:
        """Scan and publish, at startup and in one-shot commands.

        Blocks up to `LOAD_SECONDS` while a file is being written, then reports it.
        """
        deadline = time.monotonic() + LOAD_SECONDS
        while True:
            is_late = time.monotonic() >= deadline
            scan = self._cache.scan(patience=0.0) if is_late else self._cache.scan()
            update = self._prepare_update(scan)
            self.publish(update)
            if is_late or not update.is_unsettled:
                return self.catalog
            time.sleep(STILL_SECONDS / 2)

    def scan(self) -> LibraryUpdate[T, C]:
        """Scan the disk and prepare the update; blocks, safe in any thread."""
        return self._precompute_update(self._cache.scan())

    def scan_unfinished(self) -> LibraryUpdate[T, C]:
        """Scan only the unfinished files; blocks, safe in any thread."""
        return self._precompute_update(self._cache.scan_unfinished())

    def prepare_renewal(self) -> LibraryUpdate[T, C]:
        """Prepare the catalog of the current snapshot as it is now, without the disk.

        Blocks, safe in any thread.
        """
        return self._precompute_update(
            ScanResult(self._cache.snapshot, is_partial=True)
        )

    def check(self, is_announced: bool) -> LibraryUpdate[T, C] | None:
        """Check for changes that no event names; None if it takes a scan to find them.

        `is_announced` if there were events since the last check. Blocks, safe in any
        thread.
        """
        scan = self._cache.check(is_announced=is_announced)
        return None if scan is None else self._precompute_update(scan)

    def publish(self, update: LibraryUpdate[T, C]) -> None:
        """Make the result of a scan current; on the event loop."""
        is_late = self._cache.snapshot is not update.base
        if is_late or self.catalog is not update.before:
            # Another update was published meanwhile.
            update = self._prepare_update(update.scan)
        self._cache.publish(update.snapshot)
        if update.catalog is update.before:
            return
        self.catalog = update.catalog
        for notify in update.notifications:
            notify()
        _log(update.before, update.catalog, self.root)

    def save(self, is_cancelled: Callable[[], bool] = lambda: False) -> int:
        """Store the parsed files for the next start; see `ContentCache.save`."""
        return self._cache.save(is_cancelled)

    def inspect_parsed_cache(self) -> ParsedCacheReport | None:
        """Return the state of the parsed cache after `load`; None without one."""
        return self._cache.stored.inspect()

    def drop_parsed_cache(self) -> None:
        """Delete the stored files; raise OperationalError if that fails."""
        self._cache.stored.drop()

    async def refresh(self, paths: Iterable[str]) -> C:
        """Return a catalog in which the files at `paths` are up to date.

        Costs one `stat` a file; changed files are read in a thread.
        """
        for path in paths:
            for _ in range(MAX_READ_ATTEMPTS):
                scan_file = self._cache.check_file(path)
                if scan_file is None:
                    break
                update = await asyncio.to_thread(self._scan_file, scan_file)
                self.publish(update)
                if not update.scan.changed:
                    break
        return self.catalog

    def is_unchanged(self, paths: Iterable[str], folders: Iterable[str]) -> bool:
        """Whether `refresh` and `refresh_folders` would read nothing; never blocks.

        Costs one `stat` a file and a folder.
        """
        return all(self._cache.check_file(path) is None for path in paths) and not any(
            map(self._cache.has_changed, folders)
        )

    async def refresh_changed(self, paths: Collection[str]) -> bool | None:
        """Refresh the files that events name; return whether nothing else is to do.

        False if one is not up to date. None if a check has to decide: a path is not
        that of a known file, or the file was read before, is part of others or decides
        how they are listed.
        """
        before = self._cache.snapshot.entries
        await self.refresh(paths)
        if not self.is_unchanged(paths, ()):
            return False
        snapshot = self._cache.snapshot
        entries = snapshot.entries
        were_read = all(
            path in before and entries.get(path) is not before[path] for path in paths
        )
        has_parts = any(entries[path].dependencies for path in snapshot.unsure)
        is_all = were_read and not has_parts and self._cache.is_listing_current()
        return True if is_all else None

    async def refresh_folders(self, folders: Iterable[str]) -> C:
        """Return a catalog in which these folders are up to date, for unknown names.

        Costs one `stat` a folder, whether a file of that name is hidden or missing; and
        a full scan if one of them changed.
        """
        if any(self._cache.has_changed(folder) for folder in folders):
            self.publish(await asyncio.to_thread(self.scan))
        return self.catalog

    def _precompute_update(self, scan: ScanResult[T]) -> LibraryUpdate[T, C]:
        """Prepare the update of a scan, with all that its catalog builds on demand."""
        update = self._prepare_update(scan)
        update.catalog.precompute()
        return update

    def _prepare_update(self, scan: ScanResult[T]) -> LibraryUpdate[T, C]:
        before, base = self.catalog, self._cache.snapshot
        snapshot = self._cache.merge(scan)
        if before.is_outdated:
            snapshot = next_generation(snapshot)
        if snapshot.generation == before.snapshot.generation:
            return LibraryUpdate(scan, base, snapshot, before, before)
        after = before.updated(snapshot)
        notifications = tuple(listener(before, after) for listener in self._listeners)
        return LibraryUpdate(scan, base, snapshot, before, after, notifications)

    def _scan_file(self, scan_file: Callable[[], ScanResult[T]]) -> LibraryUpdate[T, C]:
        return self._prepare_update(scan_file())


def _log(before: CatalogProtocol, after: CatalogProtocol, root: Path) -> None:
    """Log a change, naming no file; only a root that is missing."""
    old, new = before.snapshot, after.snapshot
    counts = {"generation": new.generation, **after.count()}
    logger.info("content changed", extra=counts)
    if new.seen.note and not old.seen.note:
        logger.warning(new.seen.note)
    if new.is_missing and not old.is_missing:
        reason = new.problems[0].message
        logger.warning(reason, extra={"folder": str(root)})
    elif new.problem_count and new.problem_count != old.problem_count:
        codes = Counter(problem.code for problem in new.iterate_problems())
        denials = {problem.denial for problem in new.iterate_problems()} - {""}
        extra: dict[str, object] = {"problems": new.problem_count, **codes}
        if denials:
            extra["reason"] = ", ".join(sorted(denials))
        logger.warning("content has problems: run 'asdlc-kb check'", extra=extra)
