"""Responses that fit in an event, and the errors in place of others."""

import json
from typing import Any

import pytest
from support.shelf import SampleProvider, make_server

from asdlc_kb.mcp.dispatch.response import AnsweredMember, Response
from asdlc_kb.mcp.event_limits import MAX_EVENT_BYTES, fit_event
from asdlc_kb.mcp.protocol.inbound import Call
from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.web.connections.event_stream import sse_frame

PYTHON_LIMIT = 1024 * 1024
"""Bytes of the lines of an event that the Python SDK reads."""


def test_an_event_with_the_longest_response_is_within_the_limit_of_clients() -> None:
    """The names of its fields count too; one more byte is an error."""
    call = Call(1, "ping", {}, "2025-11-25")
    longest = Response(200, b"x" * MAX_EVENT_BYTES)
    assert fit_event(call, longest) is longest
    assert len(sse_frame(longest.body)) <= PYTHON_LIMIT
    longer = fit_event(call, Response(200, b"x" * (MAX_EVENT_BYTES + 1), b"x"))
    error = json.loads(longer.body)["error"]
    assert error["data"] == {"bytes": MAX_EVENT_BYTES + 1, "maximum": MAX_EVENT_BYTES}
    assert (longer.error, longer.result) == (-32603, b"")


def echo(request_id: int, size: int) -> dict[str, Any]:
    """Return a call whose result has four times as many bytes."""
    params = {"name": "echo", "arguments": {"text": '"' * size}}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call"} | {
        "params": params
    }


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
async def test_a_batch_that_is_too_long_has_no_results(version: str) -> None:
    """Each call has the error, an invalid member its own, a notification nothing."""
    server = make_server(SampleProvider())
    channel = Session(version)
    notice = {"jsonrpc": "2.0", "method": "notifications/x"}
    batch = [echo(1, 400_000), notice, {"jsonrpc": "2.0", "id": 2}, echo(3, 9)]
    received = server.receive(json.dumps(batch).encode(), session=channel)
    whole = await server.answer(received, session=channel)
    assert len(whole.body) > MAX_EVENT_BYTES
    fitted = fit_event(received, whole)
    codes = [(each["id"], each["error"]["code"]) for each in json.loads(fitted.body)]
    assert codes == [(1, -32603), (2, -32600), (3, -32603)]
    assert [_describe(member) for member in fitted.members] == [
        (202, None),
        (200, -32603),
        (200, -32600),
        (200, -32603),
    ]


def _describe(member: AnsweredMember) -> tuple[int, int | None]:
    assert not member.reply.body
    return member.reply.status, member.reply.error
