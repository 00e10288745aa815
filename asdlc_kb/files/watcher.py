"""Folder watcher: scans on kernel events, and periodically because events can be lost.

A changed file that an event names is refreshed at once. After each event of another
entry, and every `SWEEP_SECONDS` in any case, a check compares the folders with the last
scan; a difference causes a scan of all files. Where events do not prove to arrive, each
check is such a scan (D-180, D-188).

A watch stops reporting when its folder is replaced. So it is renewed when the set of
folders changed or the watch failed. Folders are watched one by one, not recursively: a
recursive watch walks the whole tree first and blocks everything else meanwhile.
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

from asdlc_kb.files.folder_events import FolderChanges, watch_folders
from asdlc_kb.files.inotify import MAX_WATCHES
from asdlc_kb.files.mounts import find_filesystem_type, is_local, is_overlay
from asdlc_kb.files.paths import is_name

logger = logging.getLogger(__name__)

# Its log names every changed file, including hidden ones.
logging.getLogger("watchfiles").setLevel(logging.WARNING)


S = TypeVar("S")

UNFINISHED_SECONDS: Final = 0.04
"""Interval between scans of unfinished files."""

SWEEP_SECONDS: Final = 2.0
"""Interval between checks: the maximum delay of a change without an event."""

POLL_SECONDS: Final = 0.3
"""The same if kernel events are switched off."""

MIN_SCAN_SECONDS: Final = 60.0
"""Interval between full scans while events arrive; a longer one if they take long."""

_MAX_SCAN_SHARE: Final = 0.004
"""Share of a core for full scans while events arrive."""

_MAX_EVENT_SECONDS: Final = 0.1
"""Maximum delay of an event after a change that a check found."""

_MAX_REFRESHED: Final = 20
"""Changed files that are refreshed before a scan; more are left to the scan."""

_STOP_SECONDS: Final = 1.0
"""Maximum wait for a cancelled watch, which ends within a step."""

_QUOTED = re.compile('".*"', re.DOTALL)

Folders: TypeAlias = Mapping[str, tuple[int, int]]
"""Device and inode of each folder, by path."""


class Watcher(Generic[S]):
    """Scans on kernel events, and checks every `SWEEP_SECONDS` in any case."""

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
        refresh: Callable[[Collection[str]], Awaitable[bool | None]] | None = None,
        check: Callable[[bool], S | None] | None = None,
    ) -> None:
        """Watch the folders of a root that `find` returns.

        Events of paths that `concerns` rejects are ignored. `refresh` gets the changed
        files that events name, relative to the root, also while a scan runs, and
        returns whether they are up to date; None if a check has to decide. `check`
        looks for changes that events do not name, at little cost; None if it takes a
        scan to find them. It gets whether there were events since the last check. While
        the result of a scan `is_unsettled`, because files are being written,
        `scan_unfinished` (default: `scan`) is called until none is left or a check is
        due.
        """
        self._root = root
        self._is_relevant = concerns or is_lasting
        self._find = find or find_folders
        self._scan = scan
        self._scan_unfinished = scan_unfinished or scan
        self._is_unsettled = is_unsettled
        self._publish = publish
        self._refresh = refresh
        self._check = check
        self._interval = interval if events else min(interval, POLL_SECONDS)
        self._uses_events = events
        self._hint = asyncio.Event()
        self._has_events = False
        """Whether there were events since the last check."""
        self._must_scan = False
        """Whether one of them needs a full scan."""
        self._is_proven = False
        """Whether kernel events arrive, as far as is known."""
        self._watched: Folders = {}
        self._can_be_proven = False
        self._is_failing = False
        self._listener: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Watch until cancelled; a failed scan is logged and retried."""
        try:
            while True:
                # Events from here on cause another check or scan.
                self._hint.clear()
                self._must_scan = False
                if self._uses_events:
                    try:
                        await self._renew_watch()
                    except Exception as error:
                        self._report(error)
                is_unsettled, spent = await self._scan_once(self._scan)
                due = time.monotonic() + max(MIN_SCAN_SECONDS, spent / _MAX_SCAN_SHARE)
                await self._scan_until_due(is_unsettled)
                while self._trusts_events and time.monotonic() < due:
                    if not await self._check_once():
                        break
        finally:
            await self._stop_listening()

    @property
    def _trusts_events(self) -> bool:
        """Whether a check suffices, because events name all other changes."""
        is_listening = self._listener is not None and not self._listener.done()
        is_complete = 0 < len(self._watched) < MAX_WATCHES
        is_sure = is_listening and is_complete and self._is_proven
        return is_sure and self._check is not None and not self._must_scan

    async def _check_once(self) -> bool:
        """Check, and wait until the next check is due; return whether it sufficed.

        A change without an event, which may be late, disproves that events arrive.
        """
        assert self._check is not None
        for _ in range(2):
            is_announced, self._has_events = self._has_events, False
            self._hint.clear()
            try:
                result = await asyncio.to_thread(self._check, is_announced)
                if result is not None:
                    self._publish(result)
            except Exception:
                logger.exception("content check failed")
                return False
            if result is not None:
                await self._scan_until_due(self._is_unsettled(result))
                return True
            if is_announced:
                return False
            await self._wait(_MAX_EVENT_SECONDS)
        self._is_proven = self._has_events
        return False

    async def _scan_until_due(self, is_unsettled: bool) -> None:
        """Scan unfinished files until a check is due."""
        due = time.monotonic() + self._interval
        while is_unsettled and not self._hint.is_set() and time.monotonic() < due:
            await self._wait(min(UNFINISHED_SECONDS, self._interval))
            if not self._hint.is_set():
                is_unsettled, _ = await self._scan_once(self._scan_unfinished)
        await self._wait(due - time.monotonic())

    async def _scan_once(self, scan: Callable[[], S]) -> tuple[bool, float]:
        """Scan and publish.

        Returns whether a file is being written, and the seconds of CPU time spent.
        """

        def measure() -> tuple[S, float]:
            started = time.thread_time()
            return scan(), time.thread_time() - started

        try:
            result, spent = await asyncio.to_thread(measure)
            self._publish(result)
        except Exception:
            logger.exception("content scan failed")
            return False, 0.0
        return self._is_unsettled(result), spent

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
        filesystem = await asyncio.to_thread(_find_common_type, self._root, folders)
        await self._stop_listening()
        self._watched = folders
        self._is_proven = is_local(filesystem)
        self._can_be_proven = self._is_proven or is_overlay(filesystem)
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
        watch = watch_folders(folders, self._accepts_path)
        try:
            async with aclosing(watch):
                async for changes in watch:
                    self._is_failing = False
                    self._has_events = True
                    self._is_proven = self._can_be_proven
                    if not changes:
                        continue
                    is_current = await self._refresh_changed(changes)
                    self._must_scan |= is_current is False
                    if not (is_current and self._trusts_events):
                        self._hint.set()
        except Exception as error:
            self._report(error)

    async def _refresh_changed(self, changes: FolderChanges) -> bool | None:
        """Refresh the files that events named; return whether nothing else changed.

        None if a check has to decide. Deleted files are left to the scan, which knows
        an unmounted folder.
        """
        prefix = f"{self._root}{os.sep}"
        files = {path.removeprefix(prefix) for path in changes.present}
        is_bounded = len(files) <= _MAX_REFRESHED and not changes.is_incomplete
        if self._refresh is None or not is_bounded:
            return False
        try:
            is_current = await self._refresh(files)
        except Exception:
            logger.exception("content refresh failed")
            return False
        has_others = bool(changes.removed) or changes.is_ended
        return None if is_current and has_others else is_current

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

    def _accepts_path(self, path: str) -> bool:
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


def _find_common_type(root: Path, folders: Folders) -> str | None:
    """Return the file system type of a root; None if a folder is on another one."""
    devices = {device for device, _ in folders.values()}
    return find_filesystem_type(root) if len(devices) == 1 else None


def _may_read(path: str) -> bool:
    is_exact = os.access in os.supports_effective_ids
    return os.access(path, os.R_OK, effective_ids=is_exact)


def _identify(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
