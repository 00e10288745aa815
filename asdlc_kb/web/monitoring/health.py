"""Is the process alive, and can it serve? Numbers only."""

from asdlc_kb.web.admission.rate_limit import RateLimitExceeded
from asdlc_kb.web.handler import RETRY_SECONDS, BaseHandler


class HealthHandler(BaseHandler):
    """200 while the process lives."""

    is_open = True
    is_probe = True
    route = "health"

    def meter(self) -> RateLimitExceeded | None:
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
            "ready": self.door.is_ready,
            "version": self.door.version,
            **corpus.count(),
            "problems": problems,
        }


class ReadyHandler(HealthHandler):
    """200 while requests are welcome, else 503."""

    route = "ready"

    def get(self) -> None:
        """Tell whether requests are welcome."""
        if not self.door.is_ready:
            self.set_status(503)
            self.set_header("Retry-After", RETRY_SECONDS)
        self.finish({"ready": self.door.is_ready})
