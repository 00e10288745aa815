"""A worker's end, on a hub that a task keeps going."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from support.wire import BOUND, until

from asdlc_kb.cluster import spoke as module
from asdlc_kb.cluster.hub import Hub, Line
from asdlc_kb.cluster.mail import Unreachable
from asdlc_kb.cluster.spoke import Spoke


class Parent:
    """A hub whose lines the loop of the test reads and writes."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.hub = Hub(self.told.append, count=2)
        self.lines: list[Line] = []
        self.is_deaf = False
        self._channels: list[socket.socket] = []

    async def join(self) -> Spoke:
        """Return another worker's end, open."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        line = self.hub.connect(len(self.lines), ours)
        self.lines.append(line)
        self._channels.append(ours)
        asyncio.get_running_loop().add_reader(ours, self._read, ours, line)
        spoke = Spoke(theirs)
        await spoke.open()
        return spoke

    def die(self) -> None:
        """Let go of all channels."""
        while self._channels:
            asyncio.get_running_loop().remove_reader(self._channels.pop())
        for line in self.lines:
            line.close()

    def _read(self, channel: socket.socket, line: Line) -> None:
        if self.is_deaf:
            return
        if not line.read():
            asyncio.get_running_loop().remove_reader(channel)
        for each in self.lines:
            while each.wants_to_write:
                each.write()


@asynccontextmanager
async def on_hub() -> AsyncIterator[tuple[Parent, Spoke, Spoke]]:
    """Yield a parent and two workers that are ready."""
    parent = Parent()
    first, second = await parent.join(), await parent.join()
    for spoke in (first, second):
        spoke.tell_ready("served")
    await until(lambda: bool(parent.told))
    try:
        yield parent, first, second
    finally:
        parent.die()
        await first.close()
        await second.close()


async def test_letters_arrive_in_the_order_in_which_they_were_sent() -> None:
    """Mail: also where no send awaited the one before."""
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
    """Mail: a channel takes a part at a time."""
    async with on_hub() as (_, first, second):
        came: asyncio.Queue[bytes] = asyncio.Queue()
        second.listen(lambda sender, letter: came.put_nowait(letter))
        letter = bytes(range(256)) * 400
        assert await asyncio.wait_for(first.send(second.name, letter), BOUND)
        assert await asyncio.wait_for(came.get(), BOUND) == letter


async def test_nobody_of_that_name_is_there() -> None:
    """Mail: False, so that a client is told to begin anew."""
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
    """Mail: Unreachable, so that a call is answered without it."""
    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.01)
    async with on_hub() as (parent, first, second):
        parent.is_deaf = True
        with pytest.raises(Unreachable):
            await asyncio.wait_for(first.send(second.name, b"x"), BOUND)


async def test_the_death_of_the_parent_is_noticed() -> None:
    """Workers end with their parent; who waits for an answer is told at once."""
    async with on_hub() as (parent, first, second):
        parent.is_deaf = True
        waiting = asyncio.ensure_future(first.send(second.name, b"x"))
        await asyncio.sleep(0)
        parent.die()
        with pytest.raises(Unreachable):
            await asyncio.wait_for(waiting, BOUND)
        await asyncio.wait_for(first.is_closed.wait(), BOUND)
        with pytest.raises(Unreachable):
            await first.exchange({"a": 1})
