"""Metrics of all workers: sent to the parent each second, summed for a scrape."""

from collections.abc import Callable, Mapping

from asdlc_kb.cluster.worker_channel import ParentUnreachable, WorkerChannel
from asdlc_kb.ops.metrics.counters import GaugeValues, Metrics, MetricValues, metrics


class PooledMetrics:
    """The metrics source of a worker."""

    def __init__(
        self, spoke: WorkerChannel, number: int, counted: Metrics = metrics
    ) -> None:
        self.measure: Callable[[], GaugeValues] = dict
        """Returns the current gauges of this process."""
        self._spoke = spoke
        self._number = str(number)
        self._counted = counted

    def tell(self) -> None:
        """Send new counts to the parent; a heartbeat too."""
        self._spoke.note(self._counted.drain(), self.measure())

    async def add_up(
        self, levels: GaugeValues
    ) -> tuple[MetricValues, Mapping[str, GaugeValues]]:
        """Return the sums of all workers, with the latest of this one.

        If the parent does not answer, only those of this process.
        """
        self._spoke.note(self._counted.drain(), levels)
        try:
            return await self._spoke.sum()
        except ParentUnreachable:
            return self._counted.read(), {self._number: levels}
