"""The parent as the broker of its workers: the bus between them, and their metrics.

It has no event loop. Each worker has a link, which reads and writes when its channel
is ready; the queue of a worker that does not read is bounded.
"""

import logging
import socket
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from asdlc_kb.cluster.bus import MAX_WAITING_BYTES
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

logger = logging.getLogger(__name__)

MAX_COUNTS: Final = 20_000
"""Permanent sums; the workers must use fewer keys."""

_CHUNK: Final = 256 * 1024

_MAX_CHUNKS: Final = 16
"""Chunks read from one worker before the next is served."""


class ParentBroker:
    """The shared state of all links."""

    def __init__(
        self,
        ready: Callable[[str], None] = lambda banner: None,
        *,
        count: int,
    ) -> None:
        """Call `ready` when all workers are ready, with the banner of the last one."""
        self._ready = ready
        self._count = count
        self._links: dict[int, WorkerLink] = {}
        self._counts: Counter[str] = Counter()
        self.is_established = False
        """Whether all workers have been ready."""

    def await_ready(self) -> None:
        """Expect all workers to report again that they are ready."""
        for link in self._links.values():
            link.is_ready = False

    def connect(self, number: int, channel: socket.socket) -> "WorkerLink":
        """Open the link to a worker, replacing that of its predecessor."""
        self._links[number] = link = WorkerLink(self, number, channel)
        return link

    def forget(self, link: "WorkerLink") -> None:
        """Remove a link, and notify the other workers."""
        if self._links.get(link.number) is link:
            del self._links[link.number]
        if link.name:
            self._publish(link, WorkerLeft(link.name))

    def add(self, counts: Mapping[str, int]) -> None:
        """Add to the permanent sums."""
        for key, number in counts.items():
            if key in self._counts or len(self._counts) < MAX_COUNTS:
                self._counts[key] += number

    def handle_frame(self, link: "WorkerLink", frame: ChannelFrame) -> None:
        """Handle a frame of a worker."""
        match frame:
            case BusMessage():
                self._publish(link, frame)
            case MetricsUpdate(counts):
                self.add(counts)
            case MetricsTotals(ticket):
                gauges = {str(n): each.gauges for n, each in self._links.items()}
                link.send(write(MetricsTotals(ticket, dict(self._counts), gauges)))
            case WorkerReady(banner):
                if sum(each.is_ready for each in self._links.values()) == self._count:
                    self.is_established = True
                    self._ready(banner)

    def _publish(self, sender: "WorkerLink", frame: BusMessage | WorkerLeft) -> None:
        """Send a frame to all workers but one; not to one that does not read."""
        data = write(frame)
        for other in self._links.values():
            if other is sender:
                continue
            if other.waiting + len(data) <= MAX_WAITING_BYTES:
                other.send(data)
            else:
                extra = {"worker": other.number}
                logger.warning("message to a worker dropped", extra=extra)


class WorkerLink:
    """The parent's end of the channel to one worker."""

    def __init__(
        self, broker: ParentBroker, number: int, channel: socket.socket
    ) -> None:
        self.number = number
        self.name = ""
        """The name of the process on the bus; empty before its first message."""
        self.is_ready = False
        """Whether the worker is ready since the start or the last reload."""
        self.gauges: dict[str, float] = {}
        """The latest gauges of the worker."""
        self._broker = broker
        self._channel = channel
        self._frames = FrameDecoder()
        self._waiting = bytearray()

    @property
    def waiting(self) -> int:
        """Bytes in the send buffer."""
        return len(self._waiting)

    @property
    def wants_to_write(self) -> bool:
        """Whether there is buffered data to send."""
        return bool(self._waiting)

    def send(self, data: bytes) -> None:
        """Queue an encoded frame."""
        self._waiting += data

    def read(self) -> bool:
        """Process received data; False at the end of the channel. Never blocks."""
        for _ in range(_MAX_CHUNKS):
            try:
                data = self._channel.recv(_CHUNK)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            try:
                for frame in self._frames.feed(data):
                    self._record(frame)
                    self._broker.handle_frame(self, frame)
            except BrokenChannel as error:
                extra = {"worker": self.number, "reason": str(error)}
                logger.error("channel to a worker failed", extra=extra)
                return False
        return True

    def _record(self, frame: ChannelFrame) -> None:
        """Record the name, the gauges or the readiness of the worker."""
        match frame:
            case BusMessage(sender):
                self.name = sender
            case MetricsUpdate(_, gauges):
                self.gauges = gauges
            case WorkerReady():
                self.is_ready = True

    def write(self) -> None:
        """Send buffered data, as far as the channel accepts it. Never blocks."""
        try:
            sent = self._channel.send(self._waiting[:_CHUNK])
        except OSError:
            # `read` detects a closed channel.
            return
        del self._waiting[:sent]

    def close(self) -> None:
        """Close the link."""
        self._broker.forget(self)
        self._channel.close()
