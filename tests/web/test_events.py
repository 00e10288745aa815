"""Long-lived answers by themselves: keep-alive, slow readers, peers that left, caps."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.wire import Wire, dial, until, write_request
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

from asdlc_kb.mcp.events import Events, ResourcesChanged
from asdlc_kb.mcp.feed import Feed
from asdlc_kb.mcp.outbox import Interest, Outbox
from asdlc_kb.web.events import COMMENT, EventStream, Streams, frame

NOTICE = {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
MESSAGE = json.dumps(NOTICE).encode()


@dataclass
class Bench:
    """What each GET of the bench's one address gets."""

    options: dict[str, Any] = field(default_factory=dict)
    closing: bytes = b""
    opening: bytes = b""
    is_wanted: Callable[[], bool] = lambda: True
    streams: Streams = field(default_factory=Streams)
    outbox: Outbox = field(default_factory=lambda: Outbox(Interest(resources=True)))
    feeds: list[Feed] = field(default_factory=list)
    released: int = 0
    port: int = 0

    def release(self) -> None:
        """Count a feed that was closed."""
        self.released += 1


class BenchHandler(RequestHandler):
    """Opens one stream."""

    stream: EventStream

    def initialize(self, bench: Bench) -> None:
        """Take the bench."""
        self.bench = bench

    async def get(self) -> None:
        """Run a stream as the bench is set."""
        bench = self.bench
        feed = Feed(
            bench.outbox,
            opening=bench.opening,
            closing=bench.closing,
            release=bench.release,
        )
        bench.feeds.append(feed)
        self.stream = EventStream(self, feed, bench.is_wanted, **bench.options)
        await bench.streams.run(self.stream, "address")

    def on_connection_close(self) -> None:
        """Tell the stream."""
        self.stream.leave()


@asynccontextmanager
async def running(bench: Bench) -> AsyncIterator[Bench]:
    """Serve the bench on a real socket."""
    server = HTTPServer(Application([("/", BenchHandler, {"bench": bench})]))
    sockets = bind_sockets(0, "127.0.0.1")
    bench.port = sockets[0].getsockname()[1]
    server.add_sockets(sockets)
    try:
        yield bench
    finally:
        server.stop()
        await server.close_all_connections()
        await until(lambda: len(bench.streams) == 0)


@asynccontextmanager
async def opened(bench: Bench) -> AsyncIterator[Wire]:
    """Open a stream and read its head."""
    async with dial(bench.port) as wire:
        await wire.request("GET", "/")
        head = await wire.head()
        assert head.status == 200
        assert head.headers["content-type"] == "text/event-stream"
        assert head.headers["x-accel-buffering"] == "no"
        yield wire


def test_an_event_is_a_name_and_one_line() -> None:
    """HTML, server-sent events: the frame that every client reads."""
    assert frame(b"{}") == b"event: message\ndata: {}\n\n"
    assert frame(b"/mcp", b"endpoint") == b"event: endpoint\ndata: /mcp\n\n"


async def test_a_stream_begins_at_once() -> None:
    """Proxies and clients wait for a first byte: a comment where there is no event."""
    async with running(Bench()) as bench, opened(bench) as wire:
        assert await wire.chunk() == COMMENT
        assert len(bench.streams) == 1


async def test_a_feed_s_opening_comes_first() -> None:
    """2026-07-28 subscriptions: the acknowledgement before anything else."""
    async with running(Bench(opening=MESSAGE)) as bench, opened(bench) as wire:
        assert await wire.chunk() == frame(MESSAGE)


async def test_messages_come_as_they_are_posted() -> None:
    """Each is flushed; those that waited together travel together, in order."""
    async with running(Bench()) as bench, opened(bench) as wire:
        await wire.chunk()
        bench.feeds[0].post(b'{"n":1}')
        assert await wire.chunk() == frame(b'{"n":1}')
        bench.feeds[0].post(b'{"n":2}')
        bench.feeds[0].post(b'{"n":3}')
        assert await wire.chunk() == frame(b'{"n":2}') + frame(b'{"n":3}')
        bench.outbox.put(Events([ResourcesChanged()]))
        assert (await wire.notice())["method"] == NOTICE["method"]


async def test_a_silent_stream_is_kept_alive_by_comments() -> None:
    """Issue 3: a comment when nothing comes, which no client takes for an event."""
    async with running(Bench({"keep_alive": 0.01})) as bench, opened(bench) as wire:
        for _ in range(4):
            assert await wire.frame() == ("", COMMENT.strip())
        bench.feeds[0].post(MESSAGE)
        assert await wire.notice() == NOTICE


async def test_a_stream_is_asked_at_each_pause_whether_it_is_wanted() -> None:
    """A session in use does not expire; a stream whose session ended, ends."""
    asked: list[bool] = []

    def is_wanted() -> bool:
        asked.append(len(asked) < 3)
        return asked[-1]

    bench = Bench({"keep_alive": 0.01}, is_wanted=is_wanted)
    async with running(bench), opened(bench) as wire:
        assert await wire.notice() is None
        assert asked == [True, True, True, False]
        await until(lambda: bench.released == 1)


async def test_a_busy_stream_keeps_its_session_too() -> None:
    """Events alone, without a pause for a comment, count as use."""
    asked: list[int] = []
    bench = Bench(is_wanted=lambda: asked.append(1) is None)
    async with running(bench), opened(bench) as wire:
        await wire.chunk()
        for count in range(1, 4):
            await until(lambda count=count: len(asked) == count)
            bench.feeds[0].post(MESSAGE)
            await wire.chunk()


@pytest.mark.parametrize("closing", [b"", b'{"last":1}'])
async def test_an_end_is_a_whole_last_chunk(closing: bytes) -> None:
    """Issue 3: what was posted still comes, the closing message, then `0`."""
    async with running(Bench(closing=closing)) as bench, opened(bench) as wire:
        await wire.chunk()
        bench.feeds[0].post(MESSAGE)
        bench.streams.end()
        assert await wire.notice() == NOTICE
        if closing:
            assert await wire.chunk() == frame(closing)
        assert await wire.chunk() == b""
        await until(lambda: len(bench.streams) == 0)
        assert bench.released == 1


async def test_a_stream_that_comes_too_late_ends_at_once() -> None:
    """A connection that was open before the server's end may still ask for one."""
    async with running(Bench(opening=MESSAGE)) as bench:
        bench.streams.end()
        bench.streams.end()
        async with opened(bench) as wire:
            assert await wire.notice() == NOTICE
            assert await wire.chunk() == b""


@contextlib.contextmanager
def deaf_reader(port: int) -> Any:
    """Open a stream and take nothing of it."""
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", port))
        reader.sendall(write_request(port, "GET", "/"))
        yield reader


@pytest.mark.parametrize("ends", [False, True], ids=["an event", "the last event"])
async def test_a_reader_that_does_not_keep_up_is_cut(ends: bool) -> None:
    """Finding 6: a slow reader must not make the server hold its text for ever."""
    large = b'"' + b"x" * 20_000_000 + b'"'
    bench = Bench({"stall": 0.05}, closing=large if ends else b"")
    async with running(bench):
        with deaf_reader(bench.port):
            await until(lambda: len(bench.streams) == 1)
            if ends:
                bench.feeds[0].end()
            else:
                bench.feeds[0].post(large)
            await until(lambda: bench.released == 1)
            await until(lambda: len(bench.streams) == 0)


async def test_a_reader_that_left_is_noticed_though_nothing_is_sent() -> None:
    """Issue 3: gone clients are noticed by their connection, not by a failed write."""
    async with running(Bench()) as bench:
        async with opened(bench) as wire:
            await wire.chunk()
            assert len(bench.streams) == 1
        await until(lambda: len(bench.streams) == 0)
        assert bench.released == 1


async def test_a_reader_that_left_while_it_was_written_to_is_noticed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A reset in the middle of a write is no failure worth a line."""
    async with running(Bench()) as bench:
        with deaf_reader(bench.port):
            await until(lambda: len(bench.streams) == 1)
            bench.feeds[0].post(b"x" * 20_000_000)
            await asyncio.sleep(0)
        await until(lambda: len(bench.streams) == 0)
        assert bench.released == 1
    assert not [row for row in caplog.records if row.levelname == "ERROR"]


async def test_leaving_before_the_start_is_nothing() -> None:
    """A connection may close before its stream has begun to write."""
    handler: Any = None
    EventStream(handler, Feed(Outbox(Interest()))).leave()


async def test_streams_are_capped_in_total_and_for_each_address() -> None:
    """Issue 3: a plain GET can hold one, so there are only so many."""
    streams = Streams(most=3, most_each=2)
    handler: Any = None
    ended: list[asyncio.Event] = []

    class Waiting(EventStream):
        async def run(self, opening: bytes = COMMENT) -> None:
            ended.append(asyncio.Event())
            await ended[-1].wait()

    def open_one(address: str) -> "asyncio.Task[None]":
        stream = Waiting(handler, Feed(Outbox(Interest())))
        return asyncio.ensure_future(streams.run(stream, address))

    assert streams.has_room("a")
    running = [open_one("a"), open_one("a")]
    await until(lambda: len(streams) == 2)
    assert not streams.has_room("a")
    assert streams.has_room("b")
    running.append(open_one("b"))
    await until(lambda: len(streams) == 3)
    assert not streams.has_room("c")
    ended[0].set()
    await running[0]
    assert streams.has_room("a")
    assert streams.has_room("c")
    for event in ended:
        event.set()
    await asyncio.gather(*running)
    assert len(streams) == 0
