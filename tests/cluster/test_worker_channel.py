"""A worker's end, on a hub that a task keeps going."""

import asyncio

import pytest
from support.hub import on_hub
from support.wire import BOUND

from asdlc_kb.cluster import worker_channel as module
from asdlc_kb.cluster.transport import PeerUnreachable


async def test_letters_arrive_in_the_order_in_which_they_were_sent() -> None:
    """Even if no send awaited the one before."""
    async with on_hub() as (_, first, second):
        came: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        second.listen(lambda sender, letter: came.put_nowait((sender, letter)))
        letters = [b"%d" % number for number in range(100)]
        sending = [asyncio.ensure_future(first.send(second.name, x)) for x in letters]
        assert await asyncio.wait_for(asyncio.gather(*sending), BOUND) == [True] * 100
        for letter in letters:
            got = await asyncio.wait_for(came.get(), BOUND)
            assert got == (first.name, letter)


async def test_a_large_letter_arrives_whole() -> None:
    """A channel accepts a part at a time."""
    async with on_hub() as (_, first, second):
        came: asyncio.Queue[bytes] = asyncio.Queue()
        second.listen(lambda sender, letter: came.put_nowait(letter))
        letter = bytes(range(256)) * 400
        assert await asyncio.wait_for(first.send(second.name, letter), BOUND)
        assert await asyncio.wait_for(came.get(), BOUND) == letter


async def test_nobody_of_that_name_is_there() -> None:
    """False, so that a client starts over."""
    async with on_hub() as (_, first, second):
        assert first.name != second.name
        assert not await asyncio.wait_for(first.send("nobody", b"x"), BOUND)


async def test_sums_are_those_of_all() -> None:
    """Rates and metrics: one sees what the other counted."""
    async with on_hub() as (_, first, second):
        assert await first.exchange({"a/1": 2}) == {"a/1": 2}
        assert await second.exchange({"a/1": 1}) == {"a/1": 3}
        first.note({"calls": 1}, {"streams": 2})
        second.note({"calls": 5}, {"streams": 7})
        # What a worker says is read before what it says then.
        await second.exchange({})
        counts, levels = await first.sum()
        assert counts == {"calls": 6}
        assert levels == {"0": {"streams": 2}, "1": {"streams": 7}}


async def test_a_parent_that_does_not_answer_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Unreachable, so that a call is answered without it."""
    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.01)
    async with on_hub() as (parent, first, second):
        parent.is_deaf = True
        with pytest.raises(PeerUnreachable):
            await asyncio.wait_for(first.send(second.name, b"x"), BOUND)


async def test_the_death_of_the_parent_is_noticed() -> None:
    """D-123: workers end with their parent; waiting callers get an error at once."""
    async with on_hub() as (parent, first, second):
        parent.is_deaf = True
        waiting = asyncio.ensure_future(first.send(second.name, b"x"))
        await asyncio.sleep(0)
        parent.die()
        with pytest.raises(PeerUnreachable):
            await asyncio.wait_for(waiting, BOUND)
        await asyncio.wait_for(first.is_closed.wait(), BOUND)
        with pytest.raises(PeerUnreachable):
            await first.exchange({"a": 1})
