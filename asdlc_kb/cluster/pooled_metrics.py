"""The numbers of all workers: told to the parent each second, added up for a scrape."""

from collections.abc import Callable, Mapping

from asdlc_kb.cluster.transport import PeerUnreachable
from asdlc_kb.cluster.worker_channel import WorkerChannel
from asdlc_kb.ops.metrics.counters import GaugeValues, Metrics, MetricValues, metrics


class PooledMetrics:
    """What one worker knows of all."""

    def __init__(
        self, spoke: WorkerChannel, number: int, counted: Metrics = metrics
    ) -> None:
        self.measure: Callable[[], GaugeValues] = dict
        """Tells how things are here."""
        self._spoke = spoke
        self._number = str(number)
        self._counted = counted

    def tell(self) -> None:
        """Tell the parent what is new; a sign of life too."""
        self._spoke.note(self._counted.take(), self.measure())

    async def add_up(
        self, levels: GaugeValues
    ) -> tuple[MetricValues, Mapping[str, GaugeValues]]:
        """Return the sums of all, this moment's of this process among them.

        If the parent does not answer, only what this process knows.
        """
        self._spoke.note(self._counted.take(), levels)
        try:
            return await self._spoke.sum()
        except PeerUnreachable:
            return self._counted.read(), {self._number: levels}
