"""Sessions that another process keeps: what their ids say, and how it is asked.

Where several processes serve as one, an id is `{home}.{version}.{random}.{mac}`: the
name of the process that keeps the session, the version agreed, 128 random bits, and
128 bits of HMAC-SHA256 over all that. Whoever has the key reads it; one that is
forged, cut or put together from others is simply unknown.
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
"""Characters of an id that is looked at."""

_CHANNEL: Final = "sse"
"""Stands for the version in the id of an HTTP+SSE stream, which has none yet."""

_BOUND: Final = frozenset({"resources/subscribe", "resources/unsubscribe"})
"""Methods that nobody but the home of a session can serve."""


class SessionHostGone(KnowledgeBaseError):
    """Raised where the process that kept a session is no more, and its sessions."""


class SessionHostTimeout(KnowledgeBaseError):
    """Raised where the home of a session may be there, but cannot be reached."""


@dataclass(frozen=True, slots=True)
class SessionLocation:
    """Where a session was opened, as its id says."""

    home: str
    version: str | None
    """The version agreed; None for an HTTP+SSE stream."""
    principal: str | None = None
    """Who asks for it: its home knows whose it is."""

    @property
    def is_channel(self) -> bool:
        """Whether the session is an HTTP+SSE stream."""
        return self.version is None


class SessionIds:
    """Makes and reads the ids of sessions."""

    def __init__(self, home: str, key: bytes) -> None:
        self.home = home
        self._key = key

    def make(self, version: str | None) -> str:
        """Return the id of a new session; without a version that of a channel."""
        random = secrets.token_urlsafe(16)
        said = f"{self.home}.{version or _CHANNEL}.{random}"
        return f"{said}.{self._sign(said)}"

    def read(self, session_id: str) -> SessionLocation | None:
        """Return what an id says, if one who has the key made it."""
        if len(session_id) > MAX_ID_CHARS or not session_id.isascii():
            return None
        said, _, mac = session_id.rpartition(".")
        if not hmac.compare_digest(mac, self._sign(said)):
            return None
        match said.split("."):
            case [home, version, _] if version == _CHANNEL:
                return SessionLocation(home, None)
            case [home, version, _] if version in HANDSHAKE:
                return SessionLocation(home, version)
        return None

    def _sign(self, said: str) -> str:
        mac = hmac.digest(self._key, b"session\0" + said.encode(), "sha256")[:16]
        return urlsafe_b64encode(mac).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class RemoteMessage:
    """A message of a session that another process keeps."""

    message: Call | InboundNotification | Batch
    """What it asks for."""
    text: bytes
    headers: McpHeaders
    origin: SessionLocation

    @property
    def is_bound(self) -> bool:
        """Whether only the session's home can serve it."""
        return isinstance(self.message, Call) and self.message.method in _BOUND


RemoteReply: TypeAlias = Inbound | Batch | RemoteMessage
"""What a door took in."""


@dataclass(frozen=True, slots=True)
class RemoteStream:
    """A stream of a session that another process keeps."""

    feed: EventQueue
    is_wanted: Callable[[], bool]
    """Whether its home still has it."""


class SessionRelay(Protocol):
    """Reaches the homes of sessions.

    Its questions raise SessionHostGone and SessionHostTimeout.
    """

    def locate(self, session_id: str) -> SessionLocation | None:
        """Return where a session lives that is not kept here; None: there is none."""

    async def forward(
        self, message: RemoteMessage, emit: Callable[[bytes], None] | None
    ) -> Response:
        """Return the home's reply to a message."""

    async def forward_to_channel(
        self, session_id: str, origin: SessionLocation, text: bytes
    ) -> Response:
        """Hand a message to the home of an HTTP+SSE stream."""

    async def close_session(self, session_id: str, origin: SessionLocation) -> bool:
        """End a session; False if there was none."""

    async def open_stream(
        self, session_id: str, origin: SessionLocation
    ) -> RemoteStream | None:
        """Return a stream of a session; None if there is no such session."""


def belongs_to_session(message: Inbound | Batch) -> bool:
    """Whether a message of a session over HTTP is one for its home.

    Not one that begins a handshake or stands alone, whatever its headers say.
    """
    match message:
        case Call(method=method, is_stateless=is_stateless):
            return not is_stateless and method != "initialize"
        case InboundNotification(headers=headers):
            return headers is not None
        case Batch():
            return True
    return False
