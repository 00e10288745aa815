"""Typed messages of one topic of a bus."""

import logging

import msgspec
import pytest
from support.post import MessageExchange
from support.wire import until

from asdlc_kb.cluster import topic as module
from asdlc_kb.cluster.topic import BusTopic
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.metrics.definitions import DROPPED

KEY = b"a key of this test"
METRICS = Metrics()
DECODER = msgspec.msgpack.Decoder(dict[str, int])


class Taken:
    """What one process received."""

    def __init__(self, messages: MessageExchange, name: str, tag: bytes = b"t") -> None:
        self.received: list[tuple[str, dict[str, int]]] = []
        self.events: list[str] = []
        self.topic: BusTopic[dict[str, int]] = BusTopic(
            messages.end(name) if name not in messages.ends else messages.ends[name],
            KEY,
            tag,
            DECODER,
            self.take,
            METRICS,
            joined=lambda: self.events.append("joined"),
            left=self.events.append,
        )

    def take(self, sender: str, message: dict[str, int]) -> None:
        """Fail where the test says so."""
        if "break" in message:
            raise RuntimeError("unforeseen")
        self.received.append((sender, message))


def count_dropped(reason: str) -> int:
    """Return how many messages were dropped so far for a reason."""
    return METRICS.read().get(f"{DROPPED.name}\t{reason}", 0)


async def test_what_one_publishes_all_others_receive_in_its_order() -> None:
    """And no others: not its sender, not another topic."""
    messages = MessageExchange()
    first, second, third = (Taken(messages, name) for name in ("1", "2", "3"))
    other = Taken(messages, "3", b"u")
    for number in range(3):
        assert first.topic.publish({"n": number})
    await until(lambda: len(third.received) == 3)
    for taken in (second, third):
        assert taken.received == [("1", {"n": number}) for number in range(3)]
    assert (first.received, other.received) == ([], [])
    messages.leave("1")
    assert second.events == third.events == ["joined", "1"]


async def test_a_message_that_is_too_long_is_not_sent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is counted, and the log says so."""
    monkeypatch.setattr(module, "MAX_MESSAGE_BYTES", 100)
    messages = MessageExchange()
    sender = Taken(messages, "sender")
    before = count_dropped("size")
    assert not sender.topic.publish({"x" * 100: 1})
    assert count_dropped("size") == before + 1
    assert "bus message too long" in caplog.text
    assert messages.carried == []


@pytest.mark.parametrize("row", [["tomorrow", 1], {"n": "x"}, None, {}, b"\xc1"])
async def test_messages_of_unknown_shapes_are_dropped(row: object) -> None:
    """Two versions may run side by side for a while."""
    messages = MessageExchange()
    sender, receiver = Taken(messages, "sender"), Taken(messages, "receiver")
    before = count_dropped("unknown")
    data = sender.topic._signer.sign(msgspec.msgpack.encode(row))
    receiver.topic.receive("sender", data)
    assert count_dropped("unknown") == before + (row != {})


async def test_what_is_dropped_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """D-050: operators see that garbage is published in their Redis."""
    receiver = Taken(MessageExchange(), "receiver")
    before = count_dropped("unauthenticated")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            receiver.topic.receive("sender", b"t garbage")
    assert count_dropped("unauthenticated") == before + 3
    assert caplog.text.count("dropped peer messages") == 1


async def test_a_failure_with_a_message_is_logged_and_harms_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A bus calls its listener on the loop: nothing may escape."""
    messages = MessageExchange()
    sender, receiver = Taken(messages, "sender"), Taken(messages, "receiver")
    sender.topic.publish({"break": 1})
    sender.topic.publish({"n": 1})
    await until(lambda: receiver.received == [("sender", {"n": 1})])
    assert "unexpected error while handling a message" in caplog.text


async def test_a_bus_that_is_down_says_so() -> None:
    """Counts that did not leave are not taken for shared ones."""
    messages = MessageExchange(is_down=True)
    assert not Taken(messages, "sender").topic.publish({"n": 1})
