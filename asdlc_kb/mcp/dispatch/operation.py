"""Messages in the terms of OpenTelemetry's semantic conventions for MCP.

Source: open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md (2026-11). No
attribute has a result, or an argument of a call that is not a logged query.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.inbound import (
    MAX_LOGGED_CHARS,
    Batch,
    Call,
    Inbound,
    InboundNotification,
    Rejection,
)
from asdlc_kb.mcp.protocol.methods import METHODS
from asdlc_kb.mcp.protocol.param_headers import read_trace_context

OTHER: Final = "_OTHER"
"""What clients invent, where values must be few."""

_METHOD: Final = "mcp.method.name"
_TARGETS: Final = {
    "tools/call": "gen_ai.tool.name",
    "prompts/get": "gen_ai.prompt.name",
}
"""The attribute that names the target of a method."""

_NOTIFICATIONS: Final = frozenset(
    {
        "notifications/cancelled",
        "notifications/initialized",
        "notifications/progress",
        "notifications/roots/list_changed",
    }
)
_MAX_NAME_CHARS: Final = 100
_MAX_URI_CHARS: Final = 200

IsKnown: TypeAlias = Callable[[str, str], bool]
"""Whether a method has a target of that name: a tool, a prompt."""


class Operation(NamedTuple):
    """One answered message: the name and the attributes of its span."""

    name: str
    labels: Mapping[str, str]
    """Attributes with few values, whatever clients send: also those of the metric."""
    details: Mapping[str, str]
    """Further attributes of the span, some as the client sent them."""
    trace: Mapping[str, str]
    """The trace context of the message's `_meta`; empty without one."""
    seconds: float
    ended: float
    """When it was answered, as Unix time."""


def describe_operations(
    message: Inbound | Batch,
    reply: Response | None,
    seconds: float,
    is_known: IsKnown,
    *,
    session: str | None = None,
    with_query: bool = False,
) -> Iterator[Operation]:
    """Yield the operations of a message that was answered: several of a batch.

    `session` is the id of its session, `reply` is None after an unexpected exception.
    """
    if isinstance(message, Batch):
        for member in reply.members if reply is not None else ():
            for operation in describe_operations(
                member.message,
                member.reply,
                member.seconds,
                is_known,
                session=session,
                with_query=with_query,
            ):
                yield operation._replace(ended=member.ended)
    elif isinstance(message, (Call, InboundNotification, Rejection)):
        opened = reply.session if reply is not None else None
        yield _describe(
            message, reply, seconds, is_known, opened or session, with_query=with_query
        )


def _describe(
    message: Call | InboundNotification | Rejection,
    reply: Response | None,
    seconds: float,
    is_known: IsKnown,
    session: str | None,
    *,
    with_query: bool,
) -> Operation:
    labels: dict[str, str] = {}
    details: dict[str, str] = {}
    trace: Mapping[str, str] = {}
    name = labels[_METHOD] = OTHER
    if not isinstance(message, Rejection):
        if message.method in METHODS or message.method in _NOTIFICATIONS:
            name = labels[_METHOD] = message.method
        else:
            details[_METHOD] = message.method[:_MAX_NAME_CHARS]
        trace = read_trace_context(message.params.get("_meta"))
    if isinstance(message, Call):
        labels["mcp.protocol.version"] = message.version
        details["jsonrpc.request.id"] = str(message.id)[:_MAX_NAME_CHARS]
        name += _add_target(message, labels, details, is_known)
        if with_query and (query := message.query) is not None:
            arguments = jsonrpc.write({"query": query[:MAX_LOGGED_CHARS]})
            details["gen_ai.tool.call.arguments"] = arguments.decode()
    if session is not None:
        details["mcp.session.id"] = digest_session(session)
    labels |= _describe_error(reply)
    return Operation(name, labels, details, trace, seconds, time.time())


def _add_target(
    call: Call, labels: dict[str, str], details: dict[str, str], is_known: IsKnown
) -> str:
    """Add what a call names; return what follows the method in the span's name."""
    if call.method == "tools/call":
        labels["gen_ai.operation.name"] = "execute_tool"
    target = call.target
    if target is None:
        return ""
    attribute = _TARGETS.get(call.method)
    if attribute is None:
        details["mcp.resource.uri"] = target[:_MAX_URI_CHARS]
        return ""
    if is_known(call.method, target):
        labels[attribute] = target
        return f" {target}"
    details[attribute] = target[:_MAX_NAME_CHARS]
    return ""


def _describe_error(reply: Response | None) -> Mapping[str, str]:
    """Return the attributes of a failure; none of a success."""
    if reply is None:
        return {"error.type": OTHER}
    if reply.is_cancelled:
        return {"error.type": "cancelled"}
    if reply.error is not None:
        code = str(reply.error)
        return {"error.type": code, "rpc.response.status_code": code}
    return {"error.type": "tool_error"} if reply.has_failed else {}


def digest_session(session: str) -> str:
    """Return a name for a session: its id, which admits to it, is not exported."""
    return blake2b(session.encode(errors="replace"), digest_size=16).hexdigest()
