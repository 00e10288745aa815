"""Length-prefixed frames between workers and their parent.

Both ends run the same code, and no other process has a channel; an invalid frame is a
bug, and closes the channel.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

import msgspec

from asdlc_kb.cluster.bus import MAX_MESSAGE_BYTES

MAX_FRAME_BYTES: Final = MAX_MESSAGE_BYTES + 64 * 1024
"""Bytes of one frame: a message and its metadata."""

_LENGTH: Final = 4


class WorkerReady(msgspec.Struct, tag=0, array_like=True):
    """Worker to parent: ready, also after a reload, with the startup banner."""

    banner: str


class BusMessage(msgspec.Struct, tag=1, array_like=True):
    """Worker to all other workers: a bus message."""

    sender: str
    """The name of a worker for its life."""
    body: bytes


class WorkerLeft(msgspec.Struct, tag=2, array_like=True):
    """Parent to worker: another worker ended."""

    name: str


class MetricsUpdate(msgspec.Struct, tag=3, array_like=True):
    """Worker to parent, every second: new counts and gauges."""

    counts: dict[str, int]
    gauges: dict[str, float]


class MetricsTotals(msgspec.Struct, tag=4, array_like=True):
    """Worker to parent: request for totals; parent to worker: the totals."""

    ticket: int
    counts: dict[str, int] = {}
    """Sums over all workers since the start."""
    gauges: dict[str, dict[str, float]] = {}
    """Gauges of live workers by number."""


ChannelFrame: TypeAlias = (
    WorkerReady | BusMessage | WorkerLeft | MetricsUpdate | MetricsTotals
)

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ChannelFrame).decode


class BrokenChannel(Exception):
    """Raised for an invalid frame."""


def write(frame: ChannelFrame) -> bytes:
    """Return the encoding of a frame."""
    body = _encode(frame)
    return len(body).to_bytes(_LENGTH, "big") + body


class FrameDecoder:
    """Decodes frames from a byte stream."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[ChannelFrame]:
        """Yield the complete frames; raise BrokenChannel."""
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
