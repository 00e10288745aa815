"""Search queries: in the log if the operator wants it, and nowhere else."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import StdioPeer, message, open_app, serving, stdio_peer
from support.wire import ask

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.protocol.inbound import MAX_LOGGED_CHARS
from asdlc_kb.ops.insights.log_report import LogReport

CLIENT = {"Content-Type": "application/json", "Accept": "application/json"}
SECRET = "whale-song"


def search(tool: str = "search_articles", query: Any = SECRET) -> dict[str, Any]:
    """Return a search."""
    return message("tools/call", {"name": tool, "arguments": {"query": query}})


async def look_everywhere(app: Runtime) -> list[dict[str, Any]]:
    """Search by every way over HTTP, twice; return the lines of the log."""
    async with serving(app) as site:
        with captured("") as lines:
            for _ in range(2):
                for tool in ("search_articles", "search_docs"):
                    body = json.dumps(search(tool)).encode()
                    assert (
                        await ask(site.port, "POST", "/mcp", CLIENT, body)
                    ).status == 200
                for path in ("/search", "/-/search.json"):
                    answer = await ask(site.port, "GET", f"{path}?q={SECRET}")
                    assert answer.status == 200
            scrape = await ask(site.port, "GET", "/metrics")
    assert SECRET.encode() not in scrape.body
    assert SECRET not in repr(app.telemetry.metrics.read())
    return lines.rows


@pytest.fixture
def docs(tmp_path: Path) -> DocsTree:
    """A tree of documentation."""
    return DocsTree(tmp_path / "docs")


async def test_by_default_no_query_is_anywhere(
    knowledge: KnowledgeBase, docs: DocsTree
) -> None:
    """D-084: neither in the log nor in the metrics; only the number of results."""
    rows = await look_everywhere(open_app(knowledge, docs=docs))
    assert SECRET not in json.dumps(rows)
    assert sum("found" in row for row in rows) == 8


async def test_the_operator_may_have_queries_in_the_log(
    knowledge: KnowledgeBase, docs: DocsTree
) -> None:
    """D-084: of tools and pages, also of cached results; `stats` adds them up."""
    rows = await look_everywhere(open_app(knowledge, docs=docs, log_queries=True))
    searches = [row for row in rows if "found" in row]
    assert [row["query"] for row in searches] == [SECRET] * 8
    found = LogReport()
    found.read(json.dumps(row).encode() for row in rows)
    assert found.queries == found.queries_without_results == [(SECRET, 6)]


@pytest.mark.parametrize("logs_queries", [False, True])
async def test_it_is_so_over_stdio(
    knowledge: KnowledgeBase, scanner: Scanner, *, logs_queries: bool
) -> None:
    """D-084: the client's log has it only if configured."""
    app = open_app(knowledge, log_queries=logs_queries)
    async with stdio_peer(app, "2025-11-25", scanner) as peer:
        assert isinstance(peer, StdioPeer)
        with captured("") as lines:
            for _ in range(2):
                await peer.exchange(search())
    rows = [row for row in lines.rows if row["event"] == "request"]
    expected = [SECRET if logs_queries else None] * 2
    assert [row.get("query") for row in rows] == expected


@pytest.mark.parametrize("query", [None, 5, "", " ", ["a"]])
async def test_what_is_no_query_is_no_field(
    knowledge: KnowledgeBase, query: object
) -> None:
    """Whatever a client sends in its place."""
    async with serving(open_app(knowledge, log_queries=True)) as site:
        with captured() as lines:
            body = json.dumps(search(query=query)).encode()
            await ask(site.port, "POST", "/mcp", CLIENT, body)
    assert ["query" in row for row in lines.rows] == [False]


async def test_a_long_query_is_cut(knowledge: KnowledgeBase) -> None:
    """A line is bounded."""
    query = "x" * (MAX_LOGGED_CHARS + 100)
    async with serving(open_app(knowledge, log_queries=True)) as site:
        with captured() as lines:
            body = json.dumps(search(query=query)).encode()
            await ask(site.port, "POST", "/mcp", CLIENT, body)
            await ask(site.port, "GET", f"/search?q={query}")
    assert [len(row.get("query", "")) for row in lines.rows] == [MAX_LOGGED_CHARS] * 2
