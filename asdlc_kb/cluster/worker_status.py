"""What a worker tells its parent, where a process alone speaks to a service manager."""

from typing import Final

from asdlc_kb.cluster.pooled_metrics import PooledMetrics
from asdlc_kb.cluster.worker_channel import WorkerChannel

BEAT_SECONDS: Final = 1.0
"""How often a worker says that it is alive, and what it counted."""


class WorkerNotifier:
    """Tells the parent what others tell a service manager."""

    pause: float | None = BEAT_SECONDS

    def __init__(self, spoke: WorkerChannel, figures: PooledMetrics) -> None:
        self.told = ""
        """What whoever watches is told."""
        self._spoke = spoke
        self._figures = figures

    def tell_ready(self) -> None:
        """Say that requests are served, from the start or again after a reload."""
        self._spoke.tell_ready(self.told)

    def tell_alive(self) -> None:
        """Give a sign of life, and tell what was counted."""
        self._figures.tell()

    def tell_reloading(self) -> None:
        """Say nothing: the parent had it from the one who asked."""

    def tell_stopping(self) -> None:
        """Say nothing: the parent sees it."""
