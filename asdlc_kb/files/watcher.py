"""Keeps a cache in step with the disk: a sweep is the truth, events are hints.

Kernel events say when to look at once; they can be lost, and a watch goes deaf when its
root is replaced. So a look is made every `SWEEP_SECONDS` whatever they say, the watch
is renewed when the root is another folder than before, and restarted when it fails. A
look costs about 3 ms for 1,000 files and runs in a thread.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, TypeVar

from watchfiles import Change, awatch

from asdlc_kb.files.cache import Look
from asdlc_kb.files.signature import STILL_SECONDS

logger = logging.getLogger(__name__)

T = TypeVar("T")

SWEEP_SECONDS: Final = 2.0
"""The longest that a change stays unseen."""

POLL_SECONDS: Final = 0.3
"""The same without kernel events, where they are switched off."""

_STEP_MS: Final = 2
"""Events are gathered until none came for so long."""

_DEBOUNCE_MS: Final = 20
"""Events are gathered for so long at most."""


class Watcher(Generic[T]):
    """Looks when the kernel says so, and every `SWEEP_SECONDS` anyway."""

    def __init__(
        self,
        root: Path,
        look: Callable[[], Look[T]],
        publish: Callable[[Look[T]], None],
        *,
        interval: float = SWEEP_SECONDS,
        events: bool = True,
    ) -> None:
        self._root = root
        self._look = look
        self._publish = publish
        self._interval = interval if events else min(interval, POLL_SECONDS)
        self._listens = events
        self._hint = asyncio.Event()
        self._watched: tuple[str, int, int] | None = None
        self._listener: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Watch until cancelled; a failed look is logged and the next one is made."""
        try:
            while True:
                if self._listens:
                    self._renew()
                delay = await self._look_once()
                await self._wait(delay)
        finally:
            if self._listener is not None:
                self._listener.cancel()

    async def _look_once(self) -> float:
        """Look and publish; return the seconds until the next look."""
        self._hint.clear()
        try:
            look = await asyncio.to_thread(self._look)
            self._publish(look)
        except Exception:
            logger.exception("a look at the content failed")
            return self._interval
        return STILL_SECONDS if look.is_unsettled else self._interval

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._hint.wait()
        except TimeoutError:
            pass

    def _renew(self) -> None:
        """Watch the folder that the root is now, unless it is the one watched."""
        identity = _identify(self._root)
        is_deaf = self._listener is None or self._listener.done()
        if identity is None or (identity == self._watched and not is_deaf):
            return
        if self._listener is not None:
            self._listener.cancel()
        self._watched = identity
        self._listener = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        """Turn kernel events into hints until the watch fails."""
        try:
            async for _ in awatch(
                self._root,
                watch_filter=self._concerns,
                debounce=_DEBOUNCE_MS,
                step=_STEP_MS,
                force_polling=False,
                ignore_permission_denied=True,
            ):
                self._hint.set()
        except Exception as error:
            # Out of watches, or a name it cannot read: the sweep goes on alone, and
            # the next one starts another watch.
            logger.warning("kernel events failed", extra={"reason": str(error)[:200]})

    def _concerns(self, change: Change, path: str) -> bool:
        """Pass over temporary names: only the rename that follows them counts."""
        return not os.path.basename(path).startswith(".") or path == str(self._root)


def _identify(root: Path) -> tuple[str, int, int] | None:
    """Return which folder the root is, through all links; None if there is none."""
    try:
        status = os.stat(root)
    except OSError:
        return None
    return os.path.realpath(root), status.st_dev, status.st_ino
