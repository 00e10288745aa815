"""Kernel events of folders, in batches: inotify on Linux, watchfiles elsewhere.

inotify is read when its descriptor is readable, so waiting costs nothing; watchfiles
wakes at each of its steps (D-180).
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing, closing, contextmanager
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakKeyDictionary

from asdlc_kb.files import inotify
from asdlc_kb.files.inotify import Inotify, KernelEvent

STEP_SECONDS: Final = 0.002
"""Events are collected until none has arrived for this time."""

DEBOUNCE_SECONDS: Final = 0.02
"""Maximum time for which events are collected."""

_MAX_EVENTS: Final = 16_384
"""Stored events of a watch; the kernel's queue holds as many by default."""

_HAS_INOTIFY: Final = bool(sys.platform == "linux")

_AWATCH_STEP_MS: Final = 50

_MASK: Final = (
    inotify.MODIFY
    | inotify.ATTRIB
    | inotify.CLOSE_WRITE
    | inotify.CREATE
    | inotify.MOVED_FROM
    | inotify.MOVED_TO
    | inotify.DELETE
    | inotify.DELETE_SELF
    | inotify.MOVE_SELF
    | inotify.ONLYDIR
)
_REMOVED: Final = inotify.MOVED_FROM | inotify.DELETE
_ENDED: Final = (
    inotify.DELETE_SELF | inotify.MOVE_SELF | inotify.UNMOUNT | inotify.IGNORED
)
_OVERFLOW: Final = KernelEvent(-1, inotify.OVERFLOW, 0, b"")


@dataclass(slots=True)
class FolderChanges:
    """The changes of one batch, as absolute paths."""

    present: set[str] = field(default_factory=set)
    """Files and folders that were created, written, renamed to this name."""
    removed: set[str] = field(default_factory=set)
    """Those that were deleted or renamed. A path can be in both."""
    is_incomplete: bool = False
    """Whether events were lost, because there were too many."""
    is_ended: bool = False
    """Whether a watched folder was replaced, so that a new watch is needed."""

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.present or self.removed or self.is_incomplete or self.is_ended)


def try_watch(folders: Iterable[str]) -> None:
    """Watch folders for a moment; raise OSError where the kernel refuses."""
    if _HAS_INOTIFY:
        with closing(Inotify()) as kernel:
            for folder in folders:
                kernel.add(folder, _MASK)
        return
    from watchfiles import watch

    stopped = threading.Event()
    stopped.set()
    armed = watch(*folders, stop_event=stopped, force_polling=False, recursive=False)
    next(armed, None)


async def watch_folders(
    folders: Iterable[str], accepts: Callable[[str], bool]
) -> AsyncGenerator[FolderChanges, None]:
    """Yield the changes in folders, without their subfolders.

    Changes of paths that `accepts` rejects are left out; a batch without others is
    empty. The watch is armed by the first step. Raises OSError, FileNotFoundError if a
    folder is missing.
    """
    follow = _watch_inotify if _HAS_INOTIFY else watch_portably
    async with aclosing(follow(tuple(folders), accepts)) as batches:
        async for changes in batches:
            yield changes


class _FolderWatch:
    """Folders that one caller watches, and their events that it has not read."""

    def __init__(self) -> None:
        self.paths: dict[int, list[str]] = {}
        """By watch; one folder can have several paths."""
        self.has_events = asyncio.Event()
        self._events: list[KernelEvent] = []

    def record(self, event: KernelEvent) -> None:
        """Keep an event; of too many only the fact that events were lost."""
        if len(self._events) == _MAX_EVENTS:
            self._events = [_OVERFLOW]
        self._events.append(event)
        self.has_events.set()

    def read(self, accepts: Callable[[str], bool], changes: FolderChanges) -> bool:
        """Add the events to `changes`; return whether there was any."""
        events, self._events = self._events, []
        self.has_events.clear()
        for event in events:
            changes.is_incomplete |= bool(event.mask & inotify.OVERFLOW)
            changes.is_ended |= bool(event.mask & _ENDED)
            folders = self.paths.get(event.watch, ())
            if not event.name:
                changes.present.update(folders)
                continue
            found = changes.removed if event.mask & _REMOVED else changes.present
            name = os.fsdecode(event.name)
            named = (f"{folder}{os.sep}{name}" for folder in folders)
            found.update(filter(accepts, named))
        return bool(events)


class _SharedInotify:
    """One inotify instance for all folders that are watched in an event loop.

    By default a user has 128 instances for all programs.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Create the instance. Raises OSError where that is impossible."""
        self._loop = loop
        self._kernel = Inotify()
        self._watches: dict[int, list[_FolderWatch]] = {}
        self._timer: asyncio.TimerHandle | None = None
        loop.add_reader(self._kernel.descriptor, self._read)

    @classmethod
    @contextmanager
    def watch(cls, folders: Iterable[str]) -> Iterator[_FolderWatch]:
        """Watch folders while the context lasts. Raises OSError."""
        loop = asyncio.get_running_loop()
        shared = _SHARED.get(loop)
        if shared is None:
            shared = _SHARED[loop] = cls(loop)
        watch = _FolderWatch()
        try:
            for folder in folders:
                number = shared._kernel.add(folder, _MASK)
                paths = watch.paths.setdefault(number, [])
                if not paths:
                    shared._watches.setdefault(number, []).append(watch)
                paths.append(folder)
            yield watch
        finally:
            shared._remove(watch)

    def _remove(self, watch: _FolderWatch) -> None:
        for number in watch.paths:
            self._watches[number].remove(watch)
            if not self._watches[number]:
                del self._watches[number]
                self._kernel.remove(number)
        if not self._watches:
            del _SHARED[self._loop]
            self._stop_reading()
            self._kernel.close()

    def _read(self) -> None:
        """Hand out the pending events, and look for more after a step."""
        self._stop_reading()
        is_any = False
        for event in self._kernel.read():
            is_any = True
            lost = event.mask & inotify.OVERFLOW
            numbers = self._watches if lost else (event.watch,)
            for number in numbers:
                for watch in self._watches.get(number, ()):
                    watch.record(event)
        if is_any:
            self._timer = self._loop.call_later(STEP_SECONDS, self._read)
        else:
            self._loop.add_reader(self._kernel.descriptor, self._read)

    def _stop_reading(self) -> None:
        self._loop.remove_reader(self._kernel.descriptor)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


_SHARED: Final = WeakKeyDictionary[asyncio.AbstractEventLoop, _SharedInotify]()


async def _watch_inotify(
    folders: tuple[str, ...], accepts: Callable[[str], bool]
) -> AsyncGenerator[FolderChanges, None]:
    loop = asyncio.get_running_loop()
    with _SharedInotify.watch(folders) as watch:
        while True:
            await watch.has_events.wait()
            changes = FolderChanges()
            deadline = loop.time() + DEBOUNCE_SECONDS
            while watch.read(accepts, changes) and loop.time() < deadline:
                await asyncio.sleep(STEP_SECONDS)
            yield changes
            if changes.is_ended:
                return


async def watch_portably(
    folders: tuple[str, ...], accepts: Callable[[str], bool]
) -> AsyncGenerator[FolderChanges, None]:
    """Yield changes as `watch_folders` does, by watchfiles."""
    from watchfiles import Change, awatch

    watched = frozenset(folders)
    following = awatch(
        *folders,
        watch_filter=lambda _, path: path in watched or accepts(path),
        debounce=int(DEBOUNCE_SECONDS * 1000),
        step=_AWATCH_STEP_MS,
        force_polling=False,
        recursive=False,
        # True would silently ignore every other error, too.
        ignore_permission_denied=False,
    )
    async with aclosing(following):
        async for events in following:
            yield FolderChanges(
                present={path for change, path in events if change != Change.deleted},
                removed={path for change, path in events if change == Change.deleted},
                # A folder that was removed, even if it came back, is not watched.
                is_ended=not watched.isdisjoint(path for _, path in events),
            )
