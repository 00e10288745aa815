"""What goes back to a peer, for any door."""

from dataclasses import dataclass

from asdlc_kb.mcp.feed import Feed


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as bytes, with what an HTTP door needs to send it.

    The status is part of the reply because one error code means different statuses in
    different eras; a door without statuses ignores it.
    """

    status: int
    body: bytes = b""
    """One JSON-RPC message, or nothing (202)."""
    error: int | None = None
    """The JSON-RPC error code in the body, for the log."""
    session: str | None = None
    """A session id that was opened for this peer."""
    feed: Feed | None = None
    """A stream that goes on after this, instead of a body."""
