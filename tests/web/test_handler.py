"""What all handlers share: host check, headers, errors, aborted bodies."""

import json
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import JSON, message, open_app, serving
from support.wire import Answer, ask, dial, until
from tornado.routing import URLSpec
from tornado.web import Application

from asdlc_kb.app import Runtime, open_context
from asdlc_kb.web.handler import BaseHandler, log_request
from asdlc_kb.web.http_server import HttpServer, open_sockets

METHODS = ["POST", "GET", "DELETE", "OPTIONS", "HEAD", "PUT", "PATCH"]
PING = json.dumps(message("ping")).encode()
SAFE_HEADERS = {
    "cache-control": "no-store, no-transform",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "server": "asdlc-kb",
}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/health", "/ready", "/unknown"])
@pytest.mark.parametrize("method", METHODS)
async def test_a_rebound_host_is_403_everywhere(
    app: Runtime, method: str, path: str
) -> None:
    """D-074: every method and path checks the host first."""
    async with serving(app) as site:
        headers = {**JSON, "Host": f"evil.example:{site.port}"}
        answer = await ask(site.port, method, path, headers, b"{}")
    assert answer.status == 403
    assert "mcp-session-id" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", ["null", "https://evil.example", "http://localhost"])
@pytest.mark.parametrize("method", METHODS)
async def test_a_foreign_origin_is_403_everywhere(
    app: Runtime, method: str, origin: str
) -> None:
    """2025-11-25 transports: an Origin that is present and invalid is 403."""
    async with serving(app) as site:
        for path in ("/mcp", "/health", "/unknown"):
            headers = {**JSON, "Origin": origin}
            answer = await ask(site.port, method, path, headers, PING)
            assert answer.status == 403
            assert "access-control-allow-origin" not in answer.headers


async def test_two_origins_are_403(app: Runtime) -> None:
    """A second header does not hide the first one."""
    async with serving(app) as site:
        own = f"http://127.0.0.1:{site.port}"
        for pair in ((own, "https://evil.example"), ("https://evil.example", own)):
            origin = f"{pair[0]}\r\nOrigin: {pair[1]}"
            answer = await ask(site.port, "POST", headers={"Origin": origin}, body=PING)
            assert answer.status == 403


async def test_two_hosts_are_refused(app: Runtime) -> None:
    """Which one a proxy used is unknown."""
    async with serving(app) as site:
        host = f"127.0.0.1:{site.port}\r\nHost: evil.example"
        answer = await ask(site.port, "GET", "/health", {"Host": host})
    assert answer.status == 400


async def test_no_host_is_refused(app: Runtime) -> None:
    """HTTP/1.0 has requests without Host; a rebound page could send none."""
    async with serving(app) as site:
        for request in (
            b"GET /health HTTP/1.0\r\n\r\n",
            b"GET /health HTTP/1.1\r\n\r\n",
        ):
            async with dial(site.port) as wire:
                await wire.send(request)
                assert (await wire.answer()).status in (400, 403)


async def test_a_full_address_in_the_request_replaces_host(app: Runtime) -> None:
    """RFC 9112, 3.2.2: the address is checked, whatever Host is."""
    async with serving(app) as site:
        headers = {**JSON, "Host": f"127.0.0.1:{site.port}"}
        path = f"http://evil.example:{site.port}/mcp"
        answer = await ask(site.port, "POST", path, headers, PING)
    assert answer.status == 403


async def test_a_refusal_at_the_endpoint_is_json_rpc(app: Runtime) -> None:
    """403 with a JSON-RPC error, and advice for the operator."""
    async with serving(app) as site:
        answer = await ask(site.port, "POST", headers={"Origin": "null"}, body=PING)
        assert answer.status == 403
        reason = "this Origin is not allowed: add it with --allow-origin"
        assert answer.json == {
            "jsonrpc": "2.0",
            "id": None,
            "error": {
                "code": -32600,
                "message": "Invalid Request",
                "data": {"reason": reason},
            },
        }
        answer = await ask(site.port, "GET", "/health", {"Origin": "null"})
        assert answer.json == {"error": reason}


async def test_allowed_names_come_in(knowledge: KnowledgeBase) -> None:
    """--allow-host and --base-url are in force."""
    app = open_app(
        knowledge, allow_host=("kb.internal",), base_url="https://kb.example.com"
    )
    async with serving(app) as site:
        for host, status in (
            ("kb.internal:8420", 200),
            ("kb.example.com", 200),
            ("example.com", 403),
        ):
            answer = await ask(site.port, "GET", "/health", {"Host": host})
            assert answer.status == status


ANSWERS: list[tuple[int, str, str, dict[str, str], bytes | None]] = [
    (200, "POST", "/mcp", JSON, PING),
    (202, "POST", "/mcp", JSON, b'{"jsonrpc": "2.0", "method": "x"}'),
    (204, "OPTIONS", "/mcp", {"Origin": "https://app.example.com"}, None),
    (400, "POST", "/mcp", JSON, b"{"),
    (403, "POST", "/mcp", {**JSON, "Origin": "null"}, PING),
    (404, "POST", "/mcp", {**JSON, "Mcp-Session-Id": "x"}, PING),
    (404, "GET", "/unknown", {}, None),
    (405, "GET", "/mcp", {}, None),
    (405, "PUT", "/mcp", {}, None),
    (405, "POST", "/health", {}, None),
    (406, "POST", "/mcp", {**JSON, "Accept": "text/html"}, PING),
    (413, "POST", "/mcp", JSON, b" " * 2000),
    (413, "POST", "/mcp", {"Content-Length": "9" * 14}, None),
    (415, "POST", "/mcp", {}, PING),
    (200, "GET", "/health", {}, None),
    (200, "GET", "/ready", {}, None),
]


@pytest.mark.parametrize(("status", "method", "path", "headers", "body"), ANSWERS)
async def test_every_answer_carries_the_safe_headers(
    knowledge: KnowledgeBase,
    status: int,
    method: str,
    path: str,
    headers: dict[str, str],
    body: bytes | None,
) -> None:
    """Errors too: no sniffing, framing, caching, version or cookie."""
    allowed = ("https://app.example.com",)
    app = open_app(knowledge, allow_origin=allowed, max_body=1024)
    seen: set[str] = set()
    async with serving(app) as site:
        for _ in range(2):
            answer = await ask(site.port, method, path, headers, body)
            assert answer.status == status
            assert answer.headers.items() >= SAFE_HEADERS.items()
            assert "tornado" not in str(answer).lower()
            assert "set-cookie" not in answer.headers
            seen.add(answer.headers["x-request-id"])
    assert len(seen) == 2


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Content-Length": "20000000"}], ids=str
)
async def test_who_is_not_read_to_the_end_is_told_so(
    app: Runtime, headers: dict[str, str]
) -> None:
    """A refusal at the header ends the connection, with `Connection: close`."""
    async with serving(app) as site, dial(site.port) as wire:
        await wire.request("POST", headers=headers)
        assert (await wire.answer()).headers["connection"] == "close"
        assert await wire.rest() == b""


async def test_a_connection_survives_errors(app: Runtime) -> None:
    """Clients probe unknown paths on the connection that they will use."""
    async with serving(app) as site, dial(site.port) as wire:
        for method, path, status in (
            ("GET", "/.well-known/oauth-protected-resource", 404),
            ("POST", "/register", 404),
            ("GET", "/mcp", 405),
            ("PUT", "/mcp", 405),
            ("POST", "/mcp", 200),
        ):
            body = PING if method == "POST" else None
            await wire.request(method, path, JSON, body)
            assert (await wire.answer()).status == status


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/health"), ("GET", "/x"), ("PUT", "/mcp")]
)
async def test_a_draining_server_ends_connections(
    app: Runtime, method: str, path: str
) -> None:
    """D-094: clients learn that they must reconnect, by errors too."""
    async with serving(app) as site, dial(site.port) as wire:
        await wire.request(method, path)
        assert "connection" not in (await wire.answer()).headers
        site.web.state.is_draining = True
        await wire.request(method, path)
        assert (await wire.answer()).headers["connection"] == "close"


class CrashHandler(BaseHandler):
    """Fails with an unexpected exception."""

    def get(self) -> None:
        """Fail."""
        raise RuntimeError("a secret of the inside")


async def fetch_from(handler: type[BaseHandler], app: Runtime) -> Answer:
    """GET from a server of one handler."""
    door = open_context(app)
    table: list[Any] = [URLSpec("/", handler, {"context": door})]
    application = Application(table, log_function=log_request)
    web = HttpServer(application, open_sockets("127.0.0.1", 0), door.state)
    try:
        return await ask(web.port, "GET", "/")
    finally:
        await web.close()


async def test_an_unforeseen_failure_stays_in_the_log(app: Runtime) -> None:
    """D-052: 500 without detail for the client; one line with the traceback for us."""
    with captured("asdlc_kb") as lines:
        answer = await fetch_from(CrashHandler, app)
    assert (answer.status, answer.json) == (500, {"error": "Internal Server Error"})
    assert answer.headers.items() >= SAFE_HEADERS.items()
    failure, request = lines.rows
    assert failure["event"] == "unexpected error"
    assert failure["traceback"].endswith("RuntimeError: a secret of the inside")
    assert (request["event"], request["status"]) == ("request", 500)


async def test_an_aborted_body_is_forgotten(app: Runtime) -> None:
    """A disconnected client does not delay the end of the server."""
    async with serving(app) as site:
        for headers in ({"Content-Length": "100000"}, {"Transfer-Encoding": "chunked"}):
            async with dial(site.port) as wire:
                await wire.request("POST", headers={**JSON, **headers})
                await wire.send(b"10\r\n{")
                await until(lambda: len(site.web.state.in_flight) == 1)
            await until(lambda: not site.web.state.in_flight)


async def test_a_malformed_body_is_forgotten(app: Runtime) -> None:
    """An invalid chunk ends the connection, and the request with it."""
    async with serving(app) as site, dial(site.port) as wire:
        await wire.request("POST", headers={**JSON, "Transfer-Encoding": "chunked"})
        await wire.send(b"not a size\r\n")
        assert (await wire.answer()).status == 400
        assert site.web.state.in_flight == set()


async def test_an_answered_request_is_forgotten(app: Runtime) -> None:
    """Whatever the response was."""
    async with serving(app) as site:
        for _, method, path, headers, body in ANSWERS:
            await ask(site.port, method, path, headers, body)
        assert site.web.state.in_flight == set()
