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
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for end in (ours, theirs):
            end.settimeout(5)
        yield ours, theirs


def test_a_message_arrives_as_it_was_sent(pair: Pair) -> None:
    """Text of any script, and its attributes."""
    ours, theirs = pair
    task = RenderTask("# Ünïcode \U0001f600", "n", has_anchors=False)
    reply = RenderReply(
        Html("<p>", (Heading(1, "a", "b", 3),), (CodeBlock(1, "c", 9),)), ("/x",)
    )
    for message in (task, reply, RenderReply(None)):
        send(ours, message)
        assert receive(theirs, type(message)) == message


def test_the_end_of_the_connection_is_no_message(pair: Pair) -> None:
    """Also within a message."""
    ours, theirs = pair
    ours.sendall(struct.pack(">I", 100) + b"half")
    ours.close()
    assert receive(theirs, RenderTask) is None
    assert receive(theirs, RenderTask) is None


def test_a_message_that_is_too_long_is_refused(pair: Pair) -> None:
    """Nothing of it is read."""
    ours, theirs = pair
    ours.sendall(struct.pack(">I", MAX_MESSAGE_BYTES + 1))
    with pytest.raises(ValueError, match="too long"):
        receive(theirs, RenderTask)


def test_what_is_no_such_message_is_refused(pair: Pair) -> None:
    """A value of another structure."""
    ours, theirs = pair
    ours.sendall(struct.pack(">I", 1) + b"\x01")
    with pytest.raises(ValueError, match="Expected `object`"):
        receive(theirs, RenderTask)
