"""Base of the MCP transports over HTTP: rate limit, request checks, error responses.

It handles bytes and headers only; `asdlc_kb.mcp` interprets them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.errors import InternalError, InvalidRequest, ProtocolError
from asdlc_kb.mcp.protocol.inbound import Batch, Call, Inbound
from asdlc_kb.ops.logs.access_log import EntryKind
from asdlc_kb.web.admission.client_address import rate_limit_key
from asdlc_kb.web.admission.rate_limit import REASON, RateLimitExceeded
from asdlc_kb.web.handler import RETRY_SECONDS, BaseHandler
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.mcp.headers import check_headers

if TYPE_CHECKING:
    from asdlc_kb.mcp.dispatch.operation import Operation
    from asdlc_kb.web.request_spans import RequestSpans

_MAX_ID_SCAN_BYTES: Final = 8 * 1024
"""Longest message that is parsed for its id beyond the rate, in bytes."""


class McpHandler(BaseHandler):
    """Checks, counts and logs MCP requests; sends errors as JSON-RPC."""

    route = "mcp"
    allow = "GET, POST, DELETE"

    def initialize(self, context: HandlerContext) -> None:
        """Set up the request, without a message."""
        super().initialize(context)
        self.message: Inbound | Batch | None = None
        """The message, once parsed."""
        self.reply: Response | None = None
        """The response to the message, without its body."""
        self.is_cached = False
        """Whether the response comes from the result cache."""

    @property
    def client_key(self) -> str:
        """The client's address as limits count it."""
        return rate_limit_key(self.address)

    def check_rate_limit(self) -> RateLimitExceeded | None:
        """Count a message as a call."""
        if self.request.method == "POST":
            return self.context.limits.consume_call(self.address)
        return super().check_rate_limit()

    def send_rate_limited(self, exceeded: RateLimitExceeded) -> None:
        """Send a JSON-RPC error, with the id of a short request."""
        request_id = None
        if len(self.body) <= _MAX_ID_SCAN_BYTES:
            request_id = jsonrpc.recover_id(bytes(self.body))
        self.set_rate_limited(exceeded)
        error = InternalError(REASON, exceeded.describe())
        self.write_reply(Response.of_error(error, request_id, status=429))

    def reject(self, status: int, reason: str) -> None:
        """Send a JSON-RPC error, with the id of the request if known."""
        error: ProtocolError = InvalidRequest(data={"reason": reason})
        if status == 503:
            error = InternalError(data={"reason": reason})
        elif status >= 500:
            error = InternalError()
        request_id = self.message.id if isinstance(self.message, Call) else None
        self.write_reply(Response.of_error(error, request_id, status=status))

    def check_form(self) -> tuple[int, str] | None:
        """Return the status and reason if size or headers are invalid, else None."""
        if self.is_too_large:
            return 413, self.size_reason
        return check_headers(self.request.headers)

    def reject_message(self, status: int, reason: str) -> None:
        """Reject a message before it is parsed, recorded as a call that failed."""
        error = InvalidRequest(data={"reason": reason})
        self.send_reply(Response.of_error(error, None, status=status))

    def admits(self, message: Inbound | Batch) -> bool:
        """Record the message; reject a batch beyond the client's rate.

        The request was counted as one call, so its other members are counted here.
        """
        self.message = message
        if not isinstance(message, Batch):
            return True
        limits, number = self.context.limits, len(message.members)
        if limits.max_calls is not None and number > limits.max_calls:
            detail = (
                f"the rate limit admits at most {limits.max_calls} messages together"
            )
            self.reject(400, f"{detail}, and the batch has {number}: send smaller ones")
            return False
        if (exceeded := limits.consume_call(self.address, number - 1)) is not None:
            self.send_rate_limited(exceeded)
            return False
        return True

    def send_reply(self, reply: Response) -> None:
        """Record a response, and send it."""
        self.record_reply(reply)
        self.write_reply(reply)

    def write_reply(self, reply: Response) -> None:
        """Send a response; one without a body has no content type."""
        self.set_status(reply.status)
        if reply.status == 503:
            self.set_header("Retry-After", RETRY_SECONDS)
        if reply.session is not None:
            self.set_header("Mcp-Session-Id", reply.session)
        if reply.body:
            self.set_header("Content-Type", "application/json")
        else:
            # Tornado's default is HTML, which clients reject.
            self.clear_header("Content-Type")
        self.finish(reply.body or None)

    def record_reply(self, reply: Response) -> None:
        """Record the metrics and log fields of a response."""
        # The handler lives until the peer has read all: do not keep the bytes twice.
        self.reply = replace(reply, body=b"", result=b"")
        logs_queries = self.context.logs_queries
        self.log_fields |= reply.describe_call(self.message, with_query=logs_queries)

    def count(self, *, is_stream: bool = False) -> None:
        """Count the request and its call."""
        super().count(is_stream=is_stream)
        if self.message is None and self.reply is None:
            return
        self.context.requests.count_call(
            self.context.server,
            self.message,
            self.reply,
            is_cached=self.is_cached,
            seconds=None if is_stream else self.request.request_time(),
        )

    def describe_operations(self, spans: "RequestSpans") -> "Sequence[Operation]":
        """Return the operations of the message."""
        return spans.describe_operations(
            self.message,
            self.reply,
            self.request.request_time(),
            session=self.request.headers.get("Mcp-Session-Id"),
            address=self.address,
        )

    @property
    def rejection(self) -> EntryKind | None:
        """The status and error code; a code may come with any status."""
        if self.reply is not None and self.reply.refusal is not None:
            return self.get_status(), self.reply.refusal
        return super().rejection
