"""The end of a server's process: within a bound, whatever its threads do."""

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
"""Seconds from then to the end of the process."""

MAX_JOIN_SECONDS: Final = 0.2
"""Seconds of these that threads are waited for."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """End this process with exit code 1 if the block takes longer than so many seconds.

    The stacks of its threads are written to stderr then. The interpreter does it in a
    thread that needs no lock: a call into C that holds the interpreter is no obstacle.
    """
    start_time_limit(seconds)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def start_time_limit(seconds: float) -> None:
    """Begin a time limit, which replaces the one before; the next `time_limit` ends it.

    May be called in any thread.
    """
    if sys.stderr is not None:
        faulthandler.dump_traceback_later(seconds, exit=True)


def join_threads(
    executor: ThreadPoolExecutor, seconds: float = MAX_JOIN_SECONDS
) -> None:
    """Wait for the threads of this process; end it with code 0 where some go on.

    Python itself would wait for them without a bound.
    """
    executor.shutdown(wait=False, cancel_futures=True)
    deadline = monotonic() + seconds
    for thread in _list_threads():
        thread.join(max(0.0, deadline - monotonic()))
    if left := [thread.name for thread in _list_threads()]:
        logger.warning("threads did not end", extra={"threads": left})
        logging.shutdown()
        os._exit(0)


def _list_threads() -> list[threading.Thread]:
    """Return the other threads that the end of Python waits for."""
    this = threading.current_thread()
    return [
        thread
        for thread in threading.enumerate()
        if thread is not this and not thread.daemon
    ]
