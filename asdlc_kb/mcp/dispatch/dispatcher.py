"""Dispatch of method calls, independent of era, version and transport.

Above: the eras, which translate. Below: providers, which answer. Results are plain
dictionaries of the types in `model`; the era encodes them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, Literal, TypeVar

from msgspec.structs import replace

from asdlc_kb.mcp.dispatch.list_digests import (
    ListDigests,
    RecentDigests,
    digest_list,
)
from asdlc_kb.mcp.dispatch.provider import (
    CallContext,
    Provider,
    RawResult,
    Validator,
)
from asdlc_kb.mcp.dispatch.skills_extension import SkillsExtension
from asdlc_kb.mcp.protocol.errors import (
    InvalidParams,
    MethodNotFound,
    ResourceNotFound,
    ToolFailure,
    clip,
)
from asdlc_kb.mcp.protocol.lenient_arguments import rename_arguments
from asdlc_kb.mcp.protocol.methods import METHODS, SKILLS
from asdlc_kb.mcp.protocol.model import (
    Prompt,
    PromptResult,
    ResourceTemplate,
    TextContent,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed, paginate
from asdlc_kb.mcp.protocol.params import check_strings, read_object, read_text

T = TypeVar("T")
ToolErrors = Literal["result", "protocol"]

CAPABILITIES: Mapping[str, Any] = {
    "tools": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "prompts": {"listChanged": True},
    "completions": {},
}
"""The capabilities that every server declares, in both eras."""

MAX_URI_CHARACTERS: Final = 16_384
"""The longest path of a file (4,096 bytes), percent-encoded, is shorter."""

_DIGESTED: Final = ("tools/list", "prompts/list", "resources/list")
_LISTS: Final = frozenset({*_DIGESTED, "resources/templates/list"})
_NAME_PARAMS: Final = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
}


class Dispatcher:
    """Routes calls to providers, and validates each method's parameters."""

    def __init__(
        self,
        providers: Sequence[Provider],
        tool_errors: ToolErrors = "result",
        *,
        structured_results: bool = True,
    ) -> None:
        """Route calls to providers.

        Without `structured_results` neither results nor tools show their structure.
        """
        self._providers = tuple(providers)
        self._tool_errors = tool_errors
        self._structured_results = structured_results
        self._digested: tuple[tuple[Validator | None, ...], ListDigests] = ((), ())
        """The most recent digests, and the validators of their lists."""
        self._recent = RecentDigests(self.digest_lists)
        skills = SkillsExtension(self._providers)
        self._extensions = {SKILLS: skills.settings} if skills.are_served else {}
        self._methods: Mapping[str, Callable[[CallContext], Awaitable[Any]]] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read_resource,
            "prompts/list": self._list_prompts,
            "prompts/get": self._get_prompt,
            "completion/complete": self._complete,
            "skills/list": skills.list,
            "skills/get": skills.get,
            "resources/directory/read": skills.read_directory,
        }

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """The capabilities that this server declares, extensions included."""
        if not self._extensions:
            return CAPABILITIES
        return {**CAPABILITIES, "extensions": self._extensions}

    async def dispatch(self, method: str, context: CallContext) -> Any:
        """Return the method's result, not yet encoded; raise ProtocolError.

        The method is one of `methods.METHODS` that the eras do not answer themselves.
        """
        extension = METHODS[method].extension
        if extension is not None and extension not in self._extensions:
            raise MethodNotFound(method)
        await self._refresh(method)
        return await self._methods[method](context)

    async def _refresh(self, method: str) -> None:
        """Let every provider refresh the content of its lists."""
        for provider in self._providers:
            await provider.refresh(method)

    def is_cacheable(self, method: str, params: Mapping[str, Any]) -> bool:
        """Whether clients may cache the result of a method (caching hints)."""
        uri = params.get("uri") if method == "resources/read" else None
        contributors = (
            self._providers_of(uri) if isinstance(uri, str) else self._providers
        )
        return all(provider.is_cacheable(method) for provider in contributors)

    def _providers_of(self, uri: str) -> Sequence[Provider]:
        """Return the provider of a URI's scheme, or none; none for too long a URI."""
        if len(uri) > MAX_URI_CHARACTERS:
            return ()
        return [provider for provider in self._providers if provider.handles(uri)][:1]

    def validator(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return the validator of a call's result; None if it is not cacheable."""
        contributors = self._contributors(method, params)
        if len(contributors) == 1:
            return contributors[0].validator(method, params)
        validators: list[Validator] = []
        for provider in contributors:
            validator = provider.validator(method, params)
            if validator is None:
                return None
            validators.append(validator)
        if not validators:
            return None
        is_open = any(v.is_open for v in validators)
        return Validator(tuple(v.state for v in validators), is_open)

    def _contributors(
        self, method: str, params: Mapping[str, Any]
    ) -> Sequence[Provider]:
        """Return the providers that a cached result of this method depends on."""
        if method in _LISTS:
            return self._providers
        if method not in _NAME_PARAMS:
            return ()
        value = params.get(_NAME_PARAMS[method])
        if not isinstance(value, str):
            return ()
        if method == "resources/read":
            return self._providers_of(value)
        is_tool = method == "tools/call"
        match = self.find_tool(value) if is_tool else self._find_prompt(value)
        return (match[0],) if match else ()

    def find_tool(self, name: str) -> tuple[Provider, Tool] | None:
        """Return a tool and its provider."""
        for provider in self._providers:
            for listed in provider.tools():
                if listed.item.name == name:
                    return provider, listed.item
        return None

    def has_target(self, method: str, name: str) -> bool:
        """Whether a method has a target of that name: a tool, or a prompt."""
        if method == "tools/call":
            return self.find_tool(name) is not None
        return method == "prompts/get" and self._find_prompt(name) is not None

    async def digest_recent_lists(self) -> ListDigests:
        """Return the digests for a new session, maybe from a second ago.

        They are current if the lists have validators; others would be read each time.
        """
        is_cacheable = None not in self._validate_lists()
        return await (self.digest_lists() if is_cacheable else self._recent.get())

    def _validate_lists(self) -> tuple[Validator | None, ...]:
        return tuple(self.validator(method, {}) for method in _DIGESTED)

    async def digest_lists(self) -> ListDigests:
        """Return the digests of the visible lists, the same in every process."""
        validators = self._validate_lists()
        if None in validators or validators != self._digested[0]:
            for method in _DIGESTED:
                await self._refresh(method)
            lists: list[Sequence[Sequence[Listed[Any]]]] = [
                [provider.tools() for provider in self._providers],
                self._unique_prompts(),
                [provider.resources() for provider in self._providers],
            ]
            # The lists may be long, and are not changed after they were returned.
            digests = await asyncio.to_thread(lambda: tuple(map(digest_list, lists)))
            self._digested = validators, digests
        return self._digested[1]

    async def exists(self, uri: str) -> bool:
        """Whether a resource currently exists."""
        return any([await provider.exists(uri) for provider in self._providers_of(uri)])

    def handles(self, uri: str) -> bool:
        """Whether a URI has a scheme of a provider, existing or not."""
        return bool(self._providers_of(uri))

    def canonical_uri(self, uri: str) -> str:
        """Return the canonical form of a URI, which events use."""
        for provider in self._providers_of(uri):
            return provider.canonical_uri(uri)
        return uri

    async def _list_tools(self, context: CallContext) -> dict[str, Any]:
        lists = [provider.tools() for provider in self._providers]
        listed = _paginate("tools", lists, context)
        if self._structured_results:
            return listed
        tools = (replace(tool, output_schema=None) for tool in listed["tools"])
        return {**listed, "tools": tuple(tools)}

    async def _list_resources(self, context: CallContext) -> dict[str, Any]:
        lists = [provider.resources() for provider in self._providers]
        return _paginate("resources", lists, context)

    async def _list_templates(self, context: CallContext) -> dict[str, Any]:
        lists = [provider.templates() for provider in self._providers]
        return _paginate("resourceTemplates", lists, context)

    async def _list_prompts(self, context: CallContext) -> dict[str, Any]:
        return _paginate("prompts", self._unique_prompts(), context)

    def _unique_prompts(self) -> list[Sequence[Listed[Prompt]]]:
        """Return the prompts by provider; the first provider of a name wins."""
        lists: list[Sequence[Listed[Prompt]]] = []
        names: set[str] = set()
        for provider in self._providers:
            prompts = provider.prompts()
            if any(prompt.item.name in names for prompt in prompts):
                prompts = [p for p in prompts if p.item.name not in names]
            names.update(prompt.item.name for prompt in prompts)
            lists.append(prompts)
        return lists

    def call_now(self, params: Mapping[str, Any]) -> ToolResult | RawResult | None:
        """Return the result of a tool call that takes no waiting; None: `dispatch`.

        A failure that is to be reported is None too.
        """
        name, arguments = params.get("name"), params.get("arguments", {})
        match = self.find_tool(name) if isinstance(name, str) else None
        if match is None or not isinstance(arguments, dict):
            return None
        result = match[0].call_now(match[1].name, arguments)
        return None if result is None else self._limit_structure(result)

    async def _call_tool(self, context: CallContext) -> Any:
        name = read_text(context.params, "name")
        arguments = read_object(context.params, "arguments")
        match = self.find_tool(name)
        if match is None:
            raise InvalidParams(f"Unknown tool: {clip(name)}")
        provider, _ = match
        try:
            result = await provider.call_tool(name, arguments, context)
        except ToolFailure as failure:
            if self._tool_errors == "protocol":
                raise failure.to_protocol_error() from None
            texts = (failure.message, *([failure.hint] if failure.hint else ()))
            content = tuple(TextContent(text=text) for text in texts)
            return ToolResult(content=content, is_error=True)
        return self._limit_structure(result)

    def _limit_structure(
        self, result: ToolResult | RawResult
    ) -> ToolResult | RawResult:
        """Return a result without its structured content if that is turned off."""
        if self._structured_results or not isinstance(result, ToolResult):
            return result
        return replace(result, structured_content=None)

    async def _read_resource(self, context: CallContext) -> Any:
        uri = read_text(context.params, "uri")
        for provider in self._providers_of(uri):
            contents = await provider.read(uri, context)
            if isinstance(contents, Mapping):
                return contents
            return {"contents": tuple(contents)}
        known = " or ".join(template.uri_template for template in self._templates())
        message = f"Invalid URI format. Expected: {known}"
        raise ResourceNotFound(message, {"uri": clip(uri)})

    async def _get_prompt(
        self, context: CallContext
    ) -> PromptResult | Mapping[str, Any]:
        name = read_text(context.params, "name")
        given = check_strings(read_object(context.params, "arguments"), "arguments")
        match = self._find_prompt(name)
        if match is None:
            raise InvalidParams(f"Unknown prompt: {clip(name)}")
        provider, prompt = match
        names = [argument.name for argument in prompt.arguments]
        arguments = rename_arguments(given, names)
        for unknown in (name for name in arguments if name not in names):
            known = ", ".join(names) or "none"
            message = f"Unknown argument: {clip(unknown)}. Known arguments: {known}"
            raise InvalidParams(message, {"argument": clip(unknown)})
        for argument in prompt.arguments:
            if argument.required and not arguments.get(argument.name):
                message = f"Missing required argument: {argument.name}"
                raise InvalidParams(message, {"argument": argument.name})
        return await provider.get_prompt(name, arguments, context)

    async def _complete(self, context: CallContext) -> dict[str, Any]:
        reference = read_object(context.params, "ref", required=True)
        argument = read_object(context.params, "argument", required=True)
        given = check_strings(
            read_object(read_object(context.params, "context"), "arguments"),
            "context.arguments",
        )
        provider, name = self._resolve_reference(reference)
        completion = await provider.complete(
            name, read_text(argument, "name"), read_text(argument, "value"), given
        )
        return {"completion": completion}

    def _resolve_reference(self, reference: Mapping[str, Any]) -> tuple[Provider, str]:
        """Return the provider of a reference, and its name or template."""
        match reference:
            case {"type": "ref/prompt", "name": str(name)}:
                if match := self._find_prompt(name):
                    return match[0], name
            case {"type": "ref/resource", "uri": str(uri)}:
                for provider in self._providers:
                    for listed in provider.templates():
                        if listed.item.uri_template == uri:
                            return provider, uri
        raise InvalidParams("Invalid params: ref names no prompt or resource template")

    def _find_prompt(self, name: str) -> tuple[Provider, Prompt] | None:
        for provider in self._providers:
            for listed in provider.prompts():
                if listed.item.name == name:
                    return provider, listed.item
        return None

    def _templates(self) -> list[ResourceTemplate]:
        lists = (provider.templates() for provider in self._providers)
        return [listed.item for listed in chain.from_iterable(lists)]


def _paginate(
    key: str, lists: Sequence[Sequence[Listed[Any]]], context: CallContext
) -> dict[str, Any]:
    return paginate(key, lists, context.params.get("cursor")).to_result(key)
