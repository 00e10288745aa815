"""Two replicas behind the shipped nginx, with a shared Redis, are one server."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp.shared.subscriptions import ResourceUpdated
from redis import Redis
from redis.client import PubSub
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import EVENTS, JSON, message
from support.redis_server import PASSWORD
from support.replicas import Replicas, replicating
from support.wire import BOUND, Answer, ask, dial, until

from asdlc_kb.cluster.redis_transport import CHANNEL

LEGACY = "2025-11-25"
WATCHED = "kb://article/watched"
SUBSCRIBE = message("resources/subscribe", {"uri": WATCHED})
LIST = message("tools/call", {"name": "list_articles", "arguments": {}})


@pytest.fixture
def content(knowledge: KnowledgeBase) -> KnowledgeBase:
    """A knowledge base with an article to watch."""
    knowledge.write("concepts/watched")
    return knowledge


@pytest.fixture
def replicas(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> Iterator[Replicas]:
    """Two of them, with logs that contain neither a traceback nor the password."""
    with replicating(content, tmp_path, scanner=scanner) as running:
        yield running
        written = running.errors()
    assert "Traceback" not in written
    assert PASSWORD not in written


async def post(port: int, sent: Any, session: str | None = None) -> Answer:
    """Send a message of a legacy client on a connection of its own."""
    headers = {**JSON, "Mcp-Session-Id": session} if session else JSON
    return await ask(port, "POST", headers=headers, body=json.dumps(sent).encode())


async def shake_hands(port: int) -> str:
    """Open a session; return its id."""
    client = {"name": "tests", "version": "1"}
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client}
    answer = await post(port, message("initialize", hello))
    session = answer.headers["mcp-session-id"]
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await post(port, done, session)).status == 202
    return session


async def open_sessions(replicas: Replicas) -> tuple[str, str]:
    """Return a session of each replica, in which the other one has subscribed."""
    first, second = replicas.ports
    sessions = await shake_hands(first), await shake_hands(second)
    for port, session in ((second, sessions[0]), (first, sessions[1])):
        assert (await post(port, SUBSCRIBE, session)).status == 200
    return sessions


@asynccontextmanager
async def joined(
    transport: str, replicas: Replicas, **options: Any
) -> AsyncIterator[Client]:
    """Connect the official client to nginx."""
    server = sse_client(replicas.url) if transport == "sse" else replicas.url
    async with Client(server, read_timeout_seconds=BOUND, **options) as client:
        yield client


def count_lines(replicas: Replicas, text: str) -> list[int]:
    """Return how many requests each replica has logged with a field."""
    written = [served.running.read_stderr() for served in replicas.served]
    return [lines.count(text.encode()) for lines in written]


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_client_with_a_session_notices_nothing(
    replicas: Replicas, content: KnowledgeBase, transport: str
) -> None:
    """Up to 2025-11-25: nginx takes turns, the session is one and the same."""
    events: asyncio.Queue[tuple[str, str | None]] = asyncio.Queue()

    async def on_notification(notice: Any) -> None:
        uri = getattr(notice.params, "uri", None)
        events.put_nowait((notice.method, uri and str(uri)))

    async with (
        joined(
            transport, replicas, mode="legacy", message_handler=on_notification
        ) as client,
        asyncio.timeout(2 * BOUND),
    ):
        tools = await client.list_tools()
        assert "get_article" in {tool.name for tool in tools.tools}
        with pytest.warns(MCPDeprecationWarning, match="removed as of 2026-07-28"):
            await client.subscribe_resource(WATCHED)
        for _ in range(8):
            result = await client.call_tool("get_article", {"slug": "watched"})
            assert not result.is_error
        content.write("concepts/watched", body="Other text.\n")
        assert await events.get() == ("notifications/resources/updated", WATCHED)
        text = ""
        while "Other text." not in text:
            # Replicas may see a change at different times.
            text = (await client.read_resource(WATCHED)).model_dump_json()
        content.write("concepts/brand-new")
        assert await events.get() == ("notifications/resources/list_changed", None)
    logged = '"tool":"get_article"' if transport == "http" else '"status":202'
    await until(lambda: min(count_lines(replicas, logged)) >= 3)


async def test_a_client_without_sessions_needs_nothing_in_common(
    replicas: Replicas, content: KnowledgeBase
) -> None:
    """2026-07-28: every request stands alone, a stream is its own request's."""
    replicas.redis.end()
    async with (
        joined("http", replicas, mode="2026-07-28") as client,
        asyncio.timeout(2 * BOUND),
        client.listen(resource_subscriptions=[WATCHED]) as events,
    ):
        for _ in range(8):
            result = await client.call_tool("get_article", {"slug": "watched"})
            assert not result.is_error
        content.write("concepts/watched", body="Other text.\n")
        assert await anext(events) == ResourceUpdated(uri=WATCHED)


@contextmanager
def subscribed_to_redis(replicas: Replicas) -> Iterator[tuple[Redis, PubSub]]:
    """Connect to Redis with the password, and read every message."""
    with Redis.from_url(replicas.redis.url) as client, client.pubsub() as pubsub:
        pubsub.subscribe(CHANNEL)
        pubsub.get_message(timeout=BOUND)
        yield client, pubsub


async def next_message(pubsub: PubSub, *, seconds: float = BOUND) -> bytes | None:
    """Return the next message on the bus, None after so long without one."""
    message = await asyncio.to_thread(pubsub.get_message, timeout=seconds)
    return None if message is None else message["data"]


async def capture(pubsub: PubSub, part: bytes) -> bytes:
    """Return the next message that contains a text.

    A replica that joined late announces itself meanwhile.
    """
    async with asyncio.timeout(BOUND):
        while part not in (message := await next_message(pubsub) or b""):
            pass
    return message


async def test_a_limit_is_one_for_all_replicas(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """Counted by each, and published: nothing is kept in Redis."""
    limit = ("--rate-limit", "20/hour")
    with (
        replicating(content, tmp_path, *limit, scanner=scanner) as replicas,
        subscribed_to_redis(replicas) as (_, pubsub),
    ):
        first, second = replicas.ports
        statuses = [(await post(first, LIST)).status for _ in range(21)]
        assert statuses == [200] * 20 + [429]
        while await next_message(pubsub, seconds=1.0) is not None:
            pass
        admitted = 0
        while (await post(second, LIST)).status == 200:
            admitted += 1
            # The sums include the counts of the first replica.
            assert await next_message(pubsub) is not None
        assert 1 <= admitted < 20
        assert replicas.redis.ask("DBSIZE") == 0


async def test_a_captured_message_is_worked_off_once(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """D-050: a subscriber of Redis sees every message, and may publish it again."""
    watching = "192.0.2.1"
    options = ("--metrics-allow", watching, "--rate-limit", "off")
    repeated = b'peer_messages_dropped_total{reason="repeated"} 5.0'
    with (
        replicating(content, tmp_path, *options, scanner=scanner) as replicas,
        subscribed_to_redis(replicas) as (client, pubsub),
    ):
        first, second = replicas.ports
        session = await shake_hands(first)
        assert (await post(second, SUBSCRIBE, session)).status == 200
        captured = await capture(pubsub, WATCHED.encode())
        assert session.encode() not in captured
        for _ in range(5):
            client.publish(CHANNEL, captured)
        async with asyncio.timeout(BOUND):
            # The proxy is trusted: its header names the client.
            headers = {"X-Forwarded-For": watching}
            while repeated not in (await ask(first, "GET", "/metrics", headers)).body:
                pass


async def test_a_count_that_was_made_up_changes_nothing(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """Without the key no client can use up another's rate."""
    limit = ("--rate-limit", "120/minute")
    with (
        replicating(content, tmp_path, *limit, scanner=scanner) as replicas,
        subscribed_to_redis(replicas) as (client, pubsub),
    ):
        first, second = replicas.ports
        assert (await post(first, LIST)).status == 200
        counted = await capture(pubsub, b"calls/")
        for name in (b"stranger", counted.split(b"\0")[0]):
            client.publish(CHANNEL, name + b"\0" + counted.split(b"\0", 1)[1])
        for port in (first, second):
            assert (await post(port, LIST)).status == 200


def publish_garbage(replicas: Replicas) -> None:
    """Publish garbage."""
    for channel in replicas.redis.ask("PUBSUB", "CHANNELS"):
        for garbage in ("", "x", "somebody\0letter", "somebody\0sletter"):
            replicas.redis.ask("PUBLISH", channel, garbage)


def inject_fault(replicas: Replicas, fault: str) -> None:
    """Disturb Redis."""
    if fault == "killed":
        replicas.redis.end()
    elif fault == "stopped":
        replicas.redis.signal(signal.SIGSTOP)
    elif fault == "emptied":
        replicas.redis.ask("FLUSHALL")
    elif fault == "slowed":
        replicas.redis.ask("CLIENT", "PAUSE", 1500, "ALL")
    else:
        publish_garbage(replicas)


def repair(replicas: Replicas, fault: str) -> None:
    """Restore it."""
    if fault == "killed":
        replicas.redis.start()
    elif fault == "stopped":
        replicas.redis.signal(signal.SIGCONT)


@pytest.mark.parametrize("fault", ["killed", "stopped", "emptied", "slowed", "spoilt"])
async def test_nothing_fails_for_a_fault_of_redis(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner, fault: str
) -> None:
    """D-124: never a 5xx, calls are answered, and all recovers by itself."""
    limit = ("--rate-limit", "100000/hour")
    with replicating(content, tmp_path, *limit, scanner=scanner) as replicas:
        first, second = replicas.ports
        session, _ = await open_sessions(replicas)
        inject_fault(replicas, fault)
        took = []
        for port in (second, first, replicas.port) * 10:
            began = perf_counter()
            assert (await post(port, LIST, session)).status == 200
            took.append((perf_counter() - began) * 1000)
            assert (await post(port, LIST)).status == 200
        for port in (first, second, replicas.port):
            assert (await post(port, SUBSCRIBE, session)).status == 200
            async with dial(port) as wire:
                headers = {**EVENTS, "Mcp-Session-Id": session}
                await wire.request("GET", headers=headers)
                assert (await wire.head()).status == 200
        repair(replicas, fault)
        began = perf_counter()
        assert (await post(second, SUBSCRIBE, session)).status == 200
        back = (perf_counter() - began) * 1000
        # With -s: the figures of docs/reliability.md.
        print(
            f"\n{fault}: the first call took {took[0]:.0f} ms, the others at most "
            f"{max(took[1:]):.0f} ms, half of them {median(took):.1f} ms; subscribed "
            f"{back:.0f} ms after the fault was over"
        )
        async with dial(second) as wire:
            headers = {**EVENTS, "Mcp-Session-Id": session}
            await wire.request("GET", headers=headers)
            assert (await wire.head()).status == 200
            content.write("concepts/watched", body="Other text.\n")
            while (await wire.notice()).get("params") != {"uri": WATCHED}:
                # After a fault the client reads its lists again.
                pass
        written = replicas.errors()
    assert "Traceback" not in written
    assert PASSWORD not in written
    assert '"status":5' not in written


async def test_limits_go_on_without_redis(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """D-057: each counts by itself; the limit neither vanishes nor blocks."""
    limit = ("--rate-limit", "20/hour")
    with replicating(content, tmp_path, *limit, scanner=scanner) as replicas:
        replicas.redis.end()
        for port in replicas.ports:
            statuses = [(await post(port, LIST)).status for _ in range(21)]
            assert statuses == [200] * 20 + [429]


async def test_a_replica_that_is_killed_takes_no_session(replicas: Replicas) -> None:
    """Whichever opened it; only its open streams end."""
    first, second = replicas.ports
    lost, kept = await open_sessions(replicas)
    async with dial(second) as wire, dial(first) as broken:
        for stream, session in ((wire, lost), (broken, kept)):
            headers = {**EVENTS, "Mcp-Session-Id": session}
            await stream.request("GET", headers=headers)
            assert (await stream.head()).status == 200
        replicas.served[0].running.signal(signal.SIGKILL)
        replicas.served[0].running.wait()
        for _ in range(20):
            for session in (kept, lost):
                assert (await post(replicas.port, LIST, session)).status == 200
            assert (await post(replicas.port, LIST)).status == 200
    async with dial(second) as wire:
        await wire.request("GET", headers={**EVENTS, "Mcp-Session-Id": kept})
        assert (await wire.head()).status == 200
    session = await shake_hands(replicas.port)
    assert (await post(replicas.port, SUBSCRIBE, session)).status == 200


async def test_a_replica_that_ends_leaves_the_streams_of_others(
    replicas: Replicas, content: KnowledgeBase
) -> None:
    """SIGTERM: a stream ends with the process that holds it, and with no other."""
    first, second = replicas.ports
    session, other = await open_sessions(replicas)
    async with dial(second) as wire, dial(first) as ended:
        for stream, each in ((wire, session), (ended, other)):
            headers = {**EVENTS, "Mcp-Session-Id": each}
            await stream.request("GET", headers=headers)
            assert (await stream.head()).status == 200
        done = await asyncio.to_thread(replicas.served[0].stop)
        assert done.code == 0
        assert await ended.notice() is None
        content.write("concepts/watched", body="Other text.\n")
        assert (await wire.notice())["params"] == {"uri": WATCHED}
    assert (await post(second, LIST, other)).status == 200


async def test_replicas_start_without_redis(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """D-124: Redis may come later: nothing waits for it, and then it is used."""
    with replicating(content, tmp_path, scanner=scanner, has_redis=False) as replicas:
        first, _ = replicas.ports
        session = await shake_hands(first)
        assert (await post(first, SUBSCRIBE, session)).status == 200
        replicas.redis.start()
        await open_sessions(replicas)
