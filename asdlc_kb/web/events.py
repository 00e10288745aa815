"""A long-lived answer: events as they come, a comment when nothing does.

A reader that does not keep up is cut, one that went away is noticed by its connection,
and a shutdown ends each stream with a whole last chunk.
"""

import asyncio
from collections.abc import Callable
from typing import Final, cast

from tornado.http1connection import HTTP1Connection
from tornado.iostream import StreamClosedError
from tornado.web import RequestHandler

from asdlc_kb.mcp.feed import Feed

KEEP_ALIVE_SECONDS: Final = 15.0
"""A comment is sent after so long without an event."""

STALL_SECONDS: Final = 20.0
"""A reader that takes nothing for so long is cut."""

MOST_STREAMS: Final = 10_000
"""Streams of the whole server."""

MOST_EACH: Final = 32
"""Streams to one address."""

COMMENT: Final = b": keep-alive\n\n"


def frame(message: bytes, event: bytes = b"message") -> bytes:
    """Return one server-sent event."""
    return b"event: " + event + b"\ndata: " + message + b"\n\n"


class EventStream:
    """Writes a feed to one peer until the peer leaves or the server ends the feed."""

    def __init__(
        self,
        handler: RequestHandler,
        feed: Feed,
        is_wanted: Callable[[], bool] = lambda: True,
        *,
        keep_alive: float = KEEP_ALIVE_SECONDS,
        stall: float = STALL_SECONDS,
    ) -> None:
        self.feed = feed
        self._handler = handler
        self._is_wanted = is_wanted
        self._keep_alive = keep_alive
        self._stall = stall
        self._writing: asyncio.Task[None] | None = None

    async def run(self, opening: bytes = COMMENT) -> None:
        """Send the head and the first frames, then everything that comes."""
        self._handler.set_header("Content-Type", "text/event-stream")
        self._handler.set_header("X-Accel-Buffering", "no")
        if self.feed.opening:
            opening = frame(self.feed.opening)
        self._writing = asyncio.ensure_future(self._write(opening))
        try:
            await self._writing
        except (StreamClosedError, TimeoutError, asyncio.CancelledError):
            # Gone, or not keeping up: nothing more can be said to this peer.
            connection = cast(HTTP1Connection, self._handler.request.connection)
            connection.stream.close()
        finally:
            self.feed.close()

    def leave(self) -> None:
        """Stop because the peer closed its connection."""
        if self._writing is not None:
            self._writing.cancel()

    async def _write(self, data: bytes) -> None:
        """Write until the feed ends; asked at each pause whether it is still wanted."""
        while data:
            self._handler.write(data)
            async with asyncio.timeout(self._stall):
                await self._handler.flush()
            is_wanted = self._is_wanted()
            try:
                async with asyncio.timeout(self._keep_alive):
                    messages = await self.feed.next()
            except TimeoutError:
                data = COMMENT if is_wanted else b""
            else:
                data = b"".join(map(frame, messages))
        async with asyncio.timeout(self._stall):
            closing = self.feed.closing
            await self._handler.finish(frame(closing) if closing else None)


class Streams:
    """The open streams: counted in total and for each address, ended together."""

    def __init__(self, most: int = MOST_STREAMS, most_each: int = MOST_EACH) -> None:
        self._most = most
        self._most_each = most_each
        self._open: dict[EventStream, str | None] = {}
        self._is_ending = False

    def __len__(self) -> int:
        return len(self._open)

    def has_room(self, address: str | None) -> bool:
        """Whether one more stream may be opened to this address."""
        if len(self._open) >= self._most:
            return False
        each = sum(1 for other in self._open.values() if other == address)
        return each < self._most_each

    async def run(
        self, stream: EventStream, address: str | None, opening: bytes = COMMENT
    ) -> None:
        """Run a stream, counted from start to end."""
        self._open[stream] = address
        if self._is_ending:
            stream.feed.end()
        try:
            await stream.run(opening)
        finally:
            del self._open[stream]

    def end(self) -> None:
        """Let every stream finish, and each that is still opened."""
        if self._is_ending:
            return
        self._is_ending = True
        for stream in tuple(self._open):
            stream.feed.end()
