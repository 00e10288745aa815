"""The numbers of all workers, on a real hub."""

import pytest
from support.hub import on_hub
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
    async with on_hub() as (_, first, second):
        ones, others = Metrics(), Metrics()
        one = PooledMetrics(first, 0, ones)
        other = PooledMetrics(second, 1, others)
        other.start(lambda: {"asdlc_kb_streams": 5})
        count(ones, 3)
        count(others, 4)
        other.send()
        await until(lambda: others.drain() == {})
        for _ in range(2):
            numbers, levels = await one.add_up({"asdlc_kb_streams": 2})
        assert numbers[KEY] == 7
        assert levels == {"0": {"asdlc_kb_streams": 2}, "1": {"asdlc_kb_streams": 5}}


async def test_what_a_dead_worker_counted_stays() -> None:
    """But not how things were with it."""
    async with on_hub() as (parent, first, second):
        metrics = Metrics()
        one = PooledMetrics(first, 0, Metrics())
        other = PooledMetrics(second, 1, metrics)
        count(metrics, 4)
        await other.add_up({"asdlc_kb_streams": 5})
        parent.lines[1].close()
        numbers, levels = await one.add_up({})
        assert numbers[KEY] == 4
        assert levels == {"0": {}}


async def test_without_a_parent_there_are_the_own_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A scrape is answered all the same."""
    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.01)
    async with on_hub() as (parent, first, _):
        parent.is_deaf = True
        metrics = Metrics()
        count(metrics, 2)
        numbers, levels = await PooledMetrics(first, 3, metrics).add_up({"x": 1})
    assert numbers[KEY] == 2
    assert levels == {"3": {"x": 1}}
