"""One method call: its provider, its parameters, and its failures."""

from typing import Any

import pytest
from support.shelf import SampleProvider

from asdlc_kb.mcp.dispatch.dispatcher import (
    CAPABILITIES,
    MAX_URI_CHARACTERS,
    Dispatcher,
)
from asdlc_kb.mcp.dispatch.provider import CallContext, Provider
from asdlc_kb.mcp.protocol.errors import (
    InternalError,
    InvalidParams,
    ProtocolError,
    ResourceNotFound,
    ToolFailure,
)
from asdlc_kb.mcp.protocol.model import (
    Completion,
    Prompt,
    TextContent,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed, number_items

M = "2026-07-28"


async def ask(dispatcher: Dispatcher, method: str, **params: Any) -> Any:
    """Dispatch one call."""
    return await dispatcher.dispatch(method, CallContext(M, params))


async def refused(dispatcher: Dispatcher, method: str, **params: Any) -> ProtocolError:
    """Dispatch one call that is refused; return the error."""
    with pytest.raises(ProtocolError) as caught:
        await ask(dispatcher, method, **params)
    return caught.value


class Second(Provider):
    """Offers one tool of its own, and one with the name of the sample's."""

    def tools(self) -> list[Listed[Tool]]:
        tools = [
            Tool(name=name, description="second", input_schema={"type": "object"})
            for name in ("echo", "other")
        ]
        return list(number_items(tools))

    async def call_tool(self, name: str, arguments: Any, context: CallContext) -> Any:
        return {"content": [{"type": "text", "text": f"second {name}"}]}

    def handles(self, uri: str) -> bool:
        return uri.startswith("raw:")

    async def read(self, uri: str, context: CallContext) -> Any:
        return {"contents": [{"uri": uri, "text": "raw"}]}


async def test_lists_are_those_of_all_providers_in_their_order() -> None:
    """Lists are merged, the first provider's items first."""
    dispatcher = Dispatcher([SampleProvider(), Second(), Provider()])
    tools = (await ask(dispatcher, "tools/list"))["tools"]
    assert [tool.name for tool in tools] == [
        *("echo", "fail", "break", "count", "mirror"),
        *("echo", "other"),
    ]
    listed = await ask(dispatcher, "resources/list")
    assert [resource.name for resource in listed["resources"]] == ["a", "b", "c"]
    listed = await ask(dispatcher, "resources/templates/list")
    assert [t.uri_template for t in listed["resourceTemplates"]] == ["note://{name}"]
    listed = await ask(dispatcher, "prompts/list")
    assert [prompt.name for prompt in listed["prompts"]] == ["greet"]
    assert "nextCursor" not in listed


async def test_the_first_provider_that_has_a_tool_is_called() -> None:
    """A name belongs to the provider composed first."""
    dispatcher = Dispatcher([SampleProvider(), Second()])
    first = await ask(dispatcher, "tools/call", name="echo", arguments={"a": 1})
    assert first.content == (TextContent(text='{"a": 1}'),)
    second = await ask(dispatcher, "tools/call", name="other")
    assert second["content"][0]["text"] == "second other"
    tool = dispatcher.find_tool("other")
    assert tool is not None
    assert tool[1].description == "second"
    assert dispatcher.find_tool("none") is None


async def test_a_list_continues_at_its_cursor_though_it_changed_between() -> None:
    """D-037: cursors survive changes of the list."""
    notes = [f"n{n:03}" for n in range(0, 240, 2)]
    provider = SampleProvider(notes=notes)
    dispatcher = Dispatcher([provider])
    first = await ask(dispatcher, "resources/list")
    assert len(first["resources"]) == 100
    provider.notes = sorted({*notes, "n001", "n199"} - {"n198", "n200"})
    rest = await ask(dispatcher, "resources/list", cursor=first["nextCursor"])
    assert [resource.name for resource in rest["resources"]] == [
        *("n199", "n202", "n204", "n206", "n208", "n210", "n212", "n214", "n216"),
        *("n218", "n220", "n222", "n224", "n226", "n228", "n230", "n232", "n234"),
        *("n236", "n238"),
    ]
    assert "nextCursor" not in rest


@pytest.mark.parametrize(
    "method",
    ["tools/list", "resources/list", "resources/templates/list", "prompts/list"],
)
@pytest.mark.parametrize("cursor", ["garbage", "", 5, {}])
async def test_a_cursor_of_no_list_is_invalid(method: str, cursor: object) -> None:
    """The specification, pagination: -32602."""
    error = await refused(Dispatcher([SampleProvider()]), method, cursor=cursor)
    assert (error.CODE, error.message) == (-32602, "Invalid params")


@pytest.mark.parametrize("arguments", [{}, {"arguments": None}, {"arguments": {}}])
async def test_a_tool_is_called_without_arguments(arguments: dict[str, Any]) -> None:
    """The specification, server/tools: absent arguments are none."""
    result = await ask(
        Dispatcher([SampleProvider()]), "tools/call", name="echo", **arguments
    )
    assert result.structured_content == {}


async def test_an_unknown_tool_is_a_protocol_error() -> None:
    """D-034: -32602 Unknown tool (also the specification, server/tools)."""
    dispatcher = Dispatcher([SampleProvider()])
    error = await refused(dispatcher, "tools/call", name="unknown_tool")
    assert (error.CODE, error.message) == (-32602, "Unknown tool: unknown_tool")
    error = await refused(dispatcher, "tools/call", name="x" * 5000)
    assert error.message == f"Unknown tool: {'x' * 200}"


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("tools/call", {}, "name must be a string"),
        ("tools/call", {"name": 5}, "name must be a string"),
        ("tools/call", {"name": None}, "name must be a string"),
        (
            "tools/call",
            {"name": "echo", "arguments": []},
            "arguments must be an object",
        ),
        ("tools/call", {"name": "echo", "arguments": 0}, "arguments must be an object"),
        ("tools/call", {"name": "no", "arguments": ""}, "arguments must be an object"),
        ("resources/read", {}, "uri must be a string"),
        ("resources/read", {"uri": ["x"]}, "uri must be a string"),
        ("prompts/get", {}, "name must be a string"),
        (
            "prompts/get",
            {"name": "greet", "arguments": 5},
            "arguments must be an object",
        ),
        (
            "prompts/get",
            {"name": "greet", "arguments": {"who": 5}},
            "arguments must hold strings",
        ),
        ("completion/complete", {}, "ref must be an object"),
        ("completion/complete", {"ref": {}}, "argument must be an object"),
        ("completion/complete", {"ref": "x"}, "ref must be an object"),
        ("completion/complete", {"ref": None}, "ref must be an object"),
    ],
)
async def test_parameters_of_the_wrong_kind_are_invalid(
    method: str, params: dict[str, Any], message: str
) -> None:
    """The specification: a malformed call is -32602, not a tool's failure."""
    error = await refused(Dispatcher([SampleProvider()]), method, **params)
    assert (error.CODE, error.message) == (-32602, f"Invalid params: {message}")


async def test_a_tool_failure_is_a_result_for_the_model() -> None:
    """D-004: isError and one text (the specification, server/tools)."""
    result = await ask(Dispatcher([SampleProvider()]), "tools/call", name="fail")
    assert result == ToolResult(
        content=(TextContent(text="It did not work"),), is_error=True
    )


async def test_a_tool_failure_is_a_protocol_error_where_that_is_set() -> None:
    """D-004: -32602 with message and data (tool_errors = protocol)."""
    dispatcher = Dispatcher([SampleProvider()], tool_errors="protocol")
    error = await refused(dispatcher, "tools/call", name="fail")
    assert isinstance(error, InvalidParams)
    assert (error.message, error.data) == ("It did not work", {"why": "asked to"})


async def test_a_fault_of_ours_is_an_internal_error_where_that_is_set() -> None:
    """D-033: a parse failure is -32603 (tool_errors = protocol)."""

    class Faulty(SampleProvider):
        async def call_tool(self, *_: Any) -> Any:
            raise ToolFailure("Failed to parse", {"slug": "x"}, InternalError)

    dispatcher = Dispatcher([Faulty()], tool_errors="protocol")
    error = await refused(dispatcher, "tools/call", name="echo")
    assert (error.CODE, error.message, error.data) == (
        -32603,
        "Failed to parse",
        {"slug": "x"},
    )


async def test_a_resource_is_read_by_the_provider_of_its_scheme() -> None:
    """Raw contents pass as they are; the others are wrapped."""
    dispatcher = Dispatcher([SampleProvider(), Second()])
    read = await ask(dispatcher, "resources/read", uri="note://a")
    assert [contents.text for contents in read["contents"]] == ["text"]
    raw = await ask(dispatcher, "resources/read", uri="raw:x")
    assert raw == {"contents": [{"uri": "raw:x", "text": "raw"}]}
    error = await refused(dispatcher, "resources/read", uri="note://zzz")
    assert isinstance(error, ResourceNotFound)


@pytest.mark.parametrize("uri", ["", "file:///etc/passwd", "NOTE://a", "note:/a"])
async def test_a_uri_of_no_provider_is_not_found(uri: str) -> None:
    """D-035: the message states the expected form, data has the URI."""
    error = await refused(Dispatcher([SampleProvider()]), "resources/read", uri=uri)
    assert isinstance(error, ResourceNotFound)
    assert error.message == "Invalid URI format. Expected: note://{name}"
    assert error.data == {"uri": uri}


async def test_a_prompt_is_filled() -> None:
    """The specification, server/prompts."""
    result = await ask(
        Dispatcher([Second(), SampleProvider()]),
        "prompts/get",
        name="greet",
        arguments={"who": "you"},
    )
    assert result.messages[0].content == TextContent(text="Hello you")


@pytest.mark.parametrize("arguments", [None, {}, {"how": "x"}, {"who": ""}])
async def test_a_prompt_without_a_required_argument_is_invalid(arguments: Any) -> None:
    """The specification, server/prompts: -32602, and which; D-015: none is ignored."""
    sample, call = Dispatcher([SampleProvider()]), {"name": "greet"}
    error = await refused(sample, "prompts/get", **call, arguments=arguments)
    assert (error.CODE, error.message) == (-32602, "Missing required argument: who")
    error = await refused(sample, "prompts/get", **call, arguments={"why": "x"})
    assert error.message == "Unknown argument: why. Known arguments: who, how"


async def test_an_unknown_prompt_is_invalid() -> None:
    """The specification, server/prompts: -32602."""
    error = await refused(Dispatcher([SampleProvider()]), "prompts/get", name="y" * 300)
    assert (error.CODE, error.message) == (-32602, f"Unknown prompt: {'y' * 200}")


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ({"type": "ref/prompt", "name": "greet"}, "greet"),
        ({"type": "ref/resource", "uri": "note://{name}"}, "note://{name}"),
    ],
)
async def test_a_completion_goes_to_the_provider_of_the_reference(
    ref: dict[str, str], name: str
) -> None:
    """The specification, completion: argument, value and the arguments given before."""
    result = await ask(
        Dispatcher([Second(), SampleProvider()]),
        "completion/complete",
        ref=ref,
        argument={"name": "who", "value": "m"},
        context={"arguments": {"how": "loudly"}},
    )
    assert result == {"completion": Completion(values=(name, "who", "m", "loudly"))}


@pytest.mark.parametrize(
    "ref",
    [
        {},
        {"type": "ref/prompt"},
        {"type": "ref/prompt", "name": "nope"},
        {"type": "ref/prompt", "name": 5},
        {"type": "ref/prompt", "uri": "note://{name}"},
        {"type": "ref/resource", "uri": "note://a"},
        {"type": "ref/resource", "name": "greet"},
        {"type": "ref/tool", "name": "echo"},
        {"type": ["ref/prompt"], "name": "greet"},
    ],
)
async def test_a_reference_to_nothing_is_invalid(ref: dict[str, Any]) -> None:
    """The specification, completion: an unknown reference is -32602."""
    error = await refused(
        Dispatcher([SampleProvider()]),
        "completion/complete",
        ref=ref,
        argument={"name": "who", "value": ""},
    )
    assert (error.CODE, error.message) == (
        -32602,
        "Invalid params: ref names no prompt or resource template",
    )


@pytest.mark.parametrize(
    ("argument", "context", "message"),
    [
        ({}, None, "name must be a string"),
        ({"name": "who"}, None, "value must be a string"),
        ({"name": "who", "value": 5}, None, "value must be a string"),
        ({"name": "who", "value": ""}, [], "context must be an object"),
        ({"name": "who", "value": ""}, {"arguments": 5}, "arguments must be an object"),
        (
            {"name": "who", "value": ""},
            {"arguments": {"a": 5}},
            "context.arguments must hold strings",
        ),
    ],
)
async def test_a_malformed_completion_is_invalid(
    argument: Any, context: Any, message: str
) -> None:
    """The specification, completion: -32602."""
    error = await refused(
        Dispatcher([SampleProvider()]),
        "completion/complete",
        ref={"type": "ref/prompt", "name": "greet"},
        argument=argument,
        context=context,
    )
    assert (error.CODE, error.message) == (-32602, f"Invalid params: {message}")


def test_what_is_declared_is_what_is_served() -> None:
    """The specification, lifecycle: lists that change, subscriptions, no logging."""
    assert dict(CAPABILITIES) == {
        "tools": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
        "prompts": {"listChanged": True},
        "completions": {},
    }


async def test_a_uri_is_known_read_and_spelt_by_the_provider_of_its_scheme() -> None:
    """D-117: one spelling in events; a URI of no provider stays unchanged."""
    dispatcher = Dispatcher([Provider(), SampleProvider()])
    assert dispatcher.handles("note://none")
    assert not await dispatcher.exists("note://none")
    assert await dispatcher.exists("note://A")
    assert dispatcher.canonical_uri("note://A") == "note://a"
    assert not dispatcher.handles("X:Y")
    assert not await dispatcher.exists("X:Y")
    assert dispatcher.canonical_uri("X:Y") == "X:Y"


class Twin(Provider):
    """Offers a prompt with a name of the sample's, and one of its own."""

    def prompts(self) -> list[Listed[Prompt]]:
        return list(
            number_items(
                Prompt(name=name, description="t") for name in ("greet", "own")
            )
        )

    async def get_prompt(self, name: str, arguments: Any, context: CallContext) -> Any:
        return {"messages": [], "description": f"twin {name}"}


async def test_a_name_of_a_prompt_is_listed_once() -> None:
    """The specification, server/prompts: a name is unique; the first provider's wins,
    in the list and in a request.
    """
    dispatcher = Dispatcher([SampleProvider(), Twin()])
    prompts = (await ask(dispatcher, "prompts/list"))["prompts"]
    assert [(p.name, p.description) for p in prompts] == [("greet", "g"), ("own", "t")]
    params = {"name": "greet", "arguments": {"who": "you"}}
    assert (await ask(dispatcher, "prompts/get", **params)).description is None
    own = await ask(dispatcher, "prompts/get", name="own")
    assert own["description"] == "twin own"


async def test_no_provider_is_asked_for_a_uri_that_is_too_long() -> None:
    """D-139: the cost of handling a URI grows with its length."""
    dispatcher = Dispatcher([Second()])
    longest = "raw:" + "a" * (MAX_URI_CHARACTERS - 4)
    assert dispatcher.handles(longest)
    assert await ask(dispatcher, "resources/read", uri=longest)
    too_long = f"{longest}a"
    assert not dispatcher.handles(too_long)
    assert not await dispatcher.exists(too_long)
    assert dispatcher.canonical_uri(too_long) == too_long
    error = await refused(dispatcher, "resources/read", uri=too_long)
    unknown = await refused(dispatcher, "resources/read", uri="other:a")
    assert isinstance(error, ResourceNotFound)
    assert error.message == unknown.message
