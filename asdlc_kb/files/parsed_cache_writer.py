"""Parsed cache writer: keeps the parsed cache of a library on disk, in a thread.

It is only for the next start, so writing it waits until changes have settled, and takes
a small share of the time however large it is.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.files.parsed_cache import Cancelled

logger = logging.getLogger(__name__)

DELAY_SECONDS: Final = 3.0
"""Seconds after a change for which more changes are awaited. Files read within two
seconds of their last change are read once more before."""

RETRY_SECONDS: Final = 60.0
"""Seconds after a failure, such as a full disk, before the next attempt."""

MAX_TIME_SHARE: Final = 0.02
"""Share of the time in which a parsed cache is written."""


class ParsedCacheWriter:
    """Background task that writes a parsed cache after the start and after changes."""

    def __init__(
        self,
        save: Callable[[Callable[[], bool]], int],
        *,
        release_memory: Callable[[], None] = lambda: None,
        delay: float = DELAY_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """Call `save`, which writes if that is due, with a check for cancellation.

        It returns the bytes written. `release_memory` is called in a thread after a
        write, which leaves much memory unused.
        """
        self._save = save
        self._release_memory = release_memory
        self._delay = delay
        self._retry_seconds = retry_seconds
        self._requested = asyncio.Event()
        self._is_stopped = False
        self._failure: tuple[str, str] | None = None
        """How the last write failed, and why."""

    def request(self) -> None:
        """Request a save because the library changed; on the event loop."""
        self._requested.set()

    async def run(self) -> None:
        """Save now and after each `request`, and again after a failure.

        Ends when cancelled or stopped, and if the folder is not trusted.
        """
        self.request()
        pause = self._delay
        while not self._is_stopped:
            await self._requested.wait()
            await asyncio.sleep(pause)
            self._requested.clear()
            began = time.monotonic()
            pause = self._delay
            try:
                await asyncio.to_thread(self._write)
            except Cancelled:
                return
            except OperationalError as error:
                logger.info("parsed cache not written", extra={"error": str(error)})
                return
            except Exception as error:
                self._log_failure(error)
                self.request()
                pause = self._retry_seconds
            else:
                self._failure = None
            seconds = time.monotonic() - began
            pause = max(pause, seconds / MAX_TIME_SHARE)

    def stop(self) -> None:
        """Abort a write in a thread soon."""
        self._is_stopped = True

    def _write(self) -> None:
        """Save, and log it."""
        if size := self._save(lambda: self._is_stopped):
            logger.info("parsed cache written", extra={"bytes": size})
            self._release_memory()

    def _log_failure(self, error: Exception) -> None:
        """Log a failure unless the previous write failed for the same reason."""
        reason = type(error).__name__
        level, failure = logging.ERROR, ("parsed cache failed", reason)
        if isinstance(error, OSError):
            reason = error.strerror or reason
            level, failure = logging.INFO, ("parsed cache not written", reason)
        if self._failure != failure:
            self._failure = failure
            logger.log(level, failure[0], extra={"error": reason})
