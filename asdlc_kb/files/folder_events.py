"""Kernel events of folders, in batches: inotify on Linux, watchfiles elsewhere.

inotify is read when its descriptor is readable, so waiting costs nothing; watchfiles
wakes at each of its steps (D-177).
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from typing import Final

from asdlc_kb.files import inotify
from asdlc_kb.files.inotify import Inotify

STEP_SECONDS: Final = 0.002
"""Events are collected until none has arrived for this time."""

DEBOUNCE_SECONDS: Final = 0.02
"""Maximum time for which events are collected."""

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


async def _watch_inotify(
    folders: tuple[str, ...], accepts: Callable[[str], bool]
) -> AsyncGenerator[FolderChanges, None]:
    kernel = Inotify()
    loop = asyncio.get_running_loop()
    try:
        # One folder can have several paths.
        paths: dict[int, list[str]] = {}
        for folder in folders:
            paths.setdefault(kernel.add(folder, _MASK), []).append(folder)
        while True:
            await _wait_readable(kernel.descriptor)
            changes = FolderChanges()
            deadline = loop.time() + DEBOUNCE_SECONDS
            while _read(kernel, paths, accepts, changes) and loop.time() < deadline:
                await asyncio.sleep(STEP_SECONDS)
            yield changes
            if changes.is_ended:
                return
    finally:
        kernel.close()


async def _wait_readable(descriptor: int) -> None:
    """Return once a descriptor is readable; it is watched by the loop until then."""
    loop, is_readable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, is_readable.set)
    try:
        await is_readable.wait()
    finally:
        loop.remove_reader(descriptor)


def _read(
    kernel: Inotify,
    paths: dict[int, list[str]],
    accepts: Callable[[str], bool],
    changes: FolderChanges,
) -> bool:
    """Add the pending events to `changes`; return whether there was any."""
    is_any = False
    for event in kernel.read():
        is_any = True
        changes.is_incomplete |= bool(event.mask & inotify.OVERFLOW)
        changes.is_ended |= bool(event.mask & _ENDED)
        folders = paths.get(event.watch, ())
        if not event.name:
            changes.present.update(folders)
            continue
        found = changes.removed if event.mask & _REMOVED else changes.present
        name = os.fsdecode(event.name)
        named = (f"{folder}{os.sep}{name}" for folder in folders)
        found.update(filter(accepts, named))
    return is_any


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
