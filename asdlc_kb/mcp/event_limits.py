"""The size of responses that are sent as one event of a stream.

Clients refuse long events, and with the event they end the session: the Python SDK from
2.0 above 1 MiB. A response of any size can be sent as JSON.
"""

from dataclasses import replace
from typing import Final

from asdlc_kb.mcp.dispatch.response import AnsweredMember, Response
from asdlc_kb.mcp.protocol.errors import InternalError, ProtocolError
from asdlc_kb.mcp.protocol.inbound import Batch, Call, Inbound, Rejection

MAX_EVENT_BYTES: Final = 1024 * 1024 - 64
"""Bytes of a response in an event; the rest of 1 MiB is for the names of its fields."""


def fit_event(message: Inbound | Batch | None, response: Response) -> Response:
    """Return a response if an event can have it, or else an error with the reason.

    Of a batch, no call has a result then.
    """
    size = len(response.body)
    if size <= MAX_EVENT_BYTES:
        return response
    reason = (
        f"The answer of {size} bytes is too long for an event stream: ask for less, "
        "or use Streamable HTTP without a progress token"
    )
    error = InternalError(reason, {"bytes": size, "maximum": MAX_EVENT_BYTES})
    if isinstance(message, Call):
        return _reject(message, error)
    replies = [_answer_again(member, error) for member in response.members]
    bodies = b",".join(reply.body for reply in replies if reply.body)
    return replace(
        response,
        body=b"[%b]" % bodies,
        members=tuple(
            member._replace(reply=replace(reply, body=b""))
            for member, reply in zip(response.members, replies, strict=True)
        ),
    )


def _answer_again(member: AnsweredMember, error: ProtocolError) -> Response:
    """Return the response to a member of a batch whose calls are rejected."""
    message, reply = member.message, member.reply
    if isinstance(message, Call) and not reply.is_cancelled:
        return _reject(message, error)
    if isinstance(message, Rejection):
        return Response.of_error(message.error, message.id, version=message.version)
    return reply


def _reject(call: Call, error: ProtocolError) -> Response:
    return Response.of_error(error, call.id, version=call.version)
