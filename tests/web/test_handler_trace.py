"""Identification of a request: one id and one trace, from the proxy's log to ours."""

import json
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import message, open_app, serving
from support.slow import SlowProvider
from support.wire import ask

from asdlc_kb.app import Runtime
from asdlc_kb.web.handler import BaseHandler
from asdlc_kb.web.monitoring.health import HealthHandler

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
OTHER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
CLIENT = {"Content-Type": "application/json", "Accept": "application/json"}
GIVEN = "0123456789abcdef0123456789abcdef"


def call(tool: str, **meta: Any) -> bytes:
    """Return a call of a tool."""
    params = {"name": tool, "arguments": {}, "_meta": meta}
    return json.dumps(message("tools/call", params)).encode()


@pytest.mark.parametrize(
    ("meta", "sent", "trace"),
    [
        ({}, TRACE, TRACE),
        ({"traceparent": OTHER}, TRACE, OTHER),
        ({"traceparent": "nonsense"}, TRACE, TRACE),
        ({"traceparent": OTHER}, "nonsense", OTHER),
        ({}, "nonsense", None),
        ({}, TRACE.upper(), None),
    ],
)
@pytest.mark.parametrize("tool", ["list_articles", "crash"])
async def test_every_line_of_a_call_has_its_trace(
    knowledge: KnowledgeBase, *, tool: str, meta: Any, sent: str, trace: str | None
) -> None:
    """From the call, or else the header of the request; also the line of a failure."""
    async with serving(open_app(knowledge, SlowProvider())) as site:
        for _ in range(2):
            with captured("asdlc_kb") as lines:
                headers = {**CLIENT, "Traceparent": sent}
                await ask(site.port, "POST", "/mcp", headers, call(tool, **meta))
            assert len(lines.rows) == 1 + (tool == "crash")
            assert {row.get("trace") for row in lines.rows} == {trace}


async def test_a_page_has_the_trace_of_its_header(app: Runtime) -> None:
    """As every request."""
    async with serving(app) as site:
        with captured() as lines:
            for path in ("/health", "/none"):
                await ask(site.port, "GET", path, {"Traceparent": TRACE})
    assert [row["trace"] for row in lines.rows] == [TRACE, TRACE]


async def test_the_line_of_a_failure_has_the_request_s_id(
    knowledge: KnowledgeBase,
) -> None:
    """The one that the client got, in both lines."""
    async with serving(open_app(knowledge, SlowProvider())) as site:
        with captured("asdlc_kb") as lines:
            answer = await ask(site.port, "POST", "/mcp", CLIENT, call("crash"))
    ids = [row["request_id"] for row in lines.rows]
    assert ids == [answer.headers["x-request-id"]] * 2


async def test_an_error_page_keeps_the_id(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its headers are set again, but it is the same request."""

    def crash(handler: BaseHandler) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(HealthHandler, "get", crash)
    async with serving(app) as site:
        with captured("asdlc_kb") as lines:
            # A query is left to Tornado.
            answer = await ask(site.port, "GET", "/health?x")
    assert answer.status == 500
    ids = [row["request_id"] for row in lines.rows]
    assert ids == [answer.headers["x-request-id"]] * 2


@pytest.mark.parametrize("path", ["/health", "/mcp", "/none"])
async def test_a_trusted_proxy_gives_a_request_its_id(
    knowledge: KnowledgeBase, path: str
) -> None:
    """The same id is in its own log; errors and cached results have it too."""
    app = open_app(knowledge, trusted_proxy=("127.0.0.1",))
    verb = "POST" if path == "/mcp" else "GET"
    async with serving(app) as site:
        for _ in range(2):
            with captured() as lines:
                headers = {**CLIENT, "X-Request-Id": GIVEN}
                body = call("list_articles")
                answer = await ask(site.port, verb, path, headers, body)
            assert answer.headers["x-request-id"] == GIVEN
            assert [row["request_id"] for row in lines.rows] == [GIVEN]


@pytest.mark.parametrize("path", ["/health", "/mcp"])
@pytest.mark.parametrize(
    ("trusted", "given"),
    [
        ((), GIVEN),
        (("10.0.0.1",), GIVEN),
        (("127.0.0.1",), "short"),
        (("127.0.0.1",), "x" * 65),
        (("127.0.0.1",), 'forged","event":"x'),
        (("127.0.0.1",), "two words"),
    ],
)
async def test_no_other_id_is_believed(
    knowledge: KnowledgeBase, path: str, trusted: tuple[str, ...], given: str
) -> None:
    """From an untrusted peer, or an invalid one: the request gets one of ours."""
    app = open_app(knowledge, trusted_proxy=trusted)
    verb = "POST" if path == "/mcp" else "GET"
    async with serving(app) as site:
        for _ in range(2):
            with captured() as lines:
                headers = {**CLIENT, "X-Request-Id": given}
                body = call("list_articles")
                answer = await ask(site.port, verb, path, headers, body)
            assert answer.headers["x-request-id"] != given
            ids = [row["request_id"] for row in lines.rows]
            assert ids == [answer.headers["x-request-id"]]
