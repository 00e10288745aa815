"""Messages between the server and its rendering process, over a stream socket.

A message is a MessagePack value after its length in four bytes, big-endian.
"""

import socket
import struct
from typing import Final, TypeVar

import msgspec

from asdlc_kb.markup.html_renderer import Html

MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""Bytes of one message: more than the HTML of any text that is rendered."""

_LENGTH: Final = struct.Struct(">I")
_CHUNK_BYTES: Final = 1024 * 1024

M = TypeVar("M", bound=msgspec.Struct)


class RenderTask(msgspec.Struct, frozen=True):
    """A text to render."""

    text: str
    nonce: str
    """Secret part of the link placeholders, which the text cannot guess."""
    has_anchors: bool = True
    is_highlighted: bool = True
    diagram_theme: str = ""
    """If set, the text is a diagram to draw, and the HTML of the reply is its SVG."""


class RenderReply(msgspec.Struct, frozen=True):
    """The result of a task."""

    html: Html | None
    """With placeholders for links, and pictures as in the text; None if it needs too
    much memory."""
    hrefs: tuple[str, ...] = ()
    """The link destinations as written, indexed by placeholder."""


class LinkPlaceholders:
    """Replaces the links of one text by numbered placeholders."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce
        self._numbers: dict[str, int] = {}

    def __call__(self, href: str) -> str:
        """Return the placeholder of a link: a `ResolveLink`."""
        number = self._numbers.setdefault(href, len(self._numbers))
        return make_placeholder(self._nonce, number)

    @property
    def hrefs(self) -> tuple[str, ...]:
        """The link destinations as written, indexed by placeholder."""
        return tuple(self._numbers)


def make_placeholder(nonce: str, number: int) -> str:
    """Return the placeholder of a link until the server resolves it.

    Its scheme is allowed by the sanitizer.
    """
    return f"kb:{nonce}-{number}"


def send(connection: socket.socket, message: msgspec.Struct) -> None:
    """Send a message; raise OSError if the peer is gone."""
    body = msgspec.msgpack.encode(message)
    connection.sendall(_LENGTH.pack(len(body)) + body)


def receive(connection: socket.socket, type: type[M]) -> M | None:
    """Return the next message; None at the end of the stream.

    Raises OSError for a lost connection or a timeout, and ValueError for an invalid
    message.
    """
    head = _receive_bytes(connection, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {length} bytes is too long")
    body = _receive_bytes(connection, length)
    return None if body is None else msgspec.msgpack.decode(body, type=type)


def _receive_bytes(connection: socket.socket, count: int) -> bytearray | None:
    received = bytearray()
    while len(received) < count:
        chunk = connection.recv(min(_CHUNK_BYTES, count - len(received)))
        if not chunk:
            return None
        received += chunk
    return received
