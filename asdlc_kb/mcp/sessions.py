"""Sessions of the handshake era: the version agreed, what is subscribed, the last use.

In memory, bounded in number and in idle time. The id is a secret of 192 random bits in
URL-safe characters (2025-11-25 basic/transports, session management), or what `relay`
makes where several processes serve as one. A channel that is its own session (stdio)
has one without an id, which no store holds.
"""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.mcp.feed import Feed
from asdlc_kb.mcp.jsonrpc import RequestId
from asdlc_kb.mcp.outbox import Interest, Outbox

MOST_SESSIONS: Final = 10_000
"""Sessions held at once; above that a handshake is refused, not an old one ended."""

IDLE_SECONDS: Final = 30 * 60
"""A session unused for so long is over."""

MOST_SUBSCRIPTIONS: Final = 1_000
"""Resources that one session may subscribe to."""


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
    principal: str | None = None
    """Whose it is, where clients prove who they are."""
    outbox: Outbox = field(default_factory=lambda: _make_outbox())
    """What waits for this client: for a stream, and for the handshake to end."""
    is_begun: bool = False
    """Whether the handshake is over, so that the client may be told of changes."""
    feeds: set[Feed] = field(default_factory=set)
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
        most: int = MOST_SESSIONS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = monotonic,
        make_id: Callable[[str | None], str] = make_secret,
    ) -> None:
        self._most = most
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._make_id = make_id
        self._live: OrderedDict[str, Session] = OrderedDict()

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
        is_channel: bool = False,
    ) -> Session:
        """Begin a session; raise SessionsExhausted when all are in use."""
        self._expire()
        if len(self._live) >= self._most:
            raise SessionsExhausted(f"{self._most} sessions are open")
        session_id = self._make_id(version)
        session = Session(
            version, session_id, self._clock(), principal, is_channel=is_channel
        )
        self._live[session.id] = session
        return session

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
        session = self._live.pop(session_id, None)
        if session is not None:
            session.end()
        return session is not None

    def _expire(self) -> None:
        oldest_allowed = self._clock() - self._idle_seconds
        while self._live:
            session = next(iter(self._live.values()))
            if session.used > oldest_allowed:
                return
            del self._live[session.id]
            session.end()


def _make_outbox() -> Outbox:
    """Return what a client of this era is told without asking: all list changes.

    Not before the handshake is over (2025-11-25 basic/lifecycle).
    """
    return Outbox(Interest(tools=True, prompts=True, resources=True), is_held=True)
