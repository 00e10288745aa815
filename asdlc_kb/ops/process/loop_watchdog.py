"""Notices when the event loop is held up, and says by what: one line with its stack.

A daemon thread asks the loop for an answer, a few times a second. An answer that is
late means that something blocks the loop's thread; the thread can still see where.
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
"""An answer that takes longer is reported."""

PERIOD_SECONDS: Final = 0.25
"""The loop is left alone for so long between an answer and the next question."""

QUIET_SECONDS: Final = 10.0
"""At most one line in so long."""

_STEPS: Final = 5
"""An answer is waited for in steps: a process that was stopped misses but one."""

_MAX_FRAMES: Final = 20

AskDelay: TypeAlias = Callable[[Callable[[], None]], object]
"""Lets the loop call something soon; RuntimeError if it is closed."""


class LoopWatchdog:
    """Watches the thread that it is made in, within a `with` block."""

    def __init__(
        self,
        ask: AskDelay,
        *,
        late: float = MAX_LAG_SECONDS,
        note: Callable[[float], None] = lambda seconds: None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask by `ask`; tell `note` the seconds that each answer took."""
        self._ask = ask
        self._late = late
        self._note = note
        self._timer = timer
        self._thread_id = threading.get_ident()
        self._told_at: float | None = None
        self._is_over = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._run, name="watchdog", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over.set()

    def look(self) -> None:
        """Ask once, and report an answer that is late; in another thread.

        How long the answer took, late or not, is noted in the loop's own thread.
        """
        answered, asked = threading.Event(), self._timer()

        def answer() -> None:
            answered.set()
            self._note(self._timer() - asked)

        self._ask(answer)
        if any(answered.wait(self._late / _STEPS) for _ in range(_STEPS)):
            return
        now = self._timer()
        if self._told_at is None or now - self._told_at >= QUIET_SECONDS:
            self._told_at = now
            self._report()

    def _run(self) -> None:
        while not self._is_over.wait(PERIOD_SECONDS):
            try:
                self.look()
            except RuntimeError:
                return

    def _report(self) -> None:
        frame = sys._current_frames().get(self._thread_id)
        stack = traceback.format_stack(frame)[-_MAX_FRAMES:]
        # The lines of all those files would stay, spread over what a load took: they
        # would keep that from being given back.
        linecache.clearcache()
        logger.warning("event loop blocked", extra={"stack": "".join(stack)})
