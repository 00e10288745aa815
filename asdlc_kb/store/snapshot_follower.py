"""Followers of mirrors: each publishes the new snapshots of one source."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Final, Protocol

from asdlc_kb.exceptions import StoreUnavailable
from asdlc_kb.store.mirror_set import MirroredSource, MirrorSet

logger = logging.getLogger(__name__)

FOLLOW_SECONDS: Final = 0.1
"""Interval at which the state of the mirrors is read."""

MAX_RETRY_SECONDS: Final = 30.0
"""Longest pause after a snapshot that could not be read or published as a whole; the
first one is `FOLLOW_SECONDS`, and a later snapshot is tried at once."""


class MirroredLibrary(Protocol):
    """Content that is read from a mirror."""

    def scan(self) -> Any:
        """Read what changed in its folder; blocks.

        The result `is_incomplete` if something could not be read now.
        """

    def publish(self, update: Any) -> None:
        """Make the result of a scan current; on the event loop."""


class SnapshotFollower:
    """Publishes the snapshots of one source, whichever process writes the mirror."""

    def __init__(
        self,
        mirrors: MirrorSet,
        source: MirroredSource,
        libraries: Sequence[MirroredLibrary],
    ) -> None:
        """Publish to all libraries of the source at once."""
        self._mirrors = mirrors
        self._folder = mirrors.locate(source)
        """The folder that the libraries read."""
        self.name = source.name
        self._libraries = libraries
        self.snapshot: int | None = None
        """The snapshot that is served; None until it is known."""
        self._writes: int | None = None
        """How often its mirror had been written."""
        self._has_changed = asyncio.Event()
        self._is_incomplete = False
        """Whether files of it could not be read."""
        self._is_failing = False

    def wake(self) -> None:
        """Have `run` look for a snapshot."""
        self._has_changed.set()

    async def run(self) -> None:
        """Follow until cancelled; a failure is logged once, and retried."""
        failed: MirroredSource | None = None
        pause, retry_at = FOLLOW_SECONDS, 0.0
        while True:
            self._has_changed.clear()
            due = self._find_due()
            if due is not None and (due != failed or monotonic() >= retry_at):
                if await self._publish():
                    failed, pause = None, FOLLOW_SECONDS
                else:
                    failed, retry_at = due, monotonic() + pause
                    pause = min(2 * pause, MAX_RETRY_SECONDS)
            with suppress(TimeoutError):
                is_due = self._find_due() is not None
                async with asyncio.timeout(FOLLOW_SECONDS if is_due else None):
                    await self._has_changed.wait()

    def _find_due(self) -> MirroredSource | None:
        """Return what to publish; None if there is nothing new, or no whole snapshot.

        Also after a change of options that moved the mirror, which needs a reload.
        """
        source = self._mirrors.find(self.name)
        if source is None or source.snapshot is None:
            return None
        is_served = (source.snapshot, source.writes) == (self.snapshot, self._writes)
        if is_served and not self._is_incomplete:
            return None
        is_moved = self._mirrors.locate(source) != self._folder
        return None if is_moved else source

    async def _publish(self) -> bool:
        """Publish the snapshot that is due; return False if it is to be repeated."""
        try:
            source, updates = await asyncio.to_thread(self._scan)
            for library, update in zip(self._libraries, updates, strict=True):
                library.publish(update)
        except StoreUnavailable:
            return True  # Being written: its writer failed, and tries again.
        except Exception:
            if not self._is_failing:
                logger.exception("content scan failed")
            self._is_failing = True
            return False
        self.snapshot, self._writes = source.snapshot, source.writes
        self._is_failing = False
        self._is_incomplete = any(update.is_incomplete for update in updates)
        return not self._is_incomplete

    def _scan(self) -> tuple[MirroredSource, list[Any]]:
        """Return the state of the mirror, and what each library has to publish."""
        with self._mirrors.reading(self.name):
            source = self._find_due()
            if source is None:
                raise StoreUnavailable(f"the mirror of source '{self.name}' changed")
            return source, [library.scan() for library in self._libraries]


async def follow_mirrors(
    mirrors: MirrorSet, followers: Sequence[SnapshotFollower]
) -> None:
    """Run the followers until cancelled; one `stat` shows whether any has to work."""
    known: Sequence[MirroredSource] = ()
    async with asyncio.TaskGroup() as tasks:
        for follower in followers:
            tasks.create_task(follower.run())
        while True:
            if (sources := mirrors.sources) != known:
                known = sources
                for follower in followers:
                    follower.wake()
            await asyncio.sleep(FOLLOW_SECONDS)
