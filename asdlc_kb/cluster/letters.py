"""What processes write to each other about sessions, and the seal upon it.

Whoever carries a letter could read, change or invent one, so each is sealed for its
sender and receiver with the key that signs session ids. What is garbage, forged or of
a kind that this version does not know is no letter.
"""

import hmac
from typing import Final, Literal, TypeAlias

import msgspec

_SEAL_BYTES: Final = 16


class Letter(msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag=True):
    """Belongs to an exchange, which whoever asked has numbered."""

    exchange: int


class Question(Letter, frozen=True, tag="question"):
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


class Answer(Letter, frozen=True, tag="answer"):
    """The reply to a question; to one for a stream: whether it is there."""

    status: int
    """0: the asker is to find an answer of its own."""
    body: bytes = b""
    error: int | None = None
    is_cancelled: bool = False
    found: int | None = None
    has_failed: bool = False


class Note(Letter, frozen=True, tag="note"):
    """A notification before the answer."""

    text: bytes


class Carried(Letter, frozen=True, tag="carried"):
    """Messages of a stream."""

    messages: tuple[bytes, ...]


class Ended(Letter, frozen=True, tag="ended"):
    """Whoever keeps the session has ended a stream of it."""


class Left(Letter, frozen=True, tag="left"):
    """The reader of a stream went away."""


class Working(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag="working"
):
    """What the sender was asked and is still at, streams too."""

    exchanges: tuple[int, ...]


class Reading(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag="reading"
):
    """The receiver's streams that the sender reads: from now on, or still."""

    exchanges: tuple[int, ...]


AnyLetter: TypeAlias = (
    Question | Answer | Note | Carried | Ended | Left | Working | Reading
)

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(AnyLetter).decode


class Seal:
    """Closes and opens the letters of one process."""

    def __init__(self, name: str, key: bytes) -> None:
        self._name = name
        self._key = key

    def close(self, to: str, letter: AnyLetter) -> bytes:
        """Return a letter as it is sent."""
        text = _encode(letter)
        return self._sign(self._name, to, text) + text

    def open(self, sender: str, data: bytes) -> AnyLetter | None:
        """Return a letter that came; None if it is none, or not by that sender."""
        seal, text = data[:_SEAL_BYTES], data[_SEAL_BYTES:]
        if not hmac.compare_digest(seal, self._sign(sender, self._name, text)):
            return None
        try:
            letter: AnyLetter = _decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
        return letter

    def _sign(self, sender: str, to: str, text: bytes) -> bytes:
        said = f"letter\0{sender}\0{to}\0".encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, said + text, "sha256")[:_SEAL_BYTES]
