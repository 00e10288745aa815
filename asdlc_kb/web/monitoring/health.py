"""Liveness and readiness probes, with numbers only."""

from asdlc_kb.web.admission.rate_limit import RateLimitExceeded
from asdlc_kb.web.handler import RETRY_SECONDS, BaseHandler


class HealthHandler(BaseHandler):
    """200 while the process lives."""

    is_open = True
    is_probe = True
    route = "health"

    def check_rate_limit(self) -> RateLimitExceeded | None:
        """Count nothing: probes are frequent."""
        return None

    def get(self) -> None:
        """Send the state of the process."""
        self.finish(self.describe())

    def head(self) -> None:
        """Respond as to GET, without the body."""
        self.get()

    def describe(self) -> dict[str, object]:
        """Return the state in numbers."""
        corpus = self.context.corpus
        problems = len(corpus.problems())
        return {
            "status": "degraded" if problems else "ok",
            "ready": self.context.is_ready,
            "version": self.context.version,
            **corpus.count(),
            "problems": problems,
        }


class ReadyHandler(HealthHandler):
    """200 while the server accepts requests, else 503."""

    route = "ready"

    def get(self) -> None:
        """Send whether the server accepts requests."""
        if not self.context.is_ready:
            self.set_status(503)
            self.set_header("Retry-After", RETRY_SECONDS)
        self.finish({"ready": self.context.is_ready})
