"""The official Python SDK with projects: over each transport, in each of its modes.

The client checks every result against its model of the version.
"""

import json
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp_types import ResourceTemplateReference
from support.canary import Scanner
from support.peers import BOUND, open_app, serving
from support.processes import environment
from support.workspace import FILES, make_workspace

MODES = "http-auto http-legacy http-2026-07-28 sse-legacy stdio-auto stdio-legacy"

CALLS: dict[str, dict[str, Any]] = {
    "get_project_context": {},
    "rules_for_path": {"path": "web/a.py", "include_content": True},
    "list_rules": {},
    "get_rule": {"name": "security"},
    "list_commands": {},
    "get_command": {"name": "web:test"},
    "list_skills": {"query": "plan"},
    "get_skill": {"name": "release"},
    "list_specs": {},
    "get_spec": {"domain": "missing"},
    "get_asdlc_artifacts": {},
    "get_artifact": {"path": "web/AGENTS.md"},
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with artifacts of every kind."""
    return make_workspace(tmp_path / "shop")


@asynccontextmanager
async def join(shop: Path, mode: str, scanner: Scanner) -> AsyncIterator[Client]:
    """Connect a client to a server of a project."""
    kind, _, how = mode.partition("-")
    if kind == "stdio":
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "asdlc_kb", "stdio", "--project", str(shop)],
            env=environment(),
            cwd=shop.parent,
        )
        with tempfile.TemporaryFile("w+") as errors:
            transport = stdio_client(command, errlog=errors)
            async with Client(
                transport, mode=how, read_timeout_seconds=BOUND
            ) as client:
                yield client
            errors.seek(0)
            written = errors.read()
        scanner.scan(written.encode(), "stderr")
        assert "Traceback" not in written
        return
    async with serving(open_app(None, projects=(shop,))) as site:
        address = f"{site.url}/mcp"
        target: Any = sse_client(address) if kind == "sse" else address
        async with Client(target, mode=how, read_timeout_seconds=BOUND) as client:
            yield client


@pytest.mark.parametrize("mode", MODES.split())
async def test_it_asks_for_everything_there_is(
    shop: Path, mode: str, scanner: Scanner
) -> None:
    """Tools, resources, templates and completion; missing items; refusals."""
    async with join(shop, mode, scanner) as client:
        tools = await client.list_tools()
        assert [tool.name for tool in tools.tools] == list(CALLS)
        for tool, arguments in CALLS.items():
            result = await client.call_tool(tool, arguments)
            scanner.scan(result.model_dump_json().encode(), ("sdk", tool))
            assert not result.is_error
            content, *notes = result.content
            assert content.type == "text"
            assert (content.text == FILES["web/AGENTS.md"]) is (tool == "get_artifact")
            if tool != "get_artifact":
                json.loads(content.text)
            assert len(notes) <= 1
            assert result.structured_content is None
        refused = await client.call_tool("list_rules", {"projectPath": "/etc"})
        assert refused.is_error is True
        listed = await client.list_resources()
        for resource in listed.resources:
            read = await client.read_resource(resource.uri)
            assert read.contents[0].mime_type == resource.mime_type
        agents_md = await client.read_resource("ace://agents-md")
        assert getattr(agents_md.contents[0], "text", "") == FILES["AGENTS.md"]
        templates = await client.list_resource_templates()
        known = [each.uri_template for each in templates.resource_templates]
        assert sum(template.startswith("ace://") for template in known) == 6
        completed = await client.complete(
            ResourceTemplateReference(type="ref/resource", uri="ace://skills/{name}"),
            {"name": "name", "value": "cre"},
        )
        assert completed.completion.values == ["create-plan"]
        with pytest.raises(MCPError) as caught:
            await client.read_resource("ace://rules/none")
        assert str(caught.value) == "Rule 'none' not found"
