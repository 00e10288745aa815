"""The stored sessions of a process: those with a stream or a subscription.

Bounded in total and per client. A session is stored while any process holds a stream
of it, and for 30 minutes after its last use; a stored session receives events.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final
from weakref import WeakValueDictionary

from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.mcp.subscriptions.events import ResourcesChanged
from asdlc_kb.mcp.subscriptions.subscription_bus import SubscriptionBus

MAX_SESSIONS: Final = 10_000
"""Stored sessions; beyond, the least recently used one without a stream is evicted."""

MAX_SESSIONS_PER_CLIENT: Final = 1_000
"""Stored sessions of one principal, or of one address if there is none."""

IDLE_SECONDS: Final = 30 * 60
"""Idle time after which a session without a stream is removed."""


class SessionsExhausted(KnowledgeBaseError):
    """Raised when the maximum number of sessions with a stream is reached."""


class SessionStore:
    """Sessions by key, the least recently used first."""

    def __init__(
        self,
        bus: SubscriptionBus,
        clock: Callable[[], float],
        *,
        max_sessions: int = MAX_SESSIONS,
        max_per_client: int = MAX_SESSIONS_PER_CLIENT,
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._max_sessions = max_sessions
        self._max_per_client = max_per_client
        self._sessions: OrderedDict[bytes, Session] = OrderedDict()
        self._by_client: dict[str, dict[bytes, Session]] = {}
        self._lost_at = float("-inf")
        """Time of the last eviction or rejection by a limit."""
        self.known: WeakValueDictionary[bytes, Session] = WeakValueDictionary()
        """Stored sessions, and sessions of requests in progress."""

    def __len__(self) -> int:
        self._expire()
        return len(self._sessions)

    def __iter__(self) -> Iterator[Session]:
        return iter(tuple(self._sessions.values()))

    def __contains__(self, session: Session) -> bool:
        return self._sessions.get(session.key) is session

    def get(self, key: bytes) -> Session | None:
        """Return a stored session."""
        return self._sessions.get(key)

    def of_client(self, client: str | None) -> Mapping[bytes, Session]:
        """Return the stored sessions of a client."""
        return self._by_client.get(client or "", {})

    def touch(self, session: Session) -> None:
        """Record the use of a session, if it is stored."""
        if session.key in self._sessions:
            session.used = self._clock()
            self._sessions.move_to_end(session.key)
            of_client = self._by_client.get(session.client or "", {})
            if of_client.pop(session.key, None) is not None:
                of_client[session.key] = session

    def add(self, session: Session, age: float | None = None) -> None:
        """Keep a session; raise SessionsExhausted when a limit is reached.

        If one of this age was forgotten, its client reads its resources again: its
        subscriptions are lost.
        """
        self._expire()
        if session.key not in self._sessions:
            self._ensure_capacity(session.client)
            self._sessions[session.key] = self.known[session.key] = session
            if session.client is not None:
                of_client = self._by_client.setdefault(session.client, {})
                of_client[session.key] = session
            self._bus.subscribe(session.subscription)
            if age is not None and self._may_have_forgotten(age):
                session.subscription.restore([ResourcesChanged()])
        self.touch(session)

    def remove(self, session: Session) -> None:
        """Remove a session."""
        if self._sessions.pop(session.key, None) is None:
            return
        self._bus.unsubscribe(session.subscription)
        session.is_caught_up = False
        if session.client is not None:
            # Its client may have become known only after it was stored.
            of_client = self._by_client.get(session.client, {})
            of_client.pop(session.key, None)
            if not of_client:
                self._by_client.pop(session.client, None)

    def _ensure_capacity(self, client: str | None) -> None:
        """Evict sessions to stay within the limits, or raise SessionsExhausted."""
        of_client = self.of_client(client)
        if len(of_client) >= self._max_per_client:
            reason = f"{self._max_per_client} sessions of this client are open"
            self._make_room(of_client.values(), reason)
        if len(self._sessions) >= self._max_sessions:
            reason = f"{self._max_sessions} sessions are open"
            self._make_room(self._sessions.values(), reason)

    def _make_room(self, sessions: Iterable[Session], reason: str) -> None:
        """Evict the first of these sessions that has no stream."""
        self._lost_at = self._clock()
        first = next((s for s in sessions if not s.has_stream), None)
        if first is None:
            raise SessionsExhausted(reason)
        self.remove(first)

    def _may_have_forgotten(self, age: float) -> bool:
        """Whether a session of this age that is not stored may have been evicted."""
        return age >= IDLE_SECONDS or self._clock() - age <= self._lost_at

    def _expire(self) -> None:
        """Remove sessions without a stream whose last use was IDLE_SECONDS ago."""
        now = self._clock()
        while self._sessions:
            session = next(iter(self._sessions.values()))
            if session.used > now - IDLE_SECONDS:
                break
            if session.has_stream:
                self.touch(session)
            else:
                self.remove(session)


def limit_key(principal: str | None, address: str | None) -> str | None:
    """Return the key of per-client limits; no address equals a principal's."""
    return address if principal is None else f"principal {principal}"
