"""Follower of a mirror: publishes each new snapshot of one source."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Final, Protocol

from asdlc_kb.exceptions import StoreUnavailable
from asdlc_kb.store.mirror_set import MirrorSet

logger = logging.getLogger(__name__)

FOLLOW_SECONDS: Final = 0.1
"""Interval at which the state of the mirrors is looked at."""

RETRY_SECONDS: Final = 1.0
"""Pause after a scan that failed, or could not read all files."""


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
        self, mirrors: MirrorSet, name: str, libraries: Sequence[MirroredLibrary]
    ) -> None:
        """Publish to all libraries of the source at once."""
        self._mirrors = mirrors
        self.name = name
        self._libraries = libraries
        self.snapshot: int | None = None
        """The snapshot that is served; None until it is known."""
        self._is_incomplete = False
        """Whether files of it could not be read."""

    async def run(self) -> None:
        """Follow until cancelled; a failed scan is logged and retried."""
        while True:
            source = self._mirrors.find(self.name)
            number = None if source is None else source.snapshot
            is_due = number != self.snapshot or self._is_incomplete
            if number is not None and is_due and not await self._publish():
                await asyncio.sleep(RETRY_SECONDS)
            await asyncio.sleep(FOLLOW_SECONDS)

    async def _publish(self) -> bool:
        """Publish a snapshot; return False if something could not be read."""
        try:
            number, updates = await asyncio.to_thread(self._scan)
        except StoreUnavailable:
            return True  # Being written: its writer failed, and tries again.
        except Exception:
            logger.exception("content scan failed")
            return False
        for library, update in zip(self._libraries, updates, strict=True):
            library.publish(update)
        self.snapshot = number
        self._is_incomplete = any(update.is_incomplete for update in updates)
        return not self._is_incomplete

    def _scan(self) -> tuple[int, list[Any]]:
        """Return the number of a snapshot, and what each library has to publish."""
        with self._mirrors.reading(self.name):
            source = self._mirrors.find(self.name)
            assert source is not None
            assert source.snapshot is not None
            return source.snapshot, [library.scan() for library in self._libraries]
