"""The stdio transport: lines in, lines out, over the same server object.

Nothing but JSON-RPC is written to stdout. A line may be a message of any era; those
without a version use the one negotiated by `initialize`.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from math import inf
from queue import SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.errors import InternalError, ParseError
from asdlc_kb.mcp.protocol.inbound import (
    Batch,
    Call,
    Inbound,
    InboundNotification,
    Rejection,
)
from asdlc_kb.mcp.protocol.jsonrpc import (
    RequestId,
    recover_id,
    write_notification,
)
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.sessions.session import CallCancelled, Session
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.ops.logs.access_lines import access_record
from asdlc_kb.ops.logs.access_log import AccessLog
from asdlc_kb.ops.logs.request_context import make_request_id, working_for

if TYPE_CHECKING:
    from asdlc_kb.ops.otel.recorder import OtelRecorder

Outgoing: TypeAlias = "SimpleQueue[bytes | None]"
"""Lines to write; None after the last."""

_CHUNK: Final = 64 * 1024
_MAX_HEAD_BYTES: Final = 4096
"""Maximum number of bytes of an oversized line that are searched for a request id."""
_MAX_WAITING: Final = 64
"""Maximum number of chunks read ahead of their processing."""

_MAX_LISTENS: Final = 32
"""Maximum number of open subscriptions."""


class Oversized(NamedTuple):
    """A line beyond the limit."""

    head: bytes
    """Its first bytes."""


InputLine: TypeAlias = bytes | Oversized


class LineBuffer:
    """Splits a byte stream into lines; stores only the head of an oversized one."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pending = bytearray()
        self._is_skipping = False

    def feed(self, chunk: bytes) -> list[InputLine]:
        """Return the lines that `chunk` completes."""
        lines: list[InputLine] = []
        *complete, rest = chunk.split(b"\n")
        for part in complete:
            self._append(part)
            lines.extend(self._end())
        self._append(rest)
        return lines

    def finish(self) -> list[InputLine]:
        """Return the last line if it has no newline."""
        return self._end() if self._pending else []

    def _end(self) -> list[InputLine]:
        """Return the line that ends here."""
        line = bytes(self._pending)
        lines: list[InputLine] = [Oversized(line) if self._is_skipping else line]
        self._pending.clear()
        self._is_skipping = False
        return lines

    def _append(self, part: bytes) -> None:
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
        access_log: AccessLog | None = None,
        recorder: "OtelRecorder | None" = None,
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        """Serve with this server; call `on_end` after the peer closed an end.

        It is called in another thread, also while the event loop is busy.
        """
        self._server = server
        self._on_end = on_end
        self._logs_queries = logs_queries
        self._access_log = access_log or AccessLog()
        self._recorder = recorder
        self._max_line = max_line
        self._session = Session(is_channel=True)
        self._chunks: ChunkReader | None = None
        self._queues: set[EventQueue] = set()
        self._is_ending = False
        self._running: set[asyncio.Task[None]] = set()
        self._outgoing: Outgoing = SimpleQueue()
        self.written_at = -inf
        """When the last line was written: `monotonic`."""

    async def run(self, source: int, sink: int) -> None:
        """Serve until end of input, and answer every line read by then."""
        self._chunks = chunks = ChunkReader(source, self._on_end)
        written = _write_in_thread(
            sink, self._outgoing, self._record_written, self._on_end
        )
        # A peer that closed its end reads no more.
        written.add_done_callback(chunks.end)
        buffer = LineBuffer(self._max_line)
        while chunk := await chunks.read():
            for line in buffer.feed(chunk):
                await self._handle_line(line)
            # Cached responses do not yield to the event loop.
            await asyncio.sleep(0)
        for line in buffer.finish():
            await self._handle_line(line)
        self._is_ending = True
        for queue in tuple(self._queues):
            queue.end()
        if written.done():
            for task in self._running:
                task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._outgoing.put(None)
        await written

    def _record_written(self) -> None:
        """Record that a line was written; runs in the writing thread."""
        self.written_at = monotonic()

    def stop(self) -> None:
        """End the input after the chunks read so far."""
        if self._chunks is not None:
            self._chunks.end()

    async def _handle_line(self, line: InputLine) -> None:
        """Start to answer one line."""
        message: Inbound | Batch
        if isinstance(line, Oversized):
            reason = f"a line is longer than {self._max_line} bytes"
            error = ParseError(data={"reason": reason})
            message = Rejection(error, 400, recover_id(line.head))
        elif not line.strip():
            return
        else:
            message = self._server.receive(line, session=self._session)
        if self._answer_cached(message):
            return
        if isinstance(message, Call) and message.method == "initialize":
            # The next line depends on the negotiated version.
            await self._answer(message)
            if self._session.version and self._session.queue is None:
                queue = self._server.sessions.open_queue(self._session)
                self._start(self._write_queue(queue))
        else:
            self._start(self._answer(message))

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def _answer_cached(self, message: Inbound | Batch) -> bool:
        """Answer from the cache; False if the response is not cached."""
        started = monotonic()
        reply = self._server.cached_response(message)
        if reply is None:
            return False
        self._log(
            message, reply, seconds=monotonic() - started, request_id=make_request_id()
        )
        self._outgoing.put(reply.body)
        return True

    async def _answer(self, message: Inbound | Batch) -> None:
        request_id = make_request_id()
        with working_for(request_id=request_id):
            reply = await self._answer_as(message, request_id)
        if reply.body:
            self._outgoing.put(reply.body)
        if reply.queue is not None and isinstance(message, Call):
            with suppress(CallCancelled), self._session.running(message.id):
                await self._write_queue(reply.queue, message.id)

    async def _answer_as(self, message: Inbound | Batch, request_id: str) -> Response:
        """Return the reply; log it with the id."""
        started = monotonic()
        reply = await self._server.answer(message, self._outgoing.put, self._session)
        if reply.queue is not None and isinstance(message, Call):
            reply = self._limit_subscriptions(message, reply, reply.queue)
        seconds = monotonic() - started
        if isinstance(message, InboundNotification):
            self._record_operations(message, reply, seconds)
        else:
            self._log(message, reply, seconds=seconds, request_id=request_id)
        return reply

    def _log(
        self,
        message: Inbound | Batch,
        reply: Response,
        *,
        seconds: float,
        request_id: str,
    ) -> None:
        self._record_operations(message, reply, seconds)
        refusal = reply.refusal
        if not self._access_log.should_record(
            None if refusal is None else (None, refusal)
        ):
            return
        fields = reply.describe_call(message, with_query=self._logs_queries)
        self._access_log.record(access_record("stdio", request_id, seconds, fields))

    def _record_operations(
        self, message: Inbound | Batch, reply: Response, seconds: float
    ) -> None:
        """Record a message for OpenTelemetry, if the settings ask for it."""
        if self._recorder is None:
            return
        # Loaded only if it is asked for.
        from asdlc_kb.mcp.dispatch.operation import describe_operations

        for operation in describe_operations(
            message,
            reply,
            seconds,
            self._server.has_target,
            with_query=self._logs_queries,
        ):
            labels = {**operation.labels, "network.transport": "pipe"}
            self._recorder.record_operation(operation._replace(labels=labels))

    def _limit_subscriptions(
        self, call: Call, reply: Response, queue: EventQueue
    ) -> Response:
        """Return the reply, or an error if too many subscriptions are open."""
        if len(self._queues - {self._session.queue}) < _MAX_LISTENS:
            return reply
        queue.close()
        reason = f"{_MAX_LISTENS} subscriptions are open: cancel one"
        return Response.of_error(InternalError(data={"reason": reason}), call.id)

    async def _write_queue(
        self, queue: EventQueue, subscription: RequestId | None = None
    ) -> None:
        """Write an event queue until it ends; the end of a subscription is sent twice.

        The specification requires a cancellation and a result
        (2026-07-28 basic/patterns, cancellation and subscriptions).
        """
        self._queues.add(queue)
        if self._is_ending:
            queue.end()
        try:
            if queue.opening:
                self._outgoing.put(queue.opening)
                queue.opening = b""
            while messages := await queue.next():
                for line in messages:
                    self._outgoing.put(line)
            if subscription is not None:
                params = {"requestId": subscription}
                cancelled = write_notification("notifications/cancelled", params)
                self._outgoing.put(cancelled)
                self._outgoing.put(queue.closing)
        finally:
            self._queues.discard(queue)
            queue.close()


class ChunkReader:
    """Reads in a daemon thread, so that a blocked read does not prevent the exit."""

    def __init__(self, source: int, on_end: Callable[[], object]) -> None:
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._slots = threading.Semaphore(_MAX_WAITING)
        threading.Thread(
            target=self._read_all, args=(source,), name="stdin", daemon=True
        ).start()

    async def read(self) -> bytes:
        """Return the next chunk, empty at the end."""
        chunk = await self._chunks.get()
        self._slots.release()
        return chunk

    def end(self, _: object = None) -> None:
        """End the input after the chunks read so far."""
        self._chunks.put_nowait(b"")

    def _read_all(self, source: int) -> None:
        with suppress(OSError):
            os.set_blocking(source, True)
            while chunk := os.read(source, _CHUNK):
                self._slots.acquire()
                _call_in_loop(self._loop, self._chunks.put_nowait, chunk)
        self._on_end()
        _call_in_loop(self._loop, self.end)


def _write_in_thread(
    sink: int,
    lines: Outgoing,
    on_written: Callable[[], object],
    on_end: Callable[[], object],
) -> asyncio.Future[None]:
    """Write lines in a daemon thread, which a peer that does not read may block.

    `on_written` is called in that thread after each. The future is done when all is
    written or the peer closed its end, after `on_end` was called in that thread.
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
                on_written()
        on_end()
        _call_in_loop(loop, finish)

    threading.Thread(target=write, name="stdout", daemon=True).start()
    return written


def _write_all(sink: int, data: bytes) -> None:
    while data:
        data = data[os.write(sink, data) :]


def _call_in_loop(
    loop: asyncio.AbstractEventLoop, callback: Callable[..., object], *args: object
) -> None:
    """Call `callback` in the loop's thread, unless the loop is closed."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(callback, *args)
