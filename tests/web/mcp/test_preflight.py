"""Browsers: pages of configured origins may call, and no others."""

import json

import pytest
from support.knowledge import KnowledgeBase
from support.peers import JSON, message, open_app, serving
from support.wire import Answer, ask

from asdlc_kb.app import Runtime

PAGE = "https://app.example.com"
PING = json.dumps(message("ping")).encode()
PREFLIGHT = {
    "Origin": PAGE,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type,mcp-protocol-version",
}
READ = {
    "content-type",
    "accept",
    "authorization",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
    "last-event-id",
}


@pytest.fixture
def open_to_page(knowledge: KnowledgeBase) -> Runtime:
    """An application that the page may call."""
    return open_app(knowledge, allow_origin=(PAGE,))


def cors_of(answer: Answer) -> set[str]:
    """Return the names of an answer's CORS headers."""
    return {name for name in answer.headers if name.startswith("access-control-")}


async def test_a_preflight_of_an_allowed_page_is_answered(
    open_to_page: Runtime,
) -> None:
    """The browser asks first; it gets exactly what the endpoint reads."""
    async with serving(open_to_page) as site:
        answer = await ask(site.port, "OPTIONS", headers=PREFLIGHT)
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert answer.headers["access-control-allow-methods"] == "GET, POST, DELETE"
    allowed = answer.headers["access-control-allow-headers"].lower().split(", ")
    assert set(allowed) == READ
    assert answer.headers["access-control-max-age"] == "600"
    assert answer.headers["vary"] == "Origin"
    assert "access-control-allow-credentials" not in answer.headers


async def test_an_allowed_page_may_read_answers_and_its_session(
    open_to_page: Runtime,
) -> None:
    """Refusals of the endpoint too: the page must see the reason."""
    async with serving(open_to_page) as site:
        for headers, body, status in (
            (JSON, PING, 200),
            (JSON, b"{", 400),
            ({}, PING, 415),
            ({**JSON, "Mcp-Session-Id": "x"}, PING, 404),
        ):
            sent = {**headers, "Origin": PAGE}
            answer = await ask(site.port, "POST", headers=sent, body=body)
            assert answer.status == status
            assert answer.headers["access-control-allow-origin"] == PAGE
            exposed = answer.headers["access-control-expose-headers"]
            assert exposed == (
                "Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, "
                "WWW-Authenticate"
            )
            assert answer.headers["vary"] == "Origin"


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "https://evil.example",
        "http://app.example.com",
        "https://app.example.com:8443",
        "https://app.example.com.evil.example",
    ],
)
async def test_another_page_is_refused_and_told_nothing(
    open_to_page: Runtime, origin: str
) -> None:
    """No header lets its browser show it anything."""
    async with serving(open_to_page) as site:
        for method, headers in (("OPTIONS", PREFLIGHT), ("POST", JSON)):
            sent = {**headers, "Origin": origin}
            answer = await ask(site.port, method, headers=sent, body=PING)
            assert answer.status == 403
            assert cors_of(answer) == set()


async def test_without_configured_origins_there_is_no_cors(app: Runtime) -> None:
    """The default: no CORS at all, not even for our own pages."""
    async with serving(app) as site:
        own = f"http://127.0.0.1:{site.port}"
        for origin in ({}, {"Origin": own}):
            answer = await ask(site.port, "OPTIONS", headers=origin)
            assert (answer.status, answer.headers["allow"]) == (
                405,
                "GET, POST, DELETE",
            )
            assert cors_of(answer) == set()
            sent = {**JSON, **origin}
            answer = await ask(site.port, "POST", headers=sent, body=PING)
            assert answer.status == 200
            assert cors_of(answer) == set()


async def test_a_client_without_origin_sees_no_cors(open_to_page: Runtime) -> None:
    """Agents are no browsers."""
    async with serving(open_to_page) as site:
        answer = await ask(site.port, "POST", headers=JSON, body=PING)
    assert answer.status == 200
    assert cors_of(answer) == set()
