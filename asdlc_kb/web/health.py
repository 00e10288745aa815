"""Is the process alive, and can it serve? Numbers only."""

from asdlc_kb.web.base import RETRY_SECONDS, BaseHandler


class HealthHandler(BaseHandler):
    """200 while the process lives."""

    def get(self) -> None:
        """Tell how the process is."""
        self.finish(self.describe())

    def head(self) -> None:
        """Answer as GET does, without the body."""
        self.get()

    def describe(self) -> dict[str, object]:
        """Return the state in numbers."""
        catalog = self.door.library.catalog
        problems = len(catalog.snapshot.all_problems())
        return {
            "status": "degraded" if problems else "ok",
            "ready": self.is_ready,
            "version": self.door.version,
            "articles": len(catalog.articles),
            "problems": problems,
        }

    @property
    def is_ready(self) -> bool:
        """Whether content was seen once and no shutdown is under way."""
        was_seen = self.door.library.catalog.snapshot.was_seen
        return was_seen and not self.door.state.is_draining


class ReadyHandler(HealthHandler):
    """200 while requests are welcome, else 503."""

    def get(self) -> None:
        """Tell whether requests are welcome."""
        if not self.is_ready:
            self.set_status(503)
            self.set_header("Retry-After", RETRY_SECONDS)
        self.finish({"ready": self.is_ready})
