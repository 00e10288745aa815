"""Clients that exceed their share: batches, sessions, ids, URIs."""

import json
from time import process_time
from typing import Any, Final

import pytest
from support.knowledge import KnowledgeBase
from support.peers import (
    ALL_LISTS,
    EVENTS,
    JSON,
    HttpPeer,
    Site,
    envelope,
    message,
    open_app,
    serving,
)
from support.wire import ask, dial

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.protocol.inbound import Call

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
"""The proxy, so that a test may use any address."""


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
    """D-040: a batch needs room for all its members."""
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


@pytest.mark.parametrize("name", ["Host", "Origin"])
async def test_requests_with_a_wrong_host_or_origin_have_a_limit(
    knowledge: KnowledgeBase, name: str
) -> None:
    """D-056: a website that makes a browser send them does not block a local agent."""
    app = open_app(knowledge, rate_limit="1/hour", page_rate_limit="3/hour")
    evil = {**JSON, name: "http://evil.example" if name == "Origin" else "evil.example"}
    body = json.dumps(message("ping", {})).encode()
    async with serving(app) as site:
        responses = [
            await ask(site.port, "POST", path, evil, body)
            for path in ("/mcp", "/", "/health", "/mcp", "/", "/health")
        ]
        assert [answer.status for answer in responses] == [403] * 3 + [429] * 3
        for answer in responses:
            assert answer.headers["connection"] == "close"
        assert int(responses[3].headers["retry-after"]) > 0
        assert '"refusals";q=3' in responses[3].headers["ratelimit-policy"]
        good = await ask(site.port, "POST", headers=JSON, body=body)
        assert good.status == 200
        assert (await ask(site.port, "GET", "/")).status == 200


async def test_sessions_that_are_begun_and_never_used_do_not_exclude_clients(
    knowledge: KnowledgeBase,
) -> None:
    """Nothing is kept of a session that has neither a stream nor a subscription."""
    settings: dict[str, Any] = {"rate_limit": "off", "page_rate_limit": "off", **PROXY}
    app = open_app(knowledge, **settings)
    sessions = app.server.sessions
    async with serving(app) as site:
        for _ in range(1_010):
            assert await begin(site, "192.0.2.1") == 200
        assert len(sessions) == 0
        stream = {**EVENTS, "X-Forwarded-For": "198.51.100.1"}
        assert await open_stream(site, stream) == 200


async def test_subscriptions_of_many_sessions_do_not_exclude_clients(
    knowledge: KnowledgeBase,
) -> None:
    """A client has its share of what is kept, and the oldest of all gives way."""
    app = open_app(knowledge)
    sessions = app.server.sessions
    for number in range(11_000):
        address = "192.0.2.1" if number < 2_000 else str(number)
        session = sessions.find(sessions.ids.issue("2025-11-25"), address=address)
        assert session is not None
        sessions.subscribe(session, "kb://article/x", "kb://article/x")
        if number == 2_000:
            assert len(sessions) == 1_001
    assert len(sessions) == 10_000
    async with serving(app) as site:
        assert await open_stream(site, EVENTS) == 200


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_an_id_that_is_too_long_is_refused_and_not_repeated(
    app: Runtime, version: str
) -> None:
    """A stream of events would keep its id for as long as it is open."""
    listen_params = {"notifications": ALL_LISTS, "_meta": envelope("2026-07-28")}
    stateless = ("subscriptions/listen", listen_params)
    method, params = stateless if version == "2026-07-28" else ("ping", {})
    sent = message(method, params, "i" * 900_000)
    async with serving(app) as site:
        headers = {**JSON, **HttpPeer(version, site=site).headers(sent)}
        body = json.dumps(sent).encode()
        answer = await ask(site.port, "POST", headers=headers, body=body)
        assert not site.web.state.streams
    assert (answer.status, answer.json["error"]["code"]) == (400, -32600)
    assert answer.json["id"] is None
    assert len(answer.body) < 1_000


UNKNOWN_URI: Final = "https:" + "%41" * 300_000
LONG_URI: Final = "kb://article/" + "%41" * 300_000
MAX_COST_RATIO: Final = 5


async def read_resource(app: Runtime, uri: str) -> tuple[dict[str, Any], float]:
    """Read a resource; return the error and the least CPU time of three, in seconds."""
    text = json.dumps(message("resources/read", {"uri": uri})).encode()
    times = []
    for _ in range(3):
        began = process_time()
        received = app.server.receive(text)
        assert isinstance(received, Call)
        reply = await app.server.answer(received)
        times.append(process_time() - began)
    error: dict[str, Any] = json.loads(reply.body)["error"]
    return error, min(times)


async def test_a_uri_that_is_too_long_is_refused_before_it_is_unquoted(
    app: Runtime,
) -> None:
    """D-139: unquoting 900 KB takes a quarter of a second of the event loop."""
    unknown, low = await read_resource(app, UNKNOWN_URI)
    refused, cost = await read_resource(app, LONG_URI)
    assert (refused["code"], refused["message"]) == (
        unknown["code"],
        unknown["message"],
    )
    assert len(refused["data"]["uri"]) < 1_000
    assert cost < MAX_COST_RATIO * low, (cost, low)
