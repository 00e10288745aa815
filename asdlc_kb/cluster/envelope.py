"""Messages between processes about sessions, and their authentication.

A transport could read, change, forge or replay a message, so each has a MAC over its
sender, its receiver and its sequence number, made with the key that signs session ids.
Messages of one sender arrive in order (`asdlc_kb.cluster.transport`): a receiver
accepts only increasing sequence numbers. No clock is read, so those of the machines may
differ by any amount.

Malformed, forged, replayed and unknown messages are dropped, and counted by reason.
"""

import hmac
from collections import OrderedDict
from itertools import count
from typing import Final, Literal, TypeAlias

import msgspec

from asdlc_kb.ops.metrics.counters import metrics
from asdlc_kb.ops.metrics.definitions import DROPPED

MAX_SENDERS: Final = 10_000
"""Senders whose last number is stored; beyond, the least recent one is evicted.

A process has one name for its life: only captured messages of a sender could be
replayed after messages of so many other processes.
"""

_SEAL_BYTES: Final = 16
_NUMBER_BYTES: Final = 8


class Message(msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag=True):
    """A message of an exchange, which the requester has numbered."""

    exchange: int


class RpcRequest(Message, frozen=True, tag="question"):
    """A client's request to a session that the receiver hosts."""

    matter: Literal["message", "channel", "close", "stream"]
    session: str
    version: str | None = None
    """The version in the client's headers."""
    principal: str | None = None
    """The client's principal, if the sender authenticated it."""
    text: bytes = b""
    takes_notes: bool = False
    """Whether notifications may precede the response."""


class RpcResponse(Message, frozen=True, tag="answer"):
    """The response to a request; to one for a stream: whether it exists."""

    status: int
    """0: the requester must answer by itself."""
    body: bytes = b""
    error: int | None = None
    is_cancelled: bool = False
    found: int | None = None
    has_failed: bool = False


class RpcNotification(Message, frozen=True, tag="note"):
    """A notification before the response."""

    text: bytes


class StreamData(Message, frozen=True, tag="carried"):
    """Messages of a stream."""

    messages: tuple[bytes, ...]


class StreamEnd(Message, frozen=True, tag="ended"):
    """The session host ended a stream."""


class StreamCancel(Message, frozen=True, tag="left"):
    """The reader closed a stream."""


class Keepalive(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag="working"
):
    """The exchanges, including streams, that the sender is still processing."""

    exchanges: tuple[int, ...]


class ReaderKeepalive(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag="reading"
):
    """The receiver's streams that the sender starts or continues to read."""

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
    """Signs and verifies the messages of one process."""

    def __init__(self, name: str, key: bytes) -> None:
        self._name = name
        self._key = key
        self._numbers = count(1)
        self._heard: OrderedDict[str, int] = OrderedDict()
        """The last number of each sender, the most recent sender last."""

    def close(self, to: str, letter: AnyMessage) -> bytes:
        """Return the signed encoding of a message."""
        number = next(self._numbers).to_bytes(_NUMBER_BYTES, "big")
        text = number + _encode(letter)
        return self._sign(self._name, to, text) + text

    def open(self, sender: str, data: bytes) -> AnyMessage | None:
        """Return a received message; None if it is invalid or replayed."""
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
    """Count a dropped message of another process."""
    metrics.count(DROPPED.series(reason))
