"""Lines that are alike: the first of each second are written, the others counted."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from support.files import Clock

from asdlc_kb.ops.storms import MOST_A_SECOND, Storms

Step = tuple[str, float]


def test_ten_of_a_kind_are_written_in_a_second() -> None:
    """Error storms: sampled after ten a second, of each kind by itself."""
    assert MOST_A_SECOND == 10
    clock = Clock(5.0)
    storms = Storms[str](clock=clock)
    assert [storms.admits("a") for _ in range(12)] == [True] * 10 + [False] * 2
    assert storms.admits("b")
    clock.now = 6.0
    assert storms.admits("a")


def test_what_was_not_written_is_told_when_its_second_is_over() -> None:
    """Once; of the last second at the very end."""
    clock = Clock(5.0)
    storms = Storms[str](most=1, clock=clock)
    for _ in range(4):
        storms.admits("a")
    assert storms.collect() == []
    clock.now = 6.2
    assert storms.collect() == [("a", 3)]
    assert storms.collect() == []
    storms.admits("a")
    storms.admits("a")
    assert storms.collect(is_last=True) == [("a", 1)]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1.5)), max_size=60),
    st.integers(0, 3),
)
def test_each_line_is_written_or_counted(steps: list[Step], most: int) -> None:
    """Invariant: none is lost, whenever the others are asked for."""
    clock = Clock(0.0)
    storms = Storms[str](most=most, clock=clock)
    known: Counter[str] = Counter()
    came = Counter(kind for kind, _ in steps)
    for place, (kind, pause) in enumerate(steps):
        clock.now += pause
        known[kind] += storms.admits(kind)
        if place % 3 == 0:
            known.update(dict(storms.collect()))
    known.update(dict(storms.collect(is_last=True)))
    assert +known == came
