"""FastMCP's client, as a script uses it: its default mode, over HTTP and stdio.

It wraps the official SDK, but decides by itself whether the answer to `server/discover`
is sufficient, turns structured results into objects, and asks for logs in the `_meta`
of every request. The server is a process of its own.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError
from mcp import MCPError
from mcp.client.subscriptions import listen
from mcp.shared.subscriptions import ResourcesListChanged
from mcp_types import (
    PromptReference,
    ResourceListChangedNotification,
    ResourceTemplateReference,
)
from support.canary import Scanner
from support.knowledge import KnowledgeBase, article_text
from support.processes import BOUND, environment, serve_process

from asdlc_kb import __version__

WRITER = """
import os, sys
path = sys.argv[1]
with open(path + ".tmp", "w", encoding="utf-8") as file:
    file.write(sys.stdin.read())
os.replace(path + ".tmp", path)
"""

STRUCTURED = "--structured-results"
"""It makes objects of structured results."""

Join = Callable[..., AbstractAsyncContextManager[Client[Any]]]


@pytest.fixture
def content(knowledge: KnowledgeBase) -> KnowledgeBase:
    """A knowledge base with an article of two kinds, and one that may be promoted."""
    knowledge.write(
        "concepts/agent-loop",
        title="Agent Loop",
        relatedIds="[patterns/fence]",
        lastUpdated="2025-05-01",
        body="## Definition\n\nRound and round.\n",
    )
    knowledge.write("patterns/fence", title="Fence", description="Keep an agent in")
    knowledge.write("concepts/later", status="Draft")
    return knowledge


@pytest.fixture(params=["http", "stdio"])
def join(
    request: pytest.FixtureRequest,
    content: KnowledgeBase,
    scanner: Scanner,
    tmp_path: Path,
) -> Join:
    """Connect a client to a process that serves it, over one of the transports."""

    @asynccontextmanager
    async def over_http(**options: Any) -> AsyncIterator[Client[Any]]:
        with serve_process(content.root, STRUCTURED, scanner=scanner) as served:
            address = f"http://127.0.0.1:{served.port}/mcp"
            async with Client(address, timeout=BOUND, **options) as client:
                yield client

    @asynccontextmanager
    async def over_stdio(**options: Any) -> AsyncIterator[Client[Any]]:
        errors = tmp_path / "stderr"
        transport = StdioTransport(
            sys.executable,
            ["-m", "asdlc_kb", "stdio", str(content.root), STRUCTURED],
            env=environment(),
            cwd=str(tmp_path),
            keep_alive=False,
            log_file=errors,
        )
        async with Client(transport, timeout=BOUND, **options) as client:
            yield client
        written = errors.read_bytes()
        scanner.scan(written, "stderr")
        assert b"Traceback" not in written

    return over_http if request.param == "http" else over_stdio


async def promote(content: KnowledgeBase) -> None:
    """Make the draft an article of the lists, from another process."""
    await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", WRITER, str(content.root / "concepts/later.md")],
        input=article_text("concepts/later").encode(),
        check=True,
        timeout=BOUND,
    )


async def test_it_agrees_on_the_newest_version_and_reads_the_server_info(
    join: Join,
) -> None:
    """The specification, server/discover; a fallback to initialize would be a fault."""
    async with join() as client:
        assert client.protocol_version == "2026-07-28"
        assert client.initialize_result is None
        assert client.server_info is not None
        identity = (client.server_info.name, client.server_info.version)
    assert identity == ("asdlc-knowledge-base", __version__)


async def test_it_lists_the_tools_and_the_articles(join: Join) -> None:
    """D-100: three tools; the visible articles, newest first."""
    async with join() as client:
        tools = [tool.name for tool in await client.list_tools()]
        listed = await client.call_tool("list_articles", {})
    assert tools == ["list_articles", "get_article", "search_articles"]
    structured = listed.structured_content
    assert structured is not None
    slugs = [article["slug"] for article in structured["articles"]]
    assert slugs == ["agent-loop", "fence", "links-to-hidden"]


async def test_it_makes_an_object_of_an_article(join: Join) -> None:
    """D-013: the client builds a class from the output schema."""
    async with join() as client:
        result = await client.call_tool("get_article", {"slug": "agent-loop"})
    assert result.data.title == "Agent Loop"
    assert result.data.relatedIds == ["patterns/fence"]
    assert result.data.content == "## Definition\n\nRound and round.\n"


@pytest.mark.parametrize("slug", ["known-draft", "does-not-exist"])
async def test_it_raises_when_an_article_is_not_found(join: Join, slug: str) -> None:
    """D-004: hidden or missing, the same text."""
    async with join() as client:
        with pytest.raises(ToolError) as tool:
            await client.call_tool("get_article", {"slug": slug})
        with pytest.raises(MCPError) as resource:
            await client.read_resource(f"kb://article/{slug}")
    assert str(tool.value) == f"Article '{slug}' not found"
    assert str(resource.value) == f"Article '{slug}' not found"


async def test_it_searches_and_reads_what_it_found(join: Join) -> None:
    """D-105: a result has no links; the slug of a row names its resource."""
    async with join() as client:
        result = await client.call_tool("search_articles", {"query": "AGENT"})
        (text,) = result.content
        slugs = [row["slug"] for row in json.loads(text.text)]
        uri = f"kb://article/{slugs[0]}"
        (contents,) = await client.read_resource(uri)
    assert slugs == ["agent-loop", "fence"]
    assert str(contents.uri) == uri
    assert contents.mime_type == "text/markdown"
    assert contents.text.startswith("# Agent Loop\n\n## Definition")


async def test_it_lists_resources_and_their_template(join: Join) -> None:
    """D-100: one resource for each visible article, and their template."""
    async with join() as client:
        resources = await client.list_resources()
        (template,) = await client.list_resource_templates()
    assert [str(resource.uri) for resource in resources] == [
        "kb://article/agent-loop",
        "kb://article/fence",
        "kb://article/links-to-hidden",
    ]
    assert template.uri_template == "kb://article/{slug}"


async def test_it_completes_slugs_of_visible_articles(join: Join) -> None:
    """The specification, server/utilities/completion; hidden slugs are no values."""
    template = ResourceTemplateReference(uri="kb://article/{slug}")
    prompt = PromptReference(name="apply_pattern")
    async with join() as client:
        some = await client.complete(template, {"name": "slug", "value": "a"})
        first = await client.complete(prompt, {"name": "slug", "value": "f"})
        hidden = await client.complete(template, {"name": "slug", "value": "known"})
    assert some.values == ["agent-loop"]
    assert first.values == ["fence"]
    assert hidden.values == []


async def test_it_lists_and_fills_prompts(join: Join) -> None:
    """The specification, server/prompts: arguments in, messages out."""
    async with join() as client:
        prompts = [prompt.name for prompt in await client.list_prompts()]
        arguments = {"slug": "fence", "task": "Mend the gate"}
        filled = await client.get_prompt("apply_pattern", arguments)
    # There is no practice to review against.
    assert prompts == ["explain_concept", "apply_pattern", "find_guidance"]
    request, article = filled.messages
    assert "Mend the gate" in request.content.text
    assert str(article.content.resource.uri) == "kb://article/fence"


async def test_its_session_listens_and_it_lists_what_is_new(
    join: Join, content: KnowledgeBase
) -> None:
    """2026-07-28: it has no API to listen, but gives access to the SDK's session."""
    async with (
        asyncio.timeout(BOUND),
        join() as client,
        listen(client.session, resources_list_changed=True) as changes,
    ):
        await promote(content)
        assert await anext(changes) == ResourcesListChanged()
        uris = {str(resource.uri) for resource in await client.list_resources()}
        assert "kb://article/later" in uris


async def test_its_message_handler_is_told_in_a_session(
    join: Join, content: KnowledgeBase
) -> None:
    """Up to 2025-11-25: through what its documentation calls a message handler."""
    changes: asyncio.Queue[ResourceListChangedNotification] = asyncio.Queue()

    class Handler(MessageHandler):
        async def on_resource_list_changed(
            self, message: ResourceListChangedNotification
        ) -> None:
            changes.put_nowait(message)

    async with (
        asyncio.timeout(BOUND),
        join(mode="legacy", message_handler=Handler()) as client,
    ):
        assert client.protocol_version == "2025-11-25"
        await promote(content)
        await changes.get()
        result = await client.call_tool("get_article", {"slug": "later"})
    assert result.data.slug == "later"
    assert changes.empty()
