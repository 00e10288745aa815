"""What workers and their parent say to each other: short structs, each with its length.

Both ends run the same code, and nobody else has a channel; what cannot be read is a
mistake of ours, and ends the channel.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

import msgspec

from asdlc_kb.cluster.mail import MOST_BYTES

MOST_FRAME: Final = MOST_BYTES + 64 * 1024
"""Bytes of one frame: a letter and what is said around it."""

_LENGTH: Final = 4


class Ready(msgspec.Struct, tag=0, array_like=True):
    """From a worker: it serves, again after a reload; and what there is to be told."""

    name: str
    """What the others call it."""
    told: str


class Letter(msgspec.Struct, tag=1, array_like=True):
    """A letter on its way, from a worker and to one."""

    ticket: int
    name: str
    """Of the other end: to whom it is, and from whom it was."""
    body: bytes


class Sent(msgspec.Struct, tag=2, array_like=True):
    """To a worker: what became of its letter."""

    ticket: int
    was_there: bool | None
    """None: that one is there, but takes no more letters now."""


class Counted(msgspec.Struct, tag=3, array_like=True):
    """From a worker: what it counted for windows of time. To it: the sums."""

    ticket: int
    numbers: dict[str, int]


class Noted(msgspec.Struct, tag=4, array_like=True):
    """From a worker, every second: what it counted since, and how things are."""

    counts: dict[str, int]
    levels: dict[str, float]


class Summed(msgspec.Struct, tag=5, array_like=True):
    """From a worker: a question, without numbers. To it: those of all workers."""

    ticket: int
    counts: dict[str, int] = {}
    """Sums of all there ever were."""
    levels: dict[str, dict[str, float]] = {}
    """Of those that live, by their number."""


Frame: TypeAlias = Ready | Letter | Sent | Counted | Noted | Summed

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Frame).decode


class BrokenChannel(Exception):
    """Raised where a channel says what is no frame."""


def write(frame: Frame) -> bytes:
    """Return a frame as it is sent."""
    body = _encode(frame)
    return len(body).to_bytes(_LENGTH, "big") + body


class Frames:
    """Puts together what comes in pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are whole now; raise BrokenChannel."""
        self._buffer += data
        while len(self._buffer) >= _LENGTH:
            length = int.from_bytes(self._buffer[:_LENGTH], "big")
            if length > MOST_FRAME:
                raise BrokenChannel(f"a frame of {length} bytes")
            if len(self._buffer) < _LENGTH + length:
                return
            body = bytes(self._buffer[_LENGTH : _LENGTH + length])
            del self._buffer[: _LENGTH + length]
            try:
                yield _decode(body)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise BrokenChannel(str(error)) from error
