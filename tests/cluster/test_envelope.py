"""Envelopes: signed by one process, verified by the others, forged by none."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from asdlc_kb.cluster import envelope
from asdlc_kb.cluster.envelope import MessageSigner
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.metrics.definitions import DROPPED

KEY = b"a key of this test"
TOPIC = b"t"
METRICS = Metrics()


def signer(name: str, key: bytes = KEY, topic: bytes = TOPIC) -> MessageSigner:
    """Return the signer of a process."""
    return MessageSigner(name, key, topic, METRICS)


FROM, TO = signer("from"), signer("to")


def count_dropped(reason: str) -> int:
    """Return how many messages were dropped so far for a reason."""
    return METRICS.read().get(f"{DROPPED.name}\t{reason}", 0)


@given(st.binary())
def test_a_message_arrives_as_it_was_written(text: bytes) -> None:
    """D-050: signed, not hidden."""
    sent = FROM.sign(text)
    assert TO.is_addressed(sent)
    assert TO.verify("from", sent) == text


@given(st.binary(), st.data())
def test_a_message_that_was_changed_is_none(text: bytes, data: st.DataObject) -> None:
    """A carrier of messages could change them."""
    sent = FROM.sign(text)
    place = data.draw(st.integers(len(TOPIC), len(sent) - 1))
    value = data.draw(st.integers(0, 255))
    changed = sent[:place] + bytes([value]) + sent[place + 1 :]
    assume(changed != sent)
    assert TO.verify("from", changed) is None
    assert TO.verify("from", sent[:place]) is None
    assert TO.verify("from", sent + b"\0") is None


@given(st.binary())
def test_garbage_is_no_message(data: bytes) -> None:
    """Any client of a shared Redis can publish."""
    assert TO.verify("from", data) is None


def test_a_message_is_taken_once() -> None:
    """A carrier of messages could repeat one."""
    first, second = FROM.sign(b"1"), FROM.sign(b"2")
    before = count_dropped("repeated")
    assert TO.verify("from", first) == b"1"
    assert TO.verify("from", first) is None
    assert TO.verify("from", second) == b"2"
    # Also one that is older than others, whatever became of it.
    assert TO.verify("from", first) is None
    assert TO.verify("from", second) is None
    assert count_dropped("repeated") - before == 3


def test_senders_are_numbered_each_by_itself() -> None:
    """A message of one, however late, is no repetition of another's."""
    here = signer("here")
    others = [signer(f"other {number}") for number in range(3)]
    for _ in range(2):
        for number, other in enumerate(others):
            assert here.verify(f"other {number}", other.sign(b"x")) == b"x"


def test_a_lost_message_is_no_hindrance_to_the_next() -> None:
    """Messages may be lost."""
    here, there = signer("here"), signer("there")
    sent = [here.sign(b"%d" % number) for number in range(5)]
    assert there.verify("here", sent[3]) == b"3"
    assert there.verify("here", sent[4]) == b"4"
    assert there.verify("here", sent[1]) is None


def test_only_so_many_senders_are_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Memory is bounded, however often other processes are restarted."""
    monkeypatch.setattr(envelope, "MAX_SENDERS", 3)
    here, kept = signer("here"), signer("kept")
    for number in range(10):
        name = f"other {number}"
        assert here.verify(name, signer(name).sign(b"x")) is not None
        again = kept.sign(b"x")
        assert here.verify("kept", again) is not None
        assert here.verify("kept", again) is None
    assert len(here._last) == 3


def test_what_is_too_long_is_not_even_verified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No more is hashed than a process may send."""
    monkeypatch.setattr(envelope, "MAX_MESSAGE_BYTES", 100)
    before = count_dropped("size")
    assert TO.verify("from", FROM.sign(b"x" * 100)) is None
    assert count_dropped("size") == before + 1


def test_a_signature_holds_for_one_sender_key_and_topic() -> None:
    """A stored message is invalid for another process or topic."""
    sent = FROM.sign(b"x")
    assert TO.verify("somebody", sent) is None
    assert signer("to", b"another key, longer").verify("from", sent) is None
    other = signer("to", topic=b"u")
    assert not other.is_addressed(sent)
    assert other.verify("from", b"u" + sent[1:]) is None
    assert TO.verify("\udc00", sent) is None
