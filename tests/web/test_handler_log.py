"""The log line of a request: one JSON object, without the request's content."""

import json
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import JSON, envelope, message, open_app, serving
from support.slow import SlowProvider
from support.wire import ask

from asdlc_kb.app import Runtime

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
CLIENT = {"Content-Type": "application/json", "Accept": "application/json"}


def call(tool: str, **arguments: Any) -> bytes:
    """Return a call of a tool, with a trace."""
    params = {"name": tool, "arguments": arguments, "_meta": {"traceparent": TRACE}}
    return json.dumps(message("tools/call", params)).encode()


async def test_a_request_is_one_line_of_known_fields(app: Runtime) -> None:
    """Client, request, outcome, duration, and the id that the client got."""
    async with serving(app) as site:
        with captured() as lines:
            sent = {**CLIENT, "MCP-Protocol-Version": "2025-11-25"}
            body = call("get_article", slug="links-to-hidden")
            answer = await ask(site.port, "POST", "/mcp", sent, body)
    (row,) = lines.rows
    assert row.pop("time").endswith("+00:00")
    assert 0 <= row.pop("ms") < 10_000
    assert row == {
        "level": "info",
        "event": "request",
        "transport": "http",
        "verb": "POST",
        "path": "/mcp",
        "status": 200,
        "address": "127.0.0.1",
        "request_id": answer.headers["x-request-id"],
        "bytes": len(answer.body),
        "document": "kb://article/links-to-hidden",
        "method": "tools/call",
        "tool": "get_article",
        "version": "2025-11-25",
        "trace": TRACE,
    }


async def test_an_error_has_its_code_in_the_line(app: Runtime) -> None:
    """Errors are counted by code, without their text."""
    async with serving(app) as site:
        with captured() as lines:
            await site.post(message("nonsense"))
            await site.post(b"{")
    found, garbage = lines.rows
    assert (found["status"], found["code"]) == (200, -32601)
    assert (found["method"], found["version"]) == ("nonsense", "2025-03-26")
    assert (garbage["status"], garbage["code"]) == (400, -32700)
    assert "method" not in garbage


async def test_a_stateless_request_is_logged_alike(app: Runtime) -> None:
    """One line, whatever the version."""
    async with serving(app) as site:
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
        params = {"_meta": {**envelope("2026-07-28"), "traceparent": "00-nonsense"}}
        with captured() as lines:
            await site.post(message("tools/list", params), headers)
    (row,) = lines.rows
    assert (row["method"], row["version"]) == ("tools/list", "2026-07-28")
    assert "trace" not in row
    assert "tool" not in row


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/health", {}, 200),
        ("GET", "/unknown", {}, 404),
        ("PUT", "/mcp", {}, 405),
        ("GET", "/mcp", {"Host": "evil.example"}, 403),
        ("POST", "/mcp", {"Content-Length": "20000000"}, 413),
    ],
)
async def test_a_refused_request_is_one_line_without_a_traceback(
    app: Runtime, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    """D-052: a client's fault costs one line."""
    async with serving(app) as site:
        with captured("") as lines:
            answer = await ask(site.port, method, path, headers)
    (row,) = lines.rows
    assert (row["event"], row["level"]) == ("request", "info")
    assert (row["verb"], row["path"], row["status"]) == (method, path, status)
    assert row["request_id"] == answer.headers["x-request-id"]


async def test_nothing_that_was_asked_for_is_logged(app: Runtime) -> None:
    """D-084: queries are private: neither arguments nor the query string are logged."""
    secret = "whale-song"
    async with serving(app) as site:
        with captured("") as lines:
            await ask(site.port, "POST", f"/mcp?{secret}", CLIENT, call("x"))
            for tool, argument in (
                ("search_articles", {"query": secret}),
                ("get_article", {"slug": secret}),
                ("list_articles", {"category": secret}),
                ("get_article", {secret: secret}),
            ):
                body = call(tool, **argument)
                answer = await ask(site.port, "POST", "/mcp", CLIENT, body)
                assert answer.status == 200
    assert secret not in lines.text
    events = [row["event"] for row in lines.rows]
    assert events.count("request") == 5
    assert set(events) == {"request", "index built"}


@pytest.mark.parametrize(
    "odd",
    ["\n", "\r\n", "\x00", "\x1b[2J", "\x7f", "\x85", "\u2028", "\u2029", "\u202e"],
    ids=ascii,
)
async def test_no_value_forges_a_line(app: Runtime, odd: str) -> None:
    """D-083: log lines stay one JSON object each, printable ASCII."""
    forged = f'x{odd}{{"event": "forged"}}'
    async with serving(app) as site:
        with captured("") as lines:
            await site.post(message(forged))
            await site.post(message("tools/call", {"name": forged, "arguments": {}}))
            for header in ("User-Agent", "Mcp-Method", "Mcp-Session-Id", "Accept"):
                value = forged.replace("\r", "").replace("\n", "").replace("\x00", "")
                raw = value.encode().decode("latin-1")
                await ask(site.port, "POST", "/mcp", {**JSON, header: raw}, b"{}")
    written = lines.text.removesuffix("\n")
    assert written.isascii()
    assert written.replace("\n", "").isprintable()
    assert len(written.splitlines()) == len(lines.rows) >= 2
    assert [row["method"] for row in lines.rows[:2]] == [forged, "tools/call"]
    assert lines.rows[1]["tool"] == forged


async def test_no_value_makes_a_line_long(app: Runtime) -> None:
    """A line is bounded, however long the names in a request are."""
    async with serving(app) as site:
        with captured("") as lines:
            await site.post(message("m" * 10_000))
            await site.post(message("tools/call", {"name": "t" * 10_000}))
            await ask(site.port, "GET", "/" + "p" * 10_000)
            await ask(site.port, "V" * 10_000, "/mcp")
    assert len(lines.rows) == 4
    assert all(len(line) < 1000 for line in lines.text.splitlines())


async def test_a_failed_tool_is_logged_once_with_its_traceback(
    knowledge: KnowledgeBase,
) -> None:
    """D-052: our own faults are logged in full."""
    async with serving(open_app(knowledge, SlowProvider())) as site:
        with captured("asdlc_kb") as lines:
            await ask(site.port, "POST", "/mcp", CLIENT, call("crash"))
    failure, request = lines.rows
    assert (failure["level"], failure["method"]) == ("error", "tools/call")
    assert "a secret of the inside" in failure["traceback"]
    assert (request["status"], request["code"]) == (200, -32603)
