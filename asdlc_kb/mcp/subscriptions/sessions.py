"""Sessions of the handshake era: the version agreed, what is subscribed, the last use.

In memory, bounded in number, in all and for each client, and in idle time. One whose
client does not end the handshake within a minute ends, and sooner where there is no
room for another. The id is a secret of 192 random bits in
URL-safe characters (2025-11-25 basic/transports, session management), or what `relay`
makes where several processes serve as one. A channel that is its own session (stdio)
has one without an id, which no store holds.
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
"""Sessions held at once; above that the oldest one that was never begun makes room."""

MAX_SESSIONS_EACH: Final = 1_000
"""Sessions of one principal, or of one address where there is none."""

HANDSHAKE_SECONDS: Final = 60.0
"""From `initialize` to `notifications/initialized` or a first request."""

IDLE_SECONDS: Final = 30 * 60
"""A session unused for so long is over."""

MAX_SUBSCRIPTIONS: Final = 1_000
"""Resources that one session may subscribe to."""

MAX_SUBSCRIPTIONS_EACH: Final = 10_000
"""Subscriptions of all sessions of one client."""


def make_secret(version: str | None) -> str:
    """Return an id that says nothing."""
    return secrets.token_urlsafe(24)


class SessionsExhausted(KnowledgeBaseError):
    """Raised when every session is in use."""


class CallCancelled(KnowledgeBaseError):
    """Raised where the client cancelled what runs."""


@dataclass(slots=True, eq=False)
class Session:
    """One client, as long as it is known."""

    version: str | None = None
    """What `initialize` agreed on; None before."""
    id: str = ""
    used: float = 0.0
    opened: float = 0.0
    principal: str | None = None
    """Whose it is, where clients prove who they are."""
    client: str | None = None
    """By what it is counted: its principal or address; None is not counted."""
    outbox: PendingEvents = field(default_factory=lambda: _make_outbox())
    """What waits for this client: for a stream, and for the handshake to end."""
    is_begun: bool = False
    """Whether the handshake is over, so that the client may be told of changes."""
    feeds: set[EventQueue] = field(default_factory=set)
    """Its open streams."""
    is_channel: bool = False
    """Whether answers go over its stream too (HTTP+SSE, stdio)."""
    _running: dict[RequestId, Callable[[], None]] = field(default_factory=dict)
    """How to cancel what runs, by the id of its request."""

    @contextmanager
    def running(self, request_id: RequestId) -> Iterator[None]:
        """Let the client cancel what this task does within; raise CallCancelled then.

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
            # The task itself may be cancelled too: by its door, for its own reasons.
            if task is None or not is_cancelled or task.uncancel() > 0:
                raise
            raise CallCancelled from None
        else:
            if task is not None and is_cancelled:
                # Whoever worked took no notice of it, but nobody wants the result.
                task.uncancel()
                raise CallCancelled
        finally:
            if self._running.get(request_id) is cancel:
                del self._running[request_id]

    def cancel(self, request_id: object) -> None:
        """Cancel what runs for a request, if anything does."""
        # True equals 1, and a request may well have that id.
        if isinstance(request_id, (str, int)) and not isinstance(request_id, bool):
            if cancel := self._running.get(request_id):
                cancel()

    def begin(self) -> None:
        """End the handshake, if one was begun."""
        if self.version is not None and not self.is_begun:
            self.is_begun = True
            self.outbox.release()

    def end(self) -> None:
        """End its streams."""
        for feed in tuple(self.feeds):
            feed.end()


class Sessions:
    """The live sessions, the longest unused first."""

    def __init__(
        self,
        most: int = MAX_SESSIONS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = monotonic,
        make_id: Callable[[str | None], str] = make_secret,
        max_each: int = MAX_SESSIONS_EACH,
    ) -> None:
        self._most = most
        self._max_each = max_each
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._make_id = make_id
        self._live: OrderedDict[str, Session] = OrderedDict()
        self._pending: dict[str, Session] = {}
        """Those whose handshake may not have ended yet, the oldest first."""
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
        """Begin a session; raise SessionsExhausted when all are in use.

        It is counted by its principal, or else by its address.
        """
        self._expire()
        client = address if principal is None else f"principal {principal}"
        self._make_room(client)
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
        """Return how many resources all sessions of a session's client subscribe to."""
        others = self._by_client.get(session.client or "", {session.id: session})
        return sum(len(other.outbox.interest.uris) for other in others.values())

    def find(self, session_id: str, principal: str | None = None) -> Session | None:
        """Return a live session and mark it as used, or None; never another's."""
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

    def _make_room(self, client: str | None) -> None:
        """Have room for one more session of a client, or raise SessionsExhausted."""
        own = self._by_client.get(client or "", {})
        if len(own) >= self._max_each:
            self._displace(own, f"{self._max_each} sessions of this client are open")
        if len(self._live) >= self._most:
            self._displace(self._pending, f"{self._most} sessions are open")

    def _displace(self, sessions: Mapping[str, Session], reason: str) -> None:
        """End the oldest of some whose handshake has not ended."""
        pending = (each for each in sessions.values() if not each.is_begun)
        oldest = next(pending, None)
        if oldest is None:
            raise SessionsExhausted(reason)
        self._end(oldest)

    def _end(self, session: Session) -> None:
        del self._live[session.id]
        self._pending.pop(session.id, None)
        if session.client is not None:
            own = self._by_client[session.client]
            del own[session.id]
            if not own:
                del self._by_client[session.client]
        session.end()

    def _expire(self) -> None:
        """End what is unused for too long, and what was never begun in time."""
        now = self._clock()
        while self._live:
            session = next(iter(self._live.values()))
            if session.used > now - self._idle_seconds:
                break
            self._end(session)
        while self._pending:
            session = next(iter(self._pending.values()))
            if session.is_begun:
                del self._pending[session.id]
            elif session.opened > now - HANDSHAKE_SECONDS:
                break
            else:
                self._end(session)


def _make_outbox() -> PendingEvents:
    """Return what a client of this era is told without asking: all list changes.

    Not before the handshake is over (2025-11-25 basic/lifecycle).
    """
    return PendingEvents(
        SubscriptionFilter(tools=True, prompts=True, resources=True), is_held=True
    )
