"""What a configuration is wired into."""

import pytest
from support.knowledge import KnowledgeBase
from support.peers import (
    VERSIONS,
    http_peer,
    message,
    open_app,
    serving,
)
from support.shelf import Shelf
from support.wire import ask

STATELESS = VERSIONS[-1]


TTL = {
    "server/discover": 300_000,
    "tools/list": 300_000,
    "prompts/list": 300_000,
    "resources/templates/list": 300_000,
    "resources/list": 60_000,
}
"""Milliseconds that a client may keep a result (design, caching hints)."""


@pytest.mark.parametrize("method", TTL)
@pytest.mark.parametrize("dev", [False, True])
async def test_caching_hints_are_off_in_development(
    knowledge: KnowledgeBase, method: str, dev: bool
) -> None:
    """Design, caching hints: five minutes, one for resources, none with `--dev`."""
    async with http_peer(open_app(knowledge, dev=dev), STATELESS) as peer:
        result = await peer.result(method)
    assert result["ttlMs"] == (0 if dev else TTL[method])
    assert result["cacheScope"] == "public"


@pytest.mark.parametrize("version", VERSIONS)
async def test_tool_failures_can_be_protocol_errors(
    knowledge: KnowledgeBase, version: str
) -> None:
    """Seed 000: -32602 with the slug as data, where the operator wants it so."""
    app = open_app(knowledge, tool_errors="protocol")
    call = {"name": "get_article", "arguments": {"slug": "known-draft"}}
    async with http_peer(app, version) as peer:
        error = await peer.error("tools/call", call)
    assert error == {
        "code": -32602,
        "message": "Article 'known-draft' not found",
        "data": {"slug": "known-draft"},
    }


async def test_further_providers_come_after_the_articles(
    knowledge: KnowledgeBase,
) -> None:
    """A source that is configured adds its tools; the articles stay first."""
    async with http_peer(open_app(knowledge, Shelf()), STATELESS) as peer:
        listed = await peer.result("tools/list")
    names = [tool["name"] for tool in listed["tools"]]
    assert names[:3] == ["list_articles", "get_article", "search_articles"]
    assert names[3:] == ["echo", "fail", "break", "count", "mirror"]


@pytest.mark.parametrize(
    ("given", "host", "origin", "status"),
    [
        ({}, "kb.example.com", None, 403),
        ({"allow_host": ("kb.example.com",)}, "kb.example.com", None, 200),
        ({"base_url": "https://kb.example.com"}, "kb.example.com", None, 200),
        ({}, "127.0.0.1", "https://app.example.com", 403),
        (
            {"allow_origin": ("https://app.example.com",)},
            "127.0.0.1",
            "https://app.example.com",
            200,
        ),
    ],
)
async def test_the_gate_is_set_as_configured(
    knowledge: KnowledgeBase,
    given: dict[str, object],
    host: str,
    origin: str | None,
    status: int,
) -> None:
    """The specification, basic/transports: Host and Origin allow-lists."""
    headers = {"Host": host} | ({"Origin": origin} if origin else {})
    async with serving(open_app(knowledge, **given)) as site:
        answer = await ask(site.port, "GET", "/health", headers)
    assert answer.status == status


async def test_bodies_are_limited_as_configured(knowledge: KnowledgeBase) -> None:
    """Design: `max_body` bytes, then 413."""
    async with serving(open_app(knowledge, max_body=1024)) as site:
        small = await site.post(message("ping"))
        large = await site.post(message("ping", {"x": "y" * 1024}))
    assert (small.code, large.code) == (200, 413)
