"""Lines about what repeats: each subject once in a while, all together seldom."""

from asdlc_kb.ops.sampling import Samples


class Clock:
    """A clock that a test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_subject_is_spoken_of_at_once_and_then_once_in_a_while() -> None:
    """One line at most in ten seconds, which says how often it came since."""
    clock = Clock()
    samples = Samples(10.0, clock=clock)
    assert [samples.count("a") for _ in range(4)] == [1, 0, 0, 0]
    clock.now += 9.9
    assert samples.count("a") == 0
    clock.now += 0.1
    assert [samples.count("a"), samples.count("a")] == [5, 0]


def test_subjects_are_counted_apart() -> None:
    """One that is loud does not hide another."""
    samples = Samples(clock=Clock())
    assert [samples.count("a"), samples.count("b"), samples.count("a")] == [1, 1, 0]


def test_all_together_have_a_bound_and_nothing_is_lost() -> None:
    """Many addresses at once fill no disk; who was passed over is told of later."""
    clock = Clock()
    samples = Samples(10.0, 3, clock=clock)
    names = [f"address {number}" for number in range(20)]
    assert sum(samples.count(name) for name in names) == 3
    clock.now += 1
    assert [samples.count(name) for name in names[3:7]] == [2, 2, 2, 0]


def test_memory_has_a_bound() -> None:
    """The subject known for longest is forgotten."""
    samples = Samples(10.0, 100, 2, clock=Clock())
    assert [samples.count(name) for name in "abcb"] == [1, 1, 1, 0]
    assert samples.count("a") == 1
