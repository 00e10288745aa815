"""Requests as OpenTelemetry receives them, from the fast path and from the handlers."""

import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from support.canary import Scanner
from support.collector import ERROR, Collector, ReceivedSpan, open_collector
from support.knowledge import KnowledgeBase
from support.peers import (
    EVENTS,
    JSON,
    HttpPeer,
    Site,
    http_peer,
    message,
    open_app,
    serving,
)
from support.slow import SlowProvider
from support.wire import ask, dial

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.dispatch.operation import digest_session
from asdlc_kb.ops.otel.recorder import open_recorder
from asdlc_kb.ops.telemetry import Telemetry

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
HEADERS = {"Traceparent": f"00-{TRACE}-{SPAN}-01", "Tracestate": "a=b"}
OWN = "4bf92f3577b34da6a3ce929d0e0e4736"
META = {"traceparent": f"00-{OWN}-00f067aa0ba902b7-01"}
CALL = "tools/call get_article"


@pytest.fixture
def collector(scanner: Scanner, monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector to which the environment points."""
    with open_collector(scanner) as opened:
        for name, value in opened.environment.items():
            monkeypatch.setenv(name, value)
        yield opened


@pytest.fixture
def observed(collector: Collector, knowledge: KnowledgeBase) -> Iterator[Any]:
    """A function that opens an application which exports to the collector."""
    recorder = open_recorder(os.environ, "1")

    def open_observed(*providers: Any, **options: Any) -> Runtime:
        app = open_app(knowledge, *providers, **options)
        return replace(app, telemetry=Telemetry(recorder=recorder))

    yield open_observed
    recorder.close()


async def call(
    site: Site, tool: str, meta: Any = None, headers: Any = None, **arguments: Any
) -> None:
    """Call a tool."""
    params = {"name": tool, "arguments": arguments}
    sent = message("tools/call", params | ({"_meta": meta} if meta else {}))
    body = json.dumps(sent).encode()
    await ask(site.port, "POST", "/mcp", {**JSON, **(headers or {})}, body)


def facts(span: ReceivedSpan) -> Any:
    """Return all that equal requests have in common."""
    return span.name, span.kind, span.status, span.attributes


@pytest.mark.parametrize("has_fast_path", [True, False])
async def test_a_call_is_a_span_of_its_request(
    observed: Any, collector: Collector, *, has_fast_path: bool
) -> None:
    """In the trace of its header; both paths export the same."""
    async with serving(observed(fast_path=has_fast_path)) as site:
        for _ in range(3):
            await call(site, "get_article", headers=HEADERS, slug="links-to-hidden")
        collector.await_points("mcp.server.operation.duration", 3)
    spans = collector.await_value(lambda: collector.spans[5:] and collector.spans, "6")
    requests, calls = spans[::2], spans[1::2]
    for request, each in zip(requests, calls, strict=True):
        assert (request.trace, request.parent, request.state) == (TRACE, SPAN, "a=b")
        assert (each.trace, each.parent) == (TRACE, request.id)
        assert facts(request) == (
            "POST /mcp",
            2,
            0,
            {
                "http.request.method": "POST",
                "http.response.status_code": 200,
                "http.route": "/mcp",
                "network.protocol.version": "1.1",
                "url.scheme": "http",
                "url.path": "/mcp",
                "client.address": "127.0.0.1",
            },
        )
        assert facts(each) == (
            CALL,
            2,
            0,
            {
                "mcp.method.name": "tools/call",
                "mcp.protocol.version": "2025-03-26",
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "get_article",
                "jsonrpc.request.id": "1",
                "network.protocol.name": "http",
                "network.protocol.version": "1.1",
                "network.transport": "tcp",
                "client.address": "127.0.0.1",
            },
        )
    (point,) = collector.await_points("http.server.request.duration", 3)
    assert point.attributes["http.route"] == "/mcp"


async def test_the_fast_path_names_the_id_of_each_message(
    observed: Any, collector: Collector
) -> None:
    """It parses a repeated message once, whatever the ids."""
    async with serving(observed()) as site:
        for number in (11, 12, 13, 14):
            sent = message("tools/call", {"name": "list_articles"}, number)
            await ask(site.port, "POST", "/mcp", JSON, json.dumps(sent).encode())
        collector.await_points("mcp.server.operation.duration", 4)
    spans = collector.await_value(lambda: collector.spans[7:] and collector.spans, "8")
    ids = [span.attributes["jsonrpc.request.id"] for span in spans[1::2]]
    assert ids == ["11", "12", "13", "14"]


@pytest.mark.parametrize("has_fast_path", [True, False])
async def test_the_trace_of_a_call_comes_from_its_meta(
    observed: Any, collector: Collector, *, has_fast_path: bool
) -> None:
    """The request is linked."""
    async with serving(observed(fast_path=has_fast_path)) as site:
        await call(site, "get_article", META, HEADERS, slug="links-to-hidden")
        request, each = collector.await_spans("POST /mcp", CALL)
    assert request.trace == TRACE
    assert (each.trace, each.parent) == (OWN, "00f067aa0ba902b7")
    assert each.links == (request.id,)


async def test_a_session_is_named_by_its_digest(
    observed: Any, collector: Collector
) -> None:
    """From `initialize` on, on both paths; the id stays here."""
    async with http_peer(observed(), "2025-11-25") as peer:
        for _ in "123":
            await peer.result("tools/call", {"name": "list_articles"})
        names = ("initialize", "notifications/initialized", "tools/call list_articles")
        collector.await_points("mcp.server.operation.duration", 5)
        spans = collector.await_spans(*names)
        assert isinstance(peer, HttpPeer)
        session = peer.session or ""
    digests = {span.attributes["mcp.session.id"] for span in spans}
    assert digests == {digest_session(session)}
    assert not any(session.encode() in body for body in collector.bodies)


@pytest.mark.parametrize("logs", [True, False])
async def test_a_query_is_exported_only_if_queries_are_logged(
    observed: Any, collector: Collector, *, logs: bool
) -> None:
    """Of a tool, and of the website's search."""
    async with serving(observed(log_queries=logs)) as site:
        await call(site, "search_articles", query="sesame-q")
        await ask(site.port, "GET", "/search?q=sesame-q")
        tool, page = collector.await_spans("tools/call search_articles", "GET /search")
    exported = any(b"sesame-q" in body for body in collector.bodies)
    assert exported == logs
    arguments = tool.attributes.get("gen_ai.tool.call.arguments")
    assert arguments == ('{"query":"sesame-q"}' if logs else None)
    assert page.attributes.get("url.query") == ("q=sesame-q" if logs else None)
    assert page.attributes["url.path"] == "/search"


async def test_a_hidden_article_is_exported_like_a_missing_one(
    observed: Any, collector: Collector
) -> None:
    """D-002: also at the collector. The name in a path is what the client sent."""
    async with serving(observed()) as site:
        for slug in ("known-draft", "known-graft"):
            collector.spans.clear()
            await call(site, "get_article", slug=slug)
            await ask(site.port, "GET", f"/{slug}")
            await ask(site.port, "GET", "/health")
            collector.await_spans("GET /health")
            spans = [facts(span) for span in collector.spans[:-1]]
            assert not any(slug in repr(span) for span in spans[:2])
            if slug == "known-draft":
                hidden = repr(spans)
        assert hidden == repr(spans).replace("known-graft", "known-draft")


async def test_failures_are_errors_and_refusals_of_http_are_not(
    observed: Any, collector: Collector
) -> None:
    """HTTP conventions: for a server, only 500 and above are."""
    async with serving(observed(SlowProvider())) as site:
        await call(site, "get_article", slug="nothing")
        await call(site, "crash")
        await call(site, "no_such_tool")
        await ask(site.port, "GET", "/none")
        await ask(site.port, "BREW", "/none")
        await ask(site.port, "POST", "/mcp", {"Content-Type": "text/plain"}, b"{}")
        failed, crashed, unknown, missing, odd = collector.await_spans(
            CALL, "tools/call crash", "tools/call", "GET /{path}", "HTTP /{path}"
        )
        collector.await_points("http.server.request.duration", 6)
    assert (failed.status, failed.attributes["error.type"]) == (ERROR, "tool_error")
    assert crashed.attributes["rpc.response.status_code"] == "-32603"
    assert unknown.attributes["gen_ai.tool.name"] == "no_such_tool"
    assert unknown.attributes["error.type"] == "-32602"
    assert (missing.status, missing.attributes["http.response.status_code"]) == (0, 404)
    assert odd.attributes["http.request.method"] == "_OTHER"
    assert odd.attributes["http.request.method_original"] == "BREW"


async def test_each_message_of_a_batch_is_an_operation(
    observed: Any, collector: Collector
) -> None:
    """Of one request (2025-03-26 basic/index)."""
    batch = [
        message("tools/call", {"name": "list_articles"}, "a"),
        message("ping", {}, "b"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    async with serving(observed()) as site:
        await ask(site.port, "POST", "/mcp", JSON, json.dumps(batch).encode())
        request, *spans = collector.await_spans(
            "POST /mcp", "tools/call list_articles", "ping", "notifications/initialized"
        )
    assert {span.parent for span in spans} == {request.id}
    assert [span.attributes.get("jsonrpc.request.id") for span in spans] == [
        "a",
        "b",
        None,
    ]


async def test_a_stream_is_exported_at_its_end(
    observed: Any, collector: Collector
) -> None:
    """With its whole duration, and without one among the metrics."""
    async with serving(observed()) as site:
        async with dial(site.port) as wire:
            await wire.request("GET", headers={**EVENTS, **HEADERS})
            await wire.head()
            assert not collector.spans
        # The server runs in this thread, and has not seen the end yet.
        (span,) = await asyncio.to_thread(collector.await_spans, "GET /mcp")
        await ask(site.port, "GET", "/health")
        collector.await_points("http.server.request.duration", 1)
    assert (span.trace, span.parent) == (TRACE, SPAN)
    assert [point.attributes["http.route"] for point in collector.points] == ["/health"]


async def test_a_page_of_the_fast_path_is_a_request(
    observed: Any, collector: Collector
) -> None:
    """As one of a handler."""
    async with serving(observed()) as site:
        for _ in range(3):
            answer = await ask(site.port, "GET", "/concepts/links-to-hidden", HEADERS)
            assert answer.status == 200
        collector.await_points("http.server.request.duration", 3)
    spans = collector.await_value(lambda: collector.spans[2:] and collector.spans, "3")
    assert len({repr(facts(span)) for span in spans}) == 1
    assert {(span.name, span.trace) for span in spans} == {("GET /{path}", TRACE)}
