"""Store writer: keeps the parsed store of a library on disk, in a thread.

A store is only for the next start, so writing it waits until changes have settled, and
takes a small share of the time however large it is.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.files.parsed_store import Cancelled

logger = logging.getLogger(__name__)

DELAY_SECONDS: Final = 3.0
"""Seconds after a change for which more changes are awaited. Files read within two
seconds of their last change are read once more before."""

MAX_TIME_SHARE: Final = 0.02
"""Share of the time in which a store is written."""


class StoreWriter:
    """Background task that writes a store after the start and after changes."""

    def __init__(
        self,
        save: Callable[[Callable[[], bool]], int],
        *,
        release_memory: Callable[[], None] = lambda: None,
        delay: float = DELAY_SECONDS,
    ) -> None:
        """Call `save`, which writes if that is due, with a check for cancellation.

        It returns the bytes written. `release_memory` is called in a thread after a
        write, which leaves much memory unused.
        """
        self._save = save
        self._release_memory = release_memory
        self._delay = delay
        self._requested = asyncio.Event()
        self._is_stopped = False

    def request(self) -> None:
        """Request a save because the library changed; on the event loop."""
        self._requested.set()

    async def run(self) -> None:
        """Save now, and after each `request`, until cancelled or out of access."""
        self.request()
        pause = self._delay
        while not self._is_stopped:
            await self._requested.wait()
            await asyncio.sleep(pause)
            self._requested.clear()
            began = time.monotonic()
            if not await asyncio.to_thread(self._write):
                return
            seconds = time.monotonic() - began
            pause = max(self._delay, seconds / MAX_TIME_SHARE)

    def stop(self) -> None:
        """Abort a write in a thread soon."""
        self._is_stopped = True

    def _write(self) -> bool:
        """Save, and log it; False if the store cannot be written."""
        try:
            size = self._save(lambda: self._is_stopped)
        except Cancelled:
            return False
        except (OSError, OperationalError) as error:
            fault = getattr(error, "strerror", None) or str(error)
            logger.info("parsed cache not written", extra={"error": fault})
            return False
        except Exception as error:
            logger.error("parsed cache failed", extra={"error": type(error).__name__})
            return False
        if size:
            logger.info("parsed cache written", extra={"bytes": size})
            self._release_memory()
        return True
