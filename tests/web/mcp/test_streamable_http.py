"""Streamable HTTP: the form of a request, and the methods of HTTP."""

import asyncio
import json
from dataclasses import replace
from typing import Any, cast

import pytest
from support.knowledge import KnowledgeBase
from support.peers import EVENTS, VERSIONS, Site, envelope, message, open_app, serving
from support.slow import SlowProvider
from support.wire import JSON, ask

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.server import McpServer

PING = json.dumps(message("ping")).encode()
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}
MODERN = {"MCP-Protocol-Version": "2026-07-28"}


def invalid(reason: str) -> dict[str, Any]:
    """Return the JSON-RPC error of a malformed request."""
    error = {"code": -32600, "message": "Invalid Request", "data": {"reason": reason}}
    return {"jsonrpc": "2.0", "id": None, "error": error}


async def assert_serves(site: Site) -> None:
    """The next good request works."""
    answer = await ask(site.port, "POST", headers=JSON, body=PING)
    assert (answer.status, answer.json) == (200, PONG)


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/json;charset=UTF-8;x=y",
        " application/json ",
    ],
)
async def test_json_is_taken_however_it_is_spelt(
    app: Runtime, content_type: str
) -> None:
    """Parameters and case of the media type do not matter."""
    async with serving(app) as site:
        headers = {"Content-Type": content_type}
        answer = await ask(site.port, "POST", headers=headers, body=PING)
    assert (answer.status, answer.json) == (200, PONG)
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "text/plain; x=application/json"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": "application/json-patch+json"},
        {"Content-Type": "application/jsonx"},
        {"Content-Type": "json"},
        {"Content-Type": ""},
        {},
    ],
    ids=str,
)
async def test_another_content_type_is_415(
    app: Runtime, headers: dict[str, str]
) -> None:
    """A page can send text and forms across origins without asking; JSON it cannot."""
    async with serving(app) as site:
        answer = await ask(site.port, "POST", headers=headers, body=PING)
        assert answer.status == 415
        assert answer.json == invalid("Content-Type must be application/json")
        await assert_serves(site)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "GZIP", "gzip, identity"])
async def test_a_packed_body_is_415(app: Runtime, coding: str) -> None:
    """D-078: a small compressed body may be a huge one: none is decompressed."""
    headers = {**JSON, "Content-Encoding": coding}
    async with serving(app) as site:
        answer = await ask(site.port, "POST", headers=headers, body=PING)
        assert answer.status == 415
        assert answer.json == invalid("send the body without Content-Encoding")
        headers["Content-Encoding"] = "identity"
        answer = await ask(site.port, "POST", headers=headers, body=PING)
        assert (answer.status, answer.json) == (200, PONG)


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "*/*",
        "application/json",
        "application/*",
        "text/event-stream",
        "application/json, text/event-stream",
        "text/event-stream, application/json",
        "text/html, */*;q=0.1",
        "APPLICATION/JSON;q=0.5",
        " application/json ;q=1",
    ],
)
async def test_a_sloppy_accept_is_served(app: Runtime, accept: str | None) -> None:
    """Some clients send none or `*/*`: they are served JSON all the same."""
    headers = {"Content-Type": "application/json"}
    if accept is not None:
        headers["Accept"] = accept
    async with serving(app) as site:
        answer = await ask(site.port, "POST", headers=headers, body=PING)
    assert (answer.status, answer.json) == (200, PONG)


@pytest.mark.parametrize("accept", ["text/html", "image/*", "application/xml", "json"])
async def test_an_accept_without_json_is_406(app: Runtime, accept: str) -> None:
    """Accept that allows neither JSON nor events cannot be met."""
    async with serving(app) as site:
        headers = {**JSON, "Accept": accept}
        answer = await ask(site.port, "POST", headers=headers, body=PING)
    assert answer.status == 406
    assert answer.json == invalid("Accept must allow application/json")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"not json",
        b"\xff\xfe{\x00}\x00",
        b'"\xff"',
        b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}',
        b"[" * 100_000,
        PING.decode().encode("utf-16"),
    ],
    ids=lambda body: repr(body[:24]),
)
async def test_what_is_not_json_is_400_with_id_null(app: Runtime, body: bytes) -> None:
    """JSON-RPC 2.0 section 5: a parse error whose id cannot be read has id null."""
    async with serving(app) as site:
        answer = await ask(site.port, "POST", headers=JSON, body=body)
        assert answer.status == 400
        assert answer.headers["content-type"] == "application/json"
        assert answer.json.keys() == {"jsonrpc", "id", "error"}
        assert answer.json["id"] is None
        assert answer.json["error"]["code"] == -32700
        assert answer.json["error"]["message"] == "Parse error"
        await assert_serves(site)


@pytest.mark.parametrize(
    ("body", "request_id"),
    [
        (b"[]", None),
        (b"1", None),
        (b"null", None),
        (b"{}", None),
        (b'{"jsonrpc": "1.0", "id": 3, "method": "ping"}', 3),
        (b'{"jsonrpc": "2.0", "id": 3}', 3),
        (b'{"jsonrpc": "2.0", "id": 3, "method": 4}', 3),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": []}', "a"),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None),
        (b'{"jsonrpc": "2.0", "id": 18446744073709551616, "method": "ping"}', None),
    ],
)
async def test_json_that_is_no_message_is_400(
    app: Runtime, body: bytes, request_id: Any
) -> None:
    """JSON-RPC 2.0: invalid request; a usable id is echoed."""
    async with serving(app) as site:
        answer = await ask(site.port, "POST", headers=JSON, body=body)
    assert answer.status == 400
    assert answer.json["error"]["code"] == -32600
    assert answer.json["id"] == request_id


@pytest.mark.parametrize("accept", [None, "*/*", "text/*", "text/event"])
async def test_a_get_that_names_no_events_is_405(
    app: Runtime, accept: str | None
) -> None:
    """D-041: 405, never 404 and never a stream: curl would wait for ever."""
    headers = {} if accept is None else {"Accept": accept}
    async with serving(app) as site:
        answer = await ask(site.port, "GET", headers=headers)
    assert (answer.status, answer.headers["allow"]) == (405, "GET, POST, DELETE")


@pytest.mark.parametrize("method", ["HEAD", "PUT", "PATCH", "OPTIONS", "TRACE"])
async def test_another_method_is_405_with_allow(app: Runtime, method: str) -> None:
    """405, never 404 (2025-11-25 transports)."""
    async with serving(app) as site:
        for accept in ("*/*", "text/html", "text/event-stream"):
            headers = {"Accept": accept}
            answer = await ask(site.port, method, headers=headers)
            assert answer.status == 405
            assert answer.headers["allow"] == "GET, POST, DELETE"
            if method != "HEAD":
                assert answer.json["error"]["code"] == -32600
                assert answer.json["id"] is None


async def test_an_invented_method_is_405(app: Runtime) -> None:
    """An unknown method gets the same response."""
    async with serving(app) as site:
        answer = await ask(site.port, "BREW", headers=JSON, body=PING)
        assert (answer.status, answer.headers["allow"]) == (405, "GET, POST, DELETE")
        await assert_serves(site)


async def test_a_get_is_told_what_this_is(app: Runtime) -> None:
    """A hint for a person that opened the address."""
    async with serving(app) as site:
        answer = await ask(site.port, "GET")
    reason = "this is an MCP endpoint: send JSON-RPC messages by POST"
    assert answer.json == invalid(reason)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_a_stateless_get_or_delete_is_405(app: Runtime, method: str) -> None:
    """2026-07-28 has POST only, whatever session is named."""
    async with serving(app) as site:
        for further in ({}, {"Mcp-Session-Id": "unknown"}, EVENTS):
            answer = await ask(site.port, method, headers={**MODERN, **further})
            assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "version", ["2025-11-25", "2025-11-25, 2025-11-25", "2025-11-25,2025-11-25"]
)
async def test_a_repeated_version_header_counts_once(
    app: Runtime, version: str
) -> None:
    """Some clients and proxies send the same header twice."""
    async with serving(app) as site:
        headers = {**JSON, "MCP-Protocol-Version": version}
        answer = await ask(site.port, "POST", headers=headers, body=PING)
        assert (answer.status, answer.json) == (200, PONG)
        twice = f"{version}\r\nMCP-Protocol-Version: 2025-11-25"
        headers["MCP-Protocol-Version"] = twice
        answer = await ask(site.port, "POST", headers=headers, body=PING)
        assert (answer.status, answer.json) == (200, PONG)


@pytest.mark.parametrize("version", ["2025-11-25, 2025-06-18", "1.0", "", "2026-07-29"])
async def test_an_unknown_version_header_is_400(app: Runtime, version: str) -> None:
    """2025-11-25 transports: an unsupported version is 400, with what is supported."""
    async with serving(app) as site:
        headers = {**JSON, "MCP-Protocol-Version": version}
        answer = await ask(site.port, "POST", headers=headers, body=PING)
    assert (answer.status, answer.json["id"]) == (400, 1)
    assert answer.json["error"]["code"] == -32022
    assert answer.json["error"]["data"] == {
        "supported": sorted(VERSIONS, reverse=True),
        "requested": version,
    }


@pytest.mark.parametrize("headers", [{}, MODERN], ids=["handshake", "stateless"])
@pytest.mark.parametrize("method", ["notifications/initialized", "x", "ping"])
async def test_a_notification_is_202_without_a_body(
    app: Runtime, headers: dict[str, str], method: str
) -> None:
    """Every version: accepted, no body, and no type: Java clients reject HTML."""
    notice = json.dumps({"jsonrpc": "2.0", "method": method}).encode()
    async with serving(app) as site:
        sent = {**JSON, **headers}
        answer = await ask(site.port, "POST", headers=sent, body=notice)
    assert (answer.status, answer.body) == (202, b"")
    assert answer.headers["content-length"] == "0"
    assert "content-type" not in answer.headers


async def test_a_response_is_202_or_refused_by_era(app: Runtime) -> None:
    """Dropped in the handshake era; in 2026-07-28 clients must not send any."""
    body = b'{"jsonrpc": "2.0", "id": 1, "result": {}}'
    async with serving(app) as site:
        answer = await ask(site.port, "POST", headers=JSON, body=body)
        assert (answer.status, answer.body) == (202, b"")
        sent = {**JSON, **MODERN}
        answer = await ask(site.port, "POST", headers=sent, body=body)
        assert answer.status == 400
        assert answer.json == invalid("nothing was asked")


def stateless(method: str, **params: Any) -> tuple[dict[str, str], bytes]:
    """Return the headers and body of a stateless request."""
    headers = {**JSON, **MODERN, "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    params["_meta"] = envelope("2026-07-28")
    return headers, json.dumps(message(method, params)).encode()


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Mcp-Method", "tools/list", 400),
        ("Mcp-Method", "TOOLS/CALL", 400),
        ("Mcp-Method", "\u00e4", 400),
        ("Mcp-Name", "other", 400),
        ("Mcp-Name", "m\u00e4h", 400),
        ("Mcp-Name", "=?base64?Z2V0X2FydGljbGU=?=", 200),
        ("Mcp-Name", "  get_article\t", 200),
        ("MCP-Protocol-Version", "2025-11-25", 400),
    ],
)
async def test_headers_are_compared_with_the_body(
    app: Runtime, header: str, value: str, status: int
) -> None:
    """2026-07-28 streamable-http: a header that disagrees is 400 and -32020."""
    headers, body = stateless("tools/call", name="get_article", arguments={"slug": "x"})
    async with serving(app) as site:
        sent = {**headers, header: value}
        answer = await ask(site.port, "POST", headers=sent, body=body)
        assert (answer.status, answer.json["id"]) == (status, 1)
        if status == 400:
            assert answer.json["error"]["code"] == -32020
        del headers[header]
        answer = await ask(site.port, "POST", headers=headers, body=body)
        assert (answer.status, answer.json["error"]["code"]) == (400, -32020)


async def test_parameter_headers_reach_the_protocol(app: Runtime) -> None:
    """`Mcp-Param-*` that no schema mirrors is ignored, in any case."""
    headers, body = stateless("tools/list")
    headers["mcp-PARAM-Region"] = "\u00e4"
    async with serving(app) as site:
        answer = await ask(site.port, "POST", headers=headers, body=body)
    assert answer.status == 200
    assert len(answer.json["result"]["tools"]) == 3


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_an_unforeseen_failure_tells_nothing(
    knowledge: KnowledgeBase, version: str
) -> None:
    """D-052: -32603 `Internal server error`, HTTP 200, no internal detail."""
    async with serving(open_app(knowledge, SlowProvider())) as site:
        if version == "2026-07-28":
            headers, body = stateless("tools/call", name="crash")
        else:
            headers = {**JSON, "MCP-Protocol-Version": version}
            body = json.dumps(message("tools/call", {"name": "crash"})).encode()
        answer = await ask(site.port, "POST", headers=headers, body=body)
        assert answer.status == 200
        error = {"code": -32603, "message": "Internal server error"}
        assert answer.json == {"jsonrpc": "2.0", "id": 1, "error": error}
        await assert_serves(site)


class BrokenServer:
    """Fails unexpectedly."""

    def receive(self, text: bytes, headers: object) -> None:
        """Fail."""
        raise RuntimeError("a secret of the inside")


async def test_a_failure_of_the_endpoint_tells_nothing(app: Runtime) -> None:
    """D-052: 500 with -32603 and no internal detail."""
    broken = replace(app, server=cast(McpServer, BrokenServer()))
    async with serving(broken) as site:
        answer = await ask(site.port, "POST", headers=JSON, body=PING)
    assert answer.status == 500
    error = {"code": -32603, "message": "Internal server error"}
    assert answer.json == {"jsonrpc": "2.0", "id": None, "error": error}


async def test_every_client_gets_its_own_answer(app: Runtime) -> None:
    """D-046: thirty clients at once send the same id."""

    async def ask_for(slug: str, site: Site) -> None:
        params = {"name": "get_article", "arguments": {"slug": slug}}
        response = await site.post(message("tools/call", params, 7))
        answer = json.loads(response.body)
        assert answer["id"] == 7
        text = answer["result"]["content"][0]["text"]
        assert text == f"Article '{slug}' not found"

    async with serving(app) as site:
        await asyncio.gather(*(ask_for(f"nonce-{n}", site) for n in range(30)))
