"""Notifications to the official Python SDK of changes that another process makes on
disk.

The server is a process of its own with a running watcher, and so is the writer.
"""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated
from support.canary import Scanner
from support.knowledge import KnowledgeBase, article_text
from support.peers import BOUND
from support.processes import environment, serve_process

WATCHED = "kb://article/watched"
WRITER = """
import os, sys
path = sys.argv[1]
with open(path + ".tmp", "w", encoding="utf-8") as file:
    file.write(sys.stdin.read())
os.replace(path + ".tmp", path)
"""


@pytest.fixture
def content(knowledge: KnowledgeBase) -> KnowledgeBase:
    """A knowledge base with an article to watch and a draft."""
    knowledge.write("concepts/watched")
    knowledge.write("concepts/draft", status="Draft")
    return knowledge


@pytest.fixture
def sources(content: KnowledgeBase) -> tuple[str, ...]:
    """The words of a command line for its folder; those of a store are in its tests."""
    return (str(content.root),)


async def write_elsewhere(root: Path, name: str, **fields: object) -> None:
    """Save an article from another process."""
    await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", WRITER, str(root / f"{name}.md")],
        input=article_text(name, **fields).encode(),
        check=True,
        timeout=BOUND,
    )


@asynccontextmanager
async def connected(
    kind: str, sources: tuple[str, ...], folder: Path, scanner: Scanner, **options: Any
) -> AsyncIterator[Client]:
    """Connect a client to a server that is a process of its own."""
    options["read_timeout_seconds"] = BOUND
    if kind == "stdio":
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "asdlc_kb", "stdio", *sources],
            env=environment(),
            cwd=folder,
        )
        with tempfile.TemporaryFile("w+") as errors:
            transport = stdio_client(command, errlog=errors)
            async with Client(transport, **options) as client:
                yield client
        return
    with serve_process(None, *sources, scanner=scanner, cwd=folder) as served:
        address = f"http://127.0.0.1:{served.port}/mcp"
        server = sse_client(address) if kind == "sse" else address
        async with Client(server, **options) as client:
            yield client


@pytest.mark.parametrize("transport", ["http", "stdio"])
async def test_a_client_that_listens_is_told(
    content: KnowledgeBase,
    sources: tuple[str, ...],
    tmp_path: Path,
    scanner: Scanner,
    transport: str,
) -> None:
    """2026-07-28: a draft is silent, promoting and demoting one are not."""
    async with (
        connected(transport, sources, tmp_path, scanner, mode="auto") as client,
        asyncio.timeout(2 * BOUND),
        client.listen(
            tools_list_changed=True,
            prompts_list_changed=True,
            resources_list_changed=True,
            resource_subscriptions=[WATCHED],
        ) as changes,
    ):
        assert changes.honored.resource_subscriptions == [WATCHED]
        await write_elsewhere(
            content.root, "concepts/draft", status="Draft", body="X\n"
        )
        await write_elsewhere(content.root, "concepts/watched", body="Other text.\n")
        assert await anext(changes) == ResourceUpdated(uri=WATCHED)
        read = await client.read_resource(WATCHED)
        assert "Other text." in read.model_dump_json()
        await write_elsewhere(content.root, "concepts/draft")
        assert await anext(changes) == ResourcesListChanged()
        listed = await client.list_resources()
        assert "kb://article/draft" in {str(r.uri) for r in listed.resources}
        await write_elsewhere(content.root, "concepts/watched", status="Draft")
        events = [await anext(changes), await anext(changes)]
        assert events == [ResourcesListChanged(), ResourceUpdated(uri=WATCHED)]
        gone = await client.call_tool("get_article", {"slug": "watched"})
    assert gone.is_error is True


@pytest.mark.parametrize("transport", ["http", "sse", "stdio"])
async def test_a_client_with_a_session_is_told(
    content: KnowledgeBase,
    sources: tuple[str, ...],
    tmp_path: Path,
    scanner: Scanner,
    transport: str,
) -> None:
    """Up to 2025-11-25: over GET, HTTP+SSE or the pipe, unsolicited and untagged."""
    events: asyncio.Queue[tuple[str, str | None]] = asyncio.Queue()

    async def on_message(message: Any) -> None:
        uri = getattr(message.params, "uri", None)
        events.put_nowait((message.method, uri and str(uri)))

    async with (
        connected(
            *(transport, sources, tmp_path, scanner),
            mode="legacy",
            message_handler=on_message,
        ) as client,
        asyncio.timeout(2 * BOUND),
    ):
        with pytest.warns(MCPDeprecationWarning, match="removed as of 2026-07-28"):
            await client.subscribe_resource(WATCHED)
        await write_elsewhere(
            content.root, "concepts/draft", status="Draft", body="X\n"
        )
        await write_elsewhere(content.root, "concepts/watched", body="Other text.\n")
        assert await events.get() == ("notifications/resources/updated", WATCHED)
        await write_elsewhere(content.root, "concepts/draft")
        assert await events.get() == ("notifications/resources/list_changed", None)
        await write_elsewhere(content.root, "concepts/watched", status="Draft")
        assert await events.get() == ("notifications/resources/list_changed", None)
        assert await events.get() == ("notifications/resources/updated", WATCHED)
        gone = await client.call_tool("get_article", {"slug": "watched"})
    assert gone.is_error is True
    assert events.empty()
