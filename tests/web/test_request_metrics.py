"""Request metrics: each request once, by few labels, on both paths."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.peers import envelope, message, open_app, serving
from support.slow import SlowProvider
from support.wire import ask, dial, until

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.dispatch.provider import Provider
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.eras.stateless import CachingHints
from asdlc_kb.mcp.protocol.inbound import Call
from asdlc_kb.mcp.protocol.model import Implementation, Tool
from asdlc_kb.mcp.protocol.pagination import Listed, number_items
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.ops.metrics.counters import (
    MICROS,
    UNTIMED,
    Metrics,
    decode_key,
    encode_key,
)
from asdlc_kb.ops.metrics.definitions import CALLS, REQUESTS, SEARCHES, MetricFamily
from asdlc_kb.ops.metrics.exposition import write_exposition
from asdlc_kb.web.request_metrics import RequestMetrics

CLIENT = {"Content-Type": "application/json", "Accept": "application/json"}
M = "2026-07-28"


class Counted:
    """The counts of an application."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def __call__(self, counter: MetricFamily) -> dict[str, int]:
        """Return the numbers of a family, whatever the duration, by their labels."""
        counted: dict[str, int] = {}
        for name, number in self._metrics.read().items():
            family, *labels = decode_key(name)
            if family != counter.name or not number:
                continue
            if family in (CALLS.name, REQUESTS.name) and int(labels.pop()) == MICROS:
                continue
            key = " ".join(labels)
            counted[key] = counted.get(key, 0) + number
        return counted


@pytest.fixture
def counted(app: Runtime) -> Counted:
    """The counts of the application of this test."""
    return Counted(app.telemetry.metrics)


def call(tool: str, **arguments: Any) -> bytes:
    """Return a call of a tool."""
    params = {"name": tool, "arguments": arguments}
    return json.dumps(message("tools/call", params)).encode()


async def post(port: int, body: bytes, headers: Mapping[str, str] = {}) -> None:
    """POST a message."""
    await ask(port, "POST", "/mcp", {**CLIENT, **headers}, body)


async def test_a_call_is_counted_by_method_tool_era_and_outcome(
    app: Runtime, counted: Counted
) -> None:
    """The first time, and when the fast path answers from the cache."""
    async with serving(app) as site:
        for _ in range(3):
            await post(site.port, call("get_article", slug="links-to-hidden"))
    known = "tools/call get_article handshake 2025-03-26 ok"
    assert counted(CALLS) == {f"{known} no": 1, f"{known} yes": 2}
    assert counted(REQUESTS) == {"mcp POST 200": 3}


async def test_the_stateless_era_is_told_apart(app: Runtime, counted: Counted) -> None:
    """By era and by version."""
    headers = {"MCP-Protocol-Version": M, "Mcp-Method": "tools/list"}
    body = json.dumps(message("tools/list", {"_meta": envelope(M)})).encode()
    async with serving(app) as site:
        await post(site.port, body, headers)
    assert counted(CALLS) == {f"tools/list  stateless {M} ok no": 1}


@pytest.mark.parametrize(
    ("body", "labels"),
    [
        (b"{", "other    error"),
        (json.dumps(message("ping")).encode(), "ping  handshake 2025-03-26 ok"),
        (
            json.dumps(message("made/up")).encode(),
            "other  handshake 2025-03-26 error",
        ),
        (call("made_up"), "tools/call other handshake 2025-03-26 error"),
        (
            call("get_article", slug="none"),
            "tools/call get_article handshake 2025-03-26 tool_error",
        ),
        (
            json.dumps([message("ping"), message("ping")]).encode(),
            "batch    ok",
        ),
    ],
    ids=["garbage", "ping", "method", "tool", "tool error", "batch"],
)
async def test_names_that_a_client_made_up_are_other(
    app: Runtime, counted: Counted, body: bytes, labels: str
) -> None:
    """Labels are bounded, whatever is sent."""
    async with serving(app) as site:
        await post(site.port, body)
    assert counted(CALLS) == {f"{labels} no": 1}


async def test_a_refused_form_is_an_error(app: Runtime, counted: Counted) -> None:
    """A body that was never read as a message was still answered."""
    async with serving(app) as site:
        await ask(site.port, "POST", "/mcp", {"Content-Type": "text/plain"}, b"{}")
    assert counted(CALLS) == {"other    error no": 1}
    assert counted(REQUESTS) == {"mcp POST 415": 1}


async def test_a_notification_is_no_call(app: Runtime, counted: Counted) -> None:
    """It has no answer; the request is counted all the same."""
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    async with serving(app) as site:
        await post(site.port, json.dumps(notice).encode())
    assert counted(CALLS) == {}
    assert counted(REQUESTS) == {"mcp POST 202": 1}


async def test_a_failure_of_ours_is_told_from_an_error_of_theirs(
    knowledge: KnowledgeBase,
) -> None:
    """An unexpected exception of a provider is no fault of the client."""
    app = open_app(knowledge, SlowProvider())
    async with serving(app) as site:
        await post(site.port, call("crash"))
    (labels,) = Counted(app.telemetry.metrics)(CALLS)
    assert labels == "tools/call crash handshake 2025-03-26 failure no"


@pytest.mark.parametrize(("query", "found"), [("hidden", "yes"), ("zqxzqx", "no")])
async def test_a_search_is_counted_by_whether_it_found_anything(
    app: Runtime, counted: Counted, query: str, found: str
) -> None:
    """Also when its result is cached."""
    async with serving(app) as site:
        for _ in range(3):
            await post(site.port, call("search_articles", query=query))
    assert counted(SEARCHES) == {f"search_articles {found}": 3}
    assert sum(n for k, n in counted(CALLS).items() if k.endswith("yes")) >= 1


@pytest.mark.parametrize("version", ["2024-11-05", "2025-11-25"])
async def test_a_version_without_structure_counts_its_searches_too(
    app: Runtime, counted: Counted, version: str
) -> None:
    """Not every version's result has the number."""
    async with serving(app) as site:
        headers = {"MCP-Protocol-Version": version}
        await post(site.port, call("search_articles", query="zqxzqx"), headers)
    assert counted(SEARCHES) == {"search_articles no": 1}


async def test_what_only_lists_is_no_search(app: Runtime, counted: Counted) -> None:
    """Nor is an empty query, which lists all."""
    async with serving(app) as site:
        await post(site.port, call("list_articles"))
        await post(site.port, call("search_articles", query=" "))
    assert counted(SEARCHES) == {}


async def test_searches_of_documentation_and_of_the_website_count(
    tmp_path: Path,
) -> None:
    """The page, the script of the page, and the tool."""
    docs = DocsTree(tmp_path / "docs")
    docs.write("a.md", "# A\n\nwhales sing\n")
    app = open_app(None, docs=docs)
    counted = Counted(app.telemetry.metrics)
    async with serving(app) as site:
        await post(site.port, call("search_docs", query="whales"))
        for path in ("/search?q=whales", "/-/search.json?q=zqxzqx", "/search"):
            assert (await ask(site.port, "GET", path)).status == 200
    assert counted(SEARCHES) == {
        "search_docs yes": 1,
        "search yes": 1,
        "results no": 1,
    }
    assert counted(REQUESTS) == {
        "mcp POST 200": 1,
        "search GET 200": 2,
        "results GET 200": 1,
    }


@pytest.mark.parametrize(
    ("verb", "path", "labels"),
    [
        ("GET", "/health", "health GET 200"),
        ("HEAD", "/ready", "ready HEAD 200"),
        ("GET", "/", "page GET 200"),
        ("GET", "/none", "page GET 404"),
        ("BREW", "/none", "page other 404"),
        ("GET", "/llms-full.txt", "everything GET 200"),
        ("GET", "/metrics", "metrics GET 200"),
        ("PUT", "/mcp", "mcp PUT 405"),
    ],
)
async def test_a_request_is_counted_by_route_verb_and_status(
    app: Runtime, counted: Counted, verb: str, path: str, labels: str
) -> None:
    """Paths and verbs that a client made up are no labels."""
    async with serving(app) as site:
        await ask(site.port, verb, path)
    assert counted(REQUESTS) == {labels: 1}


async def test_a_stream_is_counted_once_when_it_opens(
    app: Runtime, counted: Counted
) -> None:
    """Its duration is in no bucket, and its end is no second request."""
    async with serving(app) as site:
        async with dial(site.port) as wire:
            await wire.request("GET", headers={"Accept": "text/event-stream"})
            assert (await wire.head()).status == 200
            assert counted(REQUESTS) == {"mcp GET 200": 1}
        await until(lambda: not site.web.state.streams)
    assert counted(REQUESTS) == {"mcp GET 200": 1}
    assert (
        app.telemetry.metrics.read().get(
            encode_key((*REQUESTS.series("mcp", "GET", "200"), str(UNTIMED))), 0
        )
        >= 1
    )


def test_a_request_counts_its_duration() -> None:
    """In the bucket of its family."""
    key = encode_key((*REQUESTS.series("page", "GET", "200"), "7"))
    metrics = Metrics()
    RequestMetrics(metrics).count_request("page", "GET", 200, 0.02)
    assert metrics.read()[key] == 1


def test_the_helper_sees_what_is_counted() -> None:
    """A helper that sees nothing proves nothing."""
    metrics = Metrics()
    metrics.count(SEARCHES.series("tests", "yes"))
    counted = Counted(metrics)
    assert counted(SEARCHES) == {"tests yes": 1}


TOOLS = ("search_articles", "get_article", "search_docs")


class Named(Provider):
    """Offers tools that do nothing."""

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the tools."""
        schema = {"type": "object"}
        return number_items(Tool(name, "For tests", schema) for name in TOOLS)


CACHED = st.tuples(
    st.sampled_from(["tools/call", "tools/list", "resources/read"]),
    st.sampled_from(TOOLS),
    st.sampled_from([M, "2025-06-18", "2024-11-05"]),
    st.sampled_from(["", " ", "gates"]),
    st.none() | st.integers(0, 3),
    st.floats(0, 20),
    st.booleans(),
)


@given(st.lists(CACHED, max_size=30))
def test_resolved_series_count_as_unresolved_ones(
    calls: list[tuple[str, str, str, str, int | None, float, bool]],
) -> None:
    """`/metrics` has the same text, whichever path counted a cached call."""
    resolved, plain = Metrics(), Metrics()
    fast, slow = RequestMetrics(resolved), RequestMetrics(plain)
    server = McpServer(
        [Named()],
        Implementation(name="x", version="1"),
        instructions=str,
        hints=CachingHints({}),
    )
    for method, tool, version, query, total, seconds, is_cached in calls:
        params = {"name": tool, "arguments": {"query": query}}
        made = Call(1, method, params, version)
        series = fast.find_answered(made, total, is_cached=is_cached)
        series.record(seconds)
        reply = Response(200, b"{}", total=total)
        slow.count_call(server, made, reply, is_cached=is_cached, seconds=seconds)
        slow.count_request("mcp", "POST", 200, seconds)
    texts = [
        write_exposition(metrics.read(), {}, "text/plain")
        for metrics in (resolved, plain)
    ]
    assert texts[0] == texts[1]


def test_a_request_of_a_resolved_kind_is_counted_as_any_other() -> None:
    """An unknown verb is `other` here too."""
    resolved, plain = Metrics(), Metrics()
    for verb in ("GET", "BREW"):
        RequestMetrics(resolved).find_request("page", verb, 200).record(0.002)
        RequestMetrics(plain).count_request("page", verb, 200, 0.002)
    assert resolved.read() == plain.read()
