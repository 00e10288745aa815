"""A watchdog of the event loop: logs the stack of code that blocks it.

A daemon thread schedules a callback on the loop, a few times a second. A late callback
means that the loop's thread is blocked; the watchdog thread can still read its stack.
"""

import linecache
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TypeAlias

logger = logging.getLogger(__name__)

MAX_LAG_SECONDS: Final = 0.25
"""Duration above which a callback is logged."""

PERIOD_SECONDS: Final = 0.25
"""Pause between a callback and the next check, while the process works."""

IDLE_PERIOD_SECONDS: Final = 1.0
"""The same while it does not."""

_MIN_LOAD: Final = 0.01
"""Share of a core from which on a process works."""

QUIET_SECONDS: Final = 10.0
"""Minimum interval between two log lines."""

_STEPS: Final = 5
"""The wait is divided into steps: a process that was stopped misses only one."""

_MAX_FRAMES: Final = 20

CallSoon: TypeAlias = Callable[[Callable[[], None]], object]
"""Schedules a callback on the loop; raises RuntimeError if it is closed."""


def choose_pause(spent: float, seconds: float) -> float:
    """Return the next pause of a process that spent some CPU time within `seconds`."""
    return PERIOD_SECONDS if spent >= _MIN_LOAD * seconds else IDLE_PERIOD_SECONDS


class LoopWatchdog:
    """Watches the thread that creates it, within a `with` block."""

    def __init__(
        self,
        call_soon: CallSoon,
        *,
        max_lag: float = MAX_LAG_SECONDS,
        record: Callable[[float], None] = lambda seconds: None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Check with `call_soon`; pass the seconds of each callback to `record`."""
        self._call_soon = call_soon
        self._max_lag = max_lag
        self._record = record
        self._timer = timer
        self._thread_id = threading.get_ident()
        self._reported_at: float | None = None
        self._is_stopped = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._run, name="watchdog", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_stopped.set()

    def check_once(self) -> None:
        """Check once, and log a late callback; called in another thread.

        The delay, late or not, is passed to `record` in the loop's thread.
        """
        called, scheduled_at = threading.Event(), self._timer()

        def callback() -> None:
            called.set()
            self._record(self._timer() - scheduled_at)

        self._call_soon(callback)
        if any(called.wait(self._max_lag / _STEPS) for _ in range(_STEPS)):
            return
        now = self._timer()
        if self._reported_at is None or now - self._reported_at >= QUIET_SECONDS:
            self._reported_at = now
            self._report()

    def _run(self) -> None:
        pause, spent = PERIOD_SECONDS, time.process_time()
        while not self._is_stopped.wait(pause):
            try:
                self.check_once()
            except RuntimeError:
                return
            before, spent = spent, time.process_time()
            pause = choose_pause(spent - before, pause)

    def _report(self) -> None:
        frame = sys._current_frames().get(self._thread_id)
        stack = traceback.format_stack(frame)[-_MAX_FRAMES:]
        # The cached source lines would be scattered over the memory of a load, and
        # keep it from being returned to the system.
        linecache.clearcache()
        logger.warning("event loop blocked", extra={"stack": "".join(stack)})
