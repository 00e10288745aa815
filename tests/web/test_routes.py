"""Every URL: its handler, and that there are no others."""

import pytest
from support.knowledge import KnowledgeBase
from support.peers import message, open_app, serving
from support.wire import JSON, ask
from tornado.web import RequestHandler

from asdlc_kb.app import Runtime, open_context
from asdlc_kb.web.handler import BaseHandler
from asdlc_kb.web.routes import make_application, routes
from asdlc_kb.web.site.pages import PAGES, PageHandler

PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
UNKNOWN = [
    "/mcp/x",
    "/mcp//",
    "//mcp",
    "/mcpx",
    "/MCP",
    "/%6dcp",
    "/mcp%2f",
    "/mcp/../mcp",
    "/../../etc/passwd",
    "/health/",
    "/healthz",
    "/sse",
    "/favicon.ico",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "http://127.0.0.1/mcpx",
]


def test_every_route_derives_from_the_base_handler(app: Runtime) -> None:
    """Checks, log lines and counts must not be missing in one place."""
    application = make_application(open_context(app))
    handlers = [route.target for route in routes(open_context(app))]
    handlers.append(application.settings["default_handler_class"])
    assert len(handlers) == len(PAGES) + 9
    for handler in handlers:
        assert issubclass(handler, BaseHandler)
        assert issubclass(handler, RequestHandler)
    assert PageHandler in handlers


async def test_the_endpoint_answers_with_and_without_a_slash(app: Runtime) -> None:
    """People type both."""
    async with serving(app) as site:
        for path in ("/mcp", "/mcp/", "/mcp?a=b", "/mcp/?session=1"):
            answer = await ask(site.port, "POST", path, JSON, PING)
            assert answer.status == 200
            assert answer.json == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("path", UNKNOWN)
async def test_an_unknown_path_is_a_plain_404(app: Runtime, path: str) -> None:
    """Clients probe for OAuth; an HTML page or a 200 would mislead them."""
    async with serving(app) as site:
        for method in ("GET", "POST", "DELETE", "OPTIONS", "PUT"):
            answer = await ask(site.port, method, path)
            assert answer.status == 404
            assert answer.json == {"error": "Not Found"}
            assert answer.headers["content-type"].startswith("application/json")
        answer = await ask(site.port, "HEAD", path)
        assert (answer.status, answer.body) == (404, b"")


async def test_without_mcp_its_address_is_unknown_and_the_rest_works(
    knowledge: KnowledgeBase,
) -> None:
    """With MCP disabled, /mcp is 404."""
    app = open_app(knowledge, mcp_enabled=False)
    async with serving(app) as site:
        for method in ("GET", "POST", "DELETE", "OPTIONS"):
            answer = await ask(site.port, method, "/mcp", JSON, PING)
            assert (answer.status, answer.json) == (404, {"error": "Not Found"})
        for path in ("/health", "/ready"):
            assert (await ask(site.port, "GET", path)).status == 200


async def test_a_message_to_an_unknown_path_is_not_answered(app: Runtime) -> None:
    """The endpoint has one address."""
    async with serving(app) as site:
        response = await site.post(message("ping"), path="/mcp/ping")
    assert response.code == 404
    assert b"jsonrpc" not in response.body
