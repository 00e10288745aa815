"""Pipes only: several requests in one write."""

import json

import pytest
from interaction.raw import Connect, compose, tool_value
from support.peers import StdioPeer

from asdlc_kb.app import Runtime


@pytest.mark.behaviour("stdio-pipelining")
async def test_requests_of_one_breath_are_all_answered(
    app: Runtime, connect: Connect
) -> None:
    """One line each, whatever their order; blank lines are no messages."""
    async with connect(app) as peer:
        assert isinstance(peer, StdioPeer)
        calls = [
            compose(peer, "tools/call", {"name": "list_articles"}, f"r{number}")
            for number in range(20)
        ]
        lines = [json.dumps(call).encode() for call in calls]
        peer.send(b"\n\r\n  \n".join(lines))
        answers = [await peer.receive() for _ in calls]
    assert {answer["id"] for answer in answers} == {call["id"] for call in calls}
    for answer in answers:
        assert len(tool_value(answer["result"])) == 1
