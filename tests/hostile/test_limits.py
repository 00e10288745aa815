"""Clients that ask for more than their share: batches and sessions."""

import json
from typing import Any, Final

from support.knowledge import KnowledgeBase
from support.peers import EVENTS, JSON, Site, message, open_app, serving
from support.wire import ask, dial

SEARCHES: Final = 50
LIMIT: Final = 120
HELLO: Final = message(
    "initialize",
    {
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
)
PROXY: Final = {"trusted_proxy": ("127.0.0.1",)}
"""So that a test may come from any address."""


async def begin(site: Site, address: str) -> int:
    """Begin a session from an address; return the status."""
    headers = {**JSON, "X-Forwarded-For": address}
    body = json.dumps(HELLO).encode()
    return (await ask(site.port, "POST", headers=headers, body=body)).status


async def open_stream(site: Site, headers: dict[str, str]) -> int:
    """Open a stream; return the status."""
    async with dial(site.port) as wire:
        await wire.request("GET", headers=headers)
        return (await wire.head()).status


async def test_no_more_searches_are_answered_in_batches_than_one_by_one(
    knowledge: KnowledgeBase,
) -> None:
    """Design, section 3: a batch needs room for all its members."""
    call = {"name": "search_articles", "arguments": {"query": "x"}}
    batch = [message("tools/call", call, number) for number in range(SEARCHES)]
    body = json.dumps(batch).encode()
    answered = 0
    async with serving(open_app(knowledge, rate_limit=f"{LIMIT}/hour")) as site:
        for _ in range(10):
            answer = await ask(site.port, "POST", headers=JSON, body=body)
            assert answer.status in (200, 429)
            answered += len(answer.json) if answer.status == 200 else 0
    assert answered == 2 * SEARCHES


async def test_who_begins_sessions_and_never_goes_on_shuts_nobody_out(
    knowledge: KnowledgeBase,
) -> None:
    """Issue text: one address has its share, and what is never begun gives way."""
    given: dict[str, Any] = {"rate_limit": "off", "page_rate_limit": "off", **PROXY}
    app = open_app(knowledge, **given)
    sessions = app.server.audience.sessions
    async with serving(app) as site:
        for _ in range(1_010):
            assert await begin(site, "192.0.2.1") == 200
        assert len(sessions) == 1_000
        # As many of as many others.
        for number in range(9_000):
            sessions.open("2025-03-26", address=str(number))
        assert len(sessions) == 10_000
        assert await begin(site, "198.51.100.1") == 200
        stream = {**EVENTS, "X-Forwarded-For": "198.51.100.1"}
        assert await open_stream(site, stream) == 200
        assert len(sessions) == 10_000
