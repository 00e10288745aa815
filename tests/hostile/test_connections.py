"""Connections that are kept, reset, or that send more than a request may have."""

import asyncio
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from time import monotonic
from typing import Final

import pytest
from support.attacks import attacking, each, reach
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import EVENTS, open_app, serving
from support.processes import Served, serve_process
from support.wire import BOUND, ask, dial, until

from asdlc_kb.app import Runtime
from asdlc_kb.web.connections import idle

HOST: Final = b"Host: localhost\r\nContent-Type: application/json\r\n"
HEALTH: Final = b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n"
OPENINGS: Final = {
    "idle": b"",
    "half a header": b"POST /mcp HTTP/1.1\r\nHost: local",
    "one served request": HEALTH,
    "an open stream": b"GET /mcp HTTP/1.1\r\n"
    + HOST
    + b"Accept: text/event-stream\r\n\r\n",
}
COUNT: Final = 1_000
MAX_GROWTH_BYTES: Final = 20 * 1024 * 1024
CHUNKED: Final = (
    b"POST /mcp HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
)


@pytest.fixture
def descriptors() -> Iterator[None]:
    """Make room for the attackers' descriptors, which are in this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4 * COUNT:
        pytest.skip(f"the hard limit of descriptors is {hard}, below {4 * COUNT}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * COUNT, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def measure(served: Served) -> tuple[int, int]:
    """Return the descriptors and the bytes of memory of a server."""
    pid = served.running.process.pid
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return len(os.listdir(f"/proc/{pid}/fd")), int(pages) * resource.getpagesize()


@pytest.mark.timeout(seconds=120)
@pytest.mark.parametrize("opening", OPENINGS)
async def test_connections_that_are_reset_leave_no_memory_behind(
    knowledge: KnowledgeBase, scanner: Scanner, descriptors: None, opening: str
) -> None:
    """Within 20 MB of before, whatever they sent; a buffer of 64 KiB each would be 62
    MB.
    """
    sent = OPENINGS[opening]
    options = ("--max-connections", str(3 * COUNT))
    with serve_process(knowledge.root, *options, scanner=scanner) as served:

        async def attack(count: int) -> None:
            fds, _ = measure(served)
            async with attacking(served.port, count, sent, each=20) as attackers:
                if sent.endswith(b"\r\n\r\n"):
                    await each(attackers, lambda one: one.read_first())
                # A busy kernel may not accept a whole burst.
                await reach(lambda: measure(served)[0] >= fds + count * 9 // 10)
                for one in attackers:
                    one.reset()
                await reach(lambda: measure(served)[0] <= fds + 5)

        # Lazily created objects do not count as growth.
        await attack(10)
        _, before = measure(served)
        await attack(COUNT)
        await reach(lambda: measure(served)[1] < before + MAX_GROWTH_BYTES)


async def test_idle_connections_give_way_where_descriptors_are_few(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-059: 192 idle ones at `ulimit -n 256` shut out no client."""
    limited = ("sh", "-c", 'ulimit -n 256 && exec "$@"', "sh")
    with serve_process(knowledge.root, scanner=scanner, prefix=limited) as served:

        async def is_served() -> bool:
            async with attacking(served.port, 1, HEALTH, net=2) as (late,):
                await asyncio.wait_for(late.read_first(), BOUND)
            return late.received.startswith(b"HTTP/1.1 200 ")

        async with attacking(served.port, 192, each=64), asyncio.timeout(BOUND):
            # Those that have just connected are left open.
            while not await is_served():
                pass
            assert all([await is_served() for _ in range(20)])


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every idle connection idle for a second more."""
    monkeypatch.setattr(idle, "monotonic", lambda: monotonic() + 1)


async def test_the_longest_idle_connection_is_closed_for_a_new_one(
    knowledge: KnowledgeBase, later: None
) -> None:
    """D-059: never one with a request in progress, or an open stream."""
    async with (
        serving(open_app(knowledge, max_connections=4)) as site,
        dial(site.port) as stream,
        dial(site.port) as asking,
        dial(site.port) as used,
        dial(site.port) as unused,
    ):
        await stream.request("GET", headers=EVENTS)
        assert (await stream.head()).status == 200
        await asking.send(HEALTH[:-2])
        await until(lambda: site.web.manager.connections == 4)
        await used.send(HEALTH)
        assert (await used.answer()).status == 200
        assert (await ask(site.port, "GET", "/health")).status == 200
        assert await unused.rest() == b""
        await asking.send(b"\r\n")
        assert (await asking.answer()).status == 200
        await used.send(HEALTH)
        assert (await used.answer()).status == 200
        assert site.web.manager.cut.counts == {"displaced": 1}
        assert site.web.manager.rejected.counts == {}
        assert await stream.frame() is not None


async def test_connections_that_were_used_again_still_give_way(
    knowledge: KnowledgeBase, later: None
) -> None:
    """D-059: each sends a request after another gave way, and is idle again: no 503."""
    limit = 4
    app = open_app(knowledge, max_connections=limit)
    async with serving(app) as site, AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(dial(site.port)) for _ in range(limit)]
        await until(lambda: site.web.manager.connections == limit)
        for _ in range(3):
            late = await stack.enter_async_context(dial(site.port))
            await late.send(HEALTH)
            assert (await late.answer()).status == 200
            assert await wires.pop(0).rest() == b""
            for wire in wires:
                await wire.send(HEALTH)
                assert (await wire.answer()).status == 200
            wires.insert(0, late)
        assert site.web.manager.rejected.counts == {}


TOO_LONG: Final = {
    "a header of 40 KB": (431, b"X-A: " + b"a" * 40_000 + b"\r\n"),
    "a header of 5 MB": (431, b"X-A: " + b"a" * 5_000_000 + b"\r\n"),
    "4,000 fields": (431, b"X-A: b\r\n" * 10_000),
}


@pytest.mark.parametrize("kind", TOO_LONG)
async def test_a_header_that_is_too_large_is_answered(app: Runtime, kind: str) -> None:
    """RFC 6585, 5: 431, and no reset before its sender has read it."""
    status, fields = TOO_LONG[kind]
    response = await converse(
        app, b"GET /health HTTP/1.1\r\n" + HOST + fields + b"\r\n"
    )
    assert response.startswith(b"HTTP/1.1 %d " % status)
    assert b'{"error": "the header is too large' in response


@pytest.mark.parametrize("size", [33_000, 70_000, 5_000_000])
async def test_an_address_that_is_too_long_is_answered(app: Runtime, size: int) -> None:
    """RFC 9110, 15.5.15: 414."""
    response = await converse(app, b"GET /" + b"a" * size + b" HTTP/1.1\r\n" + HOST)
    assert response.startswith(b"HTTP/1.1 414 ")
    assert b'{"error": "the address is too long' in response


BAD: Final = {
    "a chunk extension of 20 KB": CHUNKED + b"2;" + b"a" * 20_000 + b"\r\n{}\r\n",
    "a chunk size that is none": CHUNKED + b"x\r\n" + b"{}" * 1_000_000,
    "a request line that is none": b"nonsense\r\n\r\n" + b"x" * 1_000_000,
    "two lengths": b"POST /mcp HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n"
    + HOST
    + b"\r\n"
    + b"{}" * 1_000_000,
    "LF in a header": HEALTH.replace(b"localhost\r\n", b"localhost\n"),
    "LF after the request line": HEALTH.replace(b"1.1\r\n", b"1.1\n"),
    "LF everywhere": HEALTH.replace(b"\r\n", b"\n"),
    "LF at the end": HEALTH[:-2] + b"\n",
    "LF before the end": HEALTH[:-4] + b"\n\r\n",
}


@pytest.mark.parametrize("kind", BAD)
async def test_what_is_not_well_formed_is_answered(app: Runtime, kind: str) -> None:
    """RFC 9112, 2.2 and 7.1: 400, and no reset before its sender has read it."""
    response = await converse(app, BAD[kind])
    assert response.startswith(b"HTTP/1.1 400 ")
    assert response.endswith(b'{"error": "the request is not well-formed HTTP"}')
    assert response.count(b"HTTP/1.1 ") == 1


async def test_a_body_that_is_far_too_large_is_answered(app: Runtime) -> None:
    """RFC 9110, 15.5.14: 413, although its sender goes on sending for a while."""
    head = b"POST /mcp HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999\r\n\r\n"
    response = await converse(app, head + b"x" * 5_000_000)
    assert response.startswith(b"HTTP/1.1 413 ")


async def converse(app: Runtime, raw: bytes) -> bytes:
    """Send all, then read all, as simple clients do; return the response."""
    async with serving(app) as site:
        with socket.create_connection(("127.0.0.1", site.port)) as connection:
            connection.setblocking(False)
            loop = asyncio.get_running_loop()
            await asyncio.wait_for(loop.sock_sendall(connection, raw), BOUND)
            response = b""
            # A reset fails here.
            while part := await asyncio.wait_for(
                loop.sock_recv(connection, 999), BOUND
            ):
                response += part
        await until(lambda: site.web.manager.connections == 0)
        assert site.web.state.in_flight == set()
    return response
