"""Write events: files of watched folders that are open for writing (`inotify(7)`).

The kernel reports each write and each close of a file open for writing. Events before
the folder was watched are unknown, as are writes under another name of the file or
through a memory map.
"""

import ctypes
import os
import struct
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import Final

MAX_WATCHES: Final = 8_000
"""Folders; kernels grant a user at least 8,192 watches."""

MAX_FILES: Final = 10_000
"""Maximum number of files with a stored event; then all are dropped."""

MAX_CLOSED_SECONDS: Final = 2.0
"""Seconds for which a close is stored: by then the file counts as unchanged."""

_MODIFY: Final = 0x2
_CLOSE_WRITE: Final = 0x8
_MOVED_FROM: Final = 0x40
_MOVED_TO: Final = 0x80
_DELETE: Final = 0x200
_OVERFLOW: Final = 0x4000
_IGNORED: Final = 0x8000
_ONLYDIR: Final = 0x1000000
_MASK: Final = _MODIFY | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _DELETE | _ONLYDIR
_HEADER: Final = struct.Struct("iIII")
_BUFFER: Final = 64 * 1024
"""Bytes per read; an event has at most 272."""


class WriteEvents:
    """The last write event of each file in watched folders. Safe in any thread."""

    def __init__(self, timer: Callable[[], float] = time.monotonic) -> None:
        """Create the inotify instance. Raises OSError where that is impossible."""
        if sys.platform != "linux":
            raise OSError("no inotify")
        self._library = ctypes.CDLL(None, use_errno=True)
        flags = os.O_NONBLOCK | os.O_CLOEXEC
        self._descriptor: int = self._library.inotify_init1(flags)
        if self._descriptor < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        weakref.finalize(self, os.close, self._descriptor)
        self._timer = timer
        self._lock = Lock()
        self._folders: dict[int, str] = {}
        self._complete_since: dict[int, float] = {}
        """By watch, the timer's value since which no event was missed."""
        self._watches: dict[str, int] = {}
        self._open: set[tuple[int, bytes]] = set()
        self._closed: dict[tuple[int, bytes], float] = {}
        """Timer value at which a file was closed; oldest first."""
        self._moved: dict[int, bool | None] = {}

    def watch(self, folders: Iterable[str]) -> None:
        """Watch exactly these folders, except those that cannot be watched.

        A path that now names another folder gets a new watch.
        """
        with self._lock:
            self._drain()
            watches: dict[str, int] = {}
            for folder in folders:
                if len(watches) == MAX_WATCHES:
                    break
                watch = self._library.inotify_add_watch(
                    self._descriptor, os.fsencode(folder), _MASK
                )
                if watch >= 0:
                    watches[folder] = watch
            for watch in self._folders.keys() - watches.values():
                self._library.inotify_rm_watch(self._descriptor, watch)
                self._forget(watch)
            self._watches = watches
            self._folders = {watch: folder for folder, watch in watches.items()}
            now = self._timer()
            self._complete_since = {
                watch: self._complete_since.get(watch, now) for watch in self._folders
            }

    def find_age(self, folder: str) -> float:
        """Return the seconds for which no event of a folder was missed.

        0 for an unwatched folder.
        """
        with self._lock:
            now = self._timer()
            return now - self._complete_since.get(self._watches.get(folder, -1), now)

    def is_open(self, folder: str, name: str) -> bool | None:
        """Whether a file was written to and not closed since.

        None if the kernel reported neither.
        """
        with self._lock:
            self._drain()
            key = self._watches.get(folder, -1), os.fsencode(name)
            if key in self._open:
                return True
            return False if key in self._closed else None

    def _drain(self) -> None:
        """Process all pending events."""
        for watch, mask, cookie, name in self._read_events():
            key = watch, name
            if mask & _OVERFLOW:
                self._forget_all()
            elif mask & _IGNORED:
                self._forget(watch)
                self._complete_since.pop(watch, None)
                self._watches.pop(self._folders.pop(watch, ""), None)
            elif mask & _MODIFY:
                self._record(key, True)
            elif mask & _CLOSE_WRITE:
                self._record(key, False)
            elif mask & _MOVED_TO:
                self._record(key, self._moved.pop(cookie, None))
            else:
                if mask & _MOVED_FROM:
                    self._moved = {cookie: self._known_state(key)}
                self._record(key, None)
        if len(self._open) + len(self._closed) > MAX_FILES:
            self._forget_all()
        oldest = self._timer() - MAX_CLOSED_SECONDS
        while self._closed and next(iter(self._closed.values())) < oldest:
            del self._closed[next(iter(self._closed))]

    def _read_events(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Yield watch, mask, cookie and name of each event."""
        while True:
            try:
                data = os.read(self._descriptor, _BUFFER)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                watch, mask, cookie, size = _HEADER.unpack_from(data, at)
                at += _HEADER.size + size
                yield watch, mask, cookie, data[at - size : at].rstrip(b"\0")

    def _known_state(self, key: tuple[int, bytes]) -> bool | None:
        if key in self._open:
            return True
        return False if key in self._closed else None

    def _record(self, key: tuple[int, bytes], is_open: bool | None) -> None:
        self._open.discard(key)
        self._closed.pop(key, None)
        if is_open:
            self._open.add(key)
        elif is_open is not None:
            self._closed[key] = self._timer()

    def _forget(self, watch: int) -> None:
        for key in [key for key in (*self._open, *self._closed) if key[0] == watch]:
            self._record(key, None)

    def _forget_all(self) -> None:
        self._open.clear()
        self._closed.clear()
        self._moved.clear()
        self._complete_since = dict.fromkeys(self._complete_since, self._timer())
