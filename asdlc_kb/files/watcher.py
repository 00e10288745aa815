"""Keeps a cache in step with the disk: a sweep is the truth, events are hints.

Kernel events say when to look at once; they can be lost, and a watch goes deaf when its
folder is replaced. So a look is made every `SWEEP_SECONDS` whatever they say, and the
watch is renewed when the folders are others than before, and when it fails. The folders
that a domain finds are watched one by one, not what is below them: a watch of a whole
tree walks it first, and holds up everything else meanwhile. A look costs about 3 ms for
1,000 files and runs in a thread.
"""

import asyncio
import logging
import os
import re
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from watchfiles import Change, awatch

from asdlc_kb.files.paths import is_name

logger = logging.getLogger(__name__)

# It names every file that changes, hidden ones too.
logging.getLogger("watchfiles").setLevel(logging.WARNING)


class FindFolders(Protocol):
    """What a look found."""

    @property
    def is_unsettled(self) -> bool:
        """Whether a file is being written: look again soon."""


F = TypeVar("F", bound=FindFolders)

UNFINISHED_SECONDS: Final = 0.04
"""How often files that are being written are looked at between two sweeps."""

SWEEP_SECONDS: Final = 2.0
"""The longest that a change stays unseen."""

POLL_SECONDS: Final = 0.3
"""The same without kernel events, where they are switched off."""

_STEP_MS: Final = 2
"""Events are gathered until none came for so long."""

_DEBOUNCE_MS: Final = 20
"""Events are gathered for so long at most."""

_STOP_SECONDS: Final = 1.0
"""A watch that is cancelled ends in a step; nobody waits longer for it."""

_QUOTED = re.compile('".*"', re.DOTALL)

Folders: TypeAlias = Mapping[str, tuple[int, int]]
"""By path, which folder it is: device and inode."""


class Watcher(Generic[F]):
    """Looks when the kernel says so, and every `SWEEP_SECONDS` anyway."""

    def __init__(
        self,
        root: Path,
        look: Callable[[], F],
        publish: Callable[[F], None],
        *,
        interval: float = SWEEP_SECONDS,
        events: bool = True,
        find: Callable[[Path], Folders] | None = None,
        concerns: Callable[[str], bool] | None = None,
        look_at_unfinished: Callable[[], F] | None = None,
    ) -> None:
        """Watch a root's folders, which `find` finds.

        Of the paths in them, `concerns` says which ones a change of is told for. While
        a look finds files that are being written, `look_at_unfinished` (`look`, if it
        is not given) is called until none is left or another look is due.
        """
        self._root = root
        self._is_of_concern = concerns or is_lasting
        self._find = find or find_folders
        self._look = look
        self._look_at_unfinished = look_at_unfinished or look
        self._publish = publish
        self._interval = interval if events else min(interval, POLL_SECONDS)
        self._listens = events
        self._hint = asyncio.Event()
        self._watched: Folders = {}
        self._is_failing = False
        self._listener: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Watch until cancelled; a failed look is logged and the next one is made."""
        try:
            while True:
                # What happens from here on asks for another round.
                self._hint.clear()
                if self._listens:
                    await self._renew()
                await self._follow(await self._look_once(self._look))
        finally:
            await self._stop_listening()

    async def _follow(self, is_unsettled: bool) -> None:
        """Look at unfinished files until another look is due."""
        due = time.monotonic() + self._interval
        while is_unsettled and not self._hint.is_set() and time.monotonic() < due:
            await self._wait(min(UNFINISHED_SECONDS, self._interval))
            if not self._hint.is_set():
                is_unsettled = await self._look_once(self._look_at_unfinished)
        await self._wait(due - time.monotonic())

    async def _look_once(self, look: Callable[[], F]) -> bool:
        """Look and publish; return whether a file is being written."""
        try:
            found = await asyncio.to_thread(look)
            self._publish(found)
        except Exception:
            logger.exception("a look at the content failed")
            return False
        return found.is_unsettled

    async def _wait(self, seconds: float) -> None:
        """Wait for a hint, no longer than this."""
        try:
            async with asyncio.timeout(seconds):
                await self._hint.wait()
        except TimeoutError:
            pass

    async def _renew(self) -> None:
        """Watch the folders that there are now, unless they are those watched."""
        folders = await asyncio.to_thread(self._find, self._root)
        is_deaf = self._listener is None or self._listener.done()
        if folders == self._watched and not is_deaf:
            return
        await self._stop_listening()
        self._watched = folders
        if folders:
            self._listener = asyncio.ensure_future(self._listen(folders))
            # Its first step arms the watch: nothing falls between it and the look.
            await asyncio.sleep(0)

    async def _stop_listening(self) -> None:
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.wait((self._listener,), timeout=_STOP_SECONDS)

    async def _listen(self, folders: Folders) -> None:
        """Turn kernel events into hints until the watch fails or may be deaf."""
        watch = awatch(
            *folders,
            watch_filter=self._concerns,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            force_polling=False,
            recursive=False,
            # It would ignore every other error too, and be deaf in silence.
            ignore_permission_denied=False,
        )
        try:
            async with aclosing(watch):
                async for changes in watch:
                    self._is_failing = False
                    self._hint.set()
                    # A folder that went, even if it came back, is watched no more.
                    if any(path in folders for _, path in changes):
                        return
        except Exception as error:
            self._report(error)

    def _report(self, error: BaseException) -> None:
        """Log, once, that the sweep goes on alone; each sweep tries another watch.

        Out of watches, for instance, or a name that is not UTF-8. The name is left out.
        """
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, FileNotFoundError):
            # A folder went after it was listed: no fault, and the next sweep's.
            return
        if not self._is_failing:
            reason = _QUOTED.sub("...", str(error))
            logger.warning("kernel events failed", extra={"reason": reason[:200]})
        self._is_failing = True

    def _concerns(self, change: Change, path: str) -> bool:
        return path in self._watched or self._is_of_concern(path)


def is_lasting(path: str) -> bool:
    """Pass over temporary names: only the rename that follows them counts.

    Two dots are what a mounted ConfigMap swaps its files with.
    """
    name = os.path.basename(path)
    return not name.startswith(".") or name.startswith("..")


def find_folders(root: Path) -> Folders:
    """Return the root and its folders that are served and may be watched.

    Empty if there is no root.
    """
    folders: dict[str, tuple[int, int]] = {}
    try:
        folders[str(root)] = _identify(os.stat(root))
        with os.scandir(root) as entries:
            found = [entry.path for entry in entries if is_name(entry.name)]
    except OSError:
        return folders
    for path in found:
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
