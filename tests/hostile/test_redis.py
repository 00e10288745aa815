"""A Redis in hostile hands: written values do no more harm than its absence."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from support.resp import FakeRedis, fake_redis
from support.wire import BOUND, until

from asdlc_kb.cluster.membership import ClusterMembership
from asdlc_kb.cluster.redis_transport import CHANNEL, RedisTransport
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.metrics.definitions import DROPPED

KEY = b"a key of this test"
METRICS = Metrics()


@asynccontextmanager
async def replica(
    redis: FakeRedis, name: str, key: bytes = KEY
) -> AsyncIterator[Sessions]:
    """Run a process that shares its sessions over a Redis."""
    bus = RedisTransport(redis.url, name=name)
    member = ClusterMembership(bus, bus, key, METRICS, rates_key=key, work=bus.run)
    member.follow(())
    try:
        await until(lambda: bus.is_connected and bus.is_heard.is_set())
        yield member.sessions
    finally:
        await asyncio.wait_for(member.leave(), BOUND)


async def publish(redis: FakeRedis, data: bytes) -> None:
    """Publish with the password of the Redis."""
    channel = CHANNEL.encode()
    for member in tuple(redis.channels[channel]):
        parts = (b"message", channel, data)
        member.write(
            b"*3\r\n" + b"".join(b"$%d\r\n%b\r\n" % (len(p), p) for p in parts)
        )
        await member.drain()


def count_dropped(reason: str) -> int:
    """Return how many messages were dropped so far for a reason."""
    return METRICS.read().get(f"{DROPPED.name}\t{reason}", 0)


def subscribe(sessions: Sessions, session_id: str, uri: str) -> None:
    """Subscribe a session to a resource."""
    session = sessions.find(session_id)
    assert session is not None
    sessions.subscribe(session, uri, uri)


def list_uris(sessions: Sessions, session_id: str) -> set[str]:
    """Return what a process knows of a session's subscriptions."""
    session = sessions.find(session_id)
    assert session is not None
    return set(session.subscription.filter.uris)


async def test_a_captured_message_is_worked_off_once() -> None:
    """D-050: a subscriber sees every message, and may publish it again."""
    async with (
        fake_redis() as redis,
        replica(redis, "first") as first,
        replica(redis, "second") as second,
    ):
        session = first.ids.issue("2025-11-25")
        subscribe(first, session, "kb://a")
        await until(lambda: list_uris(second, session) == {"kb://a"})
        captured = [c[2] for c in redis.asked(b"PUBLISH") if b"kb://a" in c[2]]
        assert len(captured) == 1
        found = first.find(session)
        assert found is not None
        first.unsubscribe(found, "kb://a")
        await until(lambda: list_uris(second, session) == set())
        before = count_dropped("repeated")
        for _ in range(5):
            await publish(redis, captured[0])
        # The sender ignores its own messages; the other process counts them.
        await until(lambda: count_dropped("repeated") == before + 5)
        assert list_uris(second, session) == set()


@pytest.mark.parametrize(
    "data",
    [b"\0s", b"first\0s", b"other\0sgarbage", b"\xff\0s" + bytes(64)],
)
async def test_garbage_is_counted_and_changes_nothing(data: bytes) -> None:
    """Sessions continue while another program publishes to the channel."""
    async with (
        fake_redis() as redis,
        replica(redis, "first") as first,
        replica(redis, "second") as second,
    ):
        session = first.ids.issue("2025-11-25")
        before = count_dropped("unauthenticated")
        await publish(redis, data)
        await until(lambda: count_dropped("unauthenticated") > before)
        subscribe(first, session, "kb://a")
        await until(lambda: list_uris(second, session) == {"kb://a"})


@pytest.mark.parametrize("data", [b"", b"\0", b"other\0", bytes(100_000), b"x" * 99])
async def test_what_is_of_no_topic_is_ignored(data: bytes) -> None:
    """Others may use the same Redis."""
    async with (
        fake_redis() as redis,
        replica(redis, "first") as first,
        replica(redis, "second") as second,
    ):
        await publish(redis, data)
        session = first.ids.issue("2025-11-25")
        subscribe(first, session, "kb://a")
        await until(lambda: list_uris(second, session) == {"kb://a"})


async def test_a_replica_with_another_key_ends_no_session() -> None:
    """It can neither forge messages nor ids."""
    async with (
        fake_redis() as redis,
        replica(redis, "first") as first,
        replica(redis, "stranger", b"another key") as unrelated,
    ):
        issued = first.ids.issue("2025-11-25")
        session = first.find(issued)
        assert session is not None
        assert unrelated.find(issued) is None
        before = count_dropped("unauthenticated")
        unrelated.end(session)
        await until(lambda: count_dropped("unauthenticated") > before)
        assert first.find(issued) is session
