"""Follower of a mirror: publishes each new snapshot of one source."""

import asyncio
import logging
from collections.abc import Sequence
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
        self._is_incomplete = False
        """Whether files of it could not be read."""
        self._is_failing = False

    async def run(self) -> None:
        """Follow until cancelled; a failure is logged once, and retried."""
        failed: int | None = None
        pause, retry_at = FOLLOW_SECONDS, 0.0
        while True:
            number = self._find_due()
            if number is not None and (number != failed or monotonic() >= retry_at):
                if await self._publish():
                    failed, pause = None, FOLLOW_SECONDS
                else:
                    failed, retry_at = number, monotonic() + pause
                    pause = min(2 * pause, MAX_RETRY_SECONDS)
            await asyncio.sleep(FOLLOW_SECONDS)

    def _find_due(self) -> int | None:
        """Return the snapshot to publish; None if there is none, or no whole one.

        Also after a change of options that moved the mirror, which needs a reload.
        """
        source = self._mirrors.find(self.name)
        if source is None or source.snapshot is None:
            return None
        if source.snapshot == self.snapshot and not self._is_incomplete:
            return None
        is_moved = self._mirrors.locate(source) != self._folder
        return None if is_moved else source.snapshot

    async def _publish(self) -> bool:
        """Publish the snapshot that is due; return False if it is to be repeated."""
        try:
            number, updates = await asyncio.to_thread(self._scan)
            for library, update in zip(self._libraries, updates, strict=True):
                library.publish(update)
        except StoreUnavailable:
            return True  # Being written: its writer failed, and tries again.
        except Exception:
            if not self._is_failing:
                logger.exception("content scan failed")
            self._is_failing = True
            return False
        self.snapshot = number
        self._is_failing = False
        self._is_incomplete = any(update.is_incomplete for update in updates)
        return not self._is_incomplete

    def _scan(self) -> tuple[int, list[Any]]:
        """Return the number of a snapshot, and what each library has to publish."""
        with self._mirrors.reading(self.name):
            number = self._find_due()
            if number is None:
                raise StoreUnavailable(f"the mirror of source '{self.name}' changed")
            return number, [library.scan() for library in self._libraries]
