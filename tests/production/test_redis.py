"""The bus over a real Redis, and what is done to it."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from support.redis_server import PASSWORD, RedisServer, redis_server
from support.wire import BOUND, until

from asdlc_kb.cluster.bus import MAX_MESSAGE_BYTES
from asdlc_kb.cluster.redis_transport import RedisTransport


@pytest.fixture
def server() -> Iterator[RedisServer]:
    """A Redis for one test."""
    with redis_server() as running:
        yield running


@dataclass
class End:
    """One replica, and the messages that it receives."""

    bus: RedisTransport
    heard: list[bytes] = field(default_factory=list)

    def joined(self) -> None:
        """Do nothing."""

    def receive(self, sender: str, data: bytes) -> None:
        """Record it."""
        self.heard.append(data)

    def left(self, sender: str) -> None:
        """Do nothing."""


@asynccontextmanager
async def joined(server: RedisServer) -> AsyncIterator[End]:
    """Run one replica."""
    end = End(RedisTransport(server.url))
    end.bus.listen(end)
    running = asyncio.ensure_future(end.bus.run())
    try:
        await until(lambda: end.bus.is_connected and end.bus.is_heard.is_set())
        yield end
    finally:
        running.cancel()
        await asyncio.wait((running,), timeout=BOUND)


async def test_messages_of_any_size_arrive_in_their_order(server: RedisServer) -> None:
    """Up to the longest possible, with short ones in between."""
    async with joined(server) as first, joined(server) as second:
        sent = [b"", b"first", bytes(MAX_MESSAGE_BYTES - 100), b"\r\n$-1\r\n", b"last"]
        assert all(first.bus.publish(data) for data in sent)
        await until(lambda: len(second.heard) == len(sent))
    assert second.heard == sent
    assert server.ask("DBSIZE") == 0


@pytest.mark.parametrize("fault", ["killed", "stopped", "cut off"])
async def test_it_goes_on_after_a_fault(server: RedisServer, fault: str) -> None:
    """Nothing fails for good, and messages are back by themselves."""
    async with joined(server) as first, joined(server) as second:
        assert first.bus.publish(b"before")
        await until(lambda: second.heard == [b"before"])
        if fault == "killed":
            server.end()
            await until(lambda: not first.bus.is_connected)
            assert not first.bus.publish(b"lost")
            server.start()
        elif fault == "stopped":
            server.signal(signal.SIGSTOP)
            first.bus.publish(b"late")
            await until(lambda: not first.bus.is_connected)
            assert not first.bus.publish(b"lost")
            server.signal(signal.SIGCONT)
        else:
            server.ask("CLIENT", "KILL", "TYPE", "normal")
            server.ask("CLIENT", "KILL", "TYPE", "pubsub")
        async with asyncio.timeout(BOUND):
            # A message published just before the connection is cut is lost.
            while b"after" not in second.heard:
                first.bus.publish(b"after")
                await asyncio.sleep(0.001)
        assert b"lost" not in second.heard


async def test_a_wrong_password_is_a_redis_that_is_away(
    server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    """D-124: it is reported, without the password."""
    post = RedisTransport(server.url.replace(PASSWORD, "wrong"))
    running = asyncio.ensure_future(post.run())
    await until(lambda: "Redis unreachable" in caplog.text)
    assert not post.publish(b"")
    running.cancel()
    await asyncio.wait((running,), timeout=BOUND)
    assert "AuthenticationError" in str([vars(record) for record in caplog.records])
    assert PASSWORD not in caplog.text
