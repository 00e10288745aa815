"""Liveness and readiness probes, with numbers only."""

from typing import TYPE_CHECKING, Any, Final

from asdlc_kb import __version__
from asdlc_kb.web.admission.rate_limit import RateLimitExceeded
from asdlc_kb.web.handler import RETRY_SECONDS, BaseHandler
from asdlc_kb.web.handler_context import HandlerContext

if TYPE_CHECKING:
    from asdlc_kb.store.values import StoreStatus

HEALTH: Final = "/health"
READY: Final = "/ready"


def describe_health(
    context: HandlerContext, *, counts_content: bool = True
) -> dict[str, Any]:
    """Return the state of the process in numbers, by default those of content too."""
    problems = context.corpus.count_exposed_problems() if counts_content else 0
    store = context.describe_store()
    is_degraded = problems or (store is not None and not store.is_reachable)
    return {
        "status": "degraded" if is_degraded else "ok",
        "ready": context.is_ready,
        "version": __version__,
        **(_count_content(context, problems) if counts_content else {}),
        **({} if store is None else {"store": _describe_store(context, store)}),
    }


def _count_content(context: HandlerContext, problems: int) -> dict[str, Any]:
    embedded = context.count_embedded()
    semantic = {} if embedded is None else {"semanticSections": embedded}
    return {**context.corpus.count(), "problems": problems, **semantic}


def _describe_store(context: HandlerContext, store: "StoreStatus") -> dict[str, Any]:
    """Return the state of the store; names of sources only if all may see them."""
    age = store.contact_age
    described = {
        "reachable": store.is_reachable,
        "secondsSinceContact": None if age is None else round(age, 1),
    }
    names = {} if context.bearer is not None else {"snapshots": dict(store.snapshots)}
    return {**described, **names}


def limits_counts(context: HandlerContext) -> bool:
    """Whether numbers of content need a token, since one may be for some sources."""
    return context.bearer is not None and context.bearer.tokens.may_limit_sources


def describe_ready(context: HandlerContext) -> dict[str, Any]:
    """Return whether the server accepts requests."""
    return {"ready": context.is_ready}


class HealthHandler(BaseHandler):
    """200 while the process lives."""

    is_probe = True
    route = "health"

    def check_rate_limit(self) -> RateLimitExceeded | None:
        """Count nothing: probes are frequent."""
        return None

    def needs_token(self) -> bool:
        """Identify a sender with a valid token where numbers of content need one."""
        bearer = self.context.bearer
        if bearer is None or not limits_counts(self.context):
            return False
        authorization = self.request.headers.get("Authorization")
        return bearer.accepts(authorization, self.address)

    def get(self) -> None:
        """Send the state of the process; of content only with a token."""
        is_known = self.principal is not None or not limits_counts(self.context)
        self.finish(describe_health(self.context, counts_content=is_known))

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
