"""Messages between the server and its rendering process."""

import socket
import struct
from collections.abc import Iterator

import pytest

from asdlc_kb.markup.html_renderer import CodeBlock, Html
from asdlc_kb.markup.outline import Heading
from asdlc_kb.markup.render_protocol import (
    MAX_MESSAGE_BYTES,
    RenderReply,
    RenderTask,
    receive,
    send,
)

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Return the two ends of a connection."""
    parent, child = socket.socketpair()
    with parent, child:
        for end in (parent, child):
            end.settimeout(5)
        yield parent, child


def test_a_message_arrives_as_it_was_sent(pair: Pair) -> None:
    """Text of any script, and its attributes."""
    parent, child = pair
    task = RenderTask("# Ünïcode \U0001f600", "n", has_anchors=False)
    reply = RenderReply(
        Html("<p>", (Heading(1, "a", "b", 3),), (CodeBlock(1, "c", 9),)), ("/x",)
    )
    for message in (task, reply, RenderReply(None)):
        send(parent, message)
        assert receive(child, type(message)) == message


def test_the_end_of_the_connection_is_no_message(pair: Pair) -> None:
    """Also within a message."""
    parent, child = pair
    parent.sendall(struct.pack(">I", 100) + b"half")
    parent.close()
    assert receive(child, RenderTask) is None
    assert receive(child, RenderTask) is None


@pytest.mark.parametrize(
    ("length", "body", "error"),
    [(MAX_MESSAGE_BYTES + 1, b"", "too long"), (1, b"\x01", "Expected `object`")],
)
def test_an_invalid_message_is_refused(
    pair: Pair, length: int, body: bytes, error: str
) -> None:
    """One that is too long, of which nothing is read, and one of another structure."""
    parent, child = pair
    parent.sendall(struct.pack(">I", length) + body)
    with pytest.raises(ValueError, match=error):
        receive(child, RenderTask)
