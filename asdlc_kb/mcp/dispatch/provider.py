"""What a provider offers, and what it is told about a call.

A provider joins one domain to MCP: it lists and calls, reads and completes, and knows
nothing of versions, eras or transports. Above: the dispatcher. Below: the vocabulary.
"""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from asdlc_kb.mcp.protocol.errors import InvalidParams, ResourceNotFound
from asdlc_kb.mcp.protocol.model import (
    BlobContents,
    Completion,
    Prompt,
    PromptResult,
    Resource,
    ResourceTemplate,
    Skill,
    TextContents,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed

RawResult: TypeAlias = Mapping[str, Any]
"""A result in the words of the peer's version, passed on as it is."""

Contents: TypeAlias = TextContents | BlobContents

Report: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]


async def _report_nothing(
    progress: float, total: float | None, message: str | None
) -> None:
    """Stand in for a report where the client asked for none."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """One call, as a provider may see it."""

    version: str
    params: Mapping[str, Any] = field(default_factory=dict)
    """The request's params, `_meta` included."""
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    """What the client declared that it can do."""
    report: Report = _report_nothing
    """Tells the client how far the call is: progress, total, message."""


class Validator(NamedTuple):
    """What the result of a call is made from: it holds while this is equal."""

    state: Hashable
    is_open: bool = False
    """Whether the call has free text in it, so that it hardly comes twice."""


class Provider:
    """Offers nothing; a domain overrides what it has.

    Lists are in the order clients see, each item with its place. Calls raise
    ToolFailure (told to the model) or ProtocolError (told to the client).
    """

    has_skills: bool = False
    """Whether skills may be among what is offered: the extension is then declared."""

    def stamp(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return what the result of a call is made from, or None if it may not be kept.

        Cheap, and asked before each call. Who returns a stamp promises that nothing but
        it, the version and the arguments decides the result, not the client's
        capabilities either.
        """
        return None

    def may_be_kept(self, method: str) -> bool:
        """Whether clients may keep what this provider adds to a method's results.

        Where they may not, the result is theirs alone, and stale at once.
        """
        return True

    async def refresh(self, method: str) -> None:
        """Look anew at what the lists behind a method are made from.

        Awaited before the method is answered. Lists themselves are asked for on the
        event loop, so that what has to be read for them is read here, in a thread.
        """

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the tools on offer right now."""
        return ()

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult | RawResult:
        """Call one of `tools()`."""
        raise InvalidParams(f"Unknown tool: {name}")

    def resources(self) -> Sequence[Listed[Resource]]:
        """Return the resources that can be read right now."""
        return ()

    def templates(self) -> Sequence[Listed[ResourceTemplate]]:
        """Return the families of URIs that `read` knows."""
        return ()

    def reads(self, uri: str) -> bool:
        """Whether the URI is of this provider's scheme, existing or not."""
        return False

    async def knows(self, uri: str) -> bool:
        """Whether a URI that `reads` accepts can be read right now."""
        return False

    def spell(self, uri: str) -> str:
        """Return the spelling in which events name a URI that `reads` accepts."""
        return uri

    async def read(
        self, uri: str, context: CallContext
    ) -> Sequence[Contents] | RawResult:
        """Return a resource's contents, never none; raise ResourceNotFound."""
        raise ResourceNotFound(data={"uri": uri})

    def prompts(self) -> Sequence[Listed[Prompt]]:
        """Return the prompts on offer right now."""
        return ()

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], context: CallContext
    ) -> PromptResult | RawResult:
        """Fill one of `prompts()`."""
        raise InvalidParams(f"Unknown prompt: {name}")

    async def complete(
        self, reference: str, argument: str, value: str, given: Mapping[str, str]
    ) -> Completion:
        """Complete an argument of one of our prompts or templates, named by reference.

        `given` holds the other arguments the user has filled in. An argument that
        cannot be completed has no values.
        """
        return Completion(values=())

    async def skills(self) -> Sequence[Listed[str]]:
        """Return the URIs of the skills that can be had right now."""
        return ()

    async def find_skills(self, uris: Sequence[str]) -> Sequence[Skill]:
        """Return the skills of such URIs, without those that there are not."""
        return ()

    async def list_directory(self, uri: str) -> Sequence[Listed[Resource]] | None:
        """Return what is directly in a folder; None if the URI is none of a folder."""
        return None
