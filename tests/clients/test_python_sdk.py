"""The official Python SDK as the other end: its modes, all transports, all features.

Its first request, its validation and its fallbacks are its own; it rejects results that
its model of the version does not allow.
"""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp_types import PromptReference, ResourceTemplateReference
from pydantic import BaseModel
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import BOUND, open_app, serving
from support.processes import environment
from support.results import read_value

from asdlc_kb import __version__
from asdlc_kb.app.instructions import ARTICLES, CAUTION, insert_topics

AGREED = {"auto": "2026-07-28", "legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
"""The version that each mode of the client agrees on, except over HTTP+SSE."""

Join = Callable[[KnowledgeBase], AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def over_http(knowledge: KnowledgeBase, mode: str) -> AsyncIterator[Client]:
    """Connect to a server in this process."""
    async with (
        serving(open_app(knowledge)) as site,
        Client(f"{site.url}/mcp", mode=mode, read_timeout_seconds=BOUND) as client,
    ):
        yield client


@asynccontextmanager
async def over_sse(knowledge: KnowledgeBase, mode: str) -> AsyncIterator[Client]:
    """Connect as clients of 2024-11-05 do; in auto mode it discovers in vain."""
    async with serving(open_app(knowledge)) as site:
        transport = sse_client(f"{site.url}/mcp")
        async with Client(transport, mode=mode, read_timeout_seconds=BOUND) as client:
            yield client


@asynccontextmanager
async def over_stdio(
    knowledge: KnowledgeBase, mode: str, scanner: Scanner
) -> AsyncIterator[Client]:
    """Let the client start `python -m asdlc_kb stdio` and talk to its pipes."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "asdlc_kb", "stdio", str(knowledge.root)],
        env=environment(),
        cwd=knowledge.root.parent,
    )
    with tempfile.TemporaryFile("w+") as errors:
        transport = stdio_client(command, errlog=errors)
        async with Client(transport, mode=mode, read_timeout_seconds=BOUND) as client:
            yield client
        errors.seek(0)
        written = errors.read()
    scanner.scan(written.encode(), "stderr")
    assert "Traceback" not in written


MODES = """
    http-auto http-legacy http-2026-07-28 sse-auto sse-legacy stdio-auto stdio-legacy
"""


@pytest.fixture(params=MODES.split())
def mode(request: pytest.FixtureRequest) -> str:
    """A transport and a mode of the client."""
    parameter: str = request.param
    return parameter


@pytest.fixture
def join(mode: str, scanner: Scanner) -> Join:
    """Connect a client to a knowledge base."""
    transport, _, how = mode.partition("-")

    def connect(knowledge: KnowledgeBase) -> AbstractAsyncContextManager[Client]:
        if transport == "http":
            return over_http(knowledge, how)
        if transport == "sse":
            return over_sse(knowledge, how)
        return over_stdio(knowledge, how, scanner)

    return connect


@pytest.fixture
def plain(scanner: Scanner) -> Callable[[BaseModel], dict[str, Any]]:
    """Turn a result into JSON values, scanned as it was received."""

    def dump(result: BaseModel) -> dict[str, Any]:
        scanner.scan(result.model_dump_json().encode(), ("sdk", id(result)))
        values: dict[str, Any] = result.model_dump(
            by_alias=True, mode="json", exclude_none=True
        )
        return values

    return dump


Plain = Callable[[BaseModel], dict[str, Any]]


def agreed(mode: str) -> str:
    """Return the version that the client of a transport and mode agrees on."""
    transport, _, how = mode.partition("-")
    return AGREED["legacy" if transport == "sse" else how]


def is_stateless(mode: str) -> bool:
    """Whether the client of a mode speaks 2026-07-28."""
    return agreed(mode) == "2026-07-28"


async def test_it_agrees_on_a_version_and_reads_the_server_info(
    content: KnowledgeBase, join: Join, mode: str
) -> None:
    """The specification, basic/lifecycle and server/discover; D-043: our identity."""
    async with join(content) as client:
        assert client.protocol_version == agreed(mode)
        assert client.server_info is not None or mode.endswith("2026-07-28")
        if client.server_info is not None:
            identity = (client.server_info.name, client.server_info.version)
            assert identity == ("asdlc-knowledge-base", __version__)
            assert (
                client.instructions
                == f"{insert_topics(ARTICLES, 'concepts, patterns')}\n\n{CAUTION}"
            )
            offered = client.server_capabilities
            assert offered.tools is not None
            assert offered.tools.list_changed
            assert offered.resources is not None
            assert offered.resources.list_changed
            assert offered.resources.subscribe
            assert offered.prompts is not None
            assert offered.prompts.list_changed
            assert offered.completions is not None
            assert offered.logging is None


async def test_it_lists_the_tools(
    content: KnowledgeBase, join: Join, plain: Plain
) -> None:
    """D-100: the three tools, read-only and closed-world."""
    async with join(content) as client:
        listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == [
        "list_articles",
        "get_article",
        "search_articles",
    ]
    for tool in plain(listed)["tools"]:
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "openWorldHint": False,
        }
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["title"]


async def test_it_calls_list_articles(
    content: KnowledgeBase, join: Join, plain: Plain
) -> None:
    """D-100: the visible articles, newest first, without their text."""
    async with join(content) as client:
        result = await client.call_tool("list_articles", {})
        few = await client.call_tool("list_articles", {"category": "patterns"})
    slugs = [article["slug"] for article in read_value(plain(result))]
    assert slugs == ["agent-loop", "fence", "links-to-hidden"]
    assert [article["slug"] for article in read_value(plain(few))] == ["fence"]


async def test_it_calls_get_article(
    content: KnowledgeBase, join: Join, plain: Plain
) -> None:
    """D-010: the whole article, as JSON in the text; D-013: and nothing twice."""
    async with join(content) as client:
        await client.list_tools()
        result = await client.call_tool("get_article", {"slug": "agent-loop"})
    assert not result.is_error
    assert plain(result).get("structuredContent") is None
    assert read_value(plain(result)) == {
        "slug": "agent-loop",
        "category": "concepts",
        "title": "Agent Loop",
        "description": "Why agents go round",
        "tags": ["Loops", "Agents"],
        "lastUpdated": "2025-05-01",
        "status": "Live",
        "relatedIds": ["patterns/fence"],
        "content": "## Definition\n\nRound and round.\n",
    }


@pytest.mark.parametrize("slug", ["known-draft", "does-not-exist"])
async def test_it_is_told_that_an_article_is_not_found(
    content: KnowledgeBase, join: Join, plain: Plain, slug: str
) -> None:
    """D-004: hidden or missing, a failure that the model reads."""
    async with join(content) as client:
        result = await client.call_tool("get_article", {"slug": slug})
    assert result.is_error is True
    (item,) = plain(result)["content"]
    assert item == {"type": "text", "text": f"Article '{slug}' not found"}


async def test_it_calls_search_articles_and_reads_what_it_found(
    content: KnowledgeBase, join: Join, plain: Plain
) -> None:
    """D-105: each slug that a search finds is the name of a resource."""
    async with join(content) as client:
        result = await client.call_tool("search_articles", {"query": "AGENT"})
        slugs = [article["slug"] for article in read_value(plain(result))]
        read = await client.read_resource(f"kb://article/{slugs[0]}")
    assert slugs == ["agent-loop", "fence"]
    assert plain(read)["contents"][0]["text"].startswith(
        "# Agent Loop\n\n## Definition"
    )


async def test_an_unknown_tool_is_a_protocol_error(
    content: KnowledgeBase, join: Join
) -> None:
    """The specification, server/tools: -32602."""
    async with join(content) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("delete_article", {"slug": "x"})
    assert (caught.value.code, str(caught.value)) == (
        -32602,
        "Unknown tool: delete_article",
    )


async def test_it_lists_and_reads_resources(
    content: KnowledgeBase, join: Join, plain: Plain
) -> None:
    """D-104: resources in the same order; the text is Markdown with a footer."""
    async with join(content) as client:
        listed = await client.list_resources()
        templates = await client.list_resource_templates()
        read = await client.read_resource("kb://article/fence")
    assert [resource["uri"] for resource in plain(listed)["resources"]] == [
        "kb://article/agent-loop",
        "kb://article/fence",
        "kb://article/links-to-hidden",
    ]
    (template,) = plain(templates)["resourceTemplates"]
    assert template["uriTemplate"] == "kb://article/{slug}"
    (contents,) = plain(read)["contents"]
    assert contents["mimeType"] == "text/markdown"
    assert contents["text"].endswith(
        "Author: Unknown\nCategory: patterns\nTags: One, Two\nPublished: 2025-04-01\n"
        "Status: Experimental (high-risk: an emerging pattern, not yet proven)"
    )


@pytest.mark.parametrize("slug", ["known-draft", "does-not-exist"])
async def test_a_resource_that_is_not_there_has_the_code_of_the_era(
    content: KnowledgeBase, join: Join, mode: str, slug: str
) -> None:
    """The specification, server/resources: -32002, and -32602 from 2026-07-28."""
    async with join(content) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(f"kb://article/{slug}")
    assert caught.value.code == (-32602 if is_stateless(mode) else -32002)
    assert str(caught.value) == f"Article '{slug}' not found"
    assert caught.value.data == {"uri": f"kb://article/{slug}"}


async def test_it_pages_through_every_resource(
    content: KnowledgeBase, join: Join, scanner: Scanner
) -> None:
    """The specification, server/utilities/pagination: each once, to the end."""
    for number in range(120):
        content.write(f"concepts/n{number:03}", lastUpdated="2024-01-01")
    uris: list[str] = []
    async with join(content) as client:
        cursor: str | None = None
        while True:
            page = await client.list_resources(cursor=cursor)
            uris += [str(resource.uri) for resource in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
            assert len(uris) < 123
    assert len(uris) == len(set(uris)) == 123
    scanner.scan(" ".join(uris).encode(), "sdk pages")


async def test_it_lists_and_fills_prompts(
    content: KnowledgeBase, join: Join, plain: Plain
) -> None:
    """The specification, server/prompts: arguments in, messages out."""
    async with join(content) as client:
        listed = await client.list_prompts()
        filled = await client.get_prompt(
            "apply_pattern", {"slug": "fence", "task": "Mend the gate"}
        )
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("explain_concept", {"slug": "known-draft"})
    names = [prompt["name"] for prompt in plain(listed)["prompts"]]
    # There is no practice to review against.
    assert names == ["explain_concept", "apply_pattern", "find_guidance"]
    request, article = plain(filled)["messages"]
    assert "Mend the gate" in request["content"]["text"]
    assert article["content"]["resource"]["uri"] == "kb://article/fence"
    assert str(caught.value) == "Article 'known-draft' not found"


async def test_it_completes_slugs_of_visible_articles(
    content: KnowledgeBase, join: Join, plain: Plain
) -> None:
    """The specification, server/utilities/completion; hidden slugs are no values."""
    template = ResourceTemplateReference(uri="kb://article/{slug}")
    prompt = PromptReference(name="apply_pattern")
    async with join(content) as client:
        of_template = await client.complete(template, {"name": "slug", "value": "a"})
        of_prompt = await client.complete(prompt, {"name": "slug", "value": ""})
        of_hidden = await client.complete(template, {"name": "slug", "value": "known"})
    assert plain(of_template)["completion"]["values"] == ["agent-loop"]
    assert plain(of_prompt)["completion"]["values"] == [
        "fence",
        "agent-loop",
        "links-to-hidden",
    ]
    assert plain(of_hidden)["completion"] == {
        "values": [],
        "total": 0,
        "hasMore": False,
    }


async def test_ping_is_answered_where_it_exists(
    content: KnowledgeBase, join: Join, mode: str
) -> None:
    """The specification, basic/utilities/ping; removed with 2026-07-28."""
    async with join(content) as client:
        if not is_stateless(mode):
            await client.session.send_ping()
            return
        with pytest.raises(MCPError) as caught:
            await client.session.send_ping()
    assert caught.value.code == -32601


async def test_many_calls_at_once_get_their_own_answers(
    content: KnowledgeBase, join: Join
) -> None:
    """D-046: nothing depends on the id of another call."""
    async with join(content) as client:
        calls = [
            client.call_tool("get_article", {"slug": f"missing-{number}"})
            for number in range(20)
        ]
        results = await asyncio.gather(*calls)
    texts = [result.model_dump()["content"][0]["text"] for result in results]
    assert texts == [f"Article 'missing-{number}' not found" for number in range(20)]
