"""Ingestion that follows the changes of folders.

While the database is away, folders are followed and written once it is back.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from asdlc_kb.app.watching import watch_folders
from asdlc_kb.exceptions import StoreUnavailable, UnreadableFile
from asdlc_kb.files.reader import ChangedWhileRead
from asdlc_kb.ingestion.ingester import MAX_ATTEMPTS, Ingester, WrittenSource

logger = logging.getLogger(__name__)

CHECK_SECONDS: Final = 2.0
"""Interval between checks of files that no event names, as attachments."""

COMPARE_SECONDS: Final = 60.0
"""Interval between comparisons of what was written with the numbers in the store."""

_MAX_CHECK_SHARE: Final = 0.05
"""Share of the time that these checks take."""

RETRY_SECONDS: Final = (1.0, 30.0)
"""First and longest pause between two attempts while the database is away."""


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
