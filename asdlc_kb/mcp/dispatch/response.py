"""What goes back to a peer, for any door."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.jsonrpc import RequestId
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue


@dataclass(frozen=True, slots=True)
class Response:
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
    found: int | None = None
    """How many there are of what a list or a search is of, where the result says so."""
    has_failed: bool = False
    """Whether a tool could not do its work, and the result tells the model so."""
    is_cancelled: bool = False
    """Whether the client wants no answer any more."""
    feed: EventQueue | None = None
    """A stream that goes on after this, instead of a body."""

    @property
    def refusal(self) -> int | str | None:
        """What kind of refusal it is, None if it is none."""
        return "failed" if self.has_failed else self.error

    def describe(self) -> dict[str, Any]:
        """Return what a log says of the reply, whichever door it leaves by."""
        return {
            "code": self.error,
            "found": self.found,
            "failed": self.has_failed or None,
            "cancelled": self.is_cancelled or None,
        }

    @classmethod
    def of(
        cls, request_id: RequestId, shaped: Mapping[str, Any], result: object = None
    ) -> "Response":
        """Return the reply with a shaped result; that of a failed tool is not kept.

        `result` is what was shaped: not every version is told how many were found.
        """
        written = jsonrpc.write(shaped)
        is_whole = shaped.get("resultType", "complete") == "complete"
        has_failed = bool(shaped.get("isError"))
        return cls(
            200,
            jsonrpc.write_with_id(request_id, written),
            result=b"" if has_failed or not is_whole else written,
            found=_read_total(result),
            has_failed=has_failed,
        )


def _read_total(result: object) -> int | None:
    """Return the `total` of a tool's structured content."""
    content = result.structured_content if isinstance(result, ToolResult) else None
    total = content.get("total") if isinstance(content, Mapping) else None
    return total if isinstance(total, int) else None
