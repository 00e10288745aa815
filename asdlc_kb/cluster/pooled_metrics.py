"""Metrics of all workers: sent to the parent each second, summed for a scrape."""

from collections.abc import Callable, Mapping

from asdlc_kb.cluster.worker_channel import ParentUnreachable, WorkerChannel
from asdlc_kb.ops.metrics.counters import GaugeValues, Metrics, MetricValues


class PooledMetrics:
    """The metrics source of a worker."""

    def __init__(self, channel: WorkerChannel, number: int, metrics: Metrics) -> None:
        self._measure: Callable[[], GaugeValues] = dict
        self._channel = channel
        self._number = str(number)
        self._metrics = metrics

    def start(self, measure: Callable[[], GaugeValues]) -> None:
        """Send the gauges that `measure` returns from now on."""
        self._measure = measure

    def send(self) -> None:
        """Send new counts to the parent; a heartbeat too."""
        self._channel.send_metrics(self._metrics.drain(), self._measure())

    async def add_up(
        self, gauges: GaugeValues
    ) -> tuple[MetricValues, Mapping[str, GaugeValues]]:
        """Return the sums of all workers, with the latest of this one.

        If the parent does not answer, only those of this process.
        """
        self._channel.send_metrics(self._metrics.drain(), gauges)
        try:
            return await self._channel.sum()
        except ParentUnreachable:
            return self._metrics.read(), {self._number: gauges}
