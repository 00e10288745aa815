"""D-053: many events are few lines, and the counts lose none."""

import asyncio
import logging
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.files import Clock
from support.loglines import captured
from support.wire import until

from asdlc_kb.ops.logs import log_throttle
from asdlc_kb.ops.logs.log_throttle import (
    MAX_LINES_PER_SECOND,
    LogThrottle,
    ThrottledCounter,
)

LOGGER = logging.getLogger("tests.tally")

Step = tuple[str, float]


def test_a_kind_is_spoken_of_at_once_and_then_once_in_a_while() -> None:
    """One line at most in ten seconds, with the number of events since."""
    clock = Clock(1000.0)
    sampler = LogThrottle[str](clock=clock)
    assert [sampler.count("a") for _ in range(4)] == [1, 0, 0, 0]
    clock.now += 9.9
    assert sampler.count("a") == 0
    clock.now += 0.1
    assert [sampler.count("a"), sampler.count("a")] == [5, 0]


def test_kinds_are_counted_apart() -> None:
    """A frequent kind does not hide another."""
    sampler = LogThrottle[str](clock=Clock())
    assert [sampler.count("a"), sampler.count("b"), sampler.count("a")] == [1, 1, 0]


def test_all_together_have_a_bound_and_nothing_is_lost() -> None:
    """D-053: many addresses fill no disk; suppressed lines are reported later."""
    clock = Clock(1000.0)
    sampler = LogThrottle[str](together=3, clock=clock)
    names = [f"address {number}" for number in range(20)]
    assert sum(sampler.count(name) for name in names) == 3
    clock.now += 1
    assert [sampler.count(name) for name in names[3:7]] == [2, 2, 2, 0]


def test_who_was_passed_over_has_the_whole_pause_after_its_line() -> None:
    """Its time begins with the line, not with suppressed events."""
    clock = Clock(1000.0)
    sampler = LogThrottle[str](together=1, clock=clock)
    assert [sampler.count("a"), sampler.count("b")] == [1, 0]
    clock.now += 5
    assert sampler.count("b") == 2
    clock.now += 9.9
    assert sampler.count("b") == 0
    clock.now += 0.1
    assert sampler.count("b") == 2


def test_memory_has_a_bound() -> None:
    """The kind known for longest is forgotten."""
    sampler = LogThrottle[str](together=100, max_kinds=2, clock=Clock())
    assert [sampler.count(name) for name in "abcb"] == [1, 1, 1, 0]
    assert sampler.count("a") == 1


def test_ten_of_a_kind_are_written_in_a_second() -> None:
    """D-053: sampled after ten a second, each kind on its own."""
    assert MAX_LINES_PER_SECOND == 10
    clock = Clock(5.0)
    sampler = LogThrottle[str](MAX_LINES_PER_SECOND, 1.0, clock=clock)
    assert [sampler.count("a") for _ in range(12)] == [1] * 10 + [0] * 2
    assert sampler.count("b")
    clock.now = 6.0
    assert sampler.count("a")


def test_a_second_begins_with_the_first_line_of_it() -> None:
    """D-053: not with each line: a continuous source would be silent ever longer."""
    clock = Clock(5.0)
    sampler = LogThrottle[str](2, 1.0, clock=clock)
    assert sampler.count("a")
    clock.now = 5.9
    assert [sampler.count("a"), sampler.count("a")] == [1, 0]
    clock.now = 6.0
    assert sampler.count("a") == 2


def test_what_was_not_written_is_told_when_its_second_is_over() -> None:
    """Once; for the last second at the very end."""
    clock = Clock(5.0)
    sampler = LogThrottle[str](1, 1.0, clock=clock)
    for _ in range(4):
        sampler.count("a")
    assert sampler.collect() == []
    clock.now = 6.2
    assert sampler.collect() == [("a", 3)]
    assert sampler.collect() == []
    sampler.count("a")
    sampler.count("a")
    assert sampler.collect(is_last=True) == [("a", 1)]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1.5)), max_size=60),
    st.integers(0, 3),
    st.none() | st.integers(0, 3),
)
def test_each_event_is_written_or_counted(
    steps: list[Step], most: int, together: int | None
) -> None:
    """D-053: no event is lost, whenever suppressed ones are read."""
    clock = Clock(0.0)
    sampler = LogThrottle[str](most, 1.0, together=together, clock=clock)
    known: Counter[str] = Counter()
    came = Counter(kind for kind, _ in steps)
    for place, (kind, pause) in enumerate(steps):
        clock.now += pause
        known[kind] += sampler.count(kind)
        if place % 3 == 0:
            known.update(dict(sampler.collect()))
    known.update(dict(sampler.collect(is_last=True)))
    assert +known == came


async def test_the_first_is_told_at_once_and_the_rest_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One line for each pause, however many events."""
    monkeypatch.setattr(log_throttle, "PAUSE_SECONDS", 0.01)
    counted = ThrottledCounter(LOGGER, "refused")
    with captured(LOGGER.name) as lines:
        counted.record("full")
        assert [row["full"] for row in lines.rows] == [1]
        for kind in ("full", "full", "slow") * 1_000:
            counted.record(kind)
        await until(lambda: sum(row.get("slow", 0) for row in lines.rows) == 1_000)
    assert counted.counts == {"full": 2_001, "slow": 1_000}
    assert sum(row.get("full", 0) for row in lines.rows) == 2_001
    assert {(row["event"], row["level"]) for row in lines.rows} == {
        ("refused", "warning")
    }


async def test_a_pause_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """D-053: a thousand within it are reported when it is over, or at the end."""
    counted = ThrottledCounter(LOGGER, "cut", level=logging.INFO)
    with captured(LOGGER.name) as lines:
        for _ in range(1_000):
            counted.record("slow")
            await asyncio.sleep(0)
        assert [row["slow"] for row in lines.rows] == [1]
        counted.close()
        counted.close()
    assert [(row["slow"], row["level"]) for row in lines.rows] == [
        (1, "info"),
        (999, "info"),
    ]


async def test_after_a_quiet_pause_the_next_is_told_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pause without events has no line, and ends the series."""
    monkeypatch.setattr(log_throttle, "PAUSE_SECONDS", 0.01)
    counted = ThrottledCounter(LOGGER, "cut")
    with captured(LOGGER.name) as lines:
        counted.record("slow")
        await until(lambda: counted._timer is None)
        assert len(lines.rows) == 1
        counted.record("slow")
        assert len(lines.rows) == 2
        counted.close()


async def test_nothing_is_told_of_nothing() -> None:
    """The end of a server without events."""
    with captured(LOGGER.name) as lines:
        ThrottledCounter(LOGGER, "cut").close()
    assert lines.rows == []
