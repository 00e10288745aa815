"""Rate limits per client, shared by the fast path and the handlers.

Calls cost work and have their own rate; pages have a higher one, and so do searches of
the website, counted separately: neither the searches of a person nor the pages that
follow use up the calls of an agent at the same address.
Requests rejected for Host or Origin are counted separately, at the rate of pages: any
website can make the browser on a client's machine send them, and must not use up the
budget of the programs on that machine.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from asdlc_kb.ops.limits.rate_limiter import Rate, RateLimiter
from asdlc_kb.ops.logs.log_throttle import MAX_LINES_PER_SECOND, LogThrottle
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.metrics.definitions import LIMITED
from asdlc_kb.web.admission.client_address import rate_limit_key

logger = logging.getLogger(__name__)

REASON: Final = "Rate limit exceeded"


class RateLimitExceeded(msgspec.Struct, frozen=True):
    """A request beyond its client's rate."""

    seconds: int
    """Seconds until the next permitted request."""
    rate: Rate
    policy: str
    """The name of the rate."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The response headers (draft-ietf-httpapi-ratelimit-headers-11).

        Sent with a 429 only: on every response they would cost as much as the count.
        """
        return {
            "Retry-After": str(self.seconds),
            "RateLimit-Policy": (
                f'"{self.policy}";q={self.rate.requests};w={self.rate.seconds}'
            ),
            "RateLimit": f'"{self.policy}";r=0;t={self.seconds}',
        }

    def describe(self) -> dict[str, Any]:
        """Return the JSON fields of the response."""
        return {"retryAfter": self.seconds, "limit": str(self.rate)}


class RateLimits:
    """Counts the requests of all clients; a rate of None is no limit."""

    def __init__(
        self,
        calls: Rate | None = None,
        pages: Rate | None = None,
        before: "RateLimits | None" = None,
        metrics: Metrics | None = None,
    ) -> None:
        """Start at zero, or continue the counts of `before` for equal rates."""
        meters = () if before is None else before.meters
        self._calls = _open(meters, "calls", calls)
        self._pages = _open(meters, "pages", pages)
        self._searches = _open(meters, "searches", pages)
        self._rejections = _open(meters, "refusals", pages)
        self._sampler = LogThrottle[str](together=MAX_LINES_PER_SECOND)
        self._metrics = metrics or Metrics()

    @property
    def meters(self) -> tuple[RateLimiter, ...]:
        """The rate limiters in force."""
        counted = (self._calls, self._pages, self._searches, self._rejections)
        return tuple(limiter for limiter in counted if limiter is not None)

    def consume_call(self, address: str, number: int = 1) -> RateLimitExceeded | None:
        """Count `number` calls together, or none; return an error beyond the rate.

        `number` is at most `max_calls`.
        """
        return self._consume(self._calls, address, number)

    def try_call(self, address: str) -> bool:
        """Count a call within the rate; False, uncounted and unlogged, beyond it."""
        return self._calls is None or not self._calls.consume(rate_limit_key(address))

    def allows_call(self, address: str) -> bool:
        """Whether a further call is within the rate; counts nothing."""
        return self._calls is None or self._calls.allows(rate_limit_key(address))

    def try_page(self, address: str) -> bool:
        """Count a page within the rate; False, uncounted and unlogged, beyond it."""
        return self._pages is None or not self._pages.consume(rate_limit_key(address))

    @property
    def max_calls(self) -> int | None:
        """Largest number of calls that one client may make at once."""
        return None if self._calls is None else self._calls.rate.requests

    def consume_page(self, address: str) -> RateLimitExceeded | None:
        """Count a page; return an error beyond the rate."""
        return self._consume(self._pages, address)

    def consume_search(self, address: str) -> RateLimitExceeded | None:
        """Count a search of the website; return an error beyond the rate."""
        return self._consume(self._searches, address)

    def consume_rejection(self, address: str) -> RateLimitExceeded | None:
        """Count a rejected Host or Origin; return an error beyond the rate."""
        return self._consume(self._rejections, address)

    def _consume(
        self, limiter: RateLimiter | None, address: str, number: int = 1
    ) -> RateLimitExceeded | None:
        if limiter is None:
            return None
        client = rate_limit_key(address)
        if not (seconds := limiter.consume(client, number)):
            return None
        self._metrics.count(LIMITED.series(limiter.name))
        if hits := self._sampler.count(f"{limiter.name} {client}"):
            logger.warning(
                "rate limit exceeded",
                extra={"address": address, "limit": str(limiter.rate), "hits": hits},
            )
        return RateLimitExceeded(seconds, limiter.rate, limiter.name)


def _open(
    meters: tuple[RateLimiter, ...], name: str, rate: Rate | None
) -> RateLimiter | None:
    """Return the limiter of a rate, reusing one of `meters` with the same rate."""
    if rate is None:
        return None
    known = (m for m in meters if (m.name, m.rate) == (name, rate))
    return next(known, None) or RateLimiter(name, rate)
