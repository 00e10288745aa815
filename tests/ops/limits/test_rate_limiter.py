"""Rate limits: never more than the rate, waiting always helps, bounded memory."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.limits.rate_limiter import Rate, RateLimiter, parse_rate, wall_clock

SECOND = 1_000_000_000
MINUTE = 60 * SECOND
START = 29_000_000 * MINUTE
"""The beginning of a window."""


@dataclass
class Clock:
    """A clock that a test sets."""

    now: int = START

    def __call__(self) -> int:
        return self.now


def ask(meter: RateLimiter, times: int, client: str = "a") -> int:
    """Return how many of so many requests are accepted."""
    return sum(meter.consume(client) == 0 for _ in range(times))


@pytest.mark.parametrize(
    ("text", "rate", "told"),
    [
        ("120/minute", Rate(120, 60), "120/min"),
        ("120/min", Rate(120, 60), "120/min"),
        ("10/second", Rate(10, 1), "10/s"),
        ("10/sec", Rate(10, 1), "10/s"),
        ("1/s", Rate(1, 1), "1/s"),
        ("5000/hour", Rate(5000, 3600), "5000/hour"),
        ("7/h", Rate(7, 3600), "7/hour"),
    ],
)
def test_a_rate_is_spelled_as_people_say_it(text: str, rate: Rate, told: str) -> None:
    """`--rate-limit 120/minute`."""
    assert parse_rate(text) == rate
    assert str(rate) == told


def test_any_window_has_a_name() -> None:
    """Clients get the rate in force, whatever it is."""
    assert str(Rate(5, 90)) == "5/90s"


def test_off_is_no_rate() -> None:
    """`--rate-limit off`."""
    assert parse_rate("off") is None


@pytest.mark.parametrize(
    "text",
    ["", "120", "0/s", "-1/s", "1/day", "1/", "/s", "1/s ", "OFF", "\u0661/s", "1/s\n"],
)
def test_what_is_no_rate_is_refused(text: str) -> None:
    """A mistyped limit must not silently be none."""
    with pytest.raises(SettingsError, match="is not a rate"):
        parse_rate(text)


def test_a_client_gets_its_rate_and_no_more() -> None:
    """D-118: 120 requests in 60 seconds."""
    meter = RateLimiter("calls", Rate(120, 60), clock=Clock())
    assert ask(meter, 500) == 120


@given(st.lists(st.sampled_from([0, SECOND, 20 * SECOND, MINUTE]), max_size=40))
def test_what_is_allowed_is_known_without_counting(pauses: list[int]) -> None:
    """`allows` agrees with `consume`, however often it is asked."""
    clock = Clock()
    meter = RateLimiter("calls", Rate(3, 60), clock=clock)
    for pause in pauses:
        clock.now += pause
        allowed = [meter.allows("a") for _ in "123"]
        assert allowed == [meter.consume("a") == 0] * 3


def test_clients_are_counted_apart() -> None:
    """D-055: a client does not pay for another's calls."""
    meter = RateLimiter("calls", Rate(2, 60), clock=Clock())
    assert (ask(meter, 5, "a"), ask(meter, 5, "b")) == (2, 2)


def test_a_burst_is_not_forgiven_at_the_stroke_of_the_minute() -> None:
    """D-055: of the former window, the part within the last minute counts."""
    clock = Clock(START + MINUTE - 1)
    meter = RateLimiter("calls", Rate(120, 60), clock=clock)
    assert ask(meter, 120) == 120
    clock.now = START + MINUTE
    assert ask(meter, 120) == 0
    clock.now = START + MINUTE + MINUTE // 2
    assert ask(meter, 120) == 60
    clock.now = START + 2 * MINUTE - 1
    assert ask(meter, 120) == 59


def test_all_is_forgiven_after_two_windows() -> None:
    """D-055: a client that was away starts with a full budget."""
    clock = Clock()
    meter = RateLimiter("calls", Rate(5, 60), clock=clock)
    assert ask(meter, 9) == 5
    clock.now += 2 * MINUTE
    assert ask(meter, 9) == 5


def test_hammering_does_not_lengthen_the_wait() -> None:
    """Refused requests are not counted."""
    clock = Clock()
    meter = RateLimiter("calls", Rate(10, 60), clock=clock)
    ask(meter, 10)
    wait = meter.consume("a")
    assert ask(meter, 10_000) == 0
    assert meter.consume("a") == wait
    clock.now += wait * SECOND
    assert meter.consume("a") == 0


RATES = st.builds(
    Rate, st.integers(1, 300), st.sampled_from([1, 2, 7, 60, 90, 600, 3600])
)
STEPS = st.lists(
    st.tuples(st.floats(0, 3), st.integers(1, 200)), min_size=1, max_size=12
)
"""Pauses in windows, and the number of requests after each."""


@given(RATES, STEPS, st.integers(0, 2**40))
def test_no_window_has_more_than_the_rate(
    rate: Rate, steps: list[tuple[float, int]], offset: int
) -> None:
    """No window has more than the rate, and no stretch of its length twice as much."""
    span = rate.seconds * SECOND
    clock = Clock(START + offset)
    meter = RateLimiter("calls", rate, clock=clock)
    admitted: list[int] = []
    for pause, times in steps:
        clock.now += int(pause * span)
        admitted += [clock.now] * ask(meter, times)
    for first in admitted:
        window = [when for when in admitted if when // span == first // span]
        stretch = [when for when in admitted if first <= when < first + span]
        assert len(window) <= rate.requests
        assert len(stretch) <= 2 * rate.requests


@given(RATES, STEPS, st.integers(0, 2**40))
def test_who_waits_as_told_is_let_in(
    rate: Rate, steps: list[tuple[float, int]], offset: int
) -> None:
    """RFC 9110, 10.2.3: after Retry-After, and no more than a second too late."""
    clock = Clock(START + offset)
    meter = RateLimiter("calls", rate, clock=clock)
    for pause, times in steps:
        clock.now += int(pause * rate.seconds * SECOND)
        ask(meter, times)
        wait = meter.consume("a")
        if not wait:
            continue
        assert 1 <= wait <= 2 * rate.seconds
        refused = clock.now
        clock.now = refused + (wait - 1) * SECOND
        assert wait == 1 or meter.consume("a") == 1
        clock.now = refused + wait * SECOND
        assert meter.consume("a") == 0


def test_memory_has_a_bound_and_who_asks_often_stays_known() -> None:
    """D-055: an attacker's addresses displace each other, not frequent clients."""
    meter = RateLimiter("calls", Rate(3, 60), max_clients=100, clock=Clock())
    assert ask(meter, 9, "greedy") == 3
    for number in range(1000):
        assert meter.consume(f"client {number}") == 0
        if number % 50 == 0:
            meter.consume("greedy")
    assert meter.clients == 100


def test_the_longest_silent_is_forgotten_first() -> None:
    """D-055: the bound affects inactive clients."""
    meter = RateLimiter("calls", Rate(2, 60), max_clients=2, clock=Clock())
    for client in ("a", "b", "a", "c"):
        assert meter.consume(client) == 0
    assert meter.consume("a") > 0
    assert meter.consume("b") == 0


def test_counts_of_others_are_taken_over() -> None:
    """D-057: the counts of all processes, with those since."""
    clock = Clock()
    told: list[None] = []
    meter = RateLimiter("calls", Rate(10, 60), clock=clock)
    meter.enable_sync(lambda: told.append(None))
    ask(meter, 3)
    window = START // MINUTE
    assert (dict(meter.drain()), len(told)) == ({(window, "a"): 3}, 3)
    ask(meter, 2)
    meter.merge(window, "a", 7)
    assert ask(meter, 9) == 1
    assert dict(meter.drain()) == {(window, "a"): 3}
    assert dict(meter.drain()) == {}


def test_counts_of_the_last_window_are_taken_over_too() -> None:
    """D-057: an answer may come after the window it is about."""
    clock = Clock()
    meter = RateLimiter("calls", Rate(10, 60), clock=clock)
    ask(meter, 1)
    clock.now += MINUTE
    ask(meter, 1)
    meter.merge(START // MINUTE, "a", 10)
    assert ask(meter, 1) == 0
    meter.merge(START // MINUTE - 1, "a", 1000)
    clock.now += MINUTE
    assert ask(meter, 20) == 9


def test_nobodys_count_shrinks_and_nobody_is_remembered_for_others() -> None:
    """A sum that lost a count does not reset the limit; the bound on memory holds."""
    meter = RateLimiter("calls", Rate(5, 60), clock=Clock())
    ask(meter, 5)
    meter.merge(START // MINUTE, "a", 1)
    meter.merge(START // MINUTE, "b", 99)
    assert ask(meter, 1) == 0
    assert meter.clients == 1


@pytest.mark.parametrize("total", [11, 10**12, 2**63 - 1])
def test_a_sum_counts_up_to_the_rate(total: int) -> None:
    """Others can use up a client's rate, and time gives it back."""
    clock = Clock()
    meter = RateLimiter("calls", Rate(10, 60), clock=clock)
    assert ask(meter, 1) == 1
    meter.merge(START // MINUTE, "a", total)
    assert ask(meter, 1) == 0
    clock.now += MINUTE + MINUTE // 2
    assert ask(meter, 10) == 5


def test_what_nobody_fetches_has_a_bound() -> None:
    """While others cannot be reached, unsent counts are bounded."""
    meter = RateLimiter("calls", Rate(5, 60), max_clients=10, clock=Clock())
    meter.enable_sync(lambda: None)
    for number in range(100):
        meter.consume(f"client {number}")
    assert len(meter.drain()) == 10


def test_the_clock_goes_forward() -> None:
    """Windows have equal numbers in every process, and time does not go back."""
    first, second = wall_clock(), wall_clock()
    assert 0 <= second - first
    assert first > 1_700_000_000 * SECOND
