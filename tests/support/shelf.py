"""A provider for protocol tests, and a peer that calls a server object directly."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from asdlc_kb.mcp.dispatch.provider import CallContext, Contents, Provider
from asdlc_kb.mcp.eras.stateless import CachingHints
from asdlc_kb.mcp.protocol.errors import ResourceNotFound, ToolFailure
from asdlc_kb.mcp.protocol.model import (
    Completion,
    Implementation,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextContents,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed, number_items
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.sessions.session import Session
from support.canary import Scanner
from support.peers import Peer

IDENTITY = Implementation(name="shelf", version="1.2.3", title="The Shelf")
HINTS = CachingHints({"discovery": 300_000, "list": 200_000, "resource": 60_000})
SECRET = "detail-that-stays-in-the-log"
"""The text of an unexpected exception."""

_MIRRORED = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
}


@dataclass
class SampleProvider(Provider):
    """Offers tools that do what their names say, notes, one prompt, one completion."""

    notes: list[str] = field(default_factory=lambda: ["a", "b", "c"])
    seen: list[CallContext] = field(default_factory=list)

    def tools(self) -> Sequence[Listed[Tool]]:
        names = ("echo", "fail", "break", "count")
        empty = {"type": "object"}
        listed = [Tool(name=n, description=n, input_schema=empty) for n in names]
        mirrored = Tool(name="mirror", description="m", input_schema=_MIRRORED)
        return number_items((*listed, mirrored))

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult:
        self.seen.append(context)
        if name == "fail":
            raise ToolFailure("It did not work", {"why": "asked to"})
        if name == "break":
            raise RuntimeError(SECRET)
        if name == "count":
            for step in (1, 2, 2, 1, 3):
                await context.report(step, 3, f"step {step}")
            await context.report(4.5, None, None)
        return ToolResult(
            content=(TextContent(text=json.dumps(arguments)),),
            structured_content=dict(arguments),
        )

    def resources(self) -> Sequence[Listed[Resource]]:
        return [Listed(n, Resource(uri=f"note://{n}", name=n)) for n in self.notes]

    def templates(self) -> Sequence[Listed[ResourceTemplate]]:
        return number_items(
            (ResourceTemplate(uri_template="note://{name}", name="note"),)
        )

    def handles(self, uri: str) -> bool:
        return uri.startswith("note://")

    async def exists(self, uri: str) -> bool:
        return self.canonical_uri(uri).removeprefix("note://") in self.notes

    def canonical_uri(self, uri: str) -> str:
        return uri.lower()

    async def read(self, uri: str, context: CallContext) -> Sequence[Contents]:
        if uri.removeprefix("note://") not in self.notes:
            raise ResourceNotFound("No such note", {"uri": uri})
        return (TextContents(uri=uri, text="text"),)

    def prompts(self) -> Sequence[Listed[Prompt]]:
        arguments = (
            PromptArgument(name="who", required=True),
            PromptArgument(name="how"),
        )
        return number_items(
            (Prompt(name="greet", description="g", arguments=arguments),)
        )

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], context: CallContext
    ) -> PromptResult:
        text = f"Hello {arguments['who']}"
        message = PromptMessage(role="user", content=TextContent(text=text))
        return PromptResult(messages=(message,))

    async def complete(
        self, reference: str, argument: str, value: str, arguments: Mapping[str, str]
    ) -> Completion:
        return Completion(values=(reference, argument, value, *arguments.values()))


class Immediate(SampleProvider):
    """Answers two of the sample's tools without waiting; no other one."""

    def call_now(self, name: str, arguments: Mapping[str, Any]) -> ToolResult | None:
        if name not in ("echo", "mirror"):
            return None
        return ToolResult(
            content=(TextContent(text=json.dumps(arguments)),),
            structured_content=dict(arguments),
        )


def make_server(*providers: Provider, **arguments: Any) -> McpServer:
    """Return a server over providers, by default a sample one."""
    chosen = providers or (SampleProvider(),)
    return McpServer(
        chosen, IDENTITY, instructions=lambda: "Read me.", hints=HINTS, **arguments
    )


@dataclass
class DirectPeer(Peer):
    """A client without a transport: it passes bytes to the server object."""

    server: McpServer = None  # type: ignore[assignment]
    scanner: Scanner = None  # type: ignore[assignment]
    status: int = 0
    body: bytes = b""
    """The bytes of the last answer."""
    remembered: int = 0
    """Answers that were also in the result cache."""
    session: Session = field(default_factory=lambda: Session(is_channel=True))
    """The server's session of this peer, as on stdio."""

    def __post_init__(self) -> None:
        """Set the version as after a handshake."""
        self.session.version = None if self.is_stateless else self.version

    async def exchange(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Pass one message; return the answer, scanned like a transport's bytes."""
        text = json.dumps(sent).encode()
        received = self.server.receive(text, session=self.session)
        remembered = self.server.cached_response(received)
        reply = await self.server.answer(received, session=self.session)
        if remembered is not None:
            self.remembered += 1
            assert remembered == reply
        self.scanner.scan(reply.body, ("direct", id(self)))
        self.status, self.body = reply.status, reply.body
        answer: dict[str, Any] = json.loads(reply.body)
        return answer
