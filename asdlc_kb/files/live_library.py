"""Keeps what a domain makes of its files in step with the disk.

The content cache says what the files are, a catalog is what can be seen of one
snapshot of it. `look` works out the next catalog in a thread; `publish` puts it in
force on the event loop, where listeners are told.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, Protocol, Self, TypeAlias, TypeVar

from asdlc_kb.files.cache import ContentCache
from asdlc_kb.files.signature import STILL_SECONDS
from asdlc_kb.files.snapshot import ScanResult, Snapshot

logger = logging.getLogger(__name__)

MAX_READ_ATTEMPTS: Final = 5
"""How often a file is read for one question: a look that was published meanwhile, or
another save, asks for one more."""

LOAD_SECONDS: Final = 3.0
"""How long a start waits for files that are being written."""


class CatalogProtocol(Protocol):
    """A catalog: what can be seen of one snapshot. Immutable."""

    @property
    def snapshot(self) -> Snapshot[Any]:
        """The snapshot."""

    def follow(self, snapshot: Snapshot[Any]) -> Self:
        """Return the catalog of a later snapshot; blocks, belongs into a thread."""

    def warm(self) -> None:
        """Make what the first questions need; blocks, belongs into a thread."""

    def count(self) -> Mapping[str, int]:
        """Return what the log says of it, in numbers."""


T = TypeVar("T")
C = TypeVar("C", bound=CatalogProtocol)

Notify: TypeAlias = Callable[[], None]


@dataclass(frozen=True, slots=True)
class LibraryUpdate(Generic[T, C]):
    """What a look found, worked out so that to publish it takes no time."""

    look: ScanResult[T]
    base: Snapshot[T]
    snapshot: Snapshot[T]
    before: C
    catalog: C
    tells: tuple[Notify, ...] = ()

    @property
    def is_unsettled(self) -> bool:
        """Whether a file is being written: look again soon."""
        return self.look.is_unsettled


class LiveLibrary(Generic[T, C]):
    """Owns the content cache of a root and the catalog of its current snapshot."""

    def __init__(self, cache: ContentCache[T], catalog: C) -> None:
        self._cache = cache
        self.catalog = catalog
        self._listeners: list[Callable[[C, C], Notify]] = []

    @property
    def root(self) -> Path:
        """The content root."""
        return self._cache.root

    def listen(self, listener: Callable[[C, C], Notify]) -> None:
        """Have a listener told of each change from now on.

        It is given the catalogs before and after a change, in the thread that found it.
        What it returns is called on the event loop, once the later one is in force.
        """
        self._listeners.append(listener)

    def load(self) -> C:
        """Look and publish: for the start, and for one-shot commands.

        Blocks up to `LOAD_SECONDS` while a file is being written; then it is reported.
        """
        deadline = time.monotonic() + LOAD_SECONDS
        while True:
            is_late = time.monotonic() >= deadline
            look = self._cache.look(patience=0.0) if is_late else self._cache.look()
            update = self._work_out(look)
            self.publish(update)
            if is_late or not update.is_unsettled:
                return self.catalog
            time.sleep(STILL_SECONDS / 2)

    def look(self) -> LibraryUpdate[T, C]:
        """Find what changed on disk and work it out; blocks, any thread."""
        update = self._work_out(self._cache.look())
        update.catalog.warm()
        return update

    def look_at_unfinished(self) -> LibraryUpdate[T, C]:
        """Do the same for the files that were being written; blocks, any thread."""
        update = self._work_out(self._cache.look_at_unfinished())
        update.catalog.warm()
        return update

    def publish(self, update: LibraryUpdate[T, C]) -> None:
        """Make what a look found the current catalog; on the event loop."""
        is_late = self._cache.snapshot is not update.base
        if is_late or self.catalog is not update.before:
            # Somebody published in the meantime.
            update = self._work_out(update.look)
        self._cache.publish(update.snapshot)
        if update.catalog is update.before:
            return
        self.catalog = update.catalog
        for tell in update.tells:
            tell()
        _log(update.before, update.catalog)

    async def refresh(self, paths: Iterable[str]) -> C:
        """Return a catalog in which the files at `paths` are as the disk has them now.

        Costs one `stat` for each; one that was saved anew is read in a thread.
        """
        for path in paths:
            for _ in range(MAX_READ_ATTEMPTS):
                read = self._cache.notice(path)
                if read is None:
                    break
                update = await asyncio.to_thread(self._look_at, read)
                self.publish(update)
                if not update.look.changed:
                    break
        return self.catalog

    async def refresh_folders(self, folders: Iterable[str]) -> C:
        """Return a catalog of what these folders hold now: for a name not in it.

        Costs one `stat` for each, whether a file of that name is hidden or missing; if
        one of them changed, a look at everything.
        """
        if any(self._cache.has_changed(folder) for folder in folders):
            self.publish(await asyncio.to_thread(self.look))
        return self.catalog

    def _work_out(self, look: ScanResult[T]) -> LibraryUpdate[T, C]:
        before, base = self.catalog, self._cache.snapshot
        snapshot = self._cache.merge(look)
        if snapshot.generation == before.snapshot.generation:
            return LibraryUpdate(look, base, snapshot, before, before)
        after = before.follow(snapshot)
        tells = tuple(listener(before, after) for listener in self._listeners)
        return LibraryUpdate(look, base, snapshot, before, after, tells)

    def _look_at(self, read: Callable[[], ScanResult[T]]) -> LibraryUpdate[T, C]:
        return self._work_out(read())


def _log(before: CatalogProtocol, after: CatalogProtocol) -> None:
    """Log a change, naming no file."""
    generation = after.snapshot.generation
    logger.info("content changed", extra={"generation": generation, **after.count()})
    problems = len(after.snapshot.all_problems())
    if problems and problems != len(before.snapshot.all_problems()):
        logger.warning(
            "content has problems: run 'asdlc-kb check'",
            extra={"problems": problems},
        )
