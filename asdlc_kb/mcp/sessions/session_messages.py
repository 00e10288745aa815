"""Messages about sessions that the processes of a server publish to each other.

A session is named by the nonce of its id, which does not reveal the id.
"""

from typing import Protocol, TypeAlias

import msgspec

from asdlc_kb.mcp.sessions.session import Session


class SessionMessage(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag=True
):
    """A message about one session."""

    key: bytes
    """The nonce of its id."""


class StreamOpened(SessionMessage, frozen=True, tag="opened"):
    """The sender holds the stream of a session, or a channel, from now on."""

    version: str | None
    """The negotiated version; None for a channel that has none yet."""
    is_channel: bool = False
    is_initialized: bool = True
    client: str | None = None
    """The key of per-client limits: principal or address."""
    opened: float = 0.0
    """Time at which the stream was opened: a message may arrive late."""
    sources: frozenset[str] | None = None
    """The names of the sources that the client may see; None for all."""


class StreamClosed(SessionMessage, frozen=True, tag="closed"):
    """The sender closed the stream of a session, or a channel."""

    pending: tuple[str, ...] = ()
    """Undelivered events (`events.to_text`)."""


class ChannelUpdated(SessionMessage, frozen=True, tag="channel"):
    """A channel negotiated a version, or completed its handshake."""

    version: str | None
    is_initialized: bool


class ChannelMessage(SessionMessage, frozen=True, tag="message"):
    """A JSON-RPC message for the client of a channel."""

    holder: str | None
    """The process that holds the channel; None if there is none any more."""
    text: bytes


class CallCancellation(SessionMessage, frozen=True, tag="cancelled"):
    """The client cancelled a request, which another process may be running."""

    request_id: str | int


class ResourceSubscribed(SessionMessage, frozen=True, tag="subscribed"):
    """A session subscribed to a resource."""

    version: str | None
    client: str | None
    uri: str
    canonical: str
    sources: frozenset[str] | None = None
    """As in `StreamOpened`."""


class ResourceUnsubscribed(SessionMessage, frozen=True, tag="unsubscribed"):
    """A session unsubscribed from a resource."""

    canonical: str


class SessionEnded(SessionMessage, frozen=True, tag="ended"):
    """The client ended a session."""

    expires: float
    """Time at which the id would expire by itself: seconds since 1970."""


class ProcessState(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag="state"
):
    """All streams and channels that the sender holds, and the ended sessions."""

    is_joining: bool = False
    """Whether the sender needs the state of every other process."""
    streams: tuple[StreamOpened, ...] = ()
    ended: tuple[SessionEnded, ...] = ()


SessionUpdate: TypeAlias = (
    StreamClosed | ChannelUpdated | CallCancellation | ResourceUnsubscribed
)
"""Messages that concern only processes that know the session."""

AnySessionMessage: TypeAlias = (
    SessionUpdate
    | StreamOpened
    | ChannelMessage
    | ResourceSubscribed
    | SessionEnded
    | ProcessState
)


class Publish(Protocol):
    """Publishes a message to every other process."""

    def __call__(self, message: AnySessionMessage, /) -> None:
        """Publish in the order of the calls; without waiting, and it may be lost."""


def publish_nothing(message: AnySessionMessage, /) -> None:
    """Publish to no process: there is no other."""


def describe_stream(session: Session) -> StreamOpened:
    """Return the message that this process holds a session's stream."""
    return StreamOpened(
        key=session.key,
        version=session.version,
        is_channel=session.is_channel,
        is_initialized=session.is_initialized,
        client=session.client,
        opened=session.opened,
        sources=session.sources,
    )


def describe_subscription(
    session: Session, uri: str, canonical: str
) -> ResourceSubscribed:
    """Return the message that a session subscribed to a resource."""
    return ResourceSubscribed(
        key=session.key,
        version=session.version,
        client=session.client,
        uri=uri,
        canonical=canonical,
        sources=session.sources,
    )
