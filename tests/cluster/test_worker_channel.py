"""A worker's end, on a broker that a task keeps going."""

import asyncio
import socket
from dataclasses import dataclass, field

import pytest
from support.broker import with_broker
from support.wire import BOUND, until

from asdlc_kb.cluster import worker_channel as module
from asdlc_kb.cluster.bus import MAX_MESSAGE_BYTES
from asdlc_kb.cluster.frames import (
    BusMessage,
    ChannelFrame,
    FrameDecoder,
    WorkerReady,
)
from asdlc_kb.cluster.worker_channel import ParentUnreachable, WorkerChannel


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


async def test_what_a_parent_does_not_read_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Messages beyond the limit are lost, and so are metrics; later ones arrive."""
    limit, data = 1_000_000, bytes(10_000)
    monkeypatch.setattr(module, "MAX_WAITING_BYTES", limit)
    parent, child = socket.socketpair()
    channel = WorkerChannel(child)
    await channel.open()
    sent = [channel.publish(data) for _ in range(1_000)]
    assert sent.count(True) * len(data) >= limit / 2
    assert not any(sent[sent.index(False) :])
    for _ in range(1_000):
        channel.send_metrics({"calls": 1}, {"streams": 2})
    assert channel._writer is not None
    waiting = channel._writer.transport.get_write_buffer_size()
    assert waiting <= limit
    with monkeypatch.context() as changed:
        changed.setattr(module, "MAX_WAITING_BYTES", waiting)
        with pytest.raises(ParentUnreachable, match="does not read"):
            await channel.sum()
    channel.notify_ready("banner")

    reader, writer = await asyncio.open_connection(sock=parent)
    frames, received = FrameDecoder(), list[ChannelFrame]()
    async with asyncio.timeout(BOUND):
        while not received or not isinstance(received[-1], WorkerReady):
            received += frames.feed(await reader.read(100_000))
    messages = [frame for frame in received if isinstance(frame, BusMessage)]
    assert len(messages) == sent.count(True)
    assert channel.publish(data)
    await channel.close()
    writer.close()
    await writer.wait_closed()


async def test_the_death_of_the_parent_is_noticed() -> None:
    """D-125: workers end with their parent; waiting callers get an error at once."""
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
