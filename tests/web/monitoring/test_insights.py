"""/insights: what was asked and read, of what is visible, after a restart too."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.peers import message, open_app, serving
from support.site import Site, articles_of
from support.wire import Answer, ask

from asdlc_kb.app import Runtime

POST = {"Content-Type": "application/json", "Accept": "application/json"}
HTML = {"Accept": "text/html"}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


async def call(site: Site, client: str, tool: str, **arguments: str) -> Answer:
    """Call a tool as a client that names itself."""
    info = {"name": client, "version": "1"}
    meta = {**MODERN, "io.modelcontextprotocol/clientInfo": info}
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    headers = {
        **POST,
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    body = json.dumps(message("tools/call", params)).encode()
    return await ask(site.port, "POST", "/mcp", headers, body)


async def show(site: Site, query: str = "") -> str:
    """Return the text of the page, without tags."""
    answer = await ask(site.port, "GET", f"/insights{query}", HTML)
    assert answer.status == 200
    main = answer.body.decode().partition("<main")[2].partition("</main>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


@pytest.fixture
def docs(tmp_path: Path) -> DocsTree:
    """A tree of documentation with two pages."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/start.md", "# Start here\n")
    tree.write("guide/unread.md", "# Unread page\n")
    return tree


@pytest.fixture
def app(knowledge: KnowledgeBase, docs: DocsTree, tmp_path: Path) -> Runtime:
    """A server that logs queries and saves its figures."""
    knowledge.write("patterns/the-spec", title="The Spec")
    knowledge.write("patterns/unread", title="Unread article")
    file = str(tmp_path / "insights.db")
    return open_app(knowledge, docs=docs, log_queries=True, insights=file)


async def use(site: Site) -> None:
    """Send requests of two clients and a browser."""
    for _ in range(3):
        await call(site, "client-one", "search_docs", query="whale song")
        await call(site, "client-one", "get_article", slug="the-spec")
    await call(site, "client-two", "get_doc_page", path="guide/start.md")
    await call(site, "client-two", "get_article", slug="known-draft")
    for path in ("/patterns/the-spec", "/search?q=Whale+Song", "/search?q=spec"):
        await ask(site.port, "GET", path, HTML)


async def test_the_page_answers_what_is_missing(app: Runtime) -> None:
    """What was searched in vain, read and not read, by client and tool."""
    async with serving(app) as site:
        await use(site)
        text = await show(site)
    assert "Searches without results 4 80 % of 5" in text
    assert "Searched, but not found" in text
    assert "whale song 4" in text
    assert "The Spec 3 1" in text
    assert "Start here 1 0" in text
    never = text.partition("Never read")[2].partition("Clients and tools")[0]
    assert "Unread article" in never
    assert "Unread page" in never
    assert "The Spec" not in never
    assert re.search(r"client-one 3 3( \d+)* 6", text)
    assert "client-two" in text


async def test_the_figures_outlive_a_restart(
    app: Runtime, knowledge: KnowledgeBase, docs: DocsTree
) -> None:
    """Those of the file and of the running process are added up."""
    async with serving(app) as site:
        await use(site)
        first = await show(site)
    again = open_app(
        knowledge, docs=docs, log_queries=True, insights=app.settings.insights
    )
    async with serving(again) as site:
        assert "whale song 4" in await show(site)
        await use(site)
        second = await show(site)
    assert "The Spec 3 1" in first
    assert "The Spec 6 2" in second
    assert "whale song 8" in second


async def test_hidden_content_is_nowhere(
    app: Runtime, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Not even what was read before it was hidden: the page shows what is visible."""
    articles = articles_of(app)
    async with serving(app) as site:
        await use(site)
        assert "The Spec" in await show(site)
        before = re.search(r"of (\d+) articles and pages", await show(site))
        knowledge.write("patterns/the-spec", title="The Spec", status="Deprecated")
        articles.publish(articles.scan())
        text = await show(site)
    after = re.search(r"of (\d+) articles and pages", text)
    assert before is not None
    assert after is not None
    assert int(after[1]) == int(before[1]) - 1
    assert "The Spec" not in text
    assert "the-spec" not in text
    assert "Read by agents 1" in text
    file = Path(app.settings.insights or "")
    assert CANARY.encode() not in file.read_bytes()
    assert b"known-draft" not in file.read_bytes()


async def test_without_queries_in_the_log_there_are_numbers(
    knowledge: KnowledgeBase,
) -> None:
    """D-084: the page says how to have them."""
    async with serving(open_app(knowledge)) as site:
        await call(site, "one", "search_articles", query="whale song")
        text = await show(site)
    assert "whale song" not in text
    assert "1 search had no result. Texts of queries are not logged" in text
    assert "--log-queries" in text


async def test_the_last_query_of_the_palette_is_a_search(
    knowledge: KnowledgeBase,
) -> None:
    """D-212: not what was typed on the way to it."""
    async with serving(open_app(knowledge, log_queries=True)) as site:
        for query in ("w", "wh", "wha", "whal", "whale"):
            await ask(site.port, "GET", f"/-/search.json?q={query}")
        await ask(site.port, "HEAD", "/-/search.json?q=whale&submitted=1")
        text = await show(site)
    assert "Searches without results 1 100 % of 1" in text
    assert "whale 1" in text


@pytest.mark.parametrize(
    ("query", "chosen"),
    [
        ("", "30 days"),
        ("?days=7", "7 days"),
        ("?days=365", "1 year"),
        ("?days=x", "30 days"),
    ],
)
async def test_a_period_can_be_chosen(
    knowledge: KnowledgeBase, query: str, chosen: str
) -> None:
    """Of those that are offered."""
    async with serving(open_app(knowledge)) as site:
        answer = await ask(site.port, "GET", f"/insights{query}", HTML)
    (current,) = re.findall(r'aria-current="true">([^<]+)</a>', answer.body.decode())
    assert current == chosen


async def test_the_page_is_stored_nowhere_and_obeys_its_policy(
    knowledge: KnowledgeBase,
) -> None:
    """It has queries; the Content-Security-Policy allows no inline style or script."""
    async with serving(open_app(knowledge)) as site:
        answer = await ask(site.port, "GET", "/insights", HTML)
        foreign = await ask(site.port, "GET", "/insights", {"Host": "evil.example"})
    assert answer.headers["cache-control"] == "no-store, no-transform"
    assert answer.headers["x-robots-tag"] == "noindex"
    assert "style-src 'self';" in answer.headers["content-security-policy"]
    text = answer.body.decode()
    assert "<style" not in text
    assert not re.search(r"<[^>]+ style=|<script>|<[^>]+ on\w+=", text)
    assert foreign.status == 403


async def test_a_client_cannot_write_into_the_page(knowledge: KnowledgeBase) -> None:
    """Names and queries are text; invisible characters are removed."""
    async with serving(open_app(knowledge, log_queries=True)) as site:
        await call(site, "<b>\u202eone", "search_articles", query="<script>\u202ex")
        answer = await ask(site.port, "GET", "/insights", HTML)
    assert b"&lt;script&gt;x" in answer.body
    assert b"&lt;b&gt;one" in answer.body
    assert "\u202e".encode() not in answer.body


@pytest.mark.parametrize(
    ("settings", "is_recording"),
    [
        ({}, True),
        ({"insights_allow": ()}, False),
        ({"base_url": "https://kb.example.com"}, False),
        ({"base_url": "https://kb.example.com", "insights": "FILE"}, True),
    ],
)
async def test_nothing_is_recorded_for_no_observer(
    knowledge: KnowledgeBase, tmp_path: Path, settings: Any, *, is_recording: bool
) -> None:
    """D-209: unless a file is asked for."""
    if "insights" in settings:
        settings = {**settings, "insights": str(tmp_path / "insights.db")}
    async with serving(open_app(knowledge, **settings)) as site:
        assert (site.context.state.insights is not None) is is_recording
