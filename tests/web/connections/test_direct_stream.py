"""Requests that are answered while Tornado waits for a header, and all others."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.streams import joined
from support.wire import BOUND, until

from asdlc_kb.web.connections.connection_manager import ConnectionManager
from asdlc_kb.web.connections.direct_stream import CheckedHead, Parts
from asdlc_kb.web.connections.monitored_stream import (
    BODY_RATE,
    BODY_SECONDS,
    STALL_SECONDS,
    MonitoredStream,
)

END = b"\r\n\r\n"


@dataclass
class Echo:
    """Answers requests that begin with `!`; the second byte is the body's length."""

    size: int = 1
    """Bytes of a response for each of the body's."""
    answered: list[bytes] = field(default_factory=list)

    def read_head(self, data: bytes) -> CheckedHead | None:
        """Return a header block of the form `!5` and an empty line."""
        end = data.find(END)
        if end < 0 or not data.startswith(b"!"):
            return None
        return CheckedHead(end + len(END), int(data[1:end]), self)

    def respond(self, body: bytes, peer: str) -> Parts | None:
        """Return the body, in two parts; None for question marks."""
        if b"?" in body:
            return None
        self.answered.append(body)
        return (b"<", body * self.size, b">")


@dataclass
class Connection:
    """A stream that is read as Tornado reads it, and its peer."""

    manager: ConnectionManager
    stream: MonitoredStream
    peer: socket.socket
    echo: Echo
    headers: list[bytes] = field(default_factory=list)
    """Headers that Tornado got."""

    async def read_headers(self) -> None:
        """Read headers without a body until the connection ends."""
        while True:
            self.headers.append(await self.stream.read_until_regex(b"\r?\n\r?\n"))

    async def receive(self, size: int) -> bytes:
        """Return so many bytes that were sent to the peer."""
        loop, data = asyncio.get_running_loop(), b""
        while len(data) < size:
            more = await asyncio.wait_for(loop.sock_recv(self.peer, 65536), BOUND)
            assert more, "the connection was closed"
            data += more
        return data


@asynccontextmanager
async def connected(size: int = 1) -> AsyncIterator[Connection]:
    """Yield a connection whose fast path is an echo."""
    with joined() as (manager, stream, peer):
        peer.setblocking(False)
        manager.fast_path = echo = Echo(size)
        connection = Connection(manager, stream, peer, echo)
        reading = asyncio.ensure_future(connection.read_headers())
        await asyncio.sleep(0)
        try:
            yield connection
        finally:
            stream.close()
            await asyncio.wait([reading], timeout=BOUND)
            assert reading.exception() is not None


async def test_an_answered_request_is_not_seen_by_tornado() -> None:
    """Another one is, from its first byte; after it the fast path is asked again."""
    async with connected() as on:
        for number in range(3):
            on.peer.send(b"!3" + END + b"abc")
            assert await on.receive(5) == b"<abc>"
            on.peer.send(b"GET %d" % number + END)
            await until(lambda number=number: len(on.headers) == number + 1)  # type: ignore[misc]
        assert on.headers == [b"GET %d" % number + END for number in range(3)]
        assert on.echo.answered == [b"abc"] * 3


async def test_a_request_of_a_closed_connection_is_not_answered() -> None:
    """It arrived with another one, whose answer took so long that it was closed."""
    with joined() as (manager, stream, peer):
        manager.fast_path = echo = Echo()
        peer.send(b"GET" + END + b"!3" + END + b"abc")
        assert await stream.read_until_regex(END) == b"GET" + END
        stream.close()
        assert await stream.read_until_regex(END) == b"!3" + END
        assert echo.answered == []


async def test_a_declined_body_is_left_to_tornado_with_its_header() -> None:
    """The fast path decides by the body too."""
    async with connected() as on:
        on.peer.send(b"!1" + END + b"?" + END)
        await until(lambda: len(on.headers) == 2)
        assert on.headers == [b"!1" + END, b"?" + END]


PIPELINED = (b"!2" + END + b"ab") * 3 + b"!0" + END + b"GET" + END


@given(st.sets(st.integers(1, len(PIPELINED) - 1)))
def test_bytes_may_come_in_any_pieces(cuts: set[int]) -> None:
    """The answers are the same, and so is what Tornado gets."""

    async def converse() -> None:
        async with connected() as on:
            edges = [0, *sorted(cuts), len(PIPELINED)]
            for start, end in pairwise(edges):
                on.peer.send(PIPELINED[start:end])
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            await until(lambda: on.headers[-1:] == [b"GET" + END])
            sent = len(on.echo.answered)
            assert on.echo.answered == [b"ab", b"ab", b"ab", b""][:sent]
            # Tornado's reader here takes a body for the beginning of a header.
            rest = b"".join(on.headers)
            assert PIPELINED.endswith(rest)
            assert len(PIPELINED) - len(rest) in {8 * min(sent, 3) + 6 * (sent == 4)}

    asyncio.run(converse())


async def test_a_body_has_a_deadline_while_it_is_awaited() -> None:
    """As long as for Tornado, and not again with each byte; a drain waits for it."""
    async with connected() as on:
        on.peer.send(b"!9" + END)
        await until(lambda: bool(on.manager.in_flight))
        began = monotonic()
        assert on.manager.in_flight == {on.stream}
        assert on.stream.idle_since is None
        assert on.stream.timeout_reason(began + BODY_SECONDS - 1) is None
        on.peer.send(b"abcd")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        extended = BODY_SECONDS + 9 / BODY_RATE
        assert on.stream.timeout_reason(began + extended) == "slow_body"
        on.peer.send(b"efghi")
        assert await on.receive(11) == b"<abcdefghi>"
        assert on.manager.in_flight == set()
        assert on.stream.timeout_reason(began + extended) is None
        assert on.stream.idle_since is not None


async def test_an_incomplete_request_is_forgotten_with_its_connection() -> None:
    """Nothing waits for it, and Tornado sees the end."""
    async with connected() as on:
        on.peer.send(b"!9" + END + b"abc")
        await until(lambda: bool(on.manager.in_flight))
        on.peer.shutdown(socket.SHUT_WR)
        await until(on.stream.closed)
        assert on.manager.in_flight == set()
        assert on.headers == [b"!9" + END]


async def test_an_incomplete_request_is_tornados_once_the_fast_path_is_off() -> None:
    """A reload may switch it off at any time."""
    async with connected() as on:
        on.peer.send(b"!9" + END)
        await until(lambda: bool(on.manager.in_flight))
        on.manager.fast_path = None
        on.peer.send(b"rest" + END)
        await until(lambda: len(on.headers) == 2)
        assert on.headers == [b"!9" + END, b"rest" + END]
        assert on.manager.in_flight == set()


async def test_a_half_closed_peer_gets_its_answer() -> None:
    """It said that it sends nothing more, not that it does not read."""
    async with connected() as on:
        on.peer.send(b"!3" + END + b"abc")
        on.peer.shutdown(socket.SHUT_WR)
        assert await on.receive(5) == b"<abc>"
        await until(on.stream.closed)


async def test_a_slow_reader_gets_all_and_is_watched() -> None:
    """40 answers of 200 kB, more than the socket takes: the rest is sent later."""
    async with connected(100_000) as on:
        for _ in range(40):
            on.peer.send(b"!2" + END + b"ab")
            await until(lambda: on.stream.unsent > 0)
            now = monotonic()
            assert on.stream.timeout_reason(now + STALL_SECONDS) == "slow_reader"
            # Answers that are not read do not make a connection idle.
            assert on.stream.idle_since is None
            assert on.manager.backlog.size == on.stream.unsent
            assert await on.receive(200_002) == b"<" + b"ab" * 100_000 + b">"
            await until(lambda: not on.stream.writing())
        assert on.stream.unsent == 0
        assert on.manager.backlog.size == 0
        assert len(on.echo.answered) == 40


async def test_nothing_is_answered_before_what_is_unsent() -> None:
    """The next request waits in Tornado's hands."""
    async with connected(100_000) as on:
        on.peer.send((b"!2" + END + b"ab") * 2)
        await until(lambda: bool(on.headers))
        assert len(on.echo.answered) == 1


async def test_an_unexpected_failure_ends_the_connection() -> None:
    """Its peer would wait for an answer; the event loop logs the failure."""
    reported: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, report: reported.append(report["exception"]))
    async with connected() as on:
        on.peer.send(b"!x" + END)
        await until(on.stream.closed)
    assert [type(error) for error in reported] == [ValueError]


@pytest.mark.parametrize("request_bytes", [b"!2" + END + b"ab", b""])
async def test_a_reset_connection_is_closed(request_bytes: bytes) -> None:
    """While it is read from or written to."""
    async with connected() as on:
        on.peer.send(request_bytes)
        on.peer.close()
        await until(on.stream.closed)
