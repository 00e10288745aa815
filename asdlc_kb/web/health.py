"""Is the process alive, and can it serve? Numbers only."""

from asdlc_kb.web.base import RETRY_SECONDS, BaseHandler
from asdlc_kb.web.limits import Excess


class HealthHandler(BaseHandler):
    """200 while the process lives."""

    is_open = True

    def meter(self) -> Excess | None:
        """Count nothing: who watches the process asks often."""
        return None

    def get(self) -> None:
        """Tell how the process is."""
        self.finish(self.describe())

    def head(self) -> None:
        """Answer as GET does, without the body."""
        self.get()

    def describe(self) -> dict[str, object]:
        """Return the state in numbers."""
        corpus = self.door.corpus
        problems = len(corpus.problems())
        return {
            "status": "degraded" if problems else "ok",
            "ready": self.is_ready,
            "version": self.door.version,
            **corpus.count(),
            "problems": problems,
        }

    @property
    def is_ready(self) -> bool:
        """Whether all content was seen once and no shutdown is under way."""
        return self.door.corpus.was_seen and not self.door.state.is_draining


class ReadyHandler(HealthHandler):
    """200 while requests are welcome, else 503."""

    def get(self) -> None:
        """Tell whether requests are welcome."""
        if not self.is_ready:
            self.set_status(503)
            self.set_header("Retry-After", RETRY_SECONDS)
        self.finish({"ready": self.is_ready})
