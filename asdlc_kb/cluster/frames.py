"""What workers and their parent say to each other: short structs, each with its length.

Both ends run the same code, and nobody else has a channel; what cannot be read is a
mistake of ours, and ends the channel.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

import msgspec

from asdlc_kb.cluster.transport import MAX_MESSAGE_BYTES

MAX_FRAME_BYTES: Final = MAX_MESSAGE_BYTES + 64 * 1024
"""Bytes of one frame: a letter and what is said around it."""

_LENGTH: Final = 4


class WorkerReady(msgspec.Struct, tag=0, array_like=True):
    """From a worker: it serves, again after a reload; and what there is to be told."""

    name: str
    """What the others call it."""
    told: str


class RoutedMessage(msgspec.Struct, tag=1, array_like=True):
    """A letter on its way, from a worker and to one."""

    ticket: int
    name: str
    """Of the other end: to whom it is, and from whom it was."""
    body: bytes


class DeliveryStatus(msgspec.Struct, tag=2, array_like=True):
    """To a worker: what became of its letter."""

    ticket: int
    was_there: bool | None
    """None: that one is there, but takes no more letters now."""


class CounterUpdate(msgspec.Struct, tag=3, array_like=True):
    """From a worker: what it counted for windows of time. To it: the sums."""

    ticket: int
    numbers: dict[str, int]


class MetricsUpdate(msgspec.Struct, tag=4, array_like=True):
    """From a worker, every second: what it counted since, and how things are."""

    counts: dict[str, int]
    levels: dict[str, float]


class MetricsTotals(msgspec.Struct, tag=5, array_like=True):
    """From a worker: a question, without numbers. To it: those of all workers."""

    ticket: int
    counts: dict[str, int] = {}
    """Sums of all there ever were."""
    levels: dict[str, dict[str, float]] = {}
    """Of those that live, by their number."""


ChannelFrame: TypeAlias = (
    WorkerReady
    | RoutedMessage
    | DeliveryStatus
    | CounterUpdate
    | MetricsUpdate
    | MetricsTotals
)

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ChannelFrame).decode


class BrokenChannel(Exception):
    """Raised where a channel says what is no frame."""


def write(frame: ChannelFrame) -> bytes:
    """Return a frame as it is sent."""
    body = _encode(frame)
    return len(body).to_bytes(_LENGTH, "big") + body


class FrameDecoder:
    """Puts together what comes in pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[ChannelFrame]:
        """Yield the frames that are whole now; raise BrokenChannel."""
        self._buffer += data
        while len(self._buffer) >= _LENGTH:
            length = int.from_bytes(self._buffer[:_LENGTH], "big")
            if length > MAX_FRAME_BYTES:
                raise BrokenChannel(f"a frame of {length} bytes")
            if len(self._buffer) < _LENGTH + length:
                return
            body = bytes(self._buffer[_LENGTH : _LENGTH + length])
            del self._buffer[: _LENGTH + length]
            try:
                yield _decode(body)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise BrokenChannel(str(error)) from error
