"""The numbers of all workers, on a real broker."""

import pytest
from support.broker import with_broker
from support.wire import until

from asdlc_kb.cluster import worker_channel as module
from asdlc_kb.cluster.pooled_metrics import PooledMetrics
from asdlc_kb.ops.metrics.counters import Metrics

KEY = "search\tpage\tno"


def count(metrics: Metrics, number: int) -> None:
    """Count searches in vain."""
    metrics.count(("search", "page", "no"), number)


async def test_a_scrape_has_the_sums_of_all_workers() -> None:
    """Whichever worker is asked; its own numbers are of this moment."""
    async with with_broker() as (_, first, second):
        ones, others = Metrics(), Metrics()
        one = PooledMetrics(first, 0, ones)
        other = PooledMetrics(second, 1, others)
        other.start(lambda: {"asdlc_kb_streams": 5})
        count(ones, 3)
        count(others, 4)
        other.send()
        await until(lambda: others.drain() == {})
        for _ in range(2):
            numbers, gauges = await one.add_up({"asdlc_kb_streams": 2})
        assert numbers[KEY] == 7
        assert gauges == {"0": {"asdlc_kb_streams": 2}, "1": {"asdlc_kb_streams": 5}}


async def test_what_a_dead_worker_counted_stays() -> None:
    """But not how things were with it."""
    async with with_broker() as (parent, first, second):
        metrics = Metrics()
        one = PooledMetrics(first, 0, Metrics())
        other = PooledMetrics(second, 1, metrics)
        count(metrics, 4)
        await other.add_up({"asdlc_kb_streams": 5})
        parent.links[1].close()
        numbers, gauges = await one.add_up({})
        assert numbers[KEY] == 4
        assert gauges == {"0": {}}


async def test_without_a_parent_there_are_the_own_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A scrape is answered all the same."""
    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.01)
    async with with_broker() as (parent, first, _):
        parent.is_deaf = True
        metrics = Metrics()
        count(metrics, 2)
        numbers, gauges = await PooledMetrics(first, 3, metrics).add_up({"x": 1})
    assert numbers[KEY] == 2
    assert gauges == {"3": {"x": 1}}
