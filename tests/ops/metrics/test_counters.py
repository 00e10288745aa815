"""Counters: cheap, whole numbers, and nothing lost between the buckets."""

from bisect import bisect_left
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.ops.metrics.counters import (
    BOUNDS,
    MICROS,
    UNTIMED,
    LocalMetrics,
    Metrics,
    metrics,
)

DURATIONS = st.floats(0, 1_000, allow_nan=False)


def test_what_happens_is_counted_by_its_labels() -> None:
    """A key is a family and its labels."""
    metrics = Metrics()
    metrics.count(("search", "page", "no"))
    metrics.count(("search", "page", "no"))
    metrics.count(("search", "page", "yes"), 5)
    numbers = metrics.read()
    assert numbers["search\tpage\tno"] == 2
    assert numbers["search\tpage\tyes"] == 5


@given(st.lists(DURATIONS, max_size=50))
def test_every_duration_is_in_one_place(durations: list[float]) -> None:
    """As many are found as were recorded, each in its bucket."""
    metrics = Metrics()
    for seconds in durations:
        metrics.observe(("x", "a"), seconds)
    numbers = metrics.read()
    places = [numbers.get(f"x\ta\t{place}", 0) for place in range(UNTIMED)]
    assert sum(places) == len(durations)
    for place, number in enumerate(places):
        expected = [s for s in durations if bisect_left(BOUNDS, s) == place]
        assert number == len(expected)
    micros = numbers.get(f"x\ta\t{MICROS}", 0)
    assert sum(durations) * 1e6 - len(durations) <= micros <= sum(durations) * 1e6 + 1


@pytest.mark.parametrize(
    ("seconds", "place"), [(0, 0), (0.0001, 0), (0.00011, 1), (10, 15), (10.1, 16)]
)
def test_a_bound_belongs_to_what_is_below_it(seconds: float, place: int) -> None:
    """As in Prometheus: less or equal."""
    metrics = Metrics()
    metrics.observe(("x",), seconds)
    assert metrics.read()[f"x\t{place}"] == 1


def test_what_goes_on_has_no_duration() -> None:
    """A stream is counted when it opens, and is in no bucket."""
    metrics = Metrics()
    metrics.observe_open(("x",))
    metrics.observe_open(("x",))
    assert {k: n for k, n in metrics.read().items() if n} == {f"x\t{UNTIMED}": 2}


def test_what_is_seldom_is_there_from_the_start() -> None:
    """A first event is an increase only if there was a 0 before."""
    metrics = Metrics()
    assert metrics.read() == dict.fromkeys(
        (
            *("limited\tcalls", "limited\tpages", "limited\trefusals"),
            *("reload\tok", "reload\terror"),
        ),
        0,
    )
    metrics.record_limited("calls")
    metrics.record_reload("error")
    metrics.record_lateness(0.0003)
    numbers = metrics.read()
    assert (numbers["limited\tcalls"], numbers["reload\terror"]) == (1, 1)
    assert numbers["lateness\t2"] == 1


@given(st.lists(st.tuples(st.sampled_from("ab"), DURATIONS, st.booleans())))
def test_what_is_taken_adds_up(steps: list[tuple[str, float, bool]]) -> None:
    """Nothing is drained twice, and nothing is left out."""
    metrics, sums = Metrics(), Counter[str]()
    for name, seconds, is_taken in steps:
        metrics.observe(("x", name), seconds)
        if is_taken:
            sums.update(metrics.take())
            assert metrics.take() == {}
    sums.update(metrics.take())
    assert +sums == {key: n for key, n in metrics.read().items() if n}


async def test_a_process_alone_tells_its_own() -> None:
    """As number zero."""
    before = metrics.read().get("search\ttests\tno", 0)
    metrics.count(("search", "tests", "no"))
    numbers, levels = await LocalMetrics().add_up({"asdlc_kb_ready": 1})
    assert numbers["search\ttests\tno"] == before + 1
    assert levels == {"0": {"asdlc_kb_ready": 1}}
