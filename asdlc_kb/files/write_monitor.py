"""Write monitor: tracks unfinished files and decides when a changed file is finished.

It asks for a lease where permitted (`files.lease`), else reads write events
(`files.inotify`). Without either (remote file systems, kernels without support,
polling, a change before the folder was watched), a file is finished once it has been
unchanged for a while.
"""

import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.files.inotify import WriteEvents, share_write_events
from asdlc_kb.files.lease import is_open_for_writing
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import (
    REST_SECONDS,
    STILL_SECONDS,
    UNWATCHED_SECONDS,
    Signature,
)

MAX_WRITE_SECONDS: Final = 10.0
"""A file that is being written for longer is reported, and no longer checked between
full scans."""


@dataclass(slots=True)
class PendingWrite:
    """An unfinished file. Times are values of the timer, in seconds."""

    signature: Signature
    changed: float
    """Time at which this signature was first seen."""
    began: float
    """Time at which the file was first found unfinished."""


class WriteMonitor:
    """The unfinished files of one root."""

    def __init__(
        self,
        root: Path,
        *,
        uses_kernel_state: bool = True,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Monitor a root; without `uses_kernel_state` only elapsed time counts."""
        self._root = root
        self._asks_kernel = uses_kernel_state
        self._clock = clock
        self._timer = timer
        self._pending: dict[str, PendingWrite] = {}
        self._events: WriteEvents | None = None
        self._needs_events = False
        self._folders: Collection[str] = ()
        self._real_root = ""
        self._root_replaced_at = -math.inf
        """Time at which the root was found to link to another folder."""

    @property
    def paths(self) -> Sequence[str]:
        """The unfinished files."""
        return tuple(self._pending)

    @property
    def is_unsettled(self) -> bool:
        """Whether a file may be finished before the next full scan."""
        since = self._timer() - MAX_WRITE_SECONDS
        return any(pending.changed >= since for pending in self._pending.values())

    def record(self, path: str, signature: Signature) -> None:
        """Record an unfinished file."""
        now = self._timer()
        pending = self._pending.setdefault(path, PendingWrite(signature, now, now))
        if pending.signature != signature:
            pending.signature, pending.changed = signature, now

    def discard(self, paths: Iterable[str]) -> None:
        """Forget files that are finished or deleted."""
        for path in paths:
            self._pending.pop(path, None)

    def find_problems(self, seconds: float = MAX_WRITE_SECONDS) -> list[Problem]:
        """Return a problem for each file unfinished for this time in seconds."""
        since = self._timer() - seconds
        message = (
            f"still open for writing after {seconds:g} s, so its last finished version "
            "counts: end the program that writes it"
        )
        if not seconds:
            message = "being written, so it was not read: try again once it is closed"
        return [
            Problem(path, 1, 1, "KB004", message)
            for path, pending in self._pending.items()
            if pending.began <= since
        ]

    def watch(self, folders: Collection[str]) -> None:
        """Set the folders to watch for writes, once leases turn out unavailable.

        Folders are relative to the root, "" is the root. Call it before `is_finished`
        for their files.
        """
        self._folders = folders
        root = os.path.realpath(self._root)
        if self._real_root not in ("", root):
            self._root_replaced_at = self._timer()
        self._real_root = root
        if self._needs_events:
            self._watch()

    def _watch(self) -> None:
        if self._events is None:
            # Out of inotify instances: the next scan retries.
            with suppress(OSError):
                self._events = share_write_events(self._timer)
        if self._events is not None:
            root = str(self._root)
            folders = (
                os.path.join(root, folder) if folder else root
                for folder in self._folders
            )
            self._events.watch(self, folders)

    def is_finished(
        self, path: str, descriptor: int, current: Signature, known: Signature | None
    ) -> bool:
        """Whether an open file is finished; `known` is its signature at the last read.

        Blocks for up to `REST_SECONDS`.
        """
        is_open = self._find_open_state(path, descriptor, current)
        if is_open is not None:
            return not is_open
        if known != current and self._changed_unwatched(path, current):
            return current.seconds_unchanged(self._clock()) >= UNWATCHED_SECONDS
        if known is not None and not known.is_same_file(current):
            return self._has_settled(path, current)
        if known == current or current.is_still(self._clock()):
            return True
        pending = self._pending.get(path)
        return (
            pending is not None
            and pending.signature == current
            and self._timer() - pending.changed >= STILL_SECONDS
        )

    def _find_open_state(
        self, path: str, descriptor: int, current: Signature
    ) -> bool | None:
        """Whether a file is open for writing; None if the kernel does not report it."""
        if not self._asks_kernel:
            return None
        is_open = is_open_for_writing(descriptor)
        if is_open is not None:
            return is_open
        if not self._needs_events:
            self._needs_events = True
            self._watch()
        if self._events is None:
            return None
        folder, name = os.path.split(os.path.join(self._root, path))
        is_open = self._events.is_open(self, folder, name)
        # The event of a write arrives shortly after the write.
        is_fresh = 0 <= current.seconds_unchanged(self._clock()) < REST_SECONDS
        return True if is_open is False and is_fresh else is_open

    def _changed_unwatched(self, path: str, current: Signature) -> bool:
        """Whether a file changed before its folder was watched for writes.

        False if the root is a link that was switched since: its new target was finished
        before.
        """
        if self._events is None:
            return False
        folder = os.path.dirname(os.path.join(self._root, path))
        age = current.seconds_unchanged(self._clock())
        is_replaced = age > self._timer() - self._root_replaced_at
        return age > self._events.find_age(self, folder) and not is_replaced

    def _has_settled(self, path: str, current: Signature) -> bool:
        """Whether a new inode under a known name is a finished save.

        It may also be a new file that is still being written, so it has to remain
        unchanged for `REST_SECONDS`. Blocks for that time.
        """
        if not current.was_written_last():
            return True
        age = current.seconds_unchanged(self._clock())
        if 0 <= age < REST_SECONDS:
            time.sleep(REST_SECONDS - age)
        try:
            return Signature.at(self._root / path) == current
        except OSError:
            return False
