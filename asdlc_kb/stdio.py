"""The stdio door: lines in, the same server object, lines out.

Nothing but JSON-RPC goes to stdout. A line may be a message of any era; the version
that `initialize` agreed on holds for those without their own.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from queue import SimpleQueue
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.eras.session_routing import RemoteReply
from asdlc_kb.mcp.protocol.errors import InternalError, ParseError
from asdlc_kb.mcp.protocol.inbound import Call, InboundNotification, Rejection
from asdlc_kb.mcp.protocol.jsonrpc import (
    RequestId,
    describe,
    recover_id,
    write_error,
    write_notification,
)
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.sessions import CallCancelled, Session
from asdlc_kb.ops.logs.access_log import access
from asdlc_kb.ops.logs.request_context import make_request_id, working_for

Outgoing: TypeAlias = "SimpleQueue[bytes | None]"
"""Lines to write; None after the last."""

_CHUNK: Final = 64 * 1024
_MAX_HEAD_BYTES: Final = 4096
"""Bytes of an oversized line in which the id of a request is looked for."""
_MAX_WAITING: Final = 64
"""Chunks read ahead of the answers."""

_MAX_LISTENS: Final = 32
"""Subscriptions that are open at once."""


class Oversized(NamedTuple):
    """A line beyond the limit."""

    head: bytes
    """How it begins."""


InputLine: TypeAlias = bytes | Oversized


class LineBuffer:
    """Cuts a byte stream into lines; of an oversized one only its head is kept."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pending = bytearray()
        self._is_skipping = False

    def feed(self, chunk: bytes) -> list[InputLine]:
        """Return the lines that `chunk` completes."""
        lines: list[InputLine] = []
        *complete, rest = chunk.split(b"\n")
        for part in complete:
            self._take(part)
            lines.extend(self._end())
        self._take(rest)
        return lines

    def finish(self) -> list[InputLine]:
        """Return the last line if it came without its newline."""
        return self._end() if self._pending else []

    def _end(self) -> list[InputLine]:
        """Return the line that ends here."""
        line = bytes(self._pending)
        lines: list[InputLine] = [Oversized(line) if self._is_skipping else line]
        self._pending.clear()
        self._is_skipping = False
        return lines

    def _take(self, part: bytes) -> None:
        self._pending += part[:_MAX_HEAD_BYTES] if self._is_skipping else part
        if len(self._pending) > self._limit:
            self._is_skipping = True
        if self._is_skipping:
            del self._pending[_MAX_HEAD_BYTES:]


class StdioTransport:
    """Serves one peer over two file descriptors until its input ends."""

    def __init__(
        self,
        server: McpServer,
        max_line: int,
        *,
        logs_queries: bool = False,
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        """Serve with this server; `on_end` is called once the peer closed an end.

        It is called in a thread of its own, also while the event loop is busy.
        """
        self._server = server
        self._on_end = on_end
        self._logs_queries = logs_queries
        self._max_line = max_line
        self._session = Session(is_channel=True)
        self._chunks: ChunkReader | None = None
        self._feeds: set[EventQueue] = set()
        self._is_ending = False
        self._running: set[asyncio.Task[None]] = set()
        self._outgoing: Outgoing = SimpleQueue()

    async def run(self, source: int, sink: int) -> None:
        """Serve until end of input; what was read by then is answered."""
        self._chunks = chunks = ChunkReader(source, self._on_end)
        written = _write_in_thread(sink, self._outgoing, self._on_end)
        # A peer that closed its end wants no more.
        written.add_done_callback(chunks.end)
        buffer = LineBuffer(self._max_line)
        while chunk := await chunks.read():
            for line in buffer.feed(chunk):
                await self._take(line)
            # Lines that are answered from memory leave nobody else a turn.
            await asyncio.sleep(0)
        for line in buffer.finish():
            await self._take(line)
        self._is_ending = True
        for feed in tuple(self._feeds):
            feed.end()
        if written.done():
            for task in self._running:
                task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._outgoing.put(None)
        await written

    def stop(self) -> None:
        """Take what was read so far for all there is."""
        if self._chunks is not None:
            self._chunks.end()

    async def _take(self, line: InputLine) -> None:
        """Begin to answer one line."""
        message: RemoteReply
        if isinstance(line, Oversized):
            reason = f"a line is longer than {self._max_line} bytes"
            error = ParseError(data={"reason": reason})
            message = Rejection(error, 400, recover_id(line.head))
        elif not line.strip():
            return
        else:
            message = self._server.receive(line, session=self._session)
        if self._answer_from_memory(message):
            return
        if isinstance(message, Call) and message.method == "initialize":
            # The next line depends on what it agrees on.
            await self._answer(message)
            if self._session.version and not self._session.feeds:
                self._start(self._carry(self._server.open_feed(self._session)))
        else:
            self._start(self._answer(message))

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def _answer_from_memory(self, message: RemoteReply) -> bool:
        """Answer at once what is remembered; False if it is not."""
        started = monotonic()
        reply = self._server.ready(message)
        if reply is None:
            return False
        self._log(
            message, reply, seconds=monotonic() - started, request_id=make_request_id()
        )
        self._outgoing.put(reply.body)
        return True

    async def _answer(self, message: RemoteReply) -> None:
        request_id = make_request_id()
        with working_for(request_id=request_id):
            reply = await self._answer_as(message, request_id)
        if reply.body:
            self._outgoing.put(reply.body)
        if reply.feed is not None and isinstance(message, Call):
            with suppress(CallCancelled), self._session.running(message.id):
                await self._carry(reply.feed, message.id)

    async def _answer_as(self, message: RemoteReply, request_id: str) -> Response:
        """Return the reply; its line has the id."""
        started = monotonic()
        reply = await self._server.answer(message, self._outgoing.put, self._session)
        if reply.feed is not None and isinstance(message, Call):
            reply = self._bound(message, reply, reply.feed)
        if not isinstance(message, InboundNotification):
            self._log(
                message, reply, seconds=monotonic() - started, request_id=request_id
            )
        return reply

    def _log(
        self, message: RemoteReply, reply: Response, *, seconds: float, request_id: str
    ) -> None:
        refusal = reply.refusal
        if not access.takes(None if refusal is None else (None, refusal)):
            return
        call: dict[str, Any] = {}
        if isinstance(message, Call):
            call = message.describe(with_query=self._logs_queries)
        access.note(
            {
                "door": "stdio",
                "request_id": request_id,
                **call,
                **reply.describe(),
                "bytes": len(reply.body),
                "ms": round(seconds * 1000, 2),
            }
        )

    def _bound(self, call: Call, reply: Response, feed: EventQueue) -> Response:
        """Return the reply, or a refusal of one subscription too many."""
        if len(self._feeds - self._session.feeds) < _MAX_LISTENS:
            return reply
        feed.close()
        reason = f"{_MAX_LISTENS} subscriptions are open: cancel one"
        described = describe(InternalError(data={"reason": reason}))
        return Response(200, write_error(call.id, described), error=described["code"])

    async def _carry(
        self, feed: EventQueue, subscription: RequestId | None = None
    ) -> None:
        """Write a feed until it ends; the end of a subscription is told twice.

        The specification asks for a cancellation and for a result
        (2026-07-28 basic/patterns, cancellation and subscriptions).
        """
        self._feeds.add(feed)
        if self._is_ending:
            feed.end()
        try:
            if feed.opening:
                self._outgoing.put(feed.opening)
                feed.opening = b""
            while messages := await feed.next():
                for line in messages:
                    self._outgoing.put(line)
            if subscription is not None:
                params = {"requestId": subscription}
                cancelled = write_notification("notifications/cancelled", params)
                self._outgoing.put(cancelled)
                self._outgoing.put(feed.closing)
        finally:
            self._feeds.discard(feed)
            feed.close()


class ChunkReader:
    """Reads in a daemon thread, which a blocked read cannot keep from ending."""

    def __init__(self, source: int, on_end: Callable[[], object]) -> None:
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(_MAX_WAITING)
        threading.Thread(
            target=self._read_all, args=(source,), name="stdin", daemon=True
        ).start()

    async def read(self) -> bytes:
        """Return the next chunk, empty at the end."""
        chunk = await self._chunks.get()
        self._room.release()
        return chunk

    def end(self, _: object = None) -> None:
        """Let what was read so far be the end."""
        self._chunks.put_nowait(b"")

    def _read_all(self, source: int) -> None:
        with suppress(OSError):
            os.set_blocking(source, True)
            while chunk := os.read(source, _CHUNK):
                self._room.acquire()
                _call_in_loop(self._loop, self._chunks.put_nowait, chunk)
        self._on_end()
        _call_in_loop(self._loop, self.end)


def _write_in_thread(
    sink: int, lines: Outgoing, on_end: Callable[[], object]
) -> asyncio.Future[None]:
    """Write lines in a daemon thread, which a peer that reads nothing may block.

    The future is done when all is written or the peer closed its end, after `on_end`
    was called in that thread.
    """
    loop = asyncio.get_running_loop()
    written = loop.create_future()

    def finish() -> None:
        if not written.done():
            written.set_result(None)

    def write() -> None:
        with suppress(OSError):
            os.set_blocking(sink, True)
            while (line := lines.get()) is not None:
                _write_all(sink, line + b"\n")
        on_end()
        _call_in_loop(loop, finish)

    threading.Thread(target=write, name="stdout", daemon=True).start()
    return written


def _write_all(sink: int, data: bytes) -> None:
    while data:
        data = data[os.write(sink, data) :]


def _call_in_loop(
    loop: asyncio.AbstractEventLoop, told: Callable[..., object], *args: object
) -> None:
    """Call `told` in the loop's thread, unless the loop is no more."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(told, *args)
