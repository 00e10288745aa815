"""Rate limiters of several processes in step, whatever happens between them."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from support.loglines import captured
from support.wire import until

from asdlc_kb.ops.limits import rate_limit_sync
from asdlc_kb.ops.limits.rate_limit_sync import MAX_PAUSE_SECONDS, RateLimitSync
from asdlc_kb.ops.limits.rate_limiter import Rate, RateLimiter

NOW = 1_000 * 60_000_000_000


class Board:
    """The sums of all processes, in one."""

    def __init__(self) -> None:
        self.sums: Counter[str] = Counter()
        self.asked = 0
        self.is_broken = False

    async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Add up."""
        self.asked += 1
        if self.is_broken:
            raise ConnectionError("the key is s3cret")
        self.sums.update(counted)
        return {key: self.sums[key] for key in counted}


class Deaf(Board):
    """Never answers."""

    async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Wait."""
        await asyncio.Event().wait()
        return {}


def make_meter(name: str = "calls", rate: Rate | None = None) -> RateLimiter:
    """Return a rate limiter with a clock that stands still."""
    return RateLimiter(name, rate or Rate(10, 60), clock=lambda: NOW)


def ask(meter: RateLimiter, times: int) -> int:
    """Return how many of so many requests are accepted."""
    return sum(meter.consume("a") == 0 for _ in range(times))


async def test_processes_count_together() -> None:
    """The limit is one, however many processes there are."""
    board = Board()
    meters = [make_meter() for _ in range(3)]
    sharings = [RateLimitSync([meter], board) for meter in meters]
    for meter, told in zip(meters, sharings, strict=True):
        assert ask(meter, 3) == 3
        await told.exchange()
    assert ask(meters[2], 9) == 1
    await sharings[2].exchange()
    assert ask(meters[0], 1) == 1
    await sharings[0].exchange()
    assert ask(meters[0], 9) == 0
    assert dict(board.sums) == {"calls/60/1000/a": 11}


async def test_rates_of_one_window_each_have_sums_of_their_own() -> None:
    """Calls and pages of one client are counted apart, and so are windows."""
    board = Board()
    meters = [make_meter(), make_meter("pages"), make_meter("pages", Rate(9, 30))]
    for meter in meters:
        ask(meter, 2)
    await RateLimitSync(meters, board).exchange()
    assert board.sums == {}
    for meter in meters:
        ask(meter, 2)
    await RateLimitSync(meters, board).exchange()
    assert dict(board.sums) == {
        "calls/60/1000/a": 2,
        "pages/60/1000/a": 2,
        "pages/30/2000/a": 2,
    }


async def test_nothing_is_told_while_nothing_is_counted() -> None:
    """An idle process sends nothing; counts are sent soon after."""
    board, meter = Board(), make_meter()
    running = asyncio.ensure_future(RateLimitSync([meter], board, pause=0.0).run())
    try:
        for number in range(1, 4):
            ask(meter, 2)
            await until(lambda number=number: board.asked == number)  # type: ignore[misc]
            assert board.sums["calls/60/1000/a"] == 2 * number
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def test_a_failure_changes_nothing_and_is_tried_less_and_less() -> None:
    """D-057: fail to local, never open, never 500; one line for each outage."""
    board, meter = Board(), make_meter()
    told = RateLimitSync([meter], board)
    usual = told.pause
    board.is_broken = True
    with captured("asdlc_kb.ops.limits.rate_limit_sync") as lines:
        pauses = []
        for _ in range(10):
            ask(meter, 1)
            await told.exchange()
            pauses.append(told.pause)
        assert ask(meter, 5) == 0
        assert pauses[:3] == [2 * usual, 4 * usual, 8 * usual]
        assert pauses[-1] == MAX_PAUSE_SECONDS
        board.is_broken = False
        await told.exchange()
    assert told.pause == usual
    assert [line["event"].partition(":")[0] for line in lines.rows] == [
        "rate limits are counted per process",
        "rate limits are counted across processes again",
    ]
    assert lines.rows[0]["reason"] == "ConnectionError"
    assert "s3cret" not in str(lines.rows)


async def test_sums_that_do_not_come_are_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D-057: a slow store delays no request."""
    monkeypatch.setattr(rate_limit_sync, "ANSWER_SECONDS", 0.0)
    meter = make_meter()
    told = RateLimitSync([meter], Deaf())
    ask(meter, 2)
    with captured("asdlc_kb.ops.limits.rate_limit_sync") as lines:
        await told.exchange()
    assert [line["reason"] for line in lines.rows] == ["TimeoutError"]
    assert ask(meter, 20) == 8


async def test_what_failed_is_not_told_twice() -> None:
    """D-057: it may have arrived: counted twice it would refuse other clients."""
    board, meter = Board(), make_meter()
    told = RateLimitSync([meter], board)
    board.is_broken = True
    ask(meter, 4)
    await told.exchange()
    board.is_broken = False
    ask(meter, 1)
    await told.exchange()
    assert board.sums["calls/60/1000/a"] == 1
    assert ask(meter, 20) == 5


async def test_sums_that_are_none_are_passed_over() -> None:
    """Values stored by others are not trusted."""

    class Odd(Board):
        async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, Any]:
            """Return invalid sums."""
            return {**dict.fromkeys(counted, "99"), "x": 5}

    meter = make_meter()
    told = RateLimitSync([meter], Odd())
    usual = told.pause
    ask(meter, 1)
    await told.exchange()
    assert told.pause == usual
    assert ask(meter, 20) == 9
