"""Batches against the rate limit: capacity for all members, or for none."""

import json
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.peers import JSON, message, open_app, serving
from support.wire import ask

from asdlc_kb.app import Runtime

BODY = json.dumps(message("ping", None, "seven")).encode()


def open_limited(knowledge: KnowledgeBase) -> Runtime:
    """Return an application that allows a client five calls an hour."""
    return open_app(knowledge, rate_limit="5/hour")


def pings(number: int) -> bytes:
    """Return a batch."""
    return json.dumps([message("ping", None, n) for n in range(number)]).encode()


@pytest.mark.parametrize(("number", "left"), [(1, 4), (3, 2), (5, 0)])
async def test_each_message_of_a_batch_is_counted(
    knowledge: KnowledgeBase, number: int, left: int
) -> None:
    """D-040: a batch needs room for all its members."""
    async with serving(open_limited(knowledge)) as site:
        answer = await ask(site.port, "POST", headers=JSON, body=pings(number))
        assert (answer.status, len(answer.json)) == (200, number)
        for _ in range(left):
            assert (await ask(site.port, "POST", headers=JSON, body=BODY)).status == 200
        refused = await ask(site.port, "POST", headers=JSON, body=BODY)
        assert (refused.status, refused.json["id"]) == (429, "seven")


async def test_a_batch_without_room_for_all_is_refused_whole(
    knowledge: KnowledgeBase,
) -> None:
    """D-040: the request counts as one call, its members as none."""
    async with serving(open_limited(knowledge)) as site:
        assert (await ask(site.port, "POST", headers=JSON, body=BODY)).status == 200
        refused = await ask(site.port, "POST", headers=JSON, body=pings(5))
        assert refused.status == 429
        data: dict[str, Any] = refused.json["error"]["data"]
        wait = int(refused.headers["retry-after"])
        assert data == {"limit": "5/hour", "retryAfter": wait}
        assert 1 <= wait <= 2 * 3600
        answer = await ask(site.port, "POST", headers=JSON, body=pings(3))
        assert (answer.status, len(answer.json)) == (200, 3)
        assert (await ask(site.port, "POST", headers=JSON, body=BODY)).status == 429


async def test_a_batch_that_never_fits_is_told_so(knowledge: KnowledgeBase) -> None:
    """D-040: 400 with the limit, since a retry would not help."""
    async with serving(open_limited(knowledge)) as site:
        answer = await ask(site.port, "POST", headers=JSON, body=pings(6))
        assert (answer.status, answer.json["id"]) == (400, None)
        assert answer.json["error"]["data"]["reason"] == (
            "the rate limit admits at most 5 messages together, and the batch has 6: "
            "send smaller ones"
        )
        assert "retry-after" not in answer.headers
