"""How often a client may ask: the one decision that both ways of a request share.

Calls and searches cost work and have a rate of their own; all else that is a page has a
wider one. Requests that the gate refuses are counted apart, at the rate of pages: any
website can make the browser on a client's machine send them, and must not use up what
the programs of that machine may ask.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from asdlc_kb.ops.limits.rate_limiter import Rate, RateLimiter
from asdlc_kb.ops.logs.log_throttle import MAX_LINES_PER_SECOND, LogThrottle
from asdlc_kb.ops.metrics.counters import metrics
from asdlc_kb.web.admission.client_address import rate_limit_key

logger = logging.getLogger(__name__)

REASON: Final = "Rate limit exceeded"


@dataclass(frozen=True, slots=True)
class RateLimitExceeded:
    """That a client asked too often."""

    seconds: int
    """After so long it may ask again."""
    rate: Rate
    policy: str
    """What the rate is called."""

    @property
    def headers(self) -> Mapping[str, str]:
        """What the client is told in headers (draft-ietf-httpapi-ratelimit-headers-11).

        Only whoever is refused: on every answer they would cost as much as the count.
        """
        return {
            "Retry-After": str(self.seconds),
            "RateLimit-Policy": (
                f'"{self.policy}";q={self.rate.requests};w={self.rate.seconds}'
            ),
            "RateLimit": f'"{self.policy}";r=0;t={self.seconds}',
        }

    def describe(self) -> dict[str, Any]:
        """Return what the client is told."""
        return {"retryAfter": self.seconds, "limit": str(self.rate)}


class RateLimits:
    """Counts the requests of all clients; a rate that is None is no limit."""

    def __init__(
        self,
        calls: Rate | None = None,
        pages: Rate | None = None,
        before: "RateLimits | None" = None,
    ) -> None:
        """Count anew, or go on with the counts from before where a rate is the same."""
        meters = () if before is None else before.meters
        self._calls = _open(meters, "calls", calls)
        self._pages = _open(meters, "pages", pages)
        self._refusals = _open(meters, "refusals", pages)
        self._sampler = LogThrottle[str](together=MAX_LINES_PER_SECOND)

    @property
    def meters(self) -> tuple[RateLimiter, ...]:
        """What is counted."""
        counted = (self._calls, self._pages, self._refusals)
        return tuple(meter for meter in counted if meter is not None)

    def take_call(self, address: str) -> RateLimitExceeded | None:
        """Count a call or a search of this client, or say that it is one too many."""
        return self._take(self._calls, address)

    def admits_call(self, address: str) -> bool:
        """Count a call if there is room; who is told False lets others refuse it."""
        return self._calls is None or not self._calls.take(rate_limit_key(address))

    @property
    def max_calls(self) -> int | None:
        """How many calls of one client there is ever room for at once."""
        return None if self._calls is None else self._calls.rate.requests

    def take_calls(self, address: str, number: int) -> RateLimitExceeded | None:
        """Count so many calls, all of them, or say that there is no room for all.

        `number` is at most `max_calls`.
        """
        return self._take(self._calls, address, number)

    def take_page(self, address: str) -> RateLimitExceeded | None:
        """The same for a page."""
        return self._take(self._pages, address)

    def take_refusal(self, address: str) -> RateLimitExceeded | None:
        """The same for a request that the gate refuses."""
        return self._take(self._refusals, address)

    def _take(
        self, meter: RateLimiter | None, address: str, number: int = 1
    ) -> RateLimitExceeded | None:
        if meter is None or not (
            seconds := meter.take(rate_limit_key(address), number)
        ):
            return None
        metrics.note_limited(meter.name)
        self._note(meter, address)
        return RateLimitExceeded(seconds, meter.rate, meter.name)

    def _note(self, meter: RateLimiter, address: str) -> None:
        """Log that a client asks too often: once in a while, with how often."""
        if hits := self._sampler.count(f"{meter.name} {rate_limit_key(address)}"):
            logger.warning(
                "rate limit exceeded",
                extra={"address": address, "limit": str(meter.rate), "hits": hits},
            )


def _open(
    meters: tuple[RateLimiter, ...], name: str, rate: Rate | None
) -> RateLimiter | None:
    """Return what counts against a rate, from these if it is among them."""
    if rate is None:
        return None
    known = (m for m in meters if (m.name, m.rate) == (name, rate))
    return next(known, None) or RateLimiter(name, rate)
