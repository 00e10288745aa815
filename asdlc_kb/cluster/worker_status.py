"""Status notifications of a worker to its parent."""

from typing import Final

from asdlc_kb.cluster.pooled_metrics import PooledMetrics
from asdlc_kb.cluster.worker_channel import WorkerChannel

BEAT_SECONDS: Final = 1.0
"""Interval of heartbeats with new counts."""


class WorkerNotifier:
    """Notifies the parent, in place of a service manager."""

    pause: float | None = BEAT_SECONDS

    def __init__(self, channel: WorkerChannel, metrics: PooledMetrics) -> None:
        self._channel = channel
        self._metrics = metrics

    def notify_ready(self, banner: str = "") -> None:
        """Notify that requests are served, after the start or a reload."""
        self._channel.notify_ready(banner)

    def notify_alive(self) -> None:
        """Send a heartbeat with new counts."""
        self._metrics.send()

    def notify_reloading(self) -> None:
        """Do nothing: the parent forwarded the signal."""

    def notify_stopping(self) -> None:
        """Do nothing: the parent sees the exit."""
