"""Status notifications of a worker to its parent."""

from typing import Final

from asdlc_kb.cluster.pooled_metrics import PooledMetrics
from asdlc_kb.cluster.worker_channel import WorkerChannel

BEAT_SECONDS: Final = 1.0
"""Interval of heartbeats with new counts."""


class WorkerNotifier:
    """Notifies the parent, in place of a service manager."""

    pause: float | None = BEAT_SECONDS

    def __init__(self, spoke: WorkerChannel, figures: PooledMetrics) -> None:
        self.told = ""
        """The startup banner."""
        self._spoke = spoke
        self._figures = figures

    def notify_ready(self) -> None:
        """Notify that requests are served, after the start or a reload."""
        self._spoke.notify_ready(self.told)

    def notify_alive(self) -> None:
        """Send a heartbeat with new counts."""
        self._figures.tell()

    def notify_reloading(self) -> None:
        """Do nothing: the parent forwarded the signal."""

    def notify_stopping(self) -> None:
        """Do nothing: the parent sees the exit."""
