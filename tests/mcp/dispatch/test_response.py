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


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"total": 3}, 3),
        ({"total": 0, "articles": []}, 0),
        ({"total": "3"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_how_many_were_found_is_known_in_every_version(
    content: object, found: int | None
) -> None:
    """The oldest versions' results have no structured content."""
    result = ToolResult(content=(), structured_content=content)
    reply = Response.of(1, {"content": []}, result)
    assert (reply.total, reply.has_failed, reply.refusal) == (found, False, None)
    assert Response.of(1, {"total": 3}, {"total": 3}).total is None


def test_what_kind_of_refusal_it_is() -> None:
    """An error by its code; a tool's failure, which has none; or no rejection."""
    assert Response.of(1, {"isError": True}).refusal == "failed"
    assert Response(404, error=-32601).refusal == -32601
    assert Response(200).refusal is None
