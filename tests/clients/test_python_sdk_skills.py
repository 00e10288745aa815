"""The official Python SDK reads skills and prompts of projects, and gets changes.

It has no API for the skills extension yet, so these methods are sent as they are. For
changes, the server is a process of its own with a running watcher.
"""

import asyncio
import base64
import hashlib
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp_types import PaginatedRequestParams, Request, RequestParams, Result
from pydantic import ConfigDict
from support.canary import Scanner
from support.files import save_over
from support.peers import BOUND, open_app, serving
from support.processes import environment
from support.workspace import FILES, make_workspace

EXTENSION = "io.modelcontextprotocol/skills"
RULE = ".cursor/rules/house.mdc"


class OfUri(RequestParams):
    """The parameters of a request about one URI."""

    uri: str


class Anything(Result):
    """A result of any shape."""

    model_config = ConfigDict(extra="allow")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with artifacts of every kind."""
    root = make_workspace(tmp_path / "shop")
    logo = root / ".cursor" / "skills" / "create-plan" / "logo.png"
    logo.write_bytes(b"\x89PNG\0\xff")
    return root


@asynccontextmanager
async def over_stdio(shop: Path, mode: str) -> AsyncIterator[Client]:
    """Connect a client to a server that is a process of its own."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "asdlc_kb", "stdio", "--project", str(shop)],
        env=environment(),
        cwd=shop.parent,
    )
    with tempfile.TemporaryFile("w+") as errors:
        transport = stdio_client(command, errlog=errors)
        async with Client(transport, mode=mode, read_timeout_seconds=BOUND) as client:
            yield client


@asynccontextmanager
async def join(shop: Path, transport: str, mode: str) -> AsyncIterator[Client]:
    """Connect a client over a transport."""
    if transport == "stdio":
        async with over_stdio(shop, mode) as client:
            yield client
        return
    async with serving(open_app(None, projects=(shop,))) as site:
        address = f"{site.url}/mcp"
        async with Client(address, mode=mode, read_timeout_seconds=BOUND) as client:
            yield client


async def ask(client: Client, method: str, params: RequestParams) -> dict[str, Any]:
    """Send a request that the client has no API for."""
    request: Any = Request(method=method, params=params)
    result = await client.session.send_request(request, Anything)
    return result.model_dump()


both_modes = pytest.mark.parametrize("mode", ["auto", "legacy"])
both_transports = pytest.mark.parametrize("transport", ["http", "stdio"])


@both_modes
@both_transports
async def test_it_takes_a_skill_and_verifies_it(
    shop: Path, transport: str, mode: str, scanner: Scanner
) -> None:
    """As hosts do: list, get, read each file, compare its size and digest."""
    async with join(shop, transport, mode) as client:
        listed = await ask(client, "skills/list", PaginatedRequestParams())
        uris = [skill["uri"] for skill in listed["skills"]]
        assert uris == ["skill://create-plan/SKILL.md", "skill://third/SKILL.md"]
        got = await ask(client, "skills/get", OfUri(uri=uris[0]))
        assert got["skill"] == listed["skills"][0]
        for file in got["skill"]["resources"]:
            (contents,) = (await client.read_resource(file["uri"])).contents
            scanner.scan(contents.model_dump_json().encode(), file["uri"])
            text = getattr(contents, "text", None)
            data = (
                base64.b64decode(getattr(contents, "blob", ""))
                if text is None
                else text.encode()
            )
            assert len(data) == file["size"]
            digest = hashlib.sha256(data).hexdigest()
            assert file["digest"] == f"sha256:{digest}"
        folder = await ask(
            client, "resources/directory/read", OfUri(uri="skill://create-plan")
        )
        names = [child["name"] for child in folder["resources"]]
        assert names == ["create-plan", "logo.png"]
        with pytest.raises(MCPError, match="No skill is served at skill://none"):
            await ask(client, "skills/get", OfUri(uri="skill://none/SKILL.md"))


@both_modes
@both_transports
async def test_it_fills_a_command(shop: Path, transport: str, mode: str) -> None:
    """Commands are prompts, as any other."""
    async with join(shop, transport, mode) as client:
        listed = await client.list_prompts()
        assert [prompt.name for prompt in listed.prompts] == ["review", "web:test"]
        filled = await client.get_prompt("web:test", {"arguments": "the $1 page"})
        (message,) = filled.messages
        assert message.content.type == "text"
        assert message.content.text == "Test the $1 page.\n"


async def test_it_is_told_of_what_is_saved(shop: Path) -> None:
    """2026-07-28: a rule, then a command, in a server with a running watcher."""
    uris = ["ace://rules/house", "skill://third/SKILL.md"]
    async with (
        over_stdio(shop, "auto") as client,
        asyncio.timeout(2 * BOUND),
        client.listen(
            tools_list_changed=True,
            prompts_list_changed=True,
            resources_list_changed=True,
            resource_subscriptions=uris,
        ) as changes,
    ):
        assert sorted(changes.honored.resource_subscriptions or ()) == uris
        await asyncio.to_thread(save_over, shop / RULE, FILES[RULE] + "More.\n")
        assert await anext(changes) == ResourceUpdated(uri=uris[0])
        read = await client.read_resource(uris[0])
        assert "More." in read.model_dump_json()
        path = ".agents/skills/third/SKILL.md"
        await asyncio.to_thread(save_over, shop / path, FILES[path] + "More.\n")
        assert await anext(changes) == ResourceUpdated(uri=uris[1])
        (shop / ".claude" / "commands" / "web" / "test.md").unlink()
        events = [await anext(changes), await anext(changes)]
        assert events == [PromptsListChanged(), ResourcesListChanged()]
        listed = await client.list_prompts()
        assert [prompt.name for prompt in listed.prompts] == ["review"]
