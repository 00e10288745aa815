"""A worker's end, on a broker that a task keeps going."""

import asyncio
from dataclasses import dataclass, field

import pytest
from support.broker import with_broker
from support.wire import BOUND, until

from asdlc_kb.cluster import worker_channel as module
from asdlc_kb.cluster.bus import MAX_MESSAGE_BYTES
from asdlc_kb.cluster.worker_channel import ParentUnreachable


@dataclass
class Listener:
    """What a process hears on the bus."""

    heard: list[tuple[str, bytes]] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    def joined(self) -> None:
        """Note it."""
        self.events.append("joined")

    def receive(self, sender: str, data: bytes) -> None:
        """Note it."""
        self.heard.append((sender, data))

    def left(self, sender: str) -> None:
        """Note it."""
        self.events.append(sender)


async def test_messages_arrive_in_the_order_in_which_they_were_published() -> None:
    """At every listener of every other worker."""
    async with with_broker() as (parent, first, second):
        third = await parent.join()
        listeners = [Listener() for _ in range(4)]
        for channel, listener in zip(
            (second, second, third, first), listeners, strict=True
        ):
            channel.listen(listener)
        sent = [b"%d" % number for number in range(100)]
        for data in sent:
            assert first.publish(data)
        await first.flush()
        await until(lambda: all(len(each.heard) == 100 for each in listeners[:3]))
        for each in listeners[:3]:
            assert each.heard == [(first.name, data) for data in sent]
            assert each.events == ["joined"]
        assert listeners[3].heard == []
        await third.close()


async def test_a_large_message_arrives_whole() -> None:
    """A channel takes a part at a time; one that is too long is not sent."""
    async with with_broker() as (_, first, second):
        listener = Listener()
        second.listen(listener)
        data = bytes(range(256)) * 400
        assert first.publish(data)
        await until(lambda: listener.heard == [(first.name, data)])
        assert not first.publish(bytes(MAX_MESSAGE_BYTES + 1))


async def test_the_end_of_a_worker_is_told_to_the_others() -> None:
    """Its streams and channels are forgotten."""
    async with with_broker() as (_, first, second):
        listener = Listener()
        first.listen(listener)
        second.publish(b"hello")
        await until(lambda: bool(listener.heard))
        await second.close()
        await until(lambda: listener.events == ["joined", second.name])


async def test_metrics_are_those_of_all() -> None:
    """One sees what the other counted."""
    async with with_broker() as (_, first, second):
        first.send_metrics({"calls": 1}, {"streams": 2})
        second.send_metrics({"calls": 5}, {"streams": 7})
        # What a worker says is read before what it says then.
        await second.sum()
        counts, gauges = await first.sum()
        assert counts == {"calls": 6}
        assert gauges == {"0": {"streams": 2}, "1": {"streams": 7}}


async def test_a_parent_that_does_not_answer_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The metrics are those of one process then."""
    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.01)
    async with with_broker() as (parent, first, _):
        parent.is_deaf = True
        with pytest.raises(ParentUnreachable):
            await asyncio.wait_for(first.sum(), BOUND)


async def test_the_death_of_the_parent_is_noticed() -> None:
    """D-123: workers end with their parent; waiting callers get an error at once."""
    async with with_broker() as (parent, first, _):
        parent.is_deaf = True
        waiting = asyncio.ensure_future(first.sum())
        await asyncio.sleep(0)
        parent.die()
        with pytest.raises(ParentUnreachable):
            await asyncio.wait_for(waiting, BOUND)
        await asyncio.wait_for(first.is_closed.wait(), BOUND)
        assert not first.publish(b"x")
        with pytest.raises(ParentUnreachable):
            await first.sum()
