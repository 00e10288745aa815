"""What goes back to a peer, for any door."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from asdlc_kb.mcp import jsonrpc
from asdlc_kb.mcp.feed import Feed
from asdlc_kb.mcp.jsonrpc import RequestId


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as bytes, with what an HTTP door needs to send it.

    The status is part of the reply because one error code means different statuses in
    different eras; a door without statuses ignores it.
    """

    status: int
    body: bytes = b""
    """One JSON-RPC message, or nothing (202)."""
    result: bytes = field(default=b"", compare=False, repr=False)
    """The result in the body where the same call may get it again."""
    error: int | None = None
    """The JSON-RPC error code in the body, for the log."""
    session: str | None = None
    """A session id that was opened for this peer."""
    is_cancelled: bool = False
    """Whether the client wants no answer any more."""
    feed: Feed | None = None
    """A stream that goes on after this, instead of a body."""

    @classmethod
    def of(cls, request_id: RequestId, shaped: Mapping[str, Any]) -> "Reply":
        """Return the reply with a shaped result; that of a failed tool is not kept."""
        written = jsonrpc.write(shaped)
        is_whole = shaped.get("resultType", "complete") == "complete"
        is_failure = bool(shaped.get("isError")) or not is_whole
        body = jsonrpc.splice(request_id, written)
        return cls(200, body, result=b"" if is_failure else written)
