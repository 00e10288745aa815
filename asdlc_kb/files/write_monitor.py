"""Files that are still being written, and whether a changed file is finished.

A lease says it where it is permitted (`files.lease`), write events where it is not
(`files.inotify`). Where neither does (another system's files, no kernel of that kind,
polling, a file that changed before its folder was watched), a file is finished once it
has been unchanged for a while.
"""

import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.files.inotify import WriteEvents
from asdlc_kb.files.lease import is_open_for_writing
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import (
    REST_SECONDS,
    STILL_SECONDS,
    UNWATCHED_SECONDS,
    Signature,
)

MAX_WRITE_SECONDS: Final = 10.0
"""A file that is being written for longer is reported, and no longer asked for between
two sweeps."""


@dataclass(slots=True)
class PendingWrite:
    """A file that is waited for. Times are the timer's seconds."""

    signature: Signature
    changed: float
    """When this signature was first seen."""
    began: float
    """When the file was first found to be unfinished."""


class WriteMonitor:
    """The unfinished files of one root."""

    def __init__(
        self,
        root: Path,
        *,
        asks_kernel: bool = True,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Monitor a root; if it does not ask the kernel, time alone counts."""
        self._root = root
        self._asks_kernel = asks_kernel
        self._clock = clock
        self._timer = timer
        self._waits: dict[str, PendingWrite] = {}
        self._events: WriteEvents | None = None
        self._needs_events = False
        self._folders: Collection[str] = ()
        self._real_root = ""
        self._replaced = -math.inf
        """When the root was found to be a link to another folder than before."""

    @property
    def paths(self) -> Sequence[str]:
        """The files that are waited for."""
        return tuple(self._waits)

    @property
    def is_unsettled(self) -> bool:
        """Whether a file may be finished soon: look at it again before the sweep."""
        since = self._timer() - MAX_WRITE_SECONDS
        return any(wait.changed >= since for wait in self._waits.values())

    def wait(self, path: str, signature: Signature) -> None:
        """Record that a file is unfinished."""
        now = self._timer()
        wait = self._waits.setdefault(path, PendingWrite(signature, now, now))
        if wait.signature != signature:
            wait.signature, wait.changed = signature, now

    def end(self, paths: Iterable[str]) -> None:
        """Record that these files are not waited for any more."""
        for path in paths:
            self._waits.pop(path, None)

    def find_problems(self, seconds: float = MAX_WRITE_SECONDS) -> list[Problem]:
        """Return a problem for each file that has been waited for that long."""
        since = self._timer() - seconds
        message = (
            f"still open for writing after {seconds:g} s, so its last finished version "
            "counts: end the program that writes it"
        )
        if not seconds:
            message = "being written, so it was not read: try again once it is closed"
        return [
            Problem(path, 1, 1, "KB004", message)
            for path, wait in self._waits.items()
            if wait.began <= since
        ]

    def watch(self, folders: Collection[str]) -> None:
        """Have the kernel report writes in these folders, once leases do not do.

        Folders are relative to the root, "" is the root. To be called before their
        files are asked about.
        """
        self._folders = folders
        root = os.path.realpath(self._root)
        if self._real_root not in ("", root):
            self._replaced = self._timer()
        self._real_root = root
        if self._needs_events:
            self._watch()

    def _watch(self) -> None:
        if self._events is None:
            # Out of instances: the next look tries again.
            with suppress(OSError):
                self._events = WriteEvents(self._timer)
        if self._events is not None:
            root = str(self._root)
            self._events.watch(
                os.path.join(root, each) if each else root for each in self._folders
            )

    def is_finished(
        self, path: str, descriptor: int, found: Signature, known: Signature | None
    ) -> bool:
        """Whether an open file is finished; `known` is its signature when it was read.

        Blocks for up to `REST_SECONDS`.
        """
        is_open = self._ask_kernel(path, descriptor, found)
        if is_open is not None:
            return not is_open
        if known != found and self._changed_unwatched(path, found):
            return found.seconds_unchanged(self._clock()) >= UNWATCHED_SECONDS
        if known is not None and not known.is_same_file(found):
            return self._rests(path, found)
        if known == found or found.is_still(self._clock()):
            return True
        wait = self._waits.get(path)
        return (
            wait is not None
            and wait.signature == found
            and self._timer() - wait.changed >= STILL_SECONDS
        )

    def _ask_kernel(self, path: str, descriptor: int, found: Signature) -> bool | None:
        """Whether a file is open for writing; None where the kernel does not say."""
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
        is_open = self._events.is_open(folder, name)
        # The event of a write comes shortly after the write.
        is_fresh = 0 <= found.seconds_unchanged(self._clock()) < REST_SECONDS
        return True if is_open is False and is_fresh else is_open

    def _changed_unwatched(self, path: str, found: Signature) -> bool:
        """Whether a file changed before its folder was watched for writes.

        Not so where the root is a link that leads elsewhere since: what it leads to was
        finished before.
        """
        if self._events is None:
            return False
        folder = os.path.dirname(os.path.join(self._root, path))
        age = found.seconds_unchanged(self._clock())
        is_replaced = age > self._timer() - self._replaced
        return age > self._events.find_age(folder) and not is_replaced

    def _rests(self, path: str, found: Signature) -> bool:
        """Whether a new inode under a known name is a finished save.

        It may as well be a file that was made anew and is being written; so it has to
        stay as it is for `REST_SECONDS`, which this waits for.
        """
        if not found.was_written_last():
            return True
        age = found.seconds_unchanged(self._clock())
        if 0 <= age < REST_SECONDS:
            time.sleep(REST_SECONDS - age)
        try:
            return Signature.at(self._root / path) == found
        except OSError:
            return False
