"""Sending: sealed, in order, bounded; what is under way ends with the process."""

import asyncio

import pytest
from support.post import MessageExchange
from support.wire import until

from asdlc_kb.cluster.envelope import (
    MessageSigner,
    RpcNotification,
    StreamCancel,
    StreamEnd,
)
from asdlc_kb.cluster.outgoing import MAX_IN_FLIGHT, MessageSender
from asdlc_kb.cluster.transport import MAX_MESSAGE_BYTES, PeerUnreachable

KEY = b"a key of this test"


async def test_a_letter_is_sealed_for_its_receiver() -> None:
    """D-050: a message is not trusted for having arrived."""
    post = MessageExchange()
    here, there = (
        MessageSender(post.end("here"), KEY),
        MessageSender(post.end("there"), KEY),
    )
    assert await here.send("there", StreamEnd(exchange=1))
    ((sender, _, data),) = post.carried
    assert there.open(sender, data) == StreamEnd(exchange=1)
    assert there.open("somebody", data) is None
    assert not await here.send("nobody", StreamEnd(exchange=1))


async def test_letters_are_sent_in_their_order() -> None:
    """Notifications come before the answer, whichever is slower."""
    post = MessageExchange()
    here = MessageSender(post.end("here"), KEY)
    post.end("there")
    for number in range(100):
        here.post("there", StreamCancel(exchange=number))
    await until(lambda: len(post.carried) == 100)
    seal = MessageSigner("there", KEY)
    opened = [seal.open("here", data) for _, _, data in post.carried]
    assert opened == [StreamCancel(exchange=number) for number in range(100)]


async def test_a_letter_that_is_too_long_is_not_sent() -> None:
    """D-054: limits before work, at both ends."""
    post = MessageExchange()
    here, there = (
        MessageSender(post.end("here"), KEY),
        MessageSender(post.end("there"), KEY),
    )
    with pytest.raises(PeerUnreachable):
        await here.send(
            "there", RpcNotification(exchange=1, text=bytes(MAX_MESSAGE_BYTES))
        )
    assert post.carried == []
    long = MessageSigner("here", KEY).close(
        "there", RpcNotification(exchange=1, text=bytes(MAX_MESSAGE_BYTES))
    )
    assert there.open("here", long) is None


async def test_nobody_hears_of_a_letter_that_was_lost() -> None:
    """No process waits for it, so its failure is not reported."""
    post = MessageExchange(is_down=True)
    here = MessageSender(post.end("here"), KEY)
    here.post("there", StreamCancel(exchange=1))
    await here.stop(1)
    post.is_down = False
    here.post("nobody", StreamCancel(exchange=1))
    await here.stop(1)
    assert post.carried == []


async def test_there_is_room_for_so_many_letters() -> None:
    """Memory is bounded while the post is late."""
    post = MessageExchange(is_late=True)
    here = MessageSender(post.end("here"), KEY)
    for number in range(MAX_IN_FLIGHT):
        assert here.has_room
        here.post("there", StreamCancel(exchange=number))
    assert not here.has_room
    await asyncio.sleep(0)
    await here.stop(0)
    assert here.has_room


async def test_the_end_waits_for_what_is_under_way() -> None:
    """What was said last should be heard."""
    post = MessageExchange()
    here = MessageSender(post.end("here"), KEY)
    post.end("there")
    here.post("there", StreamCancel(exchange=1))
    await here.stop(10)
    assert len(post.carried) == 1
