"""Listening, deadlines, and draining without losing a request."""

import asyncio
import contextlib
import json
import signal
import socket

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import JSON, Site, message, open_app, serving
from support.processes import run_cli, serve_process
from support.slow import SlowProvider
from support.wire import BOUND, ask, dial, until, write_request

from asdlc_kb.app import Runtime
from asdlc_kb.web import http_server
from asdlc_kb.web.connections import monitored_stream
from asdlc_kb.web.http_server import open_sockets

PING = json.dumps(message("ping")).encode()
WAIT = json.dumps(message("tools/call", {"name": "wait"})).encode()


async def bounded_drain(site: Site) -> None:
    """Drain; a server that does not end fails the test."""
    await asyncio.wait_for(site.web.drain(), BOUND)


async def test_port_zero_picks_a_free_port() -> None:
    """Two servers on one machine, for example tests."""
    (first,), (second,) = open_sockets("127.0.0.1", 0), open_sockets("127.0.0.1", 0)
    with first, second:
        ports = {first.getsockname()[1], second.getsockname()[1]}
        assert len(ports) == 2
        assert 0 not in ports


def test_a_taken_port_is_told_in_one_line(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-127: exit code 3, what to do, no traceback."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        args = ("serve", knowledge.root, "--port", port)
        done = run_cli(*args, scanner=scanner, cwd=knowledge.root.parent)
    advice = "stop the other server, or pick a free port with --port 0"
    said = f"asdlc-kb: port {port} of 127.0.0.1 is taken: {advice}\n"
    assert (done.code, done.out, done.err) == (3, "", said)


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid", "a..b"])
def test_an_address_that_is_not_ours_is_told_in_one_line(
    knowledge: KnowledgeBase, scanner: Scanner, host: str
) -> None:
    """D-127: an address the machine does not have, a name that does not resolve."""
    args = ("serve", knowledge.root, "--host", host, "--port", "0")
    done = run_cli(*args, scanner=scanner, cwd=knowledge.root.parent)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"asdlc-kb: cannot listen on {host}:0: ")
    assert done.err.count("\n") == 1


async def test_a_body_must_arrive_in_time(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-058: a slow body is cut off, and forgotten, whatever waits for it."""
    monkeypatch.setattr(monitored_stream, "BODY_SECONDS", 0.05)
    async with serving(app) as site:
        for path in ("/mcp", "/mcp?x", "/health"):
            async with dial(site.port) as wire:
                headers = {**JSON, "Content-Length": str(len(PING))}
                await wire.request("POST", path, headers=headers)
                await wire.send(PING[:-1])
                assert await wire.rest() == b""
            assert site.web.state.in_flight == set()
        assert (await ask(site.port, "GET", "/health")).status == 200


@pytest.mark.parametrize("sent", [b"", b"GET /health HTTP/1.1\r\nHost: loc"])
async def test_an_idle_connection_is_closed(
    app: Runtime, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    """D-058: one that sends nothing, or never ends its header."""
    monkeypatch.setattr(monitored_stream, "IDLE_SECONDS", 0.05)
    monkeypatch.setattr(monitored_stream, "HEAD_SECONDS", 0.05)
    async with serving(app) as site, dial(site.port) as wire:
        await wire.send(sent)
        assert await wire.rest() == b""


async def test_a_huge_header_is_not_read(app: Runtime) -> None:
    """D-058: more header than any client has ends the connection."""
    async with serving(app) as site:
        async with dial(site.port) as wire:
            await wire.request("GET", "/health", {"X-Padding": "x" * 100_000})
            assert b"200" not in await wire.rest()
        assert (await ask(site.port, "GET", "/health")).status == 200


async def test_a_drain_finishes_what_is_under_way(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-094: a request that began is answered, and its client asked to reconnect."""
    monkeypatch.setattr(http_server, "LAME_DUCK_SECONDS", 0)
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site, dial(site.port) as wire:
        await wire.request("POST", headers=JSON, body=WAIT)
        await until(slow.started.is_set)
        draining = asyncio.ensure_future(bounded_drain(site))
        await until(lambda: site.web.state.is_draining)
        await until(lambda: not _is_open(site.port))
        assert not draining.done()
        slow.released.set()
        answer = await wire.answer()
        assert answer.json["result"]["content"][0]["text"] == "wait is done"
        assert answer.headers["connection"] == "close"
        wire.close()
        await draining


def _is_open(port: int) -> bool:
    """Whether a process listens on a port of this machine."""
    with contextlib.closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def test_a_drain_waits_for_a_body_that_is_on_its_way(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-094: a request that began is answered, even if none of it was parsed yet."""
    monkeypatch.setattr(http_server, "TRANSIT_SECONDS", 0.01)
    async with serving(app) as site, dial(site.port) as wire:
        headers = {**JSON, "Content-Length": str(len(PING))}
        await wire.request("POST", headers=headers)
        await until(lambda: len(site.web.state.in_flight) == 1)
        draining = asyncio.ensure_future(bounded_drain(site))
        done, _ = await asyncio.wait((draining,), timeout=0.5)
        assert not done
        await wire.send(PING)
        assert (await wire.answer()).status == 200
        await draining


async def test_a_drain_serves_who_was_about_to_come_in(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection accepted by the kernel, its request unread, is not reset."""
    monkeypatch.setattr(http_server, "LAME_DUCK_SECONDS", 0)
    async with serving(app) as site:
        draining = asyncio.ensure_future(bounded_drain(site))
        while not site.web.state.is_draining:
            await asyncio.sleep(0)
        # The loop has no turn between these connections and the end of listening.
        waiting = [socket.create_connection(("127.0.0.1", site.port)) for _ in range(9)]
        for connection in waiting:
            connection.sendall(write_request(site.port, "GET", "/health"))
        await draining
        for connection in waiting:
            with connection:
                connection.settimeout(BOUND)
                assert connection.recv(64 * 1024).startswith(b"HTTP/1.1 200 OK\r\n")


async def test_a_drain_waits_for_a_slow_reader(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A response is under way until it is sent, not only until it is written."""
    monkeypatch.setattr(http_server, "LAME_DUCK_SECONDS", 0)
    knowledge.write("concepts/long", body="long text " * 150_000)
    params = {"uri": "kb://article/long"}
    call = json.dumps(message("resources/read", params)).encode()
    async with serving(open_app(knowledge)) as site:
        with socket.socket() as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect(("127.0.0.1", site.port))
            reader.sendall(write_request(site.port, "POST", "/mcp", JSON, call))
            first = await asyncio.to_thread(reader.recv, 1)
            await until(lambda: not site.web.state.in_flight)
            draining = asyncio.ensure_future(bounded_drain(site))
            await until(lambda: not _is_open(site.port))
            answer = first + await asyncio.to_thread(_read_all, reader)
            await draining
    head, _, body = answer.partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}".encode() in head.lower()
    assert json.loads(body)["result"]["contents"][0]["text"].count("long text") > 10_000


def _read_all(connection: socket.socket) -> bytes:
    connection.settimeout(BOUND)
    received = b""
    while chunk := connection.recv(64 * 1024):
        received += chunk
    return received


async def test_a_drain_does_not_wait_for_ever(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-094: a request that takes too long is cut off."""
    monkeypatch.setattr(http_server, "LAME_DUCK_SECONDS", 0)
    monkeypatch.setattr(http_server, "TRANSIT_SECONDS", 0)
    monkeypatch.setattr(http_server, "DRAIN_SECONDS", 0.1)
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site, dial(site.port) as wire:
        await wire.request("POST", headers=JSON, body=WAIT)
        await until(slow.started.is_set)
        await bounded_drain(site)
        assert not slow.ended.is_set()
        assert await wire.rest() == b""
        slow.released.set()
        await until(slow.ended.is_set)


async def test_a_drain_closes_idle_connections(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They get a moment for bytes in transit, and no more."""
    monkeypatch.setattr(http_server, "LAME_DUCK_SECONDS", 0)
    monkeypatch.setattr(http_server, "TRANSIT_SECONDS", 0.05)
    async with serving(app) as site, dial(site.port) as wire:
        await wire.request("GET", "/health")
        await wire.answer()
        await bounded_drain(site)
        assert await wire.rest() == b""


async def _keep_busy(port: int, scanner: Scanner, served: list[int]) -> None:
    """Send requests on one connection until its server announces its end."""
    async with dial(port, scanner) as wire:
        while True:
            await wire.request("POST", headers=JSON, body=PING)
            answer = await wire.answer()
            assert (answer.status, answer.json["result"]) == (200, {})
            served.append(1)
            if answer.headers.get("connection") == "close":
                return


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_loses_no_request(
    knowledge: KnowledgeBase, scanner: Scanner, number: int
) -> None:
    """D-094: a real process under load: every request is answered, exit code 0."""
    with serve_process(knowledge.root, scanner=scanner) as process:
        served: list[int] = []
        clients = [_keep_busy(process.port, scanner, served) for _ in range(16)]
        busy = asyncio.gather(*clients)
        await until(lambda: len(served) > 100 or busy.done())
        assert not busy.done()
        process.running.signal(number)
        await asyncio.wait_for(busy, BOUND)
        left = await asyncio.to_thread(process.running.wait)
    assert left.code == 0
    rows = [json.loads(line) for line in left.err.splitlines()]
    requests = [row for row in rows if row["event"] == "request"]
    assert len(requests) == len(served)
    assert not [row for row in rows if row["level"] == "error"]
