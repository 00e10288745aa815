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
    decode_key,
    encode_key,
)
from asdlc_kb.ops.metrics.definitions import (
    LATENESS,
    LIMITED,
    SEARCHES,
    SETTINGS_RELOADS,
)

DURATIONS = st.floats(0, 1_000, allow_nan=False)


def test_what_happens_is_counted_by_its_labels() -> None:
    """A key is a family and its labels."""
    metrics = Metrics()
    metrics.count(SEARCHES.series("page", "no"))
    metrics.count(SEARCHES.series("page", "no"))
    metrics.count(SEARCHES.series("page", "yes"), 5)
    numbers = metrics.read()
    assert numbers[encode_key(SEARCHES.series("page", "no"))] == 2
    assert numbers[encode_key(SEARCHES.series("page", "yes"))] == 5


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
            *(
                f"{LIMITED.name}\t{limit}"
                for limit in ("calls", "pages", "searches", "refusals")
            ),
            *(f"{SETTINGS_RELOADS.name}\t{outcome}" for outcome in ("ok", "error")),
        ),
        0,
    )
    metrics.count(LIMITED.series("calls"))
    metrics.record_reload("error")
    metrics.record_lateness(0.0003)
    numbers = metrics.read()
    assert numbers[f"{LIMITED.name}\tcalls"] == 1
    assert numbers[f"{SETTINGS_RELOADS.name}\terror"] == 1
    assert numbers[f"{LATENESS.name}\t2"] == 1


@given(st.lists(st.tuples(st.sampled_from("ab"), DURATIONS, st.booleans())))
def test_what_is_taken_adds_up(steps: list[tuple[str, float, bool]]) -> None:
    """Nothing is drained twice, and nothing is left out."""
    metrics, sums = Metrics(), Counter[str]()
    for name, seconds, is_taken in steps:
        metrics.observe(("x", name), seconds)
        if is_taken:
            sums.update(metrics.drain())
            assert metrics.drain() == {}
    sums.update(metrics.drain())
    assert +sums == {key: n for key, n in metrics.read().items() if n}


def test_counters_that_start_at_0_are_drained_once() -> None:
    """So that sums of processes have them before the first event."""
    metrics = Metrics()
    metrics.count(("x", "a"), 0)
    assert metrics.drain()["x\ta"] == 0
    assert metrics.drain() == {}


def test_a_key_survives_its_encoding() -> None:
    """Processes exchange numbers by the texts of their keys; labels may be empty."""
    for key in (SEARCHES.series("page", "no"), LATENESS.series(), ("x", "", "a b")):
        assert decode_key(encode_key(key)) == key


async def test_a_process_alone_tells_its_own() -> None:
    """As number zero."""
    key = SEARCHES.series("tests", "no")
    metrics = Metrics()
    metrics.count(key)
    numbers, levels = await LocalMetrics(metrics).add_up({"asdlc_kb_ready": 1})
    assert numbers[encode_key(key)] == 1
    assert levels == {"0": {"asdlc_kb_ready": 1}}
