"""Principals of sessions: in every process only the owner finds a session."""

import json
from typing import Any

import pytest
from support.cluster import Cluster, Process

from asdlc_kb.mcp.protocol.inbound import McpHeaders

OWNER, OTHER = "token:ci", "token:ada"
CALLERS = [(OWNER, True), (OTHER, False), (None, False)]
VERSION = "2025-11-25"


def write(method: str, **params: Any) -> bytes:
    """Return a request."""
    told = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(told).encode()


async def open_session(process: Process) -> str:
    """Begin a session of the owner; return its id."""
    hello = write("initialize", protocolVersion=VERSION, capabilities={})
    message = process.server.receive(hello, McpHeaders(principal=OWNER))
    reply = await process.server.answer(message)
    assert reply.session is not None
    return reply.session


@pytest.fixture
def two() -> tuple[Process, Process]:
    """Two processes of one site."""
    cluster = Cluster()
    return cluster.start("first"), cluster.start("second")


@pytest.mark.parametrize(("caller", "is_served"), CALLERS)
async def test_a_call_from_afar_is_served_to_the_owner_alone(
    two: tuple[Process, Process], caller: str | None, is_served: bool
) -> None:
    """D-045: for any other principal the session does not exist."""
    session = await open_session(two[0])
    for process in two:
        headers = McpHeaders(version=VERSION, session=session, principal=caller)
        message = process.server.receive(write("ping"), headers)
        reply = await process.server.answer(message)
        assert reply.status == (200 if is_served else 404)


@pytest.mark.parametrize(("caller", "is_served"), CALLERS)
async def test_a_stream_from_afar_is_opened_for_the_owner_alone(
    two: tuple[Process, Process], caller: str | None, is_served: bool
) -> None:
    """D-045: no other principal gets the session's events."""
    session = await open_session(two[0])
    for process in two:
        headers = McpHeaders(version=VERSION, session=session, principal=caller)
        stream = await process.server.open_stream(headers)
        assert (stream is not None) == is_served
        if stream is not None:
            stream.feed.close()


@pytest.mark.parametrize(("caller", "is_served"), CALLERS)
async def test_a_session_is_ended_from_afar_by_its_owner_alone(
    two: tuple[Process, Process], caller: str | None, is_served: bool
) -> None:
    """D-045: DELETE by any other principal finds nothing."""
    session = await open_session(two[0])
    headers = McpHeaders(version=VERSION, session=session, principal=caller)
    assert await two[1].server.end_session(headers) == is_served


@pytest.mark.parametrize(("caller", "is_served"), CALLERS)
async def test_a_channel_takes_messages_from_afar_of_its_owner_alone(
    two: tuple[Process, Process], caller: str | None, is_served: bool
) -> None:
    """D-045: no other principal posts into an HTTP+SSE stream."""
    channel = two[0].server.open_channel(OWNER)
    feed = two[0].server.open_queue(channel)
    hello = write("initialize", protocolVersion="2024-11-05", capabilities={})
    reply = await two[1].server.forward_to_channel(channel.id, hello, caller)
    assert (reply is not None) == is_served
    assert bool(feed.take()[0]) == is_served
