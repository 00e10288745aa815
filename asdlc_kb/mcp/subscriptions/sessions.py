"""Sessions of the handshake era: negotiated version, subscriptions, last use.

In memory, bounded in number, in total and per client, and in idle time. A session whose
client does not complete the handshake within a minute ends, or earlier if its slot is
needed. The id is a secret of 192 random bits in URL-safe characters (2025-11-25
basic/transports, session management), or one of `session_routing` in a cluster. A
channel that is its own session (stdio) has one without an id, which is in no store.
"""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.mcp.protocol.jsonrpc import RequestId
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.pending_events import PendingEvents, SubscriptionFilter

MAX_SESSIONS: Final = 10_000
"""Live sessions; beyond, the oldest one with a pending handshake is evicted."""

MAX_SESSIONS_PER_CLIENT: Final = 1_000
"""Sessions of one principal, or of one address if there is none."""

HANDSHAKE_SECONDS: Final = 60.0
"""From `initialize` to `notifications/initialized` or a first request."""

IDLE_SECONDS: Final = 30 * 60
"""A session idle for so long expires."""

MAX_SUBSCRIPTIONS: Final = 1_000
"""Resource subscriptions of one session."""

MAX_SUBSCRIPTIONS_PER_CLIENT: Final = 10_000
"""Subscriptions of all sessions of one client."""


def make_random_id(version: str | None) -> str:
    """Return a random session id."""
    return secrets.token_urlsafe(24)


class SessionsExhausted(KnowledgeBaseError):
    """Raised when the maximum number of sessions is in use."""


class CallCancelled(KnowledgeBaseError):
    """Raised when the client cancelled the running request."""


@dataclass(slots=True, eq=False)
class Session:
    """A session of one client."""

    version: str | None = None
    """The version that `initialize` negotiated; None before."""
    id: str = ""
    used: float = 0.0
    opened: float = 0.0
    principal: str | None = None
    """The authenticated client, if authentication is configured."""
    client: str | None = None
    """The key of per-client limits: principal or address; None is not limited."""
    pending_events: PendingEvents = field(
        default_factory=lambda: _make_pending_events()
    )
    """Events that wait for a stream, and for the handshake to complete."""
    is_initialized: bool = False
    """Whether the handshake is complete, so that notifications may be sent."""
    feeds: set[EventQueue] = field(default_factory=set)
    """Its open streams."""
    is_channel: bool = False
    """Whether its stream also carries responses (HTTP+SSE, stdio)."""
    _running: dict[RequestId, Callable[[], None]] = field(default_factory=dict)
    """Functions that cancel running requests, by request id."""

    @contextmanager
    def running(self, request_id: RequestId) -> Iterator[None]:
        """Make this task cancellable by the client; raise CallCancelled if it is.

        Of two requests with one id the later can be cancelled.
        """
        task = asyncio.current_task()
        is_cancelled = False

        def cancel() -> None:
            nonlocal is_cancelled
            if task is not None and not is_cancelled:
                is_cancelled = True
                task.cancel()

        self._running[request_id] = cancel
        try:
            yield
        except asyncio.CancelledError:
            # The transport may have cancelled the task as well, for its own reasons.
            if task is None or not is_cancelled or task.uncancel() > 0:
                raise
            raise CallCancelled from None
        else:
            if task is not None and is_cancelled:
                # The work ignored the cancellation, but its result is not needed.
                task.uncancel()
                raise CallCancelled
        finally:
            if self._running.get(request_id) is cancel:
                del self._running[request_id]

    def cancel(self, request_id: object) -> None:
        """Cancel a running request, if there is one with this id."""
        # True equals 1, and a request may well have that id.
        if isinstance(request_id, (str, int)) and not isinstance(request_id, bool):
            if cancel := self._running.get(request_id):
                cancel()

    def begin(self) -> None:
        """Complete the handshake, if one was started."""
        if self.version is not None and not self.is_initialized:
            self.is_initialized = True
            self.pending_events.release()

    def end(self) -> None:
        """End its streams."""
        for queue in tuple(self.feeds):
            queue.end()


class Sessions:
    """The live sessions, the least recently used first."""

    def __init__(
        self,
        most: int = MAX_SESSIONS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = monotonic,
        make_id: Callable[[str | None], str] = make_random_id,
        max_per_client: int = MAX_SESSIONS_PER_CLIENT,
    ) -> None:
        self._max_sessions = most
        self._max_per_client = max_per_client
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._make_id = make_id
        self._live: OrderedDict[str, Session] = OrderedDict()
        self._pending: dict[str, Session] = {}
        """Those whose handshake may be incomplete, the oldest first."""
        self._by_client: dict[str, dict[str, Session]] = {}

    def __len__(self) -> int:
        self._expire()
        return len(self._live)

    def __iter__(self) -> Iterator[Session]:
        return iter(tuple(self._live.values()))

    def open(
        self,
        version: str | None,
        principal: str | None = None,
        *,
        address: str | None = None,
        is_channel: bool = False,
    ) -> Session:
        """Open a session; raise SessionsExhausted when a limit is reached.

        Limits apply to its principal, or else to its address.
        """
        self._expire()
        client = address if principal is None else f"principal {principal}"
        self._ensure_capacity(client)
        session_id = self._make_id(version)
        now = self._clock()
        session = Session(
            version, session_id, now, now, principal, client, is_channel=is_channel
        )
        self._live[session_id] = self._pending[session_id] = session
        if client is not None:
            self._by_client.setdefault(client, {})[session_id] = session
        return session

    def count_subscriptions(self, session: Session) -> int:
        """Return the number of subscriptions in all sessions of the same client."""
        sessions = self._by_client.get(session.client or "", {session.id: session})
        return sum(len(other.pending_events.filter.uris) for other in sessions.values())

    def find(self, session_id: str, principal: str | None = None) -> Session | None:
        """Return a live session of a principal and mark it as used, or None."""
        self._expire()
        session = self._live.get(session_id)
        if session is not None and session.principal != principal:
            return None
        if session is not None:
            session.used = self._clock()
            self._live.move_to_end(session_id)
        return session

    def keep(self, session: Session) -> bool:
        """Mark a session as used; False if it has ended."""
        return self.find(session.id, session.principal) is session

    def close(self, session_id: str) -> bool:
        """End a session; False if there was none."""
        self._expire()
        session = self._live.get(session_id)
        if session is not None:
            self._end(session)
        return session is not None

    def _ensure_capacity(self, client: str | None) -> None:
        """Evict sessions to stay within the limits, or raise SessionsExhausted."""
        client_sessions = self._by_client.get(client or "", {})
        if len(client_sessions) >= self._max_per_client:
            self._evict_pending(
                client_sessions,
                f"{self._max_per_client} sessions of this client are open",
            )
        if len(self._live) >= self._max_sessions:
            self._evict_pending(
                self._pending, f"{self._max_sessions} sessions are open"
            )

    def _evict_pending(self, sessions: Mapping[str, Session], reason: str) -> None:
        """End the oldest of these sessions with an incomplete handshake."""
        pending = (s for s in sessions.values() if not s.is_initialized)
        oldest = next(pending, None)
        if oldest is None:
            raise SessionsExhausted(reason)
        self._end(oldest)

    def _end(self, session: Session) -> None:
        del self._live[session.id]
        self._pending.pop(session.id, None)
        if session.client is not None:
            client_sessions = self._by_client[session.client]
            del client_sessions[session.id]
            if not client_sessions:
                del self._by_client[session.client]
        session.end()

    def _expire(self) -> None:
        """End idle sessions, and those whose handshake timed out."""
        now = self._clock()
        while self._live:
            session = next(iter(self._live.values()))
            if session.used > now - self._idle_seconds:
                break
            self._end(session)
        while self._pending:
            session = next(iter(self._pending.values()))
            if session.is_initialized:
                del self._pending[session.id]
            elif session.opened > now - HANDSHAKE_SECONDS:
                break
            else:
                self._end(session)


def _make_pending_events() -> PendingEvents:
    """Return pending events without subscriptions: all list changes.

    Held until the handshake is complete (2025-11-25 basic/lifecycle).
    """
    return PendingEvents(
        SubscriptionFilter(tools=True, prompts=True, resources=True), is_held=True
    )
