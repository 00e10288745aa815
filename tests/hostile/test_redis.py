"""A Redis in hostile hands: written values do no more harm than its absence."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from support.resp import FakeRedis, fake_redis
from support.shelf import SampleProvider, make_server
from support.wire import BOUND, until

from asdlc_kb.cluster.redis_transport import PREFIX, RedisTransport
from asdlc_kb.cluster.relay import ClusterRelay
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.eras.session_routing import SessionIds
from asdlc_kb.mcp.protocol.inbound import McpHeaders
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.subscriptions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.subscribers import Subscribers
from asdlc_kb.ops.limits.rate_limit_sync import RateLimitSync
from asdlc_kb.ops.limits.rate_limiter import Rate, RateLimiter
from asdlc_kb.ops.metrics.counters import metrics
from asdlc_kb.ops.metrics.definitions import DROPPED

KEY = b"a key of this test"
SECOND = 1_000_000_000
WINDOW = 29_000_000


def write(method: str, params: object = None, request_id: object = 1) -> bytes:
    """Return a request."""
    asked = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return json.dumps({**asked, "params": params or {}}).encode()


async def send(server: McpServer, session: str | None, text: bytes) -> Response:
    """Send a message to a process, as its transport does."""
    received = server.receive(text, McpHeaders(session=session))
    reply = server.ready(received) or server.answer(received, None)
    if isinstance(reply, Response):
        return reply
    return await asyncio.wait_for(reply, BOUND)


@asynccontextmanager
async def replica(redis: FakeRedis, name: str) -> AsyncIterator[McpServer]:
    """Run a process that shares its sessions over a Redis."""
    post = RedisTransport(redis.url, keep_seconds=120, name=name)
    ids = SessionIds(name, KEY)
    server = make_server(
        SampleProvider(), audience=Subscribers(Sessions(make_id=ids.make))
    )
    server.relay = relay = ClusterRelay(server, post, KEY)
    running = asyncio.ensure_future(post.run())
    try:
        await until(lambda: post.is_connected and post.is_heard.is_set())
        yield server
    finally:
        await relay.stop()
        running.cancel()
        await asyncio.wait((running,), timeout=BOUND)


async def publish(redis: FakeRedis, channel: bytes, data: bytes) -> None:
    """Publish with the password of the Redis."""
    for member in tuple(redis.channels[channel]):
        parts = (b"message", channel, data)
        member.write(
            b"*3\r\n" + b"".join(b"$%d\r\n%b\r\n" % (len(p), p) for p in parts)
        )
        await member.drain()


async def test_a_captured_message_is_worked_off_once() -> None:
    """D-050: a subscriber sees every message, and may publish it again."""
    home_channel = f"{PREFIX}mail:home".encode()
    asker_channel = f"{PREFIX}mail:asker".encode()
    async with (
        fake_redis() as redis,
        replica(redis, "home") as home,
        replica(redis, "asker") as asker,
    ):
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        opened = await send(home, None, write("initialize", hello))
        session = opened.session
        assert session is not None

        def published(channel: bytes) -> list[bytes]:
            return [c[2] for c in redis.asked(b"PUBLISH") if c[1] == channel]

        listed = await send(asker, session, write("tools/list"))
        assert listed.status == 200
        (captured,) = published(home_channel)
        before = metrics.read().get(f"{DROPPED.name}\trepeated", 0)
        for _ in range(5):
            await publish(redis, home_channel, captured)
        # What comes after them is answered, so they were seen before it.
        assert (await send(asker, session, write("tools/list"))).status == 200
        assert len(published(asker_channel)) == 2
        assert metrics.read()[f"{DROPPED.name}\trepeated"] - before == 5


@pytest.mark.parametrize(
    "data",
    [b"", b"\0", b"asker\0", b"asker\0garbage", b"\xff\0" + bytes(64), bytes(100_000)],
)
async def test_garbage_is_counted_and_changes_nothing(data: bytes) -> None:
    """D-050: sessions go on while garbage is published into the channels."""
    async with (
        fake_redis() as redis,
        replica(redis, "home") as home,
        replica(redis, "asker") as asker,
    ):
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        session = (await send(home, None, write("initialize", hello))).session
        before = metrics.read().get(f"{DROPPED.name}\tunauthenticated", 0)
        await publish(redis, f"{PREFIX}mail:home".encode(), data)
        assert (await send(asker, session, write("tools/list"))).status == 200
        assert metrics.read()[f"{DROPPED.name}\tunauthenticated"] == before + 1


async def test_a_sum_that_was_made_up_uses_up_a_rate_and_no_more() -> None:
    """D-057: the client is limited as after so many requests of its own."""
    now = [WINDOW * 60 * SECOND]
    meter = RateLimiter("calls", Rate(120, 60), clock=lambda: now[0])
    async with fake_redis() as redis:
        post = RedisTransport(redis.url, keep_seconds=120, name="here")
        running = asyncio.ensure_future(post.run())
        await until(lambda: post.is_connected)
        sharing = RateLimitSync([meter], post)
        assert meter.consume("192.0.2.7") == 0
        redis.values[f"{PREFIX}sum:calls/60/{WINDOW}/192.0.2.7".encode()] = 10**12
        await sharing.exchange()
        assert meter.consume("192.0.2.7") > 0
        # Half of the next window later half of the rate is back.
        now[0] += 90 * SECOND
        assert sum(meter.consume("192.0.2.7") == 0 for _ in range(120)) == 60
        running.cancel()
        await asyncio.wait((running,), timeout=BOUND)


async def test_a_sum_of_another_type_is_counted_and_ignored() -> None:
    """D-124: that client is counted by each process alone."""
    async with fake_redis() as redis:
        post = RedisTransport(redis.url, keep_seconds=120, name="here")
        running = asyncio.ensure_future(post.run())
        await until(lambda: post.is_connected)
        redis.spoilt.add(f"{PREFIX}sum:bad".encode())
        before = metrics.read().get(f"{DROPPED.name}\tsum", 0)
        assert await post.exchange({"bad": 1, "good": 1}) == {"good": 1}
        assert metrics.read()[f"{DROPPED.name}\tsum"] == before + 1
        running.cancel()
        await asyncio.wait((running,), timeout=BOUND)
