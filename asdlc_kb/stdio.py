"""The stdio door: lines in, the same server object, lines out.

Nothing but JSON-RPC goes to stdout. A line may be a message of any era; the version
that `initialize` agreed on holds for those without their own.
"""

import asyncio
import os
import threading
from typing import Final

from asdlc_kb.mcp.errors import ParseError
from asdlc_kb.mcp.inbound import Call, Inbound, Notice, Refusal
from asdlc_kb.mcp.jsonrpc import RequestId
from asdlc_kb.mcp.reply import Reply
from asdlc_kb.mcp.server import Server
from asdlc_kb.ops.logs import access

_CHUNK: Final = 64 * 1024
_MOST_WAITING: Final = 64
"""Chunks read ahead of the answers."""


class LineBuffer:
    """Cuts a byte stream into lines; of an oversized one only the fact is kept."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pending = bytearray()
        self._is_skipping = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """Return the lines that `chunk` completes; None for one beyond the limit."""
        lines: list[bytes | None] = []
        *complete, rest = chunk.split(b"\n")
        for part in complete:
            self._take(part)
            lines.append(None if self._is_skipping else bytes(self._pending))
            self._pending.clear()
            self._is_skipping = False
        self._take(rest)
        return lines

    def finish(self) -> bytes:
        """Return a last line without its newline, empty if there is none."""
        return b"" if self._is_skipping else bytes(self._pending)

    def _take(self, part: bytes) -> None:
        if len(self._pending) + len(part) > self._limit:
            self._is_skipping = True
            self._pending.clear()
        if not self._is_skipping:
            self._pending += part


class StdioDoor:
    """Serves one peer over two file descriptors until its input ends."""

    def __init__(self, server: Server, max_line: int) -> None:
        self._server = server
        self._max_line = max_line
        self._negotiated: str | None = None
        self._running: dict[RequestId, asyncio.Task[None]] = {}
        self._outgoing: asyncio.Queue[bytes | None] = asyncio.Queue()

    async def run(self, source: int, sink: int) -> None:
        """Serve until end of input; what was read by then is answered."""
        writer = asyncio.ensure_future(self._write_lines(sink))
        buffer = LineBuffer(self._max_line)
        chunks: asyncio.Queue[bytes] = asyncio.Queue(_MOST_WAITING)
        _read_in_thread(source, chunks)
        while chunk := await chunks.get():
            for line in buffer.feed(chunk):
                await self._take(line)
            if writer.done():
                return
        if last := buffer.finish():
            await self._take(last)
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        self._outgoing.put_nowait(None)
        await writer

    async def _take(self, line: bytes | None) -> None:
        """Begin to answer one line."""
        message: Inbound
        if line is None:
            reason = f"a line is longer than {self._max_line} bytes"
            message = Refusal(ParseError(data={"reason": reason}), 400)
        elif not line.strip():
            return
        else:
            message = self._server.receive(line, negotiated=self._negotiated)
        if isinstance(message, Notice):
            self._note(message)
        elif isinstance(message, Call) and message.method != "initialize":
            task = asyncio.ensure_future(self._answer(message))
            self._running[message.id] = task
        else:
            # The next line depends on what initialize agrees on.
            await self._answer(message)

    async def _answer(self, message: Inbound) -> None:
        started = asyncio.get_running_loop().time()
        try:
            reply = await self._server.answer(message, self._outgoing.put_nowait)
        finally:
            task = asyncio.current_task()
            if isinstance(message, Call) and self._running.get(message.id) is task:
                del self._running[message.id]
        self._negotiated = reply.negotiated or self._negotiated
        if reply.body:
            self._outgoing.put_nowait(reply.body)
        _log(message, reply, asyncio.get_running_loop().time() - started)

    def _note(self, notice: Notice) -> None:
        """Cancel a request at its sender's wish: no answer follows."""
        if notice.method == "notifications/cancelled":
            request_id = notice.params.get("requestId")
            if isinstance(request_id, (str, int)) and request_id in self._running:
                self._running.pop(request_id).cancel()

    async def _write_lines(self, sink: int) -> None:
        """Write answers in order; a peer that closed its end wants no more."""
        while (line := await self._outgoing.get()) is not None:
            try:
                await asyncio.to_thread(_write_all, sink, line + b"\n")
            except BrokenPipeError:
                return


def _read_in_thread(source: int, chunks: "asyncio.Queue[bytes]") -> None:
    """Read in a daemon thread, which a blocked read cannot keep from ending."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        while True:
            try:
                chunk = os.read(source, _CHUNK)
            except OSError:
                chunk = b""
            try:
                asyncio.run_coroutine_threadsafe(chunks.put(chunk), loop).result()
            except RuntimeError:
                return
            if not chunk:
                return

    threading.Thread(target=read, name="stdin", daemon=True).start()


def _write_all(sink: int, data: bytes) -> None:
    while data:
        data = data[os.write(sink, data) :]


def _log(message: Inbound, reply: Reply, seconds: float) -> None:
    call = message if isinstance(message, Call) else None
    is_tool = call is not None and call.method == "tools/call"
    access.info(
        "request",
        extra={
            "door": "stdio",
            "method": call.method[:100] if call else None,
            "tool": call.target[:100] if call and is_tool and call.target else None,
            "version": call.version if call else None,
            "trace": call.trace if call else None,
            "code": reply.error,
            "bytes": len(reply.body),
            "ms": round(seconds * 1000, 2),
        },
    )
