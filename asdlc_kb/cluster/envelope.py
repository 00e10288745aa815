"""Messages between processes about sessions, and their authentication.

Whoever carries a letter could read, change, invent or repeat one, so each has a code
for its sender, its receiver and its number, made with the key that signs session ids.
A sender numbers its letters upwards, and letters of one sender arrive in their order
(`asdlc_kb.cluster.transport`): a receiver takes no number that is not above the last.
No clock is read, so those of the machines may differ by any amount.

Garbage, what is forged, what was taken before and kinds that this version does not know
are dropped, and counted by the reason.
"""

import hmac
from collections import OrderedDict
from itertools import count
from typing import Final, Literal, TypeAlias

import msgspec

from asdlc_kb.ops.metrics.counters import metrics

MAX_SENDERS: Final = 10_000
"""Senders whose last number is kept; above, the one not heard for longest is dropped.

A process has one name for its life: only what was captured of a sender could be
repeated after so many other processes were heard.
"""

_SEAL_BYTES: Final = 16
_NUMBER_BYTES: Final = 8


class Message(msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag=True):
    """Belongs to an exchange, which whoever asked has numbered."""

    exchange: int


class RpcRequest(Message, frozen=True, tag="question"):
    """What a client sent for a session that the receiver keeps."""

    matter: Literal["message", "channel", "close", "stream"]
    session: str
    version: str | None = None
    """The version that the client's headers say."""
    principal: str | None = None
    """Who the client is, where the sender had that proved."""
    text: bytes = b""
    takes_notes: bool = False
    """Whether notifications may go before the answer."""


class RpcResponse(Message, frozen=True, tag="answer"):
    """The reply to a question; to one for a stream: whether it is there."""

    status: int
    """0: the asker is to find an answer of its own."""
    body: bytes = b""
    error: int | None = None
    is_cancelled: bool = False
    found: int | None = None
    has_failed: bool = False


class RpcNotification(Message, frozen=True, tag="note"):
    """A notification before the answer."""

    text: bytes


class StreamData(Message, frozen=True, tag="carried"):
    """Messages of a stream."""

    messages: tuple[bytes, ...]


class StreamEnd(Message, frozen=True, tag="ended"):
    """Whoever keeps the session has ended a stream of it."""


class StreamCancel(Message, frozen=True, tag="left"):
    """The reader of a stream went away."""


class Keepalive(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag="working"
):
    """What the sender was asked and is still at, streams too."""

    exchanges: tuple[int, ...]


class ReaderKeepalive(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag="reading"
):
    """The receiver's streams that the sender reads: from now on, or still."""

    exchanges: tuple[int, ...]


AnyMessage: TypeAlias = (
    RpcRequest
    | RpcResponse
    | RpcNotification
    | StreamData
    | StreamEnd
    | StreamCancel
    | Keepalive
    | ReaderKeepalive
)

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(AnyMessage).decode


class MessageSigner:
    """Closes and opens the letters of one process."""

    def __init__(self, name: str, key: bytes) -> None:
        self._name = name
        self._key = key
        self._numbers = count(1)
        self._heard: OrderedDict[str, int] = OrderedDict()
        """The last number of each sender; who was heard last is at the end."""

    def close(self, to: str, letter: AnyMessage) -> bytes:
        """Return a letter as it is sent."""
        number = next(self._numbers).to_bytes(_NUMBER_BYTES, "big")
        text = number + _encode(letter)
        return self._sign(self._name, to, text) + text

    def open(self, sender: str, data: bytes) -> AnyMessage | None:
        """Return a letter that came; None if it is none, or was taken before."""
        seal, text = data[:_SEAL_BYTES], data[_SEAL_BYTES:]
        if not hmac.compare_digest(seal, self._sign(sender, self._name, text)):
            count_dropped("unauthenticated")
            return None
        number = int.from_bytes(text[:_NUMBER_BYTES], "big")
        if number <= self._heard.get(sender, 0):
            count_dropped("repeated")
            return None
        self._note(sender, number)
        try:
            letter: AnyMessage = _decode(text[_NUMBER_BYTES:])
        except (msgspec.MsgspecError, UnicodeDecodeError):
            count_dropped("unknown")
            return None
        return letter

    def _note(self, sender: str, number: int) -> None:
        self._heard[sender] = number
        self._heard.move_to_end(sender)
        if len(self._heard) > MAX_SENDERS:
            self._heard.popitem(last=False)

    def _sign(self, sender: str, to: str, text: bytes) -> bytes:
        said = f"letter\0{sender}\0{to}\0".encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, said + text, "sha256")[:_SEAL_BYTES]


def count_dropped(reason: str) -> None:
    """Count what is not accepted from another process."""
    metrics.count(("dropped", reason))
