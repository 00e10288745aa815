"""The watchdog: a blocked loop is noticed, and logged with its stack."""

import asyncio
import threading
from collections.abc import Callable

import pytest
from support.files import Clock
from support.loglines import LogLines, captured

from asdlc_kb.ops.process.loop_watchdog import (
    IDLE_PERIOD_SECONDS,
    MAX_LAG_SECONDS,
    PERIOD_SECONDS,
    QUIET_SECONDS,
    LoopWatchdog,
    choose_pause,
)

BOUND = 60.0
NAME = "asdlc_kb.ops.process.loop_watchdog"


def never(_: Callable[[], None]) -> None:
    """A loop that never gets to a callback."""


def soon(answer: Callable[[], None]) -> None:
    """A loop that has nothing else to do."""
    answer()


def look_from_elsewhere(watchdog: LoopWatchdog) -> None:
    """Run the check in another thread, while this function blocks."""
    looking = threading.Thread(target=watchdog.check_once)
    looking.start()
    looking.join(BOUND)
    assert not looking.is_alive()


def stacks(lines: LogLines) -> list[str]:
    """Return the logged stacks."""
    assert {row["event"] for row in lines.rows} <= {"event loop blocked"}
    return [row["stack"] for row in lines.rows]


def test_a_quarter_of_a_second_is_late() -> None:
    """D-140: a stack when the loop is late by more than 250 ms."""
    assert MAX_LAG_SECONDS == 0.25


def test_a_late_answer_is_one_line_with_the_stack_of_the_loops_thread() -> None:
    """The stack of the thread that made the watchdog, not the watchdog's."""
    watchdog = LoopWatchdog(never, max_lag=0)
    with captured(NAME) as lines:
        look_from_elsewhere(watchdog)
    (stack,) = stacks(lines)
    assert "in look_from_elsewhere\n" in stack
    assert "in _report\n" not in stack
    assert len(lines.text.splitlines()) == 1


def test_an_answer_in_time_is_no_line() -> None:
    """Silence means that nothing is wrong."""
    with captured(NAME) as lines:
        look_from_elsewhere(LoopWatchdog(soon))
    assert lines.text == ""


def test_there_is_at_most_one_line_in_ten_seconds() -> None:
    """D-053: a loop that stays blocked floods no log."""
    clock = Clock(100.0)
    watchdog = LoopWatchdog(never, max_lag=0, timer=clock)
    told = []
    for seconds in (0, QUIET_SECONDS - 1, 0.9, 0.1, 1, QUIET_SECONDS):
        clock.now += seconds
        with captured(NAME) as lines:
            look_from_elsewhere(watchdog)
        told.append(len(stacks(lines)))
    assert told == [1, 0, 0, 1, 0, 1]


def test_a_process_that_was_stopped_as_a_whole_is_not_blocked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its loop answers as soon as it goes on, although the time is long over."""
    waits = []

    class Continued(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout)
            return len(waits) > 1

    watchdog = LoopWatchdog(never)
    with captured(NAME) as lines:
        monkeypatch.setattr(threading, "Event", Continued)
        watchdog.check_once()
    assert (len(waits), lines.text) == (2, "")


async def test_a_blocked_loop_is_told_of_while_it_is_blocked() -> None:
    """D-140: the line names the function that blocks."""
    loop = asyncio.get_running_loop()
    with captured(NAME) as lines, LoopWatchdog(loop.call_soon_threadsafe):

        def hold_up_the_loop() -> None:
            assert lines.is_written.wait(BOUND)

        hold_up_the_loop()
    assert "in hold_up_the_loop\n" in stacks(lines)[0]


def test_an_idle_process_is_woken_once_a_second() -> None:
    """D-180: and four times a second as soon as it works."""
    assert choose_pause(0.0, PERIOD_SECONDS) == IDLE_PERIOD_SECONDS == 1.0
    assert choose_pause(0.009, IDLE_PERIOD_SECONDS) == IDLE_PERIOD_SECONDS
    assert choose_pause(0.1, IDLE_PERIOD_SECONDS) == PERIOD_SECONDS == 0.25


def test_it_ends_with_its_block_and_with_its_loop() -> None:
    """No thread outlives the server, whichever is closed first."""
    before = set(threading.enumerate())

    def closed(_: Callable[[], None]) -> None:
        raise RuntimeError("Event loop is closed")

    with LoopWatchdog(soon):
        (by_block,) = set(threading.enumerate()) - before
    with LoopWatchdog(closed):
        (by_loop,) = set(threading.enumerate()) - before - {by_block}
        by_loop.join(BOUND)
        assert not by_loop.is_alive()
    by_block.join(BOUND)
    assert not by_block.is_alive()


def test_each_answer_is_noted_with_the_seconds_it_took() -> None:
    """Also a late one, once it comes; by the thread of the loop."""
    noted, waiting = list[tuple[float, int]](), list[Callable[[], None]]()
    clock = Clock(5.0)

    def note(seconds: float) -> None:
        noted.append((seconds, threading.get_ident()))

    watchdog = LoopWatchdog(waiting.append, max_lag=0, record=note, timer=clock)
    look_from_elsewhere(watchdog)
    assert noted == []
    clock.now = 8.5
    waiting[0]()
    assert noted == [(3.5, threading.get_ident())]
