"""Tests of progress, on a real terminal."""

import os
import pty
import select
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from support.processes import BOUND

from asdlc_kb.cli import progress
from asdlc_kb.cli.progress import (
    DELAY_SECONDS,
    INTERVAL_SECONDS,
    ProgressDisplay,
    show_progress,
)


class Terminal:
    """A terminal as stderr, and a clock that the test moves."""

    def __init__(self, master: int) -> None:
        self._master = master
        self.now = 100.0

    def read(self) -> bytes:
        """Return what was written since the last call."""
        written = b""
        while select.select([self._master], [], [], 0)[0]:
            written += os.read(self._master, 65_536)
        return written

    def wait(self, text: bytes) -> bytes:
        """Return what is written until a text is shown."""
        written = b""
        while text not in written:
            ready, _, _ = select.select([self._master], [], [], BOUND)
            assert ready, written
            written += os.read(self._master, 65_536)
        return written


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A terminal as stderr of the module."""
    master, slave = pty.openpty()
    with open(slave, "w", buffering=1) as stderr:
        monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stderr))
        monkeypatch.setenv("TERM", "xterm")
        yield Terminal(master)
    os.close(master)


@pytest.fixture
def display(terminal: Terminal) -> ProgressDisplay:
    """A display with the terminal's clock."""
    return ProgressDisplay("Counting", color=None, clock=lambda: terminal.now)


def test_a_bar_shows_how_much_is_done(
    terminal: Terminal, display: ProgressDisplay
) -> None:
    """With its label, and erased at the end."""
    terminal.now += 1
    display.report(2, 4)
    display.render()
    shown = terminal.read()
    assert shown.startswith(b"\r\x1b[?25lCounting  [")
    assert b"2/4" in shown
    display.report(3, 4)
    display.render()
    assert b"3/4" in terminal.read()
    display.erase()
    erased = terminal.read()
    assert erased.startswith(b"\r  ")
    assert erased.endswith(b"\r\x1b[?25h")


def test_work_of_unknown_size_shows_the_seconds(
    terminal: Terminal, display: ProgressDisplay
) -> None:
    """Until the number of steps is known."""
    terminal.now += 3
    display.render()
    assert terminal.read() == b"\rCounting  3 s"
    terminal.now += INTERVAL_SECONDS
    display.render()
    assert terminal.read() == b""
    display.report(1, 4)
    display.render()
    assert b"1/4" in terminal.read()


def test_what_is_done_at_once_shows_nothing(
    terminal: Terminal, display: ProgressDisplay
) -> None:
    """A line that flashes helps no reader."""
    terminal.now += DELAY_SECONDS / 2
    display.report(1, 2)
    display.render()
    display.erase()
    assert terminal.read() == b""


def test_steps_write_nothing(terminal: Terminal, display: ProgressDisplay) -> None:
    """However many there are: a thread writes at most ten times a second."""
    terminal.now += 1
    for number in range(5_000):
        display.report(number, 5_000)
    assert terminal.read() == b""
    assert INTERVAL_SECONDS >= 0.1


@pytest.mark.parametrize("ends", ["normally", "with an error"])
def test_progress_is_shown_while_the_block_runs(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    """By a thread; at the end the line is erased and the cursor visible."""
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)

    def work(wait: Callable[[bytes], bytes]) -> None:
        with show_progress("Counting") as report:
            wait(b"Counting  0 s")
            report(3, 4)
            wait(b"3/4")
            if ends != "normally":
                raise RuntimeError

    if ends == "normally":
        work(terminal.wait)
    else:
        with pytest.raises(RuntimeError):
            work(terminal.wait)
    assert terminal.read().endswith(b"\r\x1b[?25h")


def test_a_dumb_terminal_gets_no_progress(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot move its cursor."""
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(progress, "ProgressDisplay", None)
    with show_progress("Counting") as report:
        report(1, 2)
    assert terminal.read() == b""


def test_a_pipe_gets_no_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logs of builds stay readable."""
    monkeypatch.setattr(progress, "ProgressDisplay", None)
    with show_progress("Counting") as report:
        report(1, 2)
    assert capsys.readouterr() == ("", "")
