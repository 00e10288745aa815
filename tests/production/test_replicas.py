"""Two replicas behind the shipped nginx, with a shared bus, are one server."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp.shared.subscriptions import ResourceUpdated
from support.bus_server import KINDS, PASSWORDS, BusTap
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import EVENTS, JSON, message
from support.replicas import KEY, Replicas, replicating
from support.wire import BOUND, Answer, ask, dial, until

LEGACY = "2025-11-25"
WATCHED = "kb://article/watched"
SUBSCRIBE = message("resources/subscribe", {"uri": WATCHED})
LIST = message("tools/call", {"name": "list_articles", "arguments": {}})


@pytest.fixture
def content(knowledge: KnowledgeBase) -> KnowledgeBase:
    """A knowledge base with an article to watch."""
    knowledge.write("concepts/watched")
    return knowledge


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of bus."""
    return str(request.param)


@pytest.fixture
def replicas(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner, kind: str
) -> Iterator[Replicas]:
    """Two of them, with logs that contain neither a traceback nor the password."""
    with replicating(content, tmp_path, scanner=scanner, kind=kind) as running:
        yield running
        written = running.errors()
    assert "Traceback" not in written
    assert not any(password in written for password in PASSWORDS)


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
    replicas.bus.kill()
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


async def next_message(tap: BusTap, *, seconds: float = BOUND) -> bytes | None:
    """Return the next message on the bus, None after so long without one."""
    return await asyncio.to_thread(tap.read, seconds)


async def capture(tap: BusTap, part: bytes) -> bytes:
    """Return the next message that contains a text.

    A replica that joined late announces itself meanwhile.
    """
    async with asyncio.timeout(BOUND):
        while part not in (message := await next_message(tap) or b""):
            pass
    return message


async def test_a_limit_is_one_for_all_replicas(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner, kind: str
) -> None:
    """Counted by each, and published: nothing is stored."""
    limit = ("--rate-limit", "20/hour")
    with (
        replicating(content, tmp_path, *limit, scanner=scanner, kind=kind) as replicas,
        replicas.bus.tap(KEY) as tap,
    ):
        first, second = replicas.ports
        statuses = [(await post(first, LIST)).status for _ in range(21)]
        assert statuses == [200] * 20 + [429]
        while await next_message(tap, seconds=1.0) is not None:
            pass
        admitted = 0
        while (await post(second, LIST)).status == 200:
            admitted += 1
            # The sums include the counts of the first replica.
            assert await next_message(tap) is not None
        assert 1 <= admitted < 20
        assert replicas.bus.count_stored() == 0


async def test_a_captured_message_is_worked_off_once(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner, kind: str
) -> None:
    """D-050: a subscriber sees every message, and may publish it again."""
    watching = "192.0.2.1"
    options = ("--metrics-allow", watching, "--rate-limit", "off")
    repeated = b'peer_messages_dropped_total{reason="repeated"} 5.0'
    with (
        replicating(
            content, tmp_path, *options, scanner=scanner, kind=kind
        ) as replicas,
        replicas.bus.tap(KEY) as tap,
    ):
        first, second = replicas.ports
        session = await shake_hands(first)
        assert (await post(second, SUBSCRIBE, session)).status == 200
        captured = await capture(tap, WATCHED.encode())
        assert session.encode() not in captured
        for _ in range(5):
            tap.publish(captured)
        async with asyncio.timeout(BOUND):
            # The proxy is trusted: its header names the client.
            headers = {"X-Forwarded-For": watching}
            while repeated not in (await ask(first, "GET", "/metrics", headers)).body:
                pass


async def test_a_count_that_was_made_up_changes_nothing(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner, kind: str
) -> None:
    """Without the key no client can use up another's rate."""
    limit = ("--rate-limit", "120/minute")
    with (
        replicating(content, tmp_path, *limit, scanner=scanner, kind=kind) as replicas,
        replicas.bus.tap(KEY) as tap,
    ):
        first, second = replicas.ports
        assert (await post(first, LIST)).status == 200
        counted = await capture(tap, b"calls/")
        for name in (b"stranger", counted.split(b"\0")[0]):
            tap.publish(name + b"\0" + counted.split(b"\0", 1)[1])
        for port in (first, second):
            assert (await post(port, LIST)).status == 200


def inject_fault(replicas: Replicas, fault: str) -> None:
    """Disturb the bus."""
    if fault == "killed":
        replicas.bus.kill()
    elif fault == "stopped":
        replicas.bus.pause()
    elif fault == "emptied":
        replicas.bus.empty()
    elif fault == "slowed":
        replicas.bus.slow()
    elif fault == "cut off":
        replicas.bus.cut()
    else:
        with replicas.bus.tap(KEY) as tap:
            tap.publish_garbage()


def repair(replicas: Replicas, fault: str) -> None:
    """Restore it."""
    if fault == "killed":
        replicas.bus.start()
    elif fault == "stopped":
        replicas.bus.resume()


FAULTS = ("killed", "stopped", "cut off", "emptied", "slowed", "spoilt")


@pytest.mark.parametrize("fault", FAULTS)
async def test_nothing_fails_for_a_fault_of_the_bus(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner, kind: str, fault: str
) -> None:
    """D-126: never a 5xx, calls are answered, and all recovers by itself."""
    limit = ("--rate-limit", "100000/hour")
    with replicating(content, tmp_path, *limit, scanner=scanner, kind=kind) as replicas:
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
            f"\n{kind} {fault}: the first call took {took[0]:.0f} ms, others at most "
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
    assert not any(password in written for password in PASSWORDS)
    assert '"status":5' not in written


async def test_limits_go_on_without_a_bus(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner, kind: str
) -> None:
    """D-057: each counts by itself; the limit neither vanishes nor blocks."""
    limit = ("--rate-limit", "20/hour")
    with replicating(content, tmp_path, *limit, scanner=scanner, kind=kind) as replicas:
        replicas.bus.kill()
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


async def test_replicas_start_without_a_bus(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner, kind: str
) -> None:
    """D-126: the bus may come later: nothing waits for it, and then it is used."""
    with replicating(
        content, tmp_path, scanner=scanner, kind=kind, has_bus=False
    ) as replicas:
        first, _ = replicas.ports
        session = await shake_hands(first)
        assert (await post(first, SUBSCRIBE, session)).status == 200
        replicas.bus.start()
        await open_sessions(replicas)
