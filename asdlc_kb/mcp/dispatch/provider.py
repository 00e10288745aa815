"""The provider interface: tools, resources, prompts and skills of one domain.

A provider lists, calls, reads and completes, independent of versions, eras and
transports. Above: the dispatcher. Below: the model.

No provider of this package uses `CallContext.report`, `CallContext.capabilities` or
`RawResult`: they are a part of the protocol that is tested with others (D-291).
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
"""A result already encoded for the client's version, passed on unchanged."""

Contents: TypeAlias = TextContents | BlobContents

Report: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]


async def _discard_progress(
    progress: float, total: float | None, message: str | None
) -> None:
    """Discard progress that the client did not request."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """The part of a call that a provider may use."""

    version: str
    params: Mapping[str, Any] = field(default_factory=dict)
    """The request's params, `_meta` included."""
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    """The capabilities that the client declared."""
    report: Report = _discard_progress
    """Sends a progress notification: progress, total, message."""


class Validator(NamedTuple):
    """The state that a result depends on: it is valid while the state is equal."""

    state: Hashable
    is_open: bool = False
    """Whether the call contains free text, so that it is rarely repeated."""


class Provider:
    """A provider without content; subclasses override the methods they support.

    Lists are in the order clients see, each item with its sort key. Calls raise
    ToolFailure (reported to the model) or ProtocolError (reported to the client).
    """

    has_skills: bool = False
    """Whether there may be skills: the extension is then declared."""

    def validator(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return the validator of a call's result; None if it is not cacheable.

        Cheap, and called before each call. The result must depend on nothing but the
        validator, the version and the arguments, not on the client's capabilities
        either.
        """
        return None

    def is_cacheable(self, method: str) -> bool:
        """Whether clients may cache this provider's part of a method's results.

        If not, the result is private to the client, and stale at once.
        """
        return True

    async def refresh(self, method: str) -> None:
        """Refresh the content of the lists behind a method.

        Awaited before the method is answered. Lists are requested on the event loop,
        so that files they depend on are read here, in a thread.
        """

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the current tools."""
        return ()

    def call_now(
        self, name: str, arguments: Mapping[str, Any]
    ) -> ToolResult | RawResult | None:
        """Call one of `tools()` if that takes no waiting and no thread.

        Returns what `call_tool` returns, or None: call that. An expected failure is
        None too, so that `call_tool` reports it.
        """
        return None

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult | RawResult:
        """Call one of `tools()`."""
        raise InvalidParams(f"Unknown tool: {name}")

    def resources(self) -> Sequence[Listed[Resource]]:
        """Return the current resources."""
        return ()

    def templates(self) -> Sequence[Listed[ResourceTemplate]]:
        """Return the URI templates that `read` supports."""
        return ()

    def handles(self, uri: str) -> bool:
        """Whether the URI has this provider's scheme, existing or not."""
        return False

    async def exists(self, uri: str) -> bool:
        """Whether a URI that `handles` accepts currently exists."""
        return False

    def canonical_uri(self, uri: str) -> str:
        """Return the canonical form of a URI that `handles` accepts, used by events."""
        return uri

    async def read(
        self, uri: str, context: CallContext
    ) -> Sequence[Contents] | RawResult:
        """Return a resource's contents, at least one; raise ResourceNotFound."""
        raise ResourceNotFound(data={"uri": uri})

    def prompts(self) -> Sequence[Listed[Prompt]]:
        """Return the current prompts."""
        return ()

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], context: CallContext
    ) -> PromptResult | RawResult:
        """Render one of `prompts()`."""
        raise InvalidParams(f"Unknown prompt: {name}")

    async def complete(
        self, reference: str, argument: str, value: str, given: Mapping[str, str]
    ) -> Completion:
        """Complete an argument of the prompt or template that `reference` names.

        `given` holds the other arguments the user has filled in. An argument that
        cannot be completed has no values.
        """
        return Completion(values=())

    async def skills(self) -> Sequence[Listed[str]]:
        """Return the URIs of the current skills."""
        return ()

    async def find_skills(self, uris: Sequence[str]) -> Sequence[Skill]:
        """Return the skills with these URIs; unknown URIs are skipped."""
        return ()

    async def list_directory(self, uri: str) -> Sequence[Listed[Resource]] | None:
        """Return the children of a folder; None if the URI is not a folder's."""
        return None
