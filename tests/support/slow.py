"""A provider with one tool, which takes as long as a test wants."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from asdlc_kb.mcp.dispatch.provider import CallContext, Provider
from asdlc_kb.mcp.protocol.model import TextContent, Tool, ToolResult
from asdlc_kb.mcp.protocol.pagination import Listed, number_items

_TOOLS = ("wait", "progress", "crash", "print")


class SlowProvider(Provider):
    """Offers `wait` until released, `progress`, `crash` and `print`."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.released = asyncio.Event()
        self.ended = asyncio.Event()
        self.was_cancelled = False

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the tools."""
        schema = {"type": "object"}
        return number_items(Tool(name, f"For tests: {name}", schema) for name in _TOOLS)

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult:
        """Do what the tool's name says."""
        if name == "crash":
            raise RuntimeError("a secret of the inside")
        if name == "print":
            print("a stray print")
        if name == "progress":
            for step in (0, 50, 100):
                await context.report(step, 100, f"step {step}\u2028on")
        if name == "wait":
            await context.report(1, None, None)
            await self._wait()
        return ToolResult(content=(TextContent(text=f"{name} is done"),))

    async def _wait(self) -> None:
        self.started.set()
        try:
            await self.released.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        finally:
            self.ended.set()
