"""Projects over MCP: tools, `ace://` resources and completion of their names.

Every answer is of the disk as it is at that moment: nothing is remembered, here or at
clients, but the list of tools. What is read is read in threads.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from asdlc_kb.mcp.dispatch.provider import (
    CallContext,
    Contents,
    Provider,
    RawResult,
    Validator,
)
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
from asdlc_kb.providers.shared.uncached import LatestValue


class ProjectProvider(Provider):
    """Offers what an agent must know to work in some projects; one at least."""

    def __init__(
        self, projects: Projects, *, accepts_paths: bool, home: Path | None = None
    ) -> None:
        """Offer projects; of a `home`, its commands and skills too.

        A peer that may name paths is told them, all others only know names.
        """
        self._answers = ProjectResults(projects, accepts_paths=accepts_paths, home=home)
        names = [project.name for project in projects]
        self._resources = ProjectResources(self._answers, names)
        self._listed: LatestValue[Sequence[Listed[Resource]]] = LatestValue(())

    def stamp(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return that nothing changes the tools, and that nothing else is kept."""
        return Validator("project") if method == "tools/list" else None

    def may_be_kept(self, method: str) -> bool:
        """Whether it is the list of tools."""
        return method == "tools/list"

    async def refresh(self, method: str) -> None:
        """Look which resources there are; of several looks the newest counts."""
        if method == "resources/list":
            await self._listed.look(self._resources.list_all)

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the tools."""
        return tools.tool_definitions()

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult | RawResult:
        """Call a tool, in a thread."""
        return await asyncio.to_thread(self._answers.call, name, arguments)

    def resources(self) -> Sequence[Listed[Resource]]:
        """Return what the newest look found."""
        return self._listed.value

    def templates(self) -> Sequence[Listed[ResourceTemplate]]:
        """Return the families of URIs."""
        return self._resources.templates()

    def reads(self, uri: str) -> bool:
        """Whether the URI is one of a project."""
        return uri.startswith(PREFIX)

    async def knows(self, uri: str) -> bool:
        """Whether there is such a list or artifact now."""
        return await asyncio.to_thread(self._resources.knows, uri)

    def spell(self, uri: str) -> str:
        """Return the URI as lists and events spell it."""
        return self._resources.spell(uri)

    async def read(
        self, uri: str, context: CallContext
    ) -> Sequence[Contents] | RawResult:
        """Return a list as JSON, or an artifact as its file is."""
        return (await asyncio.to_thread(self._resources.read, uri),)

    async def complete(
        self, reference: str, argument: str, value: str, given: Mapping[str, str]
    ) -> Completion:
        """Complete names of artifacts and of projects."""
        names = await asyncio.to_thread(
            self._resources.complete, reference, argument, value, given.get("project")
        )
        return make_completion(names)
