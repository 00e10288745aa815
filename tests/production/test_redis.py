"""Messages and counters over a real Redis, and its faults."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from support.redis_server import PASSWORD, RedisServer, redis_server
from support.wire import BOUND, until

from asdlc_kb.cluster.redis_transport import PREFIX, RedisTransport
from asdlc_kb.cluster.transport import MAX_MESSAGE_BYTES, PeerUnreachable

pytestmark = pytest.mark.timeout(seconds=60)
"""Faults take their time on a busy machine."""


@pytest.fixture
def server() -> Iterator[RedisServer]:
    """A Redis for one test."""
    with redis_server() as running:
        yield running


@asynccontextmanager
async def posting(
    server: RedisServer, name: str | None = None
) -> AsyncIterator[tuple[RedisTransport, list[bytes]]]:
    """Run one end; yield it and the received messages."""
    post = RedisTransport(server.url, keep_seconds=120, name=name)
    letters: list[bytes] = []
    post.listen(lambda sender, letter: letters.append(letter))
    running = asyncio.ensure_future(post.run())
    try:
        await until(lambda: post.is_connected and post.is_heard.is_set())
        yield post, letters
    finally:
        running.cancel()
        await asyncio.wait((running,), timeout=BOUND)


async def send(post: RedisTransport, to: str, letter: bytes) -> bool | None:
    """Send a message; None if its delivery is unknown."""
    try:
        return await asyncio.wait_for(post.send(to, letter), BOUND)
    except PeerUnreachable:
        return None


async def test_letters_of_any_size_arrive_in_their_order(server: RedisServer) -> None:
    """Up to the longest possible, with short ones in between."""
    async with posting(server) as (here, _), posting(server, "there") as (_, letters):
        sent = [b"", b"first", bytes(MAX_MESSAGE_BYTES - 100), b"\r\n$-1\r\n", b"last"]
        results = await asyncio.gather(*(send(here, "there", each) for each in sent))
        assert results == [True] * len(sent)
        await until(lambda: len(letters) == len(sent))
    assert letters == sent


async def test_sums_expire(server: RedisServer) -> None:
    """D-057: a key for each window, which expires."""
    async with posting(server) as (here, _), posting(server) as (there, _):
        assert await here.exchange({"a": 2}) == {"a": 2}
        assert await there.exchange({"a": 3, "b": 1}) == {"a": 5, "b": 1}
    assert 0 < server.ask("TTL", f"{PREFIX}sum:a") <= 120


@pytest.mark.parametrize("kind", ["LPUSH", "SADD"])
async def test_keys_of_another_type_spoil_only_their_own_sum(
    server: RedisServer, kind: str
) -> None:
    """D-124: poisoned keys, texts, and numbers at their maximum."""
    server.ask(kind, f"{PREFIX}sum:typed", "x")
    server.ask("SET", f"{PREFIX}sum:text", "not a number")
    server.ask("SET", f"{PREFIX}sum:full", str(2**63 - 1))
    async with posting(server) as (here, _):
        counted = dict.fromkeys(("typed", "text", "full", "good"), 1)
        assert await here.exchange(counted) == {"good": 1}
        server.ask("FLUSHALL")
        assert await here.exchange(counted) == counted


@pytest.mark.parametrize("fault", ["killed", "stopped", "cut off"])
async def test_it_goes_on_after_a_fault(server: RedisServer, fault: str) -> None:
    """D-124: nothing fails for good; messages and counters recover by themselves."""
    async with posting(server) as (here, _), posting(server, "there") as (_, letters):
        assert await send(here, "there", b"before")
        if fault == "killed":
            server.end()
            await until(lambda: not here.is_connected)
            assert await send(here, "there", b"lost") is None
            server.start()
        elif fault == "stopped":
            server.signal(signal.SIGSTOP)
            assert await send(here, "there", b"late") is None
            assert await send(here, "there", b"lost") is None
            server.signal(signal.SIGCONT)
        else:
            server.ask("CLIENT", "KILL", "TYPE", "normal")
            server.ask("CLIENT", "KILL", "TYPE", "pubsub")
        async with asyncio.timeout(BOUND):
            # What was published to a line that was about to be cut is lost.
            while b"after" not in letters:
                await send(here, "there", b"after")
                await asyncio.sleep(0.001)
        assert b"lost" not in letters
        assert await here.exchange({"a": 1}) == {"a": 1}


async def test_a_wrong_password_is_a_redis_that_is_away(
    server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    """D-124: it is reported, without the password."""
    post = RedisTransport(server.url.replace(PASSWORD, "wrong"), keep_seconds=1)
    running = asyncio.ensure_future(post.run())
    await until(lambda: "Redis unreachable" in caplog.text)
    assert await send(post, "there", b"") is None
    running.cancel()
    await asyncio.wait((running,), timeout=BOUND)
    assert "AuthenticationError" in str([vars(record) for record in caplog.records])
    assert PASSWORD not in caplog.text
