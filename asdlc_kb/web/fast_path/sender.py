"""Clients of requests on the fast path."""

from collections.abc import Mapping
from typing import NamedTuple

from asdlc_kb.mcp.protocol.param_headers import read_trace
from asdlc_kb.ops.auth.bearer_tokens import Principal
from asdlc_kb.ops.logs.request_context import make_request_id
from asdlc_kb.web.admission.client_address import read_request_id
from asdlc_kb.web.handler_context import HandlerContext


class Sender(NamedTuple):
    """The client of a request, as it is logged."""

    address: str
    principal: Principal | None
    """The authenticated sender, if a token is required."""
    trace: str | None
    """The W3C traceparent of the request."""


def identify(
    context: HandlerContext, fields: Mapping[str, str], peer: str, *, is_open: bool
) -> Sender | None:
    """Return the client of a request; None if Tornado is to reject the request.

    `fields` are its headers, `peer` is the address of the socket's peer. What `is_open`
    needs no token.
    """
    principal = None
    if context.bearer is not None and not is_open:
        principal = context.bearer.lookup_cached(fields.get("Authorization"))
        if principal is None or not context.serves(principal):
            return None
    address = context.proxies.find(peer, fields.get("X-Forwarded-For"))
    return Sender(address, principal, read_trace(fields.get("Traceparent")))


def choose_request_id(
    context: HandlerContext, fields: Mapping[str, str], peer: str
) -> str:
    """Return the request id of a trusted proxy, or a generated one."""
    return read_request_id(fields, peer, context.proxies) or make_request_id()
