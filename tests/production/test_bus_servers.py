"""The buses over a real Redis and a real PostgreSQL, and faults of these servers."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from support.bus_server import (
    KINDS,
    PASSWORDS,
    PostgresBus,
    RedisBus,
    Transport,
    bus_server,
)
from support.wire import BOUND, until

from asdlc_kb.cluster.bus import MAX_MESSAGE_BYTES


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest) -> Iterator[RedisBus | PostgresBus]:
    """A server for one test."""
    with bus_server(request.param) as running:
        yield running


@dataclass
class End:
    """One replica, and the messages that it receives."""

    bus: Transport
    heard: list[bytes] = field(default_factory=list)

    def joined(self) -> None:
        """Do nothing."""

    def receive(self, sender: str, data: bytes) -> None:
        """Record it."""
        self.heard.append(data)

    def left(self, sender: str) -> None:
        """Do nothing."""


@asynccontextmanager
async def joined(server: RedisBus | PostgresBus) -> AsyncIterator[End]:
    """Run one replica."""
    end = End(server.open_transport())
    end.bus.listen(end)
    running = asyncio.ensure_future(end.bus.run())
    try:
        await until(lambda: end.bus.is_connected and end.bus.is_heard.is_set())
        yield end
    finally:
        running.cancel()
        await asyncio.wait((running,), timeout=BOUND)


async def test_messages_of_any_size_arrive_in_their_order(
    server: RedisBus | PostgresBus,
) -> None:
    """Up to the longest possible, with short and equal ones in between."""
    async with joined(server) as first, joined(server) as second:
        sent = [b"", b"first", bytes(MAX_MESSAGE_BYTES), b"\r\n$-1\r\n", b"x", b"x"]
        sent += [bytes(size) for size in range(5700, 6100, 7)]
        sent += [bytes(range(256)), b"last"]
        assert all(first.bus.publish(data) for data in sent)
        await until(lambda: len(second.heard) == len(sent))
        assert first.heard == []
    assert second.heard == sent


async def test_several_senders_keep_their_order(
    server: RedisBus | PostgresBus,
) -> None:
    """Each for itself, at three receivers, with long messages among the short."""
    async with joined(server) as one, joined(server) as two, joined(server) as three:
        ends = (one, two, three)
        for number in range(600):
            for mark, end in enumerate(ends):
                pad = bytes(9000) if number % 100 == mark else b""
                assert end.bus.publish(b"%d %d %b" % (mark, number, pad))
        await until(lambda: all(len(end.heard) == 1200 for end in ends))
    for mark, end in enumerate(ends):
        for other in {0, 1, 2} - {mark}:
            heard = [data.split()[:2] for data in end.heard]
            numbers = [int(number) for sender, number in heard if int(sender) == other]
            assert numbers == list(range(600))


@pytest.mark.parametrize("fault", ["killed", "stopped", "cut off"])
async def test_it_goes_on_after_a_fault(
    server: RedisBus | PostgresBus, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing fails for good, and messages are back by themselves."""
    async with joined(server) as first, joined(server) as second:
        assert first.bus.publish(b"before")
        await until(lambda: second.heard == [b"before"])
        if fault == "killed":
            server.kill()
            await until(lambda: not first.bus.is_connected)
            assert not first.bus.publish(b"lost")
            server.start()
        elif fault == "stopped":
            server.pause()
            first.bus.publish(b"late")
            await until(lambda: not first.bus.is_connected)
            assert not first.bus.publish(b"lost")
            server.resume()
        else:
            server.cut()
        async with asyncio.timeout(BOUND):
            # A message published just before the connection is cut is lost.
            while b"after" not in second.heard:
                first.bus.publish(b"after")
                await asyncio.sleep(0.001)
        assert b"lost" not in second.heard
        ends = (first, second)
        await until(
            lambda: all(
                end.bus.is_connected and end.bus.is_heard.is_set() for end in ends
            )
        )
    messages = [record.getMessage() for record in caplog.records]
    assert set(messages) <= {
        f"{server.name} unreachable",
        f"{server.name} reachable again",
    }
    assert messages.count(f"{server.name} unreachable") <= 4
    fields = str([vars(record) for record in caplog.records])
    assert not any(password in fields for password in PASSWORDS)


async def test_a_wrong_password_is_a_server_that_is_away(
    server: RedisBus | PostgresBus, caplog: pytest.LogCaptureFixture
) -> None:
    """D-126: it is reported, without the password."""
    head, _, host = server.url.rpartition("@")
    transport = server.open_transport(f"{head}wrong-secret@{host}")
    running = asyncio.ensure_future(transport.run())
    await until(lambda: f"{server.name} unreachable" in caplog.text)
    assert not transport.publish(b"")
    running.cancel()
    await asyncio.wait((running,), timeout=BOUND)
    fields = str([vars(record) for record in caplog.records])
    assert "wrong-secret" not in fields
    assert not any(password in fields for password in PASSWORDS)


async def test_a_stopped_server_holds_up_no_end(
    server: RedisBus | PostgresBus,
) -> None:
    """A process ends within a second while its server does not answer."""
    end = End(server.open_transport())
    running = asyncio.ensure_future(end.bus.run())
    await until(lambda: end.bus.is_connected and end.bus.is_heard.is_set())
    server.pause()
    try:
        end.bus.publish(b"x")
        await until(lambda: not end.bus._queue)
        running.cancel()
        await asyncio.wait((running,), timeout=2)
        assert running.done()
    finally:
        server.resume()
