"""Liveness and readiness probes, with numbers only."""

from typing import Any, Final

from asdlc_kb.web.admission.rate_limit import RateLimitExceeded
from asdlc_kb.web.handler import RETRY_SECONDS, BaseHandler
from asdlc_kb.web.handler_context import HandlerContext

HEALTH: Final = "/health"
READY: Final = "/ready"


def describe_health(context: HandlerContext) -> dict[str, Any]:
    """Return the state of the process in numbers."""
    problems = context.corpus.count_problems()
    embedded = context.count_embedded()
    semantic = {} if embedded is None else {"semanticSections": embedded}
    return {
        "status": "degraded" if problems else "ok",
        "ready": context.is_ready,
        "version": context.version,
        **context.corpus.count(),
        "problems": problems,
        **semantic,
    }


def describe_ready(context: HandlerContext) -> dict[str, Any]:
    """Return whether the server accepts requests."""
    return {"ready": context.is_ready}


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
        self.finish(describe_health(self.context))

    def head(self) -> None:
        """Respond as to GET, without the body."""
        self.get()

    def compute_etag(self) -> None:
        """Send no ETag: a probe stores nothing."""


class ReadyHandler(HealthHandler):
    """200 while the server accepts requests, else 503."""

    route = "ready"

    def get(self) -> None:
        """Send whether the server accepts requests."""
        if not self.context.is_ready:
            self.set_status(503)
            self.set_header("Retry-After", RETRY_SECONDS)
        self.finish(describe_ready(self.context))
