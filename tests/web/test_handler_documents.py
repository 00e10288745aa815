"""Client and document in the access log: what was read, and by which client."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.docs import DocsTree
from support.knowledge import Drafts, KnowledgeBase
from support.loglines import captured
from support.peers import message, open_app, serving, stdio_peer
from support.wire import ask

POST = {"Content-Type": "application/json", "Accept": "application/json"}
ARTICLE = "kb://article/the-spec"
PAGE = "kb://doc/guide/start.md"
STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
}

Request = dict[str, Any]


def call(tool: str, **arguments: str) -> Request:
    """Return a call of a tool."""
    return message("tools/call", {"name": tool, "arguments": arguments})


def read(uri: str) -> Request:
    """Return a request for a resource."""
    return message("resources/read", {"uri": uri})


@pytest.fixture
def docs(tmp_path: Path) -> DocsTree:
    """A tree of documentation with one page."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/start.md", "# Start\n")
    return tree


async def log(
    knowledge: KnowledgeBase,
    *requests: Request | str,
    headers: dict[str, str] = POST,
    **settings: Any,
) -> list[dict[str, Any]]:
    """Return the log lines of messages and of pages, each requested twice."""
    knowledge.write("patterns/the-spec", title="The Spec")
    async with serving(open_app(knowledge, **settings)) as site:
        with captured() as lines:
            for request in (each for each in requests for _ in "12"):
                if isinstance(request, str):
                    await ask(site.port, "GET", request, {"Accept": "text/html"})
                else:
                    body = json.dumps(request).encode()
                    await ask(site.port, "POST", "/mcp", headers, body)
    return lines.rows


@pytest.mark.parametrize(
    ("request_", "document"),
    [
        (call("get_article", slug="The Spec"), ARTICLE),
        (call("get_article", slug="patterns/the-spec", format="markdown"), ARTICLE),
        (call("fetch", id="kb://article/patterns/the-spec"), ARTICLE),
        (read("kb://article/patterns/the-spec"), ARTICLE),
        (call("get_doc_page", path="guide/start"), PAGE),
        (call("fetch", id="guide/start.md"), PAGE),
        (read("kb://doc/guide/start.md"), PAGE),
        ("/patterns/the-spec", ARTICLE),
        ("/patterns/the-spec.md", ARTICLE),
        ("/docs/guide/start", PAGE),
        ("/docs/guide/start.md", PAGE),
    ],
)
async def test_what_was_read_is_logged_by_its_uri(
    knowledge: KnowledgeBase, docs: DocsTree, request_: Request | str, document: str
) -> None:
    """The same for each spelling, tool and transport, cached or not."""
    rows = await log(knowledge, request_, docs=docs, chatgpt_tools=True)
    assert [row.get("document") for row in rows] == [document] * 2


@pytest.mark.parametrize(
    "request_",
    [
        call("get_article", slug="known-draft"),
        call("get_article", slug="known-absent"),
        call("fetch", id="kb://article/known-draft"),
        read("kb://article/known-draft"),
        read("kb://article/known-absent"),
        call("list_articles"),
        call("search_articles", query="spec"),
        "/patterns/",
        "/",
    ],
)
async def test_nothing_else_has_a_document(
    knowledge: KnowledgeBase, request_: Request | str
) -> None:
    """A hidden article least of all: its line is that of a missing one."""
    knowledge.write("concepts/known-draft", status="Draft")
    rows = await log(knowledge, request_, chatgpt_tools=True)
    assert ["document" in row for row in rows] == [False] * 2
    assert "known-draft" not in json.dumps(rows)


async def test_drafts_of_their_author_are_not_logged_as_read(tmp_path: Path) -> None:
    """D-209: only visible content is counted, even if the author sees more."""
    knowledge: KnowledgeBase = Drafts(tmp_path / "mine")
    knowledge.write("concepts/new-draft", status="Draft")
    rows = await log(knowledge, "/concepts/new-draft", dev=True, drafts=True)
    assert [row["status"] for row in rows] == [200, 200]
    assert not any("document" in row for row in rows)


async def test_a_client_is_logged_by_the_name_it_gives_itself(
    knowledge: KnowledgeBase,
) -> None:
    """In each request of 2026-07-28, and when it initializes a session."""
    modern = message("tools/list", {"_meta": STATELESS})
    headers = {**POST, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
    assert {row["client"] for row in await log(knowledge, modern, headers=headers)} == {
        "modern"
    }
    info = {"name": "n" * 99, "version": "1"}
    first = message("initialize", {"protocolVersion": "2025-11-25", "clientInfo": info})
    assert {row["client"] for row in await log(knowledge, first)} == {"n" * 40}


@pytest.mark.parametrize("info", [None, "x", {}, {"name": 5}, {"name": ""}])
async def test_a_client_without_a_name_is_served_without_the_field(
    knowledge: KnowledgeBase, info: object
) -> None:
    """`clientInfo` is optional in 2026-07-28."""
    first = message("initialize", {"protocolVersion": "2025-11-25", "clientInfo": info})
    assert not any("client" in row for row in await log(knowledge, first))


@pytest.mark.parametrize("era", ["2025-11-25"])
async def test_the_client_of_a_session_is_logged_with_each_call(
    knowledge: KnowledgeBase, scanner: Scanner, era: str
) -> None:
    """It named itself only in `initialize`."""
    async with stdio_peer(open_app(knowledge), era, scanner) as peer:
        with captured("") as lines:
            for _ in range(2):
                await peer.call("list_articles")
    rows = [row for row in lines.rows if row.get("tool") == "list_articles"]
    assert len(rows) == 2
    assert {row["client"] for row in rows} == {"tests"}
