"""A worker's end of its channel to the parent: the bus, and the pooled metrics."""

import asyncio
import socket
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from typing import Final

from asdlc_kb.cluster.bus import (
    FLUSH_SECONDS,
    MAX_MESSAGE_BYTES,
    MAX_WAITING_BYTES,
    BusListener,
    random_name,
)
from asdlc_kb.cluster.frames import (
    BrokenChannel,
    BusMessage,
    ChannelFrame,
    FrameDecoder,
    MetricsTotals,
    MetricsUpdate,
    WorkerLeft,
    WorkerReady,
    write,
)
from asdlc_kb.exceptions import KnowledgeBaseError

ANSWER_SECONDS: Final = 2.0
"""Timeout of the parent, which answers immediately."""

_CHUNK: Final = 256 * 1024


class ParentUnreachable(KnowledgeBaseError):
    """Raised if the parent does not answer."""


class WorkerChannel:
    """The bus of a worker, and its reports to the parent."""

    def __init__(self, channel: socket.socket) -> None:
        self.name = random_name()
        """The name of this process among the workers."""
        self.is_closed = asyncio.Event()
        """Set once the parent is gone."""
        self._channel = channel
        self._listeners: list[BusListener] = []
        self._tickets = count(1)
        self._requests: dict[int, asyncio.Future[MetricsTotals]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Start reading."""
        reader, self._writer = await asyncio.open_connection(sock=self._channel)
        self._reading = asyncio.ensure_future(self._read(reader))

    async def close(self) -> None:
        """Close the channel."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait((self._reading,))
        if self._writer is not None:
            self._writer.close()
            with suppress(OSError):
                await self._writer.wait_closed()

    def notify_ready(self, banner: str = "") -> None:
        """Report that requests are served, with the startup banner."""
        self._write(WorkerReady(banner))

    def send_metrics(
        self, counts: Mapping[str, int], gauges: Mapping[str, float]
    ) -> None:
        """Add to the sums of all workers, and replace the gauges; a heartbeat too.

        The gauges end with this process. The sums stay. Nothing is sent while the
        parent does not read.
        """
        self._write(MetricsUpdate(dict(counts), dict(gauges)))

    async def sum(self) -> tuple[Mapping[str, int], Mapping[str, Mapping[str, float]]]:
        """Return the sums, and the gauges of each worker by number.

        Raises ParentUnreachable.
        """
        if self.is_closed.is_set():
            raise ParentUnreachable("the parent has exited")
        ticket = next(self._tickets)
        if not self._write(MetricsTotals(ticket)):
            raise ParentUnreachable("the parent does not read")
        request: asyncio.Future[MetricsTotals]
        self._requests[ticket] = request = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                totals = await request
        except TimeoutError:
            raise ParentUnreachable("the parent does not answer") from None
        finally:
            del self._requests[ticket]
        return totals.counts, totals.gauges

    def listen(self, listener: BusListener) -> None:
        """Call this listener for every message and event of the bus."""
        self._listeners.append(listener)
        asyncio.get_running_loop().call_soon(listener.joined)

    def publish(self, data: bytes) -> bool:
        """Send a message to all other workers; False if the parent does not read it."""
        return len(data) <= MAX_MESSAGE_BYTES and self._write(
            BusMessage(self.name, data)
        )

    async def flush(self) -> None:
        """Wait until what was published is sent."""
        if self._writer is not None:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(FLUSH_SECONDS):
                    await self._writer.drain()

    def _write(self, frame: ChannelFrame) -> bool:
        """Send a frame; False if the parent is gone, or too much waits for it."""
        if self._writer is None or self.is_closed.is_set():
            return False
        data = write(frame)
        waiting = self._writer.transport.get_write_buffer_size() + len(data)
        # The parent waits for the report that a worker is ready, which comes once.
        if waiting > MAX_WAITING_BYTES and not isinstance(frame, WorkerReady):
            return False
        self._writer.write(data)
        return True

    async def _read(self, reader: asyncio.StreamReader) -> None:
        frames = FrameDecoder()
        try:
            while data := await reader.read(_CHUNK):
                for frame in frames.feed(data):
                    self._receive(frame)
        except (OSError, BrokenChannel):
            pass
        finally:
            self.is_closed.set()
            for totals in self._requests.values():
                if not totals.done():
                    totals.set_exception(ParentUnreachable("the parent has exited"))

    def _receive(self, frame: ChannelFrame) -> None:
        match frame:
            case BusMessage(sender, body):
                for listener in self._listeners:
                    listener.receive(sender, body)
            case WorkerLeft(name):
                for listener in self._listeners:
                    listener.left(name)
            case MetricsTotals():
                totals = self._requests.get(frame.ticket)
                if totals is not None and not totals.done():
                    totals.set_result(frame)
