"""What a worker says of itself, on a real broker."""

from support.broker import with_broker
from support.wire import until

from asdlc_kb.cluster.pooled_metrics import PooledMetrics
from asdlc_kb.cluster.worker_status import WorkerNotifier
from asdlc_kb.ops.metrics.counters import Metrics


async def test_a_worker_that_serves_says_what_others_are_to_be_told() -> None:
    """D-124: the banner is that of a worker, and printed by the parent."""
    async with with_broker() as (parent, first, second):
        parent.broker.await_ready()
        second.notify_ready("the other")
        await until(lambda: parent.links[1].is_ready)
        notifier = WorkerNotifier(first, PooledMetrics(first, 0, Metrics()))
        notifier.notify_reloading()
        notifier.notify_ready("listening")
        await until(lambda: len(parent.banners) == 2)
        assert parent.banners[-1] == "listening"


async def test_a_sign_of_life_brings_what_was_counted() -> None:
    """Each second: sums survive the worker."""
    async with with_broker() as (_, first, second):
        metrics = Metrics()
        metrics.count(("refused", "most"), 3)
        notifier = WorkerNotifier(first, PooledMetrics(first, 0, metrics))
        assert notifier.pause
        notifier.notify_alive()
        await until(lambda: metrics.drain() == {})
        numbers, _gauges = await PooledMetrics(second, 1, Metrics()).add_up({})
        assert numbers["refused\tmost"] == 3
