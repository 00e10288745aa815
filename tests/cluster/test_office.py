"""Sending: sealed, in order, bounded; what is under way ends with the process."""

import asyncio

import pytest
from support.post import PostOffice
from support.wire import until

from asdlc_kb.cluster.letters import Ended, Left, Note, Seal
from asdlc_kb.cluster.mail import MOST_BYTES, Unreachable
from asdlc_kb.cluster.office import MOST_UNDER_WAY, Office

KEY = b"a key of this test"


async def test_a_letter_is_sealed_for_its_receiver() -> None:
    """Design: letters are never trusted for having arrived."""
    post = PostOffice()
    here, there = Office(post.end("here"), KEY), Office(post.end("there"), KEY)
    assert await here.send("there", Ended(exchange=1))
    ((sender, _, data),) = post.carried
    assert there.open(sender, data) == Ended(exchange=1)
    assert there.open("somebody", data) is None
    assert not await here.send("nobody", Ended(exchange=1))


async def test_letters_are_sent_in_their_order() -> None:
    """Notes come before the answer, whoever is slow."""
    post = PostOffice()
    here = Office(post.end("here"), KEY)
    post.end("there")
    for number in range(100):
        here.post("there", Left(exchange=number))
    await until(lambda: len(post.carried) == 100)
    seal = Seal("there", KEY)
    opened = [seal.open("here", data) for _, _, data in post.carried]
    assert opened == [Left(exchange=number) for number in range(100)]


async def test_a_letter_that_is_too_long_is_not_sent() -> None:
    """Bounds before work, at both ends."""
    post = PostOffice()
    here, there = Office(post.end("here"), KEY), Office(post.end("there"), KEY)
    with pytest.raises(Unreachable):
        await here.send("there", Note(exchange=1, text=bytes(MOST_BYTES)))
    assert post.carried == []
    long = Seal("here", KEY).close("there", Note(exchange=1, text=bytes(MOST_BYTES)))
    assert there.open("here", long) is None


async def test_nobody_hears_of_a_letter_that_was_lost() -> None:
    """Nobody waits for it, so its failure is nobody's."""
    post = PostOffice(is_down=True)
    here = Office(post.end("here"), KEY)
    here.post("there", Left(exchange=1))
    await here.stop(1)
    post.is_down = False
    here.post("nobody", Left(exchange=1))
    await here.stop(1)
    assert post.carried == []


async def test_there_is_room_for_so_many_letters() -> None:
    """Memory is bounded while the post is late."""
    post = PostOffice(is_late=True)
    here = Office(post.end("here"), KEY)
    for number in range(MOST_UNDER_WAY):
        assert here.has_room
        here.post("there", Left(exchange=number))
    assert not here.has_room
    await asyncio.sleep(0)
    await here.stop(0)
    assert here.has_room


async def test_the_end_waits_for_what_is_under_way() -> None:
    """What was said last should be heard."""
    post = PostOffice()
    here = Office(post.end("here"), KEY)
    post.end("there")
    here.post("there", Left(exchange=1))
    await here.stop(10)
    assert len(post.carried) == 1
