"""The end of session ids: at their client's request, or by age.

An id ends 24 hours after its issue, but not while its session has a stream or was used
within the last 30 minutes in this process. An ended id is rejected until then.
"""

from collections.abc import Callable, ItemsView
from typing import Final

from cachetools import FIFOCache, LRUCache

from asdlc_kb.mcp.sessions.session_ids import SessionClaims
from asdlc_kb.mcp.sessions.session_store import IDLE_SECONDS, MAX_SESSIONS

MAX_AGE_SECONDS: Final = 24 * 60 * 60
"""Age at which an id ends, unless its session is in use."""

MAX_ENDED: Final = 10_000
"""Ended ids that are rejected; beyond, the one that ended first is evicted."""


class SessionLifetimes:
    """Ended ids, and the last use of ids near their maximum age."""

    def __init__(
        self, clock: Callable[[], float], wall_clock: Callable[[], float]
    ) -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._ended: FIFOCache[bytes, float] = FIFOCache(MAX_ENDED)
        """Time at which each id would expire by itself, the first ended first."""
        self._used: LRUCache[bytes, float] = LRUCache(MAX_SESSIONS)
        """The last use of ids that are about to reach their maximum age."""

    @property
    def ended(self) -> ItemsView[bytes, float]:
        """The rejected ids, with the time at which each would expire by itself."""
        return self._ended.items()

    def has_ended(self, key: bytes) -> bool:
        """Whether the client ended the session."""
        return key in self._ended

    def get_age(self, claims: SessionClaims) -> float:
        """Return the seconds since the issue of an id."""
        return self._wall_clock() - claims.issued

    def end(self, key: bytes, expires: float) -> None:
        """Reject an id until it would expire by itself."""
        self._used.pop(key, None)
        if expires > self._wall_clock():
            self._ended[key] = expires

    def use(self, claims: SessionClaims, *, has_stream: bool) -> bool:
        """Record a use of an id; False if it has ended."""
        if claims.nonce in self._ended:
            return False
        age = self.get_age(claims)
        if age < MAX_AGE_SECONDS - IDLE_SECONDS:
            return True
        now = self._clock()
        used = self._used.get(claims.nonce, float("-inf"))
        if age >= MAX_AGE_SECONDS and not has_stream and now - used >= IDLE_SECONDS:
            return False
        self._used[claims.nonce] = now
        return True
