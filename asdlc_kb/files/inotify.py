"""Kernel events of folders (`inotify(7)`), and what they state about open files.

The kernel reports each write and each close of a file open for writing. Events before
the folder was watched are unknown, as are writes under another name of the file or
through a memory map.
"""

import ctypes
import errno
import os
import struct
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from threading import Lock
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

MAX_WATCHES: Final = 8_000
"""Folders; kernels grant a user at least 8,192 watches."""

MAX_FILES: Final = 10_000
"""Maximum number of files with a stored event; then all are dropped."""

MAX_CLOSED_SECONDS: Final = 2.0
"""Seconds for which a close is stored: by then the file counts as unchanged."""

_REASONS: Final = {
    errno.ENOSPC: "file watch limit reached: raise fs.inotify.max_user_watches",
    errno.EMFILE: "no inotify instance left: raise fs.inotify.max_user_instances",
}
"""What an error means here, where the kernel's text says something else."""

MODIFY: Final = 0x2
ATTRIB: Final = 0x4
CLOSE_WRITE: Final = 0x8
MOVED_FROM: Final = 0x40
MOVED_TO: Final = 0x80
CREATE: Final = 0x100
DELETE: Final = 0x200
DELETE_SELF: Final = 0x400
MOVE_SELF: Final = 0x800
UNMOUNT: Final = 0x2000
OVERFLOW: Final = 0x4000
IGNORED: Final = 0x8000
ONLYDIR: Final = 0x1000000
_MASK: Final = MODIFY | CLOSE_WRITE | MOVED_FROM | MOVED_TO | DELETE | ONLYDIR
_HEADER: Final = struct.Struct("iIII")
_BUFFER: Final = 64 * 1024
"""Bytes per read; an event has at most 272."""


class KernelEvent(NamedTuple):
    """An event of a watched folder."""

    watch: int
    """The watch of the folder; -1 for an overflow of the kernel's queue."""
    mask: int
    cookie: int
    """The same for both ends of a rename."""
    name: bytes
    """Of the entry; empty for the folder itself."""


class Inotify:
    """An inotify instance. Reading its events does not block."""

    def __init__(self) -> None:
        """Create the instance. Raises OSError where that is impossible."""
        if sys.platform != "linux":
            raise OSError("no inotify")
        self._library = ctypes.CDLL(None, use_errno=True)
        flags = os.O_NONBLOCK | os.O_CLOEXEC
        self.descriptor: int = self._library.inotify_init1(flags)
        if self.descriptor < 0:
            raise _last_error()
        self._close = weakref.finalize(self, os.close, self.descriptor)

    def add(self, folder: str, mask: int) -> int:
        """Watch a folder; return the number of the watch.

        Raises OSError, ENOSPC if the user has no watches left.
        """
        path = os.fsencode(folder)
        watch: int = self._library.inotify_add_watch(self.descriptor, path, mask)
        if watch < 0:
            raise _last_error()
        return watch

    def remove(self, watch: int) -> None:
        """End a watch, if the kernel has not ended it."""
        self._library.inotify_rm_watch(self.descriptor, watch)

    def read(self) -> Iterator[KernelEvent]:
        """Yield the pending events."""
        while True:
            try:
                data = os.read(self.descriptor, _BUFFER)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                watch, mask, cookie, size = _HEADER.unpack_from(data, at)
                at += _HEADER.size + size
                name = data[at - size : at].rstrip(b"\0")
                yield KernelEvent(watch, mask, cookie, name)

    def close(self) -> None:
        """End all watches."""
        self._close()


def _last_error() -> OSError:
    number = ctypes.get_errno()
    reason = _REASONS.get(number) or os.strerror(number)
    return OSError(number, reason)


class WriteEvents:
    """The last write event of each file in watched folders. Safe in any thread.

    Several users, objects of any kind, watch folders of their own.
    """

    def __init__(self, timer: Callable[[], float] = time.monotonic) -> None:
        """Create the inotify instance. Raises OSError where that is impossible."""
        self._inotify = Inotify()
        self._timer = timer
        self._lock = Lock()
        self._watches = WeakKeyDictionary[object, dict[str, int]]()
        """By user and folder."""
        self._complete_since: dict[int, float] = {}
        """By watch, the timer's value since which no event was missed."""
        self._open: set[tuple[int, bytes]] = set()
        self._closed: dict[tuple[int, bytes], float] = {}
        """Timer value at which a file was closed; oldest first."""
        self._moved: dict[int, bool | None] = {}

    def watch(self, user: object, folders: Iterable[str]) -> None:
        """Watch exactly these folders for a user, except those that cannot be watched.

        A path that now names another folder gets a new watch. Folders without a user
        are no longer watched.
        """
        with self._lock:
            self._drain()
            watches: dict[str, int] = {}
            for folder in folders:
                if len(watches) == MAX_WATCHES:
                    break
                with suppress(OSError):
                    watches[folder] = self._inotify.add(folder, _MASK)
            self._watches[user] = watches
            used = {watch for each in self._watches.values() for watch in each.values()}
            for watch in self._complete_since.keys() - used:
                self._inotify.remove(watch)
                self._forget(watch)
            now = self._timer()
            for watch in watches.values():
                self._complete_since.setdefault(watch, now)

    def find_age(self, user: object, folder: str) -> float:
        """Return the seconds for which no event of a folder was missed.

        0 for an unwatched folder.
        """
        with self._lock:
            now = self._timer()
            return now - self._complete_since.get(self._find_watch(user, folder), now)

    def is_open(self, user: object, folder: str, name: str) -> bool | None:
        """Whether a file was written to and not closed since.

        None if the kernel reported neither.
        """
        with self._lock:
            self._drain()
            watch = self._find_watch(user, folder)
            return self._known_state((watch, os.fsencode(name)))

    def _find_watch(self, user: object, folder: str) -> int:
        return self._watches.get(user, {}).get(folder, -1)

    def _drain(self) -> None:
        """Process all pending events."""
        for watch, mask, cookie, name in self._inotify.read():
            key = watch, name
            if mask & OVERFLOW:
                self._forget_all()
            elif mask & IGNORED:
                self._forget(watch)
            elif mask & MODIFY:
                self._record(key, True)
            elif mask & CLOSE_WRITE:
                self._record(key, False)
            elif mask & MOVED_TO:
                self._record(key, self._moved.pop(cookie, None))
            else:
                if mask & MOVED_FROM:
                    self._moved = {cookie: self._known_state(key)}
                self._record(key, None)
        if len(self._open) + len(self._closed) > MAX_FILES:
            self._forget_all()
        oldest = self._timer() - MAX_CLOSED_SECONDS
        while self._closed and next(iter(self._closed.values())) < oldest:
            del self._closed[next(iter(self._closed))]

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
        """Forget the files of a watch that ended."""
        self._complete_since.pop(watch, None)
        for key in [key for key in (*self._open, *self._closed) if key[0] == watch]:
            self._record(key, None)

    def _forget_all(self) -> None:
        self._open.clear()
        self._closed.clear()
        self._moved.clear()
        self._complete_since = dict.fromkeys(self._complete_since, self._timer())


_SHARED: Final = WeakValueDictionary[Callable[[], float], WriteEvents]()


def share_write_events(timer: Callable[[], float] = time.monotonic) -> WriteEvents:
    """Return the write events that all users of a timer share.

    By default a user of the system has 128 inotify instances for all programs. The
    instance is closed with its last user. Raises OSError where there is none.
    """
    events = _SHARED.get(timer)
    if events is None:
        events = _SHARED[timer] = WriteEvents(timer)
    return events
