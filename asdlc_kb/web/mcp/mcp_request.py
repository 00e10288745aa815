"""One POST to the MCP endpoint, admitted and parsed."""

from dataclasses import dataclass

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.inbound import Batch, Inbound
from asdlc_kb.ops.auth.bearer_tokens import Principal


@dataclass(frozen=True, slots=True)
class McpRequest:
    """An admitted request: Host, token and rate are checked, its message is classified.

    The fast path makes it of a plain request and, if the response is not cached, hands
    it to `StreamableHttpHandler`, which makes it of all others.
    """

    message: Inbound | Batch
    cached: Response | None
    """The response from the result cache, if any."""
    address: str
    """The client's address."""
    principal: Principal | None
    """The authenticated sender, if a token is required."""
