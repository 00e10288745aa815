"""Deadlines and numbers of connections."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from time import monotonic

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import EVENTS, JSON, message, open_app, serving
from support.slow import SlowProvider
from support.wire import BOUND, Wire, ask, dial, until

from asdlc_kb.app import Runtime
from asdlc_kb.web.admission.client_address import UNIX, TrustedProxies
from asdlc_kb.web.connections import backlog, connection_manager
from asdlc_kb.web.connections.connection_limits import ConnectionLimits
from asdlc_kb.web.connections.connection_manager import (
    BODY_RATE,
    BODY_SECONDS,
    HEAD_SECONDS,
    IDLE_SECONDS,
    STALL_BYTES,
    STALL_SECONDS,
    ConnectionManager,
    MonitoredStream,
)

PING = json.dumps(message("ping")).encode()
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
HERE = "127.0.0.1"


@contextmanager
def joined(
    **limits: int,
) -> Iterator[tuple[ConnectionManager, MonitoredStream, socket.socket]]:
    """Yield a connection manager, a stream that it monitors, and the stream's peer."""
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
    watching = ConnectionManager(ConnectionLimits(**{"max_total": 10, **limits}))
    stream = watching.watch(ours, HERE)
    with theirs:
        try:
            yield watching, stream, theirs
        finally:
            stream.close()
            watching.close()


def fault(stream: MonitoredStream, seconds: float) -> str | None:
    """Return the reason of its deadline, if any, after so much time."""
    return stream.timeout_reason(monotonic() + seconds)


async def test_a_request_has_ten_seconds_from_its_first_byte() -> None:
    """D-058: before that it is an idle connection, which may stay for 75."""
    with joined() as (_, stream, peer):
        reading = asyncio.ensure_future(stream.read_until_regex(b"\r\n\r\n"))
        assert fault(stream, IDLE_SECONDS - 1) is None
        assert fault(stream, IDLE_SECONDS) == "idle"
        peer.send(b"G")
        await until(lambda: fault(stream, HEAD_SECONDS) == "slow_header")
        assert fault(stream, HEAD_SECONDS - 1) is None
        began = monotonic()
        for _ in range(20):
            # More bytes do not buy more time.
            peer.send(b"E")
            await asyncio.sleep(0)
        assert stream.timeout_reason(began + HEAD_SECONDS) == "slow_header"
        peer.send(b"\r\n\r\n")
        await asyncio.wait_for(reading, BOUND)
        assert fault(stream, 1_000) is None


async def test_the_rest_of_a_packet_has_begun_a_request() -> None:
    """Several requests may come at once, the last one in part."""
    with joined() as (_, stream, peer):
        peer.sendall(b"GET / HTTP/1.1\r\n\r\nGE")
        await asyncio.wait_for(stream.read_until_regex(b"\r\n\r\n"), BOUND)
        reading = asyncio.ensure_future(stream.read_until_regex(b"\r\n\r\n"))
        assert fault(stream, HEAD_SECONDS) == "slow_header"
        peer.sendall(b"\r\n\r\n")
        await asyncio.wait_for(reading, BOUND)


async def test_a_body_may_take_longer_only_while_it_comes() -> None:
    """D-058: a large one over a slow line is no attack, a byte a second is."""
    with joined() as (_, stream, peer):
        size = 2 * BODY_RATE
        reading = asyncio.ensure_future(stream.read_bytes(10 * size))
        assert fault(stream, BODY_SECONDS - 1) is None
        assert fault(stream, BODY_SECONDS) == "slow_body"
        peer.setblocking(False)
        loop = asyncio.get_running_loop()
        await asyncio.wait_for(loop.sock_sendall(peer, b"x" * size), BOUND)
        await until(lambda: fault(stream, BODY_SECONDS) is None)
        await until(lambda: fault(stream, BODY_SECONDS + 1.5) is None)
        assert fault(stream, BODY_SECONDS + 2) == "slow_body"
        reading.cancel()


async def test_a_body_of_chunks_is_a_body() -> None:
    """D-058: its deadline does not restart with each chunk."""
    with joined() as (_, stream, peer):
        began = monotonic()
        peer.sendall(b"1\r\nx\r\n")
        await asyncio.wait_for(stream.read_until(b"\r\n"), BOUND)
        await asyncio.wait_for(stream.read_bytes(3), BOUND)
        reading = asyncio.ensure_future(stream.read_until(b"\r\n"))
        latest = began + BODY_SECONDS + 0.5
        assert (
            monotonic() < began + 0.4
            or stream.timeout_reason(latest + 9) == "slow_body"
        )
        assert stream.timeout_reason(latest + 1) == "slow_body"
        reading.cancel()


async def test_an_answer_may_take_any_time_to_make() -> None:
    """The peer is not awaited then."""
    with joined() as (_, stream, _peer):
        assert fault(stream, 1_000_000) is None


async def test_a_reader_must_take_something_worth_the_wait() -> None:
    """D-058: all that is pending for it, or 64 KiB in 20 seconds, not a byte."""
    with joined() as (_, stream, peer):
        peer.setblocking(False)

        async def take(size: int) -> None:
            """Read what is there, and let the stream write as much as fits."""
            loop = asyncio.get_running_loop()
            assert await asyncio.wait_for(loop.sock_recv(peer, size), BOUND)
            await asyncio.sleep(0)

        stream.write(b"x" * 300_000)
        unsent, began = stream.unsent, monotonic()
        assert unsent > 200_000
        assert fault(stream, STALL_SECONDS - 1) is None
        assert fault(stream, STALL_SECONDS) == "slow_reader"
        while stream.unsent == unsent:
            await take(1024)
        # It took something, and too little of it.
        assert unsent - stream.unsent < STALL_BYTES
        assert stream.timeout_reason(began + STALL_SECONDS) == "slow_reader"
        while unsent - stream.unsent < STALL_BYTES:
            await take(1024)
        assert stream.timeout_reason(began + STALL_SECONDS) is None
        assert fault(stream, STALL_SECONDS) == "slow_reader"
        while stream.writing():
            await take(64 * 1024)
        assert (stream.unsent, stream.stalled_since) == (0, None)


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
    monkeypatch.setattr(connection_manager, "monotonic", lambda: now[0])
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
    """Memory is as before when slow readers are gone; few are not worth a trim."""
    given = asyncio.Event()
    call_soon = asyncio.get_running_loop().call_soon_threadsafe
    monkeypatch.setattr(connection_manager, "trim_malloc", lambda: call_soon(given.set))
    watching = ConnectionManager(ConnectionLimits(10))
    for unsent in (1 << 20, 1 << 25):
        ours, theirs = socket.socketpair()
        with theirs:
            stream = watching.watch(ours, "192.0.2.1")
            stream.unsent = unsent
            stream.close()
        await until(lambda: vars(watching)["_sweep_timer"] is None)
        if unsent > 1 << 24:
            await asyncio.wait_for(given.wait(), BOUND)
        assert given.is_set() == (unsent > 1 << 24)
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
        monkeypatch.setattr(connection_manager, name, 0.2)


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
