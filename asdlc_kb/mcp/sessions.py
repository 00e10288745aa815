"""Sessions of the handshake era over HTTP: an id, the version agreed, the last use.

In memory, bounded in number and in idle time. The id is a secret of 192 random bits in
URL-safe characters (2025-11-25 basic/transports, session management).
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

from asdlc_kb.exceptions import KnowledgeBaseError

MOST_SESSIONS: Final = 10_000
"""Sessions held at once; above that a handshake is refused, not an old one ended."""

IDLE_SECONDS: Final = 30 * 60
"""A session unused for so long is over."""


class SessionsExhausted(KnowledgeBaseError):
    """Raised when every session is in use."""


@dataclass(slots=True)
class Session:
    """One client's agreed version."""

    id: str
    version: str
    used: float


class Sessions:
    """The live sessions, the longest unused first."""

    def __init__(
        self,
        most: int = MOST_SESSIONS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._most = most
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._live: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        self._expire()
        return len(self._live)

    def open(self, version: str) -> Session:
        """Begin a session; raise SessionsExhausted when all are in use."""
        self._expire()
        if len(self._live) >= self._most:
            raise SessionsExhausted(f"{self._most} sessions are open")
        session = Session(secrets.token_urlsafe(24), version, self._clock())
        self._live[session.id] = session
        return session

    def find(self, session_id: str) -> Session | None:
        """Return a live session and mark it as used, or None."""
        self._expire()
        session = self._live.get(session_id)
        if session is not None:
            session.used = self._clock()
            self._live.move_to_end(session_id)
        return session

    def close(self, session_id: str) -> bool:
        """End a session; False if there was none."""
        self._expire()
        return self._live.pop(session_id, None) is not None

    def _expire(self) -> None:
        oldest_allowed = self._clock() - self._idle_seconds
        while self._live:
            session = next(iter(self._live.values()))
            if session.used > oldest_allowed:
                return
            del self._live[session.id]
