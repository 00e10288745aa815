"""Responses to a peer."""

from dataclasses import FrozenInstanceError

import pytest

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.model import ToolResult


def test_a_bare_reply_says_nothing_but_its_status() -> None:
    """JSON-RPC 2.0: a notification gets no answer, so a reply may be empty."""
    reply = Response(202)
    assert (reply.status, reply.body) == (202, b"")
    assert (reply.error, reply.session, reply.queue) == (None, None, None)


def test_a_reply_does_not_change_after_it_was_made() -> None:
    """Values passed between packages are immutable."""
    with pytest.raises(FrozenInstanceError):
        Response(200).status = 500  # type: ignore[misc]


def test_how_many_were_found_is_known_in_every_version() -> None:
    """Of a list or search; the number itself is not sent."""
    result = ToolResult(content=(), total=3)
    reply = Response.of(1, {"content": []}, result)
    assert (reply.total, reply.has_failed, reply.refusal) == (3, False, None)
    assert b"3" not in reply.body
    assert Response.of(1, {"content": []}, ToolResult(content=())).total is None
    assert Response.of(1, {"total": 3}, {"total": 3}).total is None


def test_what_kind_of_refusal_it_is() -> None:
    """An error by its code; a tool's failure, which has none; or no rejection."""
    assert Response.of(1, {"isError": True}).refusal == "failed"
    assert Response(404, error=-32601).refusal == -32601
    assert Response(200).refusal is None


def test_a_failed_call_is_marked_in_the_access_log() -> None:
    """Without a failure there is no such field: None is left out."""
    assert Response.of(1, {"isError": True}).describe()["failed"] is True
    assert Response.of(1, {"content": []}).describe()["failed"] is None
