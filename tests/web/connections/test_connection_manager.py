"""Numbers of connections, and sweeps that close the late ones."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import EVENTS, JSON, message, open_app, serving
from support.slow import SlowProvider
from support.streams import HERE, joined
from support.wire import Wire, ask, dial, until

from asdlc_kb.app import Runtime
from asdlc_kb.web.admission.client_address import UNIX, TrustedProxies
from asdlc_kb.web.connections import backlog, connection_manager, monitored_stream
from asdlc_kb.web.connections.connection_limits import ConnectionLimits
from asdlc_kb.web.connections.connection_manager import ConnectionManager
from asdlc_kb.web.connections.monitored_stream import (
    IDLE_SECONDS,
)

PING = json.dumps(message("ping")).encode()
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def test_who_has_read_nothing_for_longest_is_cut_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D-060: readers that do not read must not fill the memory, however many."""
    monkeypatch.setattr(backlog, "MAX_UNSENT_BYTES", 5_000_000)
    watching = ConnectionManager(ConnectionLimits(10))
    pairs = [socket.socketpair() for _ in range(3)]
    streams = [watching.watch(ours, HERE) for ours, _ in pairs]
    for stream in streams:
        stream.write(b"x" * 4_000_000)
    await until(lambda: streams[1].closed())
    assert [stream.closed() for stream in streams] == [True, True, False]
    assert watching.cut.counts == {"too_much_unread": 2}
    streams[2].close()
    watching.close()
    for _, theirs in pairs:
        theirs.close()


async def test_a_late_round_judges_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a suspend of the machine, received bytes are just not read yet."""
    now = [1000.0]
    monkeypatch.setattr(connection_manager, "SWEEP_SECONDS", 0.01)
    for module in (connection_manager, monitored_stream):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    with joined() as (watching, stream, _):
        reading = asyncio.ensure_future(stream.read_until_regex(b"\r\n\r\n"))
        rounds = 0
        look = stream.timeout_reason

        def timeout_reason(now: float) -> str | None:
            nonlocal rounds
            rounds += 1
            return look(now)

        stream.timeout_reason = timeout_reason  # type: ignore[method-assign]
        now[0] += IDLE_SECONDS - 1
        await until(lambda: rounds > 1)
        # One round is as late as this; the next one is not.
        seen, now[0] = rounds, now[0] + 10
        await until(lambda: stream.closed())
        assert rounds == seen + 1
        assert watching.cut.counts == {}
        with pytest.raises(OSError, match="closed"):
            await reading


async def test_connections_are_counted_by_address_and_in_total() -> None:
    """A customer's IPv6 network is one address; closing frees capacity."""
    watching = ConnectionManager(ConnectionLimits(max_total=4, max_per_client=2))
    pairs = [socket.socketpair() for _ in range(4)]
    first, second = (watching.watch(pairs[n][0], f"2001:db8::{n}") for n in (0, 1))
    assert watching.find_rejection("2001:db8::9") == "most_each"
    assert watching.find_rejection("2001:db8:0:1::9") is None
    third, fourth = (watching.watch(pairs[n][0], f"192.0.2.{n}") for n in (2, 3))
    assert watching.find_rejection("192.0.2.9") == "most"
    second.close()
    assert watching.find_rejection("192.0.2.9") is None
    assert watching.find_rejection("2001:db8::9") is None
    for stream in (first, third, fourth):
        stream.close()
        stream.close()
    assert watching.connections == 0
    assert vars(watching)["_per_client"] == {}
    watching.close()
    for _, theirs in pairs:
        theirs.close()


async def test_what_many_unread_answers_took_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Memory is as before when slow readers are gone; few are not worth a trim.

    It is trimmed again later, since requests of closed connections end later.
    """
    trims: list[None] = []
    monkeypatch.setattr(connection_manager, "trim_malloc", lambda: trims.append(None))
    watching = ConnectionManager(ConnectionLimits(10))
    for unsent in (1 << 20, 1 << 25):
        ours, theirs = socket.socketpair()
        with theirs:
            stream = watching.watch(ours, "192.0.2.1")
            stream.unsent = unsent
            stream.close()
        await until(lambda: vars(watching)["_sweep_timer"] is None)
        if unsent > 1 << 24:
            await until(lambda: len(trims) == 4)
        assert bool(trims) == (unsent > 1 << 24)
    watching.close()


async def test_connections_are_checked_while_no_thread_is_free(
    short_deadlines: None,
) -> None:
    """Memory is returned in a thread; the checks of connections go on."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    watching = ConnectionManager(ConnectionLimits(10))
    ours, theirs = socket.socketpair()
    default = threading.stack_size(1 << 46)
    try:
        with theirs:
            stream = watching.watch(ours, "192.0.2.1")
            stream.unsent = 1 << 25
            stream.close()
        await until(lambda: vars(watching)["_sweep_timer"] is None)
    finally:
        threading.stack_size(default)
    watching.close()


@pytest.mark.parametrize("peer", ["10.0.0.1", "0.0.0.0", UNIX])
async def test_a_trusted_proxy_may_have_any_number(peer: str) -> None:
    """Its connections are those of many clients, and it limits them itself."""
    watching = ConnectionManager(
        ConnectionLimits(max_total=3, max_per_client=1),
        TrustedProxies(("10.0.0.0/8", UNIX)),
    )
    pairs = [socket.socketpair() for _ in range(3)]
    streams = []
    for ours, _ in pairs:
        assert watching.find_rejection(peer) is None
        streams.append(watching.watch(ours, peer))
    assert watching.find_rejection(peer) == "most"
    for stream in streams:
        stream.close()
    watching.close()
    for _, theirs in pairs:
        theirs.close()


@pytest.fixture
def short_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten all deadlines, one second of an hour."""
    monkeypatch.setattr(connection_manager, "SWEEP_SECONDS", 0.05)
    for name in ("IDLE_SECONDS", "HEAD_SECONDS", "BODY_SECONDS", "STALL_SECONDS"):
        monkeypatch.setattr(monitored_stream, name, 0.2)


@asynccontextmanager
async def close_connection(port: int, sent: bytes = b"") -> AsyncIterator[Wire]:
    """Open a connection and wait until it is closed, after some sweeps."""
    async with dial(port) as wire:
        await wire.send(sent)
        assert await wire.rest() == b""
        yield wire


async def test_slow_peers_are_cut_and_counted(
    app: Runtime, short_deadlines: None
) -> None:
    """Idle ones are not logged: every client leaves some."""
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
    async with serving(app) as site:
        with captured("asdlc_kb.web.connections.connection_manager") as lines:
            for sent in (b"", HEALTH[:-1], head, head + b"12345678"):
                async with close_connection(site.port, sent):
                    assert site.web.state.in_flight == set()
        assert site.web.manager.connections == 0
        assert site.web.manager.cut.counts == {"slow_header": 1, "slow_body": 2}
    assert {row["event"] for row in lines.rows} == {"connections closed"}
    assert len(lines.rows) == 1


async def test_streams_have_deadlines_of_their_own(
    app: Runtime, short_deadlines: None
) -> None:
    """They carry no requests, and nothing may arrive for a long time."""
    async with serving(app) as site, dial(site.port) as wire:
        await wire.request("GET", headers=EVENTS)
        assert (await wire.head()).status == 200
        frame = await wire.frame()
        assert frame is not None
        for _ in "123":
            async with close_connection(site.port):
                assert site.web.manager.connections == 1
        posted = await site.post(message("ping"), path=frame[1].decode())
        assert posted.code == 202
        assert (await wire.notice())["result"] == {}
    assert site.web.manager.connections == 0


async def test_a_slow_answer_is_waited_for(
    knowledge: KnowledgeBase, short_deadlines: None
) -> None:
    """Longer than any peer may take."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site, dial(site.port) as wire:
        body = json.dumps(message("tools/call", {"name": "wait"})).encode()
        await wire.request("POST", headers=JSON, body=body)
        await until(slow.started.is_set)
        for _ in "12":
            async with close_connection(site.port):
                assert len(site.web.state.in_flight) == 1
        slow.released.set()
        assert "wait is done" in str((await wire.answer()).json)


async def test_the_round_begins_again(app: Runtime, short_deadlines: None) -> None:
    """With the first connection after the last one."""
    async with serving(app) as site:
        for _ in "12":
            async with close_connection(site.port):
                await until(lambda: vars(site.web.manager)["_sweep_timer"] is None)


async def test_a_reused_connection_is_never_in_between(
    app: Runtime, short_deadlines: None
) -> None:
    """Requests in sequence, for several sweeps: each has its own deadline."""
    async with serving(app) as site, dial(site.port) as wire:
        rounds = 0
        guarding = site.web.manager
        last = vars(guarding)["_sweep_timer"]
        while rounds < 20:
            await wire.request("POST", headers=JSON, body=PING)
            assert (await wire.answer()).status == 200
            now = vars(guarding)["_sweep_timer"]
            rounds, last = rounds + (now is not last), now
        assert (await ask(site.port, "GET", "/health")).status == 200
