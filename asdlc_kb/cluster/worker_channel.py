"""A worker's end of its channel: messages to other workers, sums over all."""

import asyncio
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, Final

from asdlc_kb.cluster.frames import (
    BrokenChannel,
    ChannelFrame,
    CounterUpdate,
    DeliveryStatus,
    FrameDecoder,
    MetricsTotals,
    MetricsUpdate,
    RoutedMessage,
    WorkerReady,
    write,
)
from asdlc_kb.cluster.transport import PeerUnreachable, Receive, random_name

ANSWER_SECONDS: Final = 2.0
"""Timeout of the parent, which answers immediately."""

_CHUNK: Final = 256 * 1024


class WorkerChannel:
    """The transport and counter store of a worker."""

    def __init__(self, channel: socket.socket) -> None:
        self.name = random_name()
        """The name of this process in the cluster."""
        self.is_closed = asyncio.Event()
        """Set once the parent is gone."""
        self._channel = channel
        self._take: Receive = lambda sender, letter: None
        self._tickets = count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
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

    def notify_ready(self, told: str = "") -> None:
        """Report that requests are served, with the startup banner."""
        self._write(WorkerReady(self.name, told))

    def note(self, counts: Mapping[str, int], levels: Mapping[str, float]) -> None:
        """Add to the sums of all workers, and replace the gauges; a heartbeat too.

        The gauges end with this process. The sums stay.
        """
        self._write(MetricsUpdate(dict(counts), dict(levels)))

    async def sum(self) -> tuple[Mapping[str, int], Mapping[str, Mapping[str, float]]]:
        """Return the sums, and the gauges of each worker by number.

        Raises PeerUnreachable.
        """
        answer = await self._ask(lambda ticket: MetricsTotals(ticket))
        return answer.counts, answer.levels

    async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Add to the sums of windows; return them. Raises PeerUnreachable."""
        answer = await self._ask(lambda ticket: CounterUpdate(ticket, dict(counted)))
        numbers: Mapping[str, int] = answer.numbers
        return numbers

    def listen(self, take: Receive) -> None:
        """Pass every received message to `take`."""
        self._take = take

    async def send(self, to: str, letter: bytes) -> bool:
        """Send a message; False: no such peer; raise PeerUnreachable."""
        answer = await self._ask(lambda ticket: RoutedMessage(ticket, to, letter))
        if answer.was_there is None:
            raise PeerUnreachable(f"too many messages wait for {to}")
        was_there: bool = answer.was_there
        return was_there

    async def _ask(self, make: Callable[[int], ChannelFrame]) -> Any:
        """Send a frame, and wait for the response."""
        if self.is_closed.is_set():
            raise PeerUnreachable("the parent has exited")
        ticket = next(self._tickets)
        self._asked[ticket] = asked = asyncio.get_running_loop().create_future()
        self._write(make(ticket))
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asked
        except TimeoutError:
            raise PeerUnreachable("the parent does not answer") from None
        finally:
            del self._asked[ticket]

    def _write(self, frame: ChannelFrame) -> None:
        if self._writer is not None and not self.is_closed.is_set():
            self._writer.write(write(frame))

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
            for asked in self._asked.values():
                if not asked.done():
                    asked.set_exception(PeerUnreachable("the parent has exited"))

    def _receive(self, frame: ChannelFrame) -> None:
        match frame:
            case RoutedMessage(_, name, body):
                self._take(name, body)
            case DeliveryStatus() | CounterUpdate() | MetricsTotals():
                asked = self._asked.get(frame.ticket)
                if asked is not None and not asked.done():
                    asked.set_result(frame)
