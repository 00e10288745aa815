"""Messages between processes: signed by the sender, verified by the receiver."""

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from asdlc_kb.cluster import envelope
from asdlc_kb.cluster.envelope import (
    AnyMessage,
    Keepalive,
    MessageSigner,
    ReaderKeepalive,
    RpcNotification,
    RpcRequest,
    RpcResponse,
    StreamCancel,
    StreamData,
    StreamEnd,
)
from asdlc_kb.ops.metrics.counters import metrics
from asdlc_kb.ops.metrics.definitions import DROPPED

KEY = b"a key of this test"
FROM, TO = MessageSigner("from", KEY), MessageSigner("to", KEY)
LETTERS = st.one_of(
    st.builds(
        RpcRequest,
        exchange=st.integers(0, 2**60),
        matter=st.sampled_from(("message", "channel", "close", "stream")),
        session=st.text(),
        version=st.none() | st.text(),
        text=st.binary(),
        takes_notes=st.booleans(),
    ),
    st.builds(
        RpcResponse,
        exchange=st.integers(0, 2**60),
        status=st.integers(0, 599),
        body=st.binary(),
        error=st.none() | st.integers(-(2**31), 2**31),
        is_cancelled=st.booleans(),
        found=st.none() | st.integers(0, 2**60),
        has_failed=st.booleans(),
    ),
    st.builds(RpcNotification, exchange=st.integers(0), text=st.binary()).filter(
        lambda note: note.exchange < 2**63
    ),
    st.builds(
        StreamData,
        exchange=st.integers(0, 2**60),
        messages=st.lists(st.binary()).map(tuple),
    ),
    st.builds(StreamEnd, exchange=st.integers(0, 2**60)),
    st.builds(StreamCancel, exchange=st.integers(0, 2**60)),
    st.builds(Keepalive, exchanges=st.lists(st.integers(0, 2**60)).map(tuple)),
    st.builds(ReaderKeepalive, exchanges=st.lists(st.integers(0, 2**60)).map(tuple)),
)


def seal_text(text: bytes) -> bytes:
    """Return a text as FROM would send it to TO."""
    numbered = next(FROM._numbers).to_bytes(8, "big") + text
    return FROM._sign("from", "to", numbered) + numbered


def count_dropped(reason: str) -> int:
    """Return how many letters were dropped so far for a reason."""
    return metrics.read().get(f"{DROPPED.name}\t{reason}", 0)


@given(LETTERS)
def test_a_letter_arrives_as_it_was_written(letter: AnyMessage) -> None:
    """D-049: messages are forwarded whole."""
    assert TO.open("from", FROM.close("to", letter)) == letter


@given(LETTERS, st.data())
def test_a_letter_that_was_changed_is_none(
    letter: AnyMessage, data: st.DataObject
) -> None:
    """D-050: a carrier of messages could change them."""
    sent = FROM.close("to", letter)
    place = data.draw(st.integers(0, len(sent) - 1))
    value = data.draw(st.integers(0, 255))
    changed = sent[:place] + bytes([value]) + sent[place + 1 :]
    assume(changed != sent)
    assert TO.open("from", changed) is None
    assert TO.open("from", sent[:place]) is None
    assert TO.open("from", sent + b"\0") is None


@given(st.binary())
def test_garbage_is_no_letter(data: bytes) -> None:
    """D-050: any client of a shared Redis can publish."""
    assert TO.open("from", data) is None


@given(st.binary())
def test_sealed_garbage_is_no_letter(text: bytes) -> None:
    """A neighbour of another version may write what is not known here."""
    opened = TO.open("from", seal_text(text))
    assert opened is None or isinstance(opened, AnyMessage)


@pytest.mark.parametrize(
    "row",
    [
        ["tomorrow", 1],
        ["answer", 1, "200"],
        ["question", 1, "steal", "session"],
        ["working", 1],
        [],
        {},
        None,
    ],
)
def test_letters_of_unknown_kinds_and_shapes_are_none(row: object) -> None:
    """Two versions may run side by side for a while."""
    text = msgspec.msgpack.encode(row)
    assert TO.open("from", seal_text(text)) is None


def test_what_a_newer_neighbour_adds_is_passed_over() -> None:
    """A further field changes nothing for a process that does not know it."""
    text = msgspec.msgpack.encode(["left", 7, "further"])
    assert TO.open("from", seal_text(text)) == StreamCancel(exchange=7)


def test_a_letter_is_taken_once() -> None:
    """D-050: a carrier of messages could repeat one."""
    first, second = (FROM.close("to", StreamEnd(exchange=n)) for n in (1, 2))
    before = count_dropped("repeated")
    assert TO.open("from", first) == StreamEnd(exchange=1)
    assert TO.open("from", first) is None
    assert TO.open("from", second) == StreamEnd(exchange=2)
    # Also one that is older than others, whatever became of it.
    assert TO.open("from", first) is None
    assert TO.open("from", second) is None
    assert count_dropped("repeated") - before == 3


def test_senders_are_numbered_each_by_itself() -> None:
    """A letter of one, however late, is no repetition of another's."""
    here = MessageSigner("here", KEY)
    others = [MessageSigner(f"other {number}", KEY) for number in range(3)]
    for _ in range(2):
        for number, other in enumerate(others):
            sent = other.close("here", StreamEnd(exchange=number))
            assert here.open(f"other {number}", sent) == StreamEnd(exchange=number)


def test_a_lost_letter_is_no_hindrance_to_the_next() -> None:
    """Letters may be lost."""
    here, there = MessageSigner("here", KEY), MessageSigner("there", KEY)
    sent = [here.close("there", StreamCancel(exchange=number)) for number in range(5)]
    assert there.open("here", sent[3]) == StreamCancel(exchange=3)
    assert there.open("here", sent[4]) == StreamCancel(exchange=4)
    assert there.open("here", sent[1]) is None


def test_only_so_many_senders_are_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Memory is bounded, however often other processes are restarted."""
    monkeypatch.setattr(envelope, "MAX_SENDERS", 3)
    here = MessageSigner("here", KEY)
    kept = MessageSigner("kept", KEY)
    for number in range(10):
        name = f"other {number}"
        sent = MessageSigner(name, KEY).close("here", StreamEnd(exchange=1))
        assert here.open(name, sent) is not None
        again = kept.close("here", StreamEnd(exchange=1))
        assert here.open("kept", again) is not None
        assert here.open("kept", again) is None
    assert len(here._heard) == 3


def test_what_is_dropped_is_counted_by_the_reason() -> None:
    """D-050: operators see that garbage is published in their Redis."""
    before = [count_dropped(each) for each in ("unauthenticated", "unknown")]
    assert TO.open("from", b"garbage") is None
    assert TO.open("from", seal_text(msgspec.msgpack.encode(["tomorrow", 1]))) is None
    after = [count_dropped(each) for each in ("unauthenticated", "unknown")]
    assert after == [number + 1 for number in before]


def test_a_seal_holds_for_one_sender_and_one_receiver() -> None:
    """D-050: a message is valid for one sender and one receiver."""
    sent = FROM.close("to", StreamEnd(exchange=1))
    assert TO.open("somebody", sent) is None
    assert MessageSigner("another", KEY).open("from", sent) is None
    assert MessageSigner("to", b"another key, longer").open("from", sent) is None
    assert TO.open("\udc00", sent) is None
