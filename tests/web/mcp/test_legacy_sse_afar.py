"""HTTP+SSE whose stream is in another process: messages count as in that process."""

from typing import Any

import pytest
from support.cluster import neighbours
from support.knowledge import KnowledgeBase
from support.peers import Site, message, sse_peer

from asdlc_kb.ops.metrics.counters import UNTIMED
from asdlc_kb.ops.metrics.definitions import CALLS

OLD = "2024-11-05"
PING = message("ping")


def count_calls(site: Site) -> dict[str, int]:
    """Return how many calls a process counted, by method and tool."""
    counted: dict[str, int] = {}
    for key, number in site.app.telemetry.metrics.read().items():
        family, *labels = key.split("\t")
        if family == CALLS.name and int(labels[-1]) < UNTIMED:
            name = " ".join(labels[:2]).strip()
            counted[name] = counted.get(name, 0) + number
    return counted


async def send(site: Any, body: Any, path: str) -> int:
    """POST a message to a stream of whichever process; return the status."""
    return int((await site.post(body, path=path)).code)


@pytest.mark.parametrize(("number", "left"), [(1, 4), (3, 2), (5, 0)])
async def test_each_message_of_a_batch_counts_wherever_its_stream_is(
    knowledge: KnowledgeBase, number: int, left: int
) -> None:
    """The limit: a batch to another process's stream is no way around it."""
    batch = [message("ping", None, each) for each in range(number)]
    async with (
        neighbours(knowledge, rate_limit="5/hour") as (home, other),
        # The calls of a handshake would count too, once both have exchanged counts.
        sse_peer(home, OLD, handshake=False) as peer,
    ):
        assert await send(other, batch, peer.path) == 202
        assert len(await peer.wire.notice()) == number
        told = [await send(other, PING, peer.path) for _ in range(left + 1)]
    assert told == [*[202] * left, 429]


async def test_a_batch_without_room_is_refused_wherever_its_stream_is(
    knowledge: KnowledgeBase,
) -> None:
    """D-040: a batch needs room for all its members."""
    async with (
        neighbours(knowledge, rate_limit="5/hour") as (home, other),
        # The calls of a handshake would count too, once both have exchanged counts.
        sse_peer(home, OLD, handshake=False) as peer,
    ):
        told = [await send(other, [PING] * each, peer.path) for each in (6, 2, 3, 2)]
        assert told == [400, 202, 429, 429]
        assert len(await peer.wire.notice()) == 2


async def test_messages_to_an_unknown_stream_count_as_one(
    knowledge: KnowledgeBase,
) -> None:
    """They are not read: they cost no more than any other request."""
    batch = [PING] * 50
    async with neighbours(knowledge, rate_limit="3/hour") as (_, other):
        for path in ("/mcp?session_id=unknown", "/mcp?session_id=first.sse.x.mac"):
            assert await send(other, batch, path) == 404
        assert await send(other, PING, "/mcp") == 200
        assert await send(other, PING, "/mcp") == 429


async def test_what_is_asked_for_is_counted_wherever_its_stream_is(
    knowledge: KnowledgeBase,
) -> None:
    """The metrics: by the process that got the request, and once."""
    call = message("tools/call", {"name": "list_articles", "arguments": {}})
    async with (
        neighbours(knowledge) as (home, other),
        sse_peer(home, OLD) as peer,
    ):
        for body in (call, [PING, PING], b"{"):
            status = await send(other, body, peer.path)
            assert status == (400 if body == b"{" else 202)
        assert count_calls(home) == {"initialize": 1}
        counted = count_calls(other)
    assert counted == {
        "tools/call list_articles": 1,
        "batch": 1,
        "other": 1,
    }
