"""Shutdown of a server process in bounded time, whatever its threads do."""

import faulthandler
import logging
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic
from typing import Final

logger = logging.getLogger(__name__)

MAX_STOP_SECONDS: Final = 4.0
"""Seconds from the signal until requests and background work have ended."""

MAX_EXIT_SECONDS: Final = 1.0
"""Seconds between their end and the exit of the process."""

MAX_JOIN_SECONDS: Final = 0.2
"""Seconds of `MAX_EXIT_SECONDS` in which threads may end."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Exit this process with code 1 if the block takes longer than `seconds`.

    The stacks of its threads are written to stderr first. The interpreter does so in a
    thread without the GIL: a C call that holds it does not prevent the exit.
    """
    start_time_limit(seconds)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def start_time_limit(seconds: float) -> None:
    """Start a time limit, replacing the current one; the next `time_limit` ends it.

    May be called in any thread.
    """
    if sys.stderr is not None:
        faulthandler.dump_traceback_later(seconds, exit=True)


def join_threads(
    executor: ThreadPoolExecutor, seconds: float = MAX_JOIN_SECONDS
) -> None:
    """Join the threads of this process; exit with code 0 if some are still running.

    Python itself would join them without a timeout.
    """
    executor.shutdown(wait=False, cancel_futures=True)
    deadline = monotonic() + seconds
    for thread in _list_threads():
        thread.join(max(0.0, deadline - monotonic()))
    if running := [thread.name for thread in _list_threads()]:
        logger.warning("threads still running at exit", extra={"threads": running})
        logging.shutdown()
        os._exit(0)


def _list_threads() -> list[threading.Thread]:
    """Return the other threads that the interpreter joins at exit."""
    current = threading.current_thread()
    return [
        thread
        for thread in threading.enumerate()
        if thread is not current and not thread.daemon
    ]
