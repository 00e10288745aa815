"""Projects over MCP: tools, `ace://` resources and completion of their names.

Every result reflects the files on disk: only the tool list is cached, here and in
clients. Files are read in threads.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from asdlc_kb.mcp.dispatch.provider import CallContext, Contents, RawResult
from asdlc_kb.mcp.protocol.model import (
    Completion,
    Resource,
    ResourceTemplate,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.project.registry import Projects
from asdlc_kb.providers.project import tools
from asdlc_kb.providers.project.resources import PREFIX, ProjectResources
from asdlc_kb.providers.project.results import ProjectResults
from asdlc_kb.providers.shared.listings import make_completion
from asdlc_kb.providers.shared.uncached import LatestValue, UncachedProvider


class ProjectProvider(UncachedProvider):
    """Serves the agent artifacts of one or more projects."""

    def __init__(
        self, projects: Projects, *, accepts_paths: bool, home: Path | None = None
    ) -> None:
        """Serve projects, and a `home` directory's instructions, commands and skills.

        With `accepts_paths`, paths are accepted and disclosed; else only names.
        """
        self._results = ProjectResults(projects, accepts_paths=accepts_paths, home=home)
        names = [project.name for project in projects]
        self._has_several = len(names) > 1
        self._resources = ProjectResources(self._results, names)
        self._listed: LatestValue[Sequence[Listed[Resource]]] = LatestValue(())

    async def refresh(self, method: str) -> None:
        """List the resources again; of concurrent updates the newest wins."""
        if method == "resources/list":
            await self._listed.update(self._resources.list_all)

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the tools."""
        return tools.tool_definitions(has_several=self._has_several)

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult | RawResult:
        """Call a tool, in a thread."""
        return await asyncio.to_thread(self._results.call, name, arguments)

    def resources(self) -> Sequence[Listed[Resource]]:
        """Return the most recently listed resources."""
        return self._listed.value

    def templates(self) -> Sequence[Listed[ResourceTemplate]]:
        """Return the URI templates."""
        return self._resources.templates()

    def handles(self, uri: str) -> bool:
        """Whether the URI has the scheme of projects."""
        return uri.startswith(PREFIX)

    async def exists(self, uri: str) -> bool:
        """Whether the list or artifact exists now."""
        return await asyncio.to_thread(self._resources.exists, uri)

    def canonical_uri(self, uri: str) -> str:
        """Return the canonical form of a URI."""
        return self._resources.canonical_uri(uri)

    async def read(
        self, uri: str, context: CallContext
    ) -> Sequence[Contents] | RawResult:
        """Return a list as JSON, or an artifact verbatim."""
        return (await asyncio.to_thread(self._resources.read, uri),)

    async def complete(
        self, reference: str, argument: str, value: str, given: Mapping[str, str]
    ) -> Completion:
        """Complete artifact and project names."""
        names = await asyncio.to_thread(
            self._resources.complete, reference, argument, value, given.get("project")
        )
        return make_completion(names)
