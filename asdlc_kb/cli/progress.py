"""Progress of commands that may take seconds, on a terminal only.

A thread shows it, so the work costs no more than to count its steps.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

import click

DELAY_SECONDS: Final = 0.5
"""Time without progress: what is done by then needs none."""

INTERVAL_SECONDS: Final = 0.1
"""Interval between two updates, however many steps there are."""

_SHOW_CURSOR: Final = "\x1b[?25h"
"""Undoes what a bar begins with."""

ReportProgress: TypeAlias = Callable[[int, int], None]
"""Takes the number of steps that are done, and that of all."""


class ProgressDisplay:
    """A line with a label: the seconds, or a bar once the number of steps is known."""

    def __init__(
        self, label: str, *, color: bool | None, clock: Callable[[], float]
    ) -> None:
        self._label = label
        self._color = color
        self._clock = clock
        self._begin = clock()
        self._steps: tuple[int, int] | None = None
        self._text = ""
        self._shown = 0
        """Columns that were written."""
        self._bar = click.progressbar(
            length=1, label=label, file=sys.stderr, show_pos=True, color=color
        )

    def report(self, done: int, total: int) -> None:
        """Set the number of steps that are done, and that of all."""
        self._steps = done, total

    def render(self) -> None:
        """Write the line again, unless it is too early."""
        seconds = self._clock() - self._begin
        if seconds < DELAY_SECONDS:
            return
        if self._steps is None:
            text = f"{self._label}  {int(seconds)} s"
            if text != self._text:
                self._write(f"\r{text}")
            self._text, self._shown = text, len(text)
            return
        done, self._bar.length = self._steps
        self._bar.update(done - self._bar.pos)
        self._shown = max(self._shown, self._bar.max_width or 0)

    def erase(self) -> None:
        """Leave an empty line, and a visible cursor."""
        if self._shown:
            self._write(f"\r{' ' * self._shown}\r{_SHOW_CURSOR}")

    def _write(self, text: str) -> None:
        click.echo(text, file=sys.stderr, nl=False, color=self._color)


@contextmanager
def show_progress(label: str) -> Iterator[ReportProgress]:
    """Show progress until the block ends; yield a function that reports steps."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda done, total: None
        return
    context = click.get_current_context(silent=True)
    color = None if context is None else context.color
    display = ProgressDisplay(label, color=color, clock=time.monotonic)
    is_done = threading.Event()

    def run() -> None:
        while not is_done.wait(INTERVAL_SECONDS):
            display.render()

    thread = threading.Thread(target=run, name="progress", daemon=True)
    thread.start()
    try:
        yield display.report
    finally:
        is_done.set()
        thread.join()
        display.erase()
