"""Responses to MCP messages, for any transport."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.errors import ProtocolError
from asdlc_kb.mcp.protocol.inbound import Call, Inbound
from asdlc_kb.mcp.protocol.jsonrpc import RequestId
from asdlc_kb.mcp.protocol.model import TextContents, ToolResult
from asdlc_kb.mcp.protocol.versioned_encoding import encode_error
from asdlc_kb.mcp.protocol.versions import LATEST_HANDSHAKE
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue


@dataclass(frozen=True, slots=True)
class Response:
    """A response as bytes, with its HTTP status and logged fields.

    The status is part of the response because one error code means different statuses
    in different eras; a transport without statuses ignores it.
    """

    status: int
    body: bytes = b""
    """One JSON-RPC message, or nothing (202)."""
    result: bytes = field(default=b"", compare=False, repr=False)
    """The encoded result in the body, if it may be cached."""
    error: int | None = None
    """The JSON-RPC error code in the body, for the log."""
    session: str | None = None
    """The id of a session that was opened for this client."""
    total: int | None = None
    """The total of a list or a search, if the result has one."""
    document: str | None = None
    """The URI of the document in the result, if it has one."""
    has_failed: bool = False
    """Whether the result reports a tool failure to the model (`isError`)."""
    is_cancelled: bool = False
    """Whether the client cancelled the request."""
    queue: EventQueue | None = None
    """A stream of messages instead of a body."""
    members: "tuple[AnsweredMember, ...]" = field(default=(), compare=False)
    """The messages of a batch, in the order of their responses."""

    @property
    def refusal(self) -> int | str | None:
        """The JSON-RPC error code or `failed`; None for a success."""
        return "failed" if self.has_failed else self.error

    def describe_call(self, message: object, *, with_query: bool) -> dict[str, Any]:
        """Return the access log fields of a message and this response to it."""
        call: dict[str, Any] = {}
        if isinstance(message, Call):
            call = message.describe(with_query=with_query)
        return {"bytes": len(self.body), **self.describe(), **call}

    def describe(self) -> dict[str, Any]:
        """Return the response's fields in the access log, for any transport."""
        return {
            "code": self.error,
            "found": self.total,
            "document": self.document,
            "failed": self.has_failed or None,
            "cancelled": self.is_cancelled or None,
        }

    @classmethod
    def of(
        cls, request_id: RequestId, encoded: Mapping[str, Any], result: object = None
    ) -> "Response":
        """Return the response with an encoded result; tool failures are not cached.

        `result` is the value before encoding: not every version includes the total.
        """
        written = jsonrpc.write(encoded)
        is_whole = encoded.get("resultType", "complete") == "complete"
        has_failed = bool(encoded.get("isError"))
        return cls(
            200,
            jsonrpc.write_with_id(request_id, written),
            result=b"" if has_failed or not is_whole else written,
            total=result.total if isinstance(result, ToolResult) else None,
            document=_find_document(result),
            has_failed=has_failed,
        )

    @classmethod
    def of_error(
        cls,
        error: ProtocolError,
        request_id: RequestId | None,
        *,
        status: int = 200,
        version: str = LATEST_HANDSHAKE,
    ) -> "Response":
        """Return the response with an error, whose code may depend on the version."""
        described = encode_error(error, version)
        body = jsonrpc.write_error(request_id, described)
        return cls(status, body, error=described["code"])


class AnsweredMember(NamedTuple):
    """A message of a batch, and the response to it without its body."""

    message: Inbound
    reply: Response
    seconds: float
    ended: float
    """When it was answered, as Unix time."""


def _find_document(result: object) -> str | None:
    """Return the URI of the document in a result before encoding, if it has one."""
    match result:
        case ToolResult(document=document):
            return document
        case {"contents": (TextContents(document=document), *_)}:
            return document
    return None
