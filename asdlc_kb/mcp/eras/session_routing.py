"""Sessions of other processes: their authenticated ids, and the relay to their hosts.

In a cluster, an id is `{home}.{version}.{random}.{mac}`: the name of the process that
hosts the session, the negotiated version, 128 random bits, and 128 bits of HMAC-SHA256
over all that. Processes with the key can read it; an id that is forged, truncated or
assembled from others is an unknown session.
"""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.inbound import (
    Batch,
    Call,
    Inbound,
    InboundNotification,
    McpHeaders,
)
from asdlc_kb.mcp.protocol.versions import HANDSHAKE
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue

MAX_ID_CHARS: Final = 200
"""Characters of a session id; longer ones are unknown."""

_CHANNEL_VERSION: Final = "sse"
"""In place of the version in the id of an HTTP+SSE stream, which has none yet."""

_SESSION_METHODS: Final = frozenset({"resources/subscribe", "resources/unsubscribe"})
"""Methods that only the host of a session can serve."""


class SessionHostGone(KnowledgeBaseError):
    """Raised if the process that hosted a session has ended."""


class SessionHostTimeout(KnowledgeBaseError):
    """Raised if the host of a session may be alive, but cannot be reached."""


@dataclass(frozen=True, slots=True)
class SessionLocation:
    """The host and the version of a session, from its id."""

    home: str
    version: str | None
    """The negotiated version; None for an HTTP+SSE stream."""
    principal: str | None = None
    """The requester's principal; the host compares it with the session's."""

    @property
    def is_channel(self) -> bool:
        """Whether the session is an HTTP+SSE stream."""
        return self.version is None


class SessionIds:
    """Generates and parses session ids."""

    def __init__(self, home: str, key: bytes) -> None:
        self.home = home
        self._key = key

    def make(self, version: str | None) -> str:
        """Return the id of a new session; of a channel if the version is None."""
        random = secrets.token_urlsafe(16)
        payload = f"{self.home}.{version or _CHANNEL_VERSION}.{random}"
        return f"{payload}.{self._sign(payload)}"

    def read(self, session_id: str) -> SessionLocation | None:
        """Return the location in an id; None unless its MAC is valid."""
        if len(session_id) > MAX_ID_CHARS or not session_id.isascii():
            return None
        payload, _, mac = session_id.rpartition(".")
        if not hmac.compare_digest(mac, self._sign(payload)):
            return None
        match payload.split("."):
            case [home, version, _] if version == _CHANNEL_VERSION:
                return SessionLocation(home, None)
            case [home, version, _] if version in HANDSHAKE:
                return SessionLocation(home, version)
        return None

    def _sign(self, payload: str) -> str:
        mac = hmac.digest(self._key, b"session\0" + payload.encode(), "sha256")[:16]
        return urlsafe_b64encode(mac).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class RemoteMessage:
    """A message of a session that another process hosts."""

    message: Call | InboundNotification | Batch
    """The message, classified."""
    text: bytes
    headers: McpHeaders
    origin: SessionLocation

    @property
    def is_bound(self) -> bool:
        """Whether only the session's host can serve it."""
        return (
            isinstance(self.message, Call) and self.message.method in _SESSION_METHODS
        )


RemoteReply: TypeAlias = Inbound | Batch | RemoteMessage
"""A received message, of a local or a remote session."""


@dataclass(frozen=True, slots=True)
class RemoteStream:
    """A stream of a session, local or remote."""

    feed: EventQueue
    is_wanted: Callable[[], bool]
    """Whether its session is still alive."""


class SessionRelay(Protocol):
    """Forwards requests to the hosts of sessions.

    Its coroutines raise SessionHostGone and SessionHostTimeout.
    """

    def locate(self, session_id: str) -> SessionLocation | None:
        """Return the location of a remote session; None if there is none."""

    async def forward(
        self, message: RemoteMessage, emit: Callable[[bytes], None] | None
    ) -> Response:
        """Return the host's response to a message."""

    async def forward_to_channel(
        self, session_id: str, origin: SessionLocation, text: bytes
    ) -> Response:
        """Forward a message to the host of an HTTP+SSE stream."""

    async def close_session(self, session_id: str, origin: SessionLocation) -> bool:
        """End a session; False if there was none."""

    async def open_stream(
        self, session_id: str, origin: SessionLocation
    ) -> RemoteStream | None:
        """Return a stream of a session; None if there is no such session."""


def belongs_to_session(message: Inbound | Batch) -> bool:
    """Whether a message over HTTP is to be handled by its session's host.

    False for `initialize` and stateless requests, regardless of their headers.
    """
    match message:
        case Call(method=method, is_stateless=is_stateless):
            return not is_stateless and method != "initialize"
        case InboundNotification(headers=headers):
            return headers is not None
        case Batch():
            return True
    return False
