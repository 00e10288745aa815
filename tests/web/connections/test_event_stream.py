"""Event streams: keep-alive, slow readers, disconnected peers, caps."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from support.wire import Wire, dial, until, write_request
from tornado.http1connection import HTTP1Connection
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.events import ResourcesChanged
from asdlc_kb.mcp.subscriptions.subscription import (
    COALESCE_SECONDS,
    Subscription,
    SubscriptionFilter,
)
from asdlc_kb.mcp.subscriptions.subscription_bus import SubscriptionBus
from asdlc_kb.ops.logs.request_context import begin_request, describe_current
from asdlc_kb.web.connections import event_stream
from asdlc_kb.web.connections.event_stream import (
    COMMENT,
    EventStream,
    EventStreams,
    sse_frame,
)

NOTICE = {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
MESSAGE = json.dumps(NOTICE).encode()


@dataclass
class Bench:
    """The streams of the one address under test."""

    streams: EventStreams = field(default_factory=EventStreams)
    closing: bytes = b""
    opening: bytes = b""
    is_wanted: Callable[[], bool] = lambda: True
    bus: SubscriptionBus = field(default_factory=SubscriptionBus)
    feeds: list[EventQueue] = field(default_factory=list)
    released: int = 0
    port: int = 0

    def subscribe(self) -> Subscription:
        """Return the subscription of one stream."""
        subscription = Subscription(SubscriptionFilter(resources=True))
        self.bus.subscribe(subscription)
        return subscription

    def release(self) -> None:
        """Count a closed queue."""
        self.released += 1


class GoneHandler(RequestHandler):
    """Opens a stream to a peer that has just disconnected."""

    def initialize(self, bench: Bench) -> None:
        """Store the test's streams."""
        self.bench = bench

    def get(self) -> None:
        """Open a stream on a closed connection."""
        feed = EventQueue(self.bench.subscribe(), release=self.bench.release)
        connection = self.request.connection
        assert isinstance(connection, HTTP1Connection)
        connection.stream.close()
        self.bench.streams.start(self, feed, address="127.0.0.1")


class BenchHandler(RequestHandler):
    """Opens one stream."""

    def initialize(self, bench: Bench) -> None:
        """Store the test's streams."""
        self.bench = bench

    def get(self) -> None:
        """Open a stream as configured."""
        bench = self.bench
        begin_request(request_id=f"stream {len(bench.feeds)}")
        feed = EventQueue(
            bench.subscribe(),
            opening=bench.opening,
            closing=bench.closing,
            release=bench.release,
        )
        bench.feeds.append(feed)
        peer = self.request.remote_ip or ""
        bench.streams.start(self, feed, address=peer, is_wanted=bench.is_wanted)


@asynccontextmanager
async def running(bench: Bench) -> AsyncIterator[Bench]:
    """Serve the streams on a real socket."""
    given = {"bench": bench}
    routes = [("/", BenchHandler, given), ("/gone", GoneHandler, given)]
    server = HTTPServer(Application(routes))
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
    assert sse_frame(b"{}") == b"event: message\ndata: {}\n\n"
    assert sse_frame(b"/mcp", b"endpoint") == b"event: endpoint\ndata: /mcp\n\n"


async def test_a_stream_begins_at_once() -> None:
    """Proxies and clients wait for a first byte: a comment if there is no event."""
    async with running(Bench()) as bench, opened(bench) as wire:
        assert await wire.chunk() == COMMENT
        assert len(bench.streams) == 1


async def test_a_feed_s_opening_comes_first() -> None:
    """2026-07-28 subscriptions: the acknowledgement before anything else."""
    async with running(Bench(opening=MESSAGE)) as bench, opened(bench) as wire:
        assert await wire.chunk() == sse_frame(MESSAGE)


async def test_messages_come_as_they_are_posted() -> None:
    """Each is flushed; those that waited are sent together, in order."""
    async with running(Bench()) as bench, opened(bench) as wire:
        await wire.chunk()
        bench.feeds[0].post(b'{"n":1}')
        assert await wire.chunk() == sse_frame(b'{"n":1}')
        bench.feeds[0].post(b'{"n":2}')
        bench.feeds[0].post(b'{"n":3}')
        assert await wire.chunk() == sse_frame(b'{"n":2}') + sse_frame(b'{"n":3}')
        bench.bus.publish([ResourcesChanged()])
        assert (await wire.notice())["method"] == NOTICE["method"]


async def test_a_silent_stream_is_kept_alive_by_comments() -> None:
    """A comment when nothing comes, which no client takes for an event."""
    async with (
        running(Bench(EventStreams(keep_alive=0.01))) as bench,
        opened(bench) as wire,
    ):
        for _ in range(4):
            assert await wire.frame() == ("", COMMENT.strip())
        bench.feeds[0].post(MESSAGE)
        assert await wire.notice() == NOTICE


async def test_a_stream_is_asked_at_each_pause_whether_it_is_wanted() -> None:
    """A session in use does not expire; a stream ends with its session."""
    asked: list[bool] = []

    def is_wanted() -> bool:
        asked.append(len(asked) < 3)
        return asked[-1]

    bench = Bench(EventStreams(keep_alive=0.01), is_wanted=is_wanted)
    async with running(bench), opened(bench) as wire:
        assert await wire.notice() is None
        assert asked == [True, True, True, False]
        await until(lambda: bench.released == 1)


async def test_a_busy_stream_keeps_its_session_too() -> None:
    """Events alone, without a pause for a comment, count as use."""
    asked: list[int] = []

    def is_wanted() -> bool:
        asked.append(1)
        return True

    bench = Bench(is_wanted=is_wanted)
    async with running(bench), opened(bench) as wire:
        await wire.chunk()

        def has_asked(times: int) -> bool:
            return len(asked) == times

        for count in range(1, 4):
            bench.feeds[0].post(MESSAGE)
            await wire.chunk()
            await until(partial(has_asked, count))


async def test_a_stream_that_waits_has_one_alarm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hundred changes in a moment do not leave a hundred timers."""
    loop = asyncio.get_running_loop()
    alarms: list[float] = []
    call_later = loop.call_later

    def note(delay: float, *given: Any) -> asyncio.TimerHandle:
        if delay > COALESCE_SECONDS / 2:
            alarms.append(delay)
        return call_later(delay, *given)

    async with running(Bench()) as bench, opened(bench) as wire:
        await wire.chunk()
        bench.bus.publish([ResourcesChanged()])
        assert await wire.notice() == {**NOTICE, "params": {}}
        monkeypatch.setattr(loop, "call_later", note)
        for _ in range(100):
            bench.bus.publish([ResourcesChanged()])
            await asyncio.sleep(0)
        assert await wire.notice() == {**NOTICE, "params": {}}
        assert len([delay for delay in alarms if delay <= COALESCE_SECONDS]) == 1


@pytest.mark.parametrize("closing", [b"", b'{"last":1}'])
async def test_an_end_is_a_whole_last_chunk(closing: bytes) -> None:
    """Posted messages still come, then the closing message, then `0`."""
    async with running(Bench(closing=closing)) as bench, opened(bench) as wire:
        await wire.chunk()
        bench.feeds[0].post(MESSAGE)
        bench.streams.end()
        assert await wire.notice() == NOTICE
        if closing:
            assert await wire.chunk() == sse_frame(closing)
        assert await wire.chunk() == b""
        await until(lambda: len(bench.streams) == 0)
        assert bench.released == 1


async def test_a_stream_that_comes_too_late_ends_at_once() -> None:
    """A connection from before the server's end may still request one."""
    async with running(Bench(opening=MESSAGE)) as bench:
        bench.streams.end()
        bench.streams.end()
        async with opened(bench) as wire:
            assert await wire.notice() == NOTICE
            assert await wire.chunk() == b""


@contextlib.contextmanager
def deaf_reader(port: int) -> Any:
    """Open a stream and read nothing of it."""
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", port))
        reader.sendall(write_request(port, "GET", "/"))
        yield reader


@pytest.mark.parametrize("ends", [False, True], ids=["an event", "the last event"])
async def test_a_reader_that_does_not_keep_up_is_cut(ends: bool) -> None:
    """D-060: a slow reader must not make the server hold its text for ever."""
    large = b'"' + b"x" * 20_000_000 + b'"'
    bench = Bench(EventStreams(stall=0.05), closing=large if ends else b"")
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
    """Disconnected clients are noticed by their connection, not by a failed write."""
    async with running(Bench()) as bench:
        async with opened(bench) as wire:
            await wire.chunk()
            assert len(bench.streams) == 1
        await until(lambda: len(bench.streams) == 0)
        assert bench.released == 1


async def test_a_reader_that_left_while_it_was_written_to_is_noticed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A reset in the middle of a write is not logged as a failure."""
    async with running(Bench()) as bench:
        with deaf_reader(bench.port):
            await until(lambda: len(bench.streams) == 1)
            bench.feeds[0].post(b"x" * 20_000_000)
            await asyncio.sleep(0)
        await until(lambda: len(bench.streams) == 0)
        assert bench.released == 1
    assert not [row for row in caplog.records if row.levelname == "ERROR"]


async def test_a_reader_that_left_before_the_head_holds_nothing() -> None:
    """A connection may close while its stream is about to begin."""
    async with running(Bench()) as bench, dial(bench.port) as wire:
        await wire.request("GET", "/gone")
        assert await wire.rest() == b""
        await until(lambda: bench.released == 1)
        assert len(bench.streams) == 0
        assert bench.streams.has_capacity("127.0.0.1")


async def test_a_stream_that_fails_ends_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault in one is logged, and the others are written to as before."""
    pump, failing = EventStream.pump, list[EventStream]()

    def fail_for_one(stream: EventStream) -> None:
        if stream in failing:
            raise RuntimeError("a fault")
        pump(stream)

    monkeypatch.setattr(EventStream, "pump", fail_for_one)
    async with running(Bench()) as bench, opened(bench) as bad:
        failing.extend(vars(bench.streams)["_open"])
        async with opened(bench) as good:
            for wire in (bad, good):
                await wire.chunk()
            for feed in bench.feeds:
                feed.post(MESSAGE)
            assert await bad.rest() == b""
            assert await good.notice() == NOTICE
            assert len(bench.streams) == 1
    assert [row.message for row in caplog.records] == ["stream failed"]
    assert vars(caplog.records[0])["request_id"] == "stream 0"


async def test_what_is_done_for_all_streams_is_of_no_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not of the one that opened the first, nor of one that published to them."""
    about = []

    def note(stream: EventStream, *_: object) -> None:
        about.append(dict(describe_current()))

    async with running(Bench()) as bench, opened(bench) as wire:
        await wire.chunk()
        monkeypatch.setattr(EventStream, "pump", note)
        begin_request(request_id="a publisher")
        bench.feeds[0].post(MESSAGE)
        await until(lambda: bool(about))
    bench = Bench(EventStreams(keep_alive=0.001))
    monkeypatch.setattr(EventStream, "tick", note)
    async with running(bench), opened(bench):
        await until(lambda: len(about) > 3)
    assert about[0] == {}
    # The very first look is at the stream that has just been opened, by its request.
    assert about[-1] == {}


async def test_streams_are_capped_in_total_and_for_each_address() -> None:
    """D-119: a plain GET can hold one, so their number is limited."""
    bench = Bench(EventStreams(max_streams=3, max_per_client=2))
    streams, here = bench.streams, "127.0.0.1"
    async with running(bench):
        assert streams.has_capacity(here)
        async with opened(bench):
            assert streams.has_capacity(here)
            async with opened(bench):
                assert not streams.has_capacity(here)
                assert streams.has_capacity("::1")
                async with opened(bench):
                    assert not streams.has_capacity("::1")
                await until(lambda: streams.has_capacity("::1"))
        await until(lambda: streams.has_capacity(here))


async def test_streams_are_capped_for_each_principal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D-119: whatever addresses it comes from."""
    monkeypatch.setattr(event_stream, "MAX_STREAMS_PER_PRINCIPAL", 0)
    streams = EventStreams()
    assert streams.has_capacity("192.0.2.1")
    assert not streams.has_capacity("192.0.2.1", "somebody")
