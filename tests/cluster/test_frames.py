"""What workers and their parent say, in bytes."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asdlc_kb.cluster.frames import (
    MOST_FRAME,
    BrokenChannel,
    Counted,
    Frame,
    Frames,
    Letter,
    Noted,
    Ready,
    Sent,
    Summed,
    write,
)

NUMBERS = st.dictionaries(st.text(max_size=9), st.integers(0, 2**60), max_size=3)
LEVELS = st.dictionaries(st.text(max_size=9), st.floats(allow_nan=False), max_size=3)
TICKETS = st.integers(0, 2**60)
FRAMES: st.SearchStrategy[Frame] = st.one_of(
    st.builds(Ready, st.text(), st.text()),
    st.builds(Letter, TICKETS, st.text(), st.binary()),
    st.builds(Sent, TICKETS, st.none() | st.booleans()),
    st.builds(Counted, TICKETS, NUMBERS),
    st.builds(Noted, NUMBERS, LEVELS),
    st.builds(Summed, TICKETS, NUMBERS, st.dictionaries(st.text(), LEVELS, max_size=2)),
)


@given(frames=st.lists(FRAMES, max_size=5), cuts=st.lists(st.integers(1, 50)))
def test_frames_arrive_as_they_were_however_they_are_cut(
    frames: list[Frame], cuts: list[int]
) -> None:
    """Ours: a channel is a stream of bytes, and knows no frames."""
    data = b"".join(map(write, frames))
    reader = Frames()
    came: list[Frame] = []
    for cut in cuts:
        piece, data = data[:cut], data[cut:]
        came += reader.feed(piece)
    came += reader.feed(data)
    assert came == frames


@given(st.binary(max_size=200))
@example(b"\x92\x00\xa1\x80")
@example(b"\x92\x63\x00")
@example(b"")
def test_what_is_no_frame_is_refused(body: bytes) -> None:
    """Ours: nothing but a frame or the one failure comes of any bytes."""
    try:
        list(Frames().feed(len(body).to_bytes(4, "big") + body))
    except BrokenChannel:
        pass


def test_a_frame_that_is_too_long_is_not_waited_for() -> None:
    """Ours: memory is bounded, whatever the other end says."""
    with pytest.raises(BrokenChannel, match=str(MOST_FRAME + 1)):
        list(Frames().feed((MOST_FRAME + 1).to_bytes(4, "big")))
