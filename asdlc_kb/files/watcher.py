"""Folder watcher: scans on kernel events, and periodically because events can be lost.

A watch stops reporting when its folder is replaced. So a scan runs every
`SWEEP_SECONDS` in any case, and the watch is renewed when the set of folders changed or
the watch failed. Folders are watched one by one, not recursively: a recursive watch
walks the whole tree first and blocks everything else meanwhile. A scan takes about 3 ms
for 1,000 files and runs in a thread, where it takes many times as long while the event
loop is busy: the few files that events name are therefore refreshed at once.
"""

import asyncio
import logging
import os
import re
import stat
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import aclosing
from operator import attrgetter
from pathlib import Path
from typing import Final, Generic, TypeAlias, TypeVar

from watchfiles import Change, awatch

from asdlc_kb.files.paths import is_name

logger = logging.getLogger(__name__)

# Its log names every changed file, including hidden ones.
logging.getLogger("watchfiles").setLevel(logging.WARNING)


S = TypeVar("S")

UNFINISHED_SECONDS: Final = 0.04
"""Interval between scans of unfinished files."""

SWEEP_SECONDS: Final = 2.0
"""Interval between full scans: the maximum delay of a change."""

POLL_SECONDS: Final = 0.3
"""The same if kernel events are switched off."""

_STEP_MS: Final = 2
"""Events are collected until none has arrived for this time."""

_DEBOUNCE_MS: Final = 20
"""Maximum time for which events are collected."""

_MAX_REFRESHED: Final = 20
"""Changed files that are refreshed before a scan; more are left to the scan."""

_STOP_SECONDS: Final = 1.0
"""Maximum wait for a cancelled watch, which ends within a step."""

_QUOTED = re.compile('".*"', re.DOTALL)

Folders: TypeAlias = Mapping[str, tuple[int, int]]
"""Device and inode of each folder, by path."""


class Watcher(Generic[S]):
    """Scans on kernel events, and every `SWEEP_SECONDS` in any case."""

    def __init__(
        self,
        root: Path,
        scan: Callable[[], S],
        publish: Callable[[S], None],
        *,
        interval: float = SWEEP_SECONDS,
        events: bool = True,
        find: Callable[[Path], Folders] | None = None,
        concerns: Callable[[str], bool] | None = None,
        scan_unfinished: Callable[[], S] | None = None,
        is_unsettled: Callable[[S], bool] = attrgetter("is_unsettled"),
        refresh: Callable[[Collection[str]], Awaitable[object]] | None = None,
    ) -> None:
        """Watch the folders of a root that `find` returns.

        Events of paths that `concerns` rejects are ignored. `refresh` gets the changed
        files that events name, relative to the root, also while a scan runs. While the
        result of a scan `is_unsettled`, because files are being written,
        `scan_unfinished` (default: `scan`) is called until none is left or a full scan
        is due.
        """
        self._root = root
        self._is_relevant = concerns or is_lasting
        self._find = find or find_folders
        self._scan = scan
        self._scan_unfinished = scan_unfinished or scan
        self._is_unsettled = is_unsettled
        self._publish = publish
        self._refresh = refresh
        self._interval = interval if events else min(interval, POLL_SECONDS)
        self._uses_events = events
        self._hint = asyncio.Event()
        self._watched: Folders = {}
        self._is_failing = False
        self._listener: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Watch until cancelled; a failed scan is logged and retried."""
        try:
            while True:
                # Events from here on cause another scan.
                self._hint.clear()
                if self._uses_events:
                    await self._renew_watch()
                await self._scan_until_due(await self._scan_once(self._scan))
        finally:
            await self._stop_listening()

    async def _scan_until_due(self, is_unsettled: bool) -> None:
        """Scan unfinished files until a full scan is due."""
        due = time.monotonic() + self._interval
        while is_unsettled and not self._hint.is_set() and time.monotonic() < due:
            await self._wait(min(UNFINISHED_SECONDS, self._interval))
            if not self._hint.is_set():
                is_unsettled = await self._scan_once(self._scan_unfinished)
        await self._wait(due - time.monotonic())

    async def _scan_once(self, scan: Callable[[], S]) -> bool:
        """Scan and publish; return whether a file is being written."""
        try:
            result = await asyncio.to_thread(scan)
            self._publish(result)
        except Exception:
            logger.exception("content scan failed")
            return False
        return self._is_unsettled(result)

    async def _wait(self, seconds: float) -> None:
        """Wait for an event, up to a timeout in seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._hint.wait()
        except TimeoutError:
            pass

    async def _renew_watch(self) -> None:
        """Watch the current folders if they changed or the watch has ended."""
        folders = await asyncio.to_thread(self._find, self._root)
        has_ended = self._listener is None or self._listener.done()
        if folders == self._watched and not has_ended:
            return
        await self._stop_listening()
        self._watched = folders
        if folders:
            self._listener = asyncio.ensure_future(self._listen(folders))
            # Its first step arms the watch, so no change is missed before the scan.
            await asyncio.sleep(0)

    async def _stop_listening(self) -> None:
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.wait((self._listener,), timeout=_STOP_SECONDS)

    async def _listen(self, folders: Folders) -> None:
        """Set the hint on kernel events until the watch fails or loses a folder."""
        watch = awatch(
            *folders,
            watch_filter=self._accepts_change,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            force_polling=False,
            recursive=False,
            # True would silently ignore every other error, too.
            ignore_permission_denied=False,
        )
        try:
            async with aclosing(watch):
                async for changes in watch:
                    self._is_failing = False
                    await self._refresh_changed(changes)
                    self._hint.set()
                    # A folder that was removed, even if it came back, is not watched.
                    if any(path in folders for _, path in changes):
                        return
        except Exception as error:
            self._report(error)

    async def _refresh_changed(self, changes: Collection[tuple[Change, str]]) -> None:
        """Refresh the files that events named, if they are few.

        Deleted files are left to the scan, which knows an unmounted folder.
        """
        prefix = f"{self._root}{os.sep}"
        present = (path for change, path in changes if change != Change.deleted)
        files = {path.removeprefix(prefix) for path in present}
        if self._refresh is not None and len(files) <= _MAX_REFRESHED:
            try:
                await self._refresh(files)
            except Exception:
                logger.exception("content refresh failed")

    def _report(self, error: BaseException) -> None:
        """Log once that the watch failed; each full scan retries it.

        Causes are the limit of watches, or a name that is not UTF-8, which is omitted.
        """
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, FileNotFoundError):
            # A folder was removed after it was listed: left to the next scan.
            return
        if not self._is_failing:
            reason = _QUOTED.sub("...", str(error))
            logger.warning("kernel events failed", extra={"reason": reason[:200]})
        self._is_failing = True

    def _accepts_change(self, change: Change, path: str) -> bool:
        return path in self._watched or self._is_relevant(path)


def is_lasting(path: str) -> bool:
    """Whether a name is not temporary: only the rename that follows counts.

    A mounted Kubernetes ConfigMap swaps its files with names of two leading dots.
    """
    name = os.path.basename(path)
    return not name.startswith(".") or name.startswith("..")


def find_folders(root: Path) -> Folders:
    """Return the root and its served folders that may be watched.

    Empty if there is no root.
    """
    folders: dict[str, tuple[int, int]] = {}
    try:
        folders[str(root)] = _identify(os.stat(root))
        with os.scandir(root) as entries:
            paths = [entry.path for entry in entries if is_name(entry.name)]
    except OSError:
        return folders
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue
        if stat.S_ISDIR(status.st_mode) and _may_read(path):
            folders[path] = _identify(status)
    return folders


def _may_read(path: str) -> bool:
    is_exact = os.access in os.supports_effective_ids
    return os.access(path, os.R_OK, effective_ids=is_exact)


def _identify(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
