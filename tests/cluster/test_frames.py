"""What workers and their parent say, in bytes."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asdlc_kb.cluster.frames import (
    MAX_FRAME_BYTES,
    BrokenChannel,
    BusMessage,
    ChannelFrame,
    FrameDecoder,
    MetricsTotals,
    MetricsUpdate,
    WorkerLeft,
    WorkerReady,
    write,
)

NUMBERS = st.dictionaries(st.text(max_size=9), st.integers(0, 2**60), max_size=3)
LEVELS = st.dictionaries(st.text(max_size=9), st.floats(allow_nan=False), max_size=3)
TICKETS = st.integers(0, 2**60)
FRAMES: st.SearchStrategy[ChannelFrame] = st.one_of(
    st.builds(WorkerReady, st.text()),
    st.builds(BusMessage, st.text(), st.binary()),
    st.builds(WorkerLeft, st.text()),
    st.builds(MetricsUpdate, NUMBERS, LEVELS),
    st.builds(
        MetricsTotals, TICKETS, NUMBERS, st.dictionaries(st.text(), LEVELS, max_size=2)
    ),
)


@given(frames=st.lists(FRAMES, max_size=5), cuts=st.lists(st.integers(1, 50)))
def test_frames_arrive_as_they_were_however_they_are_cut(
    frames: list[ChannelFrame], cuts: list[int]
) -> None:
    """A channel is a stream of bytes without frames."""
    data = b"".join(map(write, frames))
    reader = FrameDecoder()
    came: list[ChannelFrame] = []
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
    """Any bytes give a frame or the one failure."""
    try:
        list(FrameDecoder().feed(len(body).to_bytes(4, "big") + body))
    except BrokenChannel:
        pass


def test_a_frame_that_is_too_long_is_not_waited_for() -> None:
    """Memory is bounded, whatever the other end sends."""
    with pytest.raises(BrokenChannel, match=str(MAX_FRAME_BYTES + 1)):
        list(FrameDecoder().feed((MAX_FRAME_BYTES + 1).to_bytes(4, "big")))
