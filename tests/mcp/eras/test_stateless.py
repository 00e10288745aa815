"""The era without sessions: 2026-07-28."""

import json
from typing import Any, Literal

import pytest
from support.shelf import IDENTITY, Immediate, SampleProvider

from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher
from asdlc_kb.mcp.dispatch.provider import CallContext, Provider
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.eras.stateless import CachingHints, Stateless
from asdlc_kb.mcp.protocol.errors import MissingCapability
from asdlc_kb.mcp.protocol.inbound import Call, McpHeaders
from asdlc_kb.mcp.protocol.model import Tool
from asdlc_kb.mcp.protocol.pagination import Listed, number_items
from asdlc_kb.mcp.subscriptions.subscription_bus import SubscriptionBus

M = "2026-07-28"
META = {
    "io.modelcontextprotocol/serverInfo": {
        "name": "shelf",
        "version": "1.2.3",
        "title": "The Shelf",
    }
}
TTL: dict[Literal["discovery", "list", "resource"], int] = {
    "discovery": 300_000,
    "list": 200_000,
    "resource": 60_000,
}


def make_era(provider: Provider, hints: CachingHints) -> Stateless:
    """Return an era over a provider."""
    return Stateless(
        Dispatcher([provider]), IDENTITY, lambda: "Read me.", hints, SubscriptionBus()
    )


async def ask(
    method: str,
    params: dict[str, Any] | None = None,
    headers: McpHeaders | None = None,
    provider: Provider | None = None,
    hints: CachingHints | None = None,
) -> Response:
    """Answer one call with an era over the sample provider."""
    era = make_era(provider or SampleProvider(), hints or CachingHints(TTL))
    call = Call(0, method, params or {}, M, headers)
    return await era.answer(call, CallContext(M, call.params))


async def result(
    method: str, params: dict[str, Any] | None = None, **value: Any
) -> Any:
    """Return the result of one call."""
    reply = await ask(method, params, **value)
    assert reply.status == 200
    answer = json.loads(reply.body)
    assert answer["id"] == 0
    return answer["result"]


async def test_discover_says_what_is_served() -> None:
    """The specification, server/discover: every field, versions newest first."""
    assert await result("server/discover") == {
        "resultType": "complete",
        "ttlMs": 300_000,
        "cacheScope": "public",
        "supportedVersions": [
            *("2026-07-28", "2025-11-25", "2025-06-18"),
            *("2025-03-26", "2024-11-05"),
        ],
        "capabilities": {
            "tools": {"listChanged": True},
            "resources": {"listChanged": True, "subscribe": True},
            "prompts": {"listChanged": True},
            "completions": {},
        },
        "instructions": "Read me.",
        "_meta": META,
    }


CALLS: list[tuple[str, dict[str, Any], int | None]] = [
    ("server/discover", {}, 300_000),
    ("tools/list", {}, 200_000),
    ("prompts/list", {}, 200_000),
    ("resources/templates/list", {}, 200_000),
    ("resources/list", {}, 60_000),
    ("resources/read", {"uri": "note://a"}, 60_000),
    ("tools/call", {"name": "echo"}, None),
    ("tools/call", {"name": "fail"}, None),
    ("prompts/get", {"name": "greet", "arguments": {"who": "you"}}, None),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "greet"},
            "argument": {"name": "who", "value": ""},
        },
        None,
    ),
]


@pytest.mark.parametrize(("method", "params", "ttl"), CALLS)
@pytest.mark.parametrize("scope", ["public", "private"])
async def test_every_result_is_complete_signed_and_cached_as_its_kind_may_be(
    method: str, params: dict[str, Any], ttl: int | None, scope: Any
) -> None:
    """The specification: resultType and serverInfo on every result, hints on six."""
    answer = await result(method, params, hints=CachingHints(TTL, scope))
    assert answer["resultType"] == "complete"
    assert answer["_meta"] == META
    assert answer.get("ttlMs") == ttl
    assert answer.get("cacheScope") == (scope if ttl is not None else None)


async def test_hints_of_zero_are_sent() -> None:
    """The specification, caching: ttlMs is an integer of 0 or more, never absent."""
    hints = CachingHints(dict.fromkeys(TTL, 0))
    assert (await result("tools/list", hints=hints))["ttlMs"] == 0


async def test_every_page_carries_its_hints() -> None:
    """The specification, caching: each page, and the same scope on all of them."""
    provider = SampleProvider(notes=[f"{n:03}" for n in range(150)])
    first = await result("resources/list", provider=provider)
    rest = await result(
        "resources/list", {"cursor": first["nextCursor"]}, provider=provider
    )
    assert "nextCursor" not in rest
    assert (len(first["resources"]), len(rest["resources"])) == (100, 50)
    for page in (first, rest):
        assert (page["ttlMs"], page["cacheScope"]) == (60_000, "public")


class Raw(Provider):
    """Returns results in the peer's version."""

    def tools(self) -> list[Listed[Tool]]:
        return list(number_items((Tool(name="raw", description="r", input_schema={}),)))

    async def call_tool(self, name: str, arguments: Any, context: CallContext) -> Any:
        if "need" in arguments:
            raise MissingCapability(data={"requiredCapabilities": {"sampling": {}}})
        return {"resultType": "input_required", "_meta": {"a": 1}}


async def test_what_a_provider_says_of_its_result_is_kept() -> None:
    """The specification, basic/patterns: a provider may ask for input."""
    answer = await result("tools/call", {"name": "raw"}, provider=Raw())
    assert answer == {"resultType": "input_required", "_meta": {**META, "a": 1}}


async def test_a_missing_capability_is_told_with_http_400() -> None:
    """The specification, basic/index: -32021 and which capabilities are required."""
    params = {"name": "raw", "arguments": {"need": 1}}
    reply = await ask("tools/call", params, provider=Raw())
    assert (reply.status, reply.error) == (400, -32021)
    assert json.loads(reply.body)["error"]["data"] == {
        "requiredCapabilities": {"sampling": {}}
    }


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("tools/call", {"name": "none"}, "Unknown tool: none"),
        ("tools/call", {}, "Invalid params: name must be a string"),
        ("tools/list", {"cursor": "garbage"}, "Invalid params"),
        ("resources/read", {"uri": "note://none"}, "No such note"),
        (
            "resources/read",
            {"uri": "x:y"},
            "Invalid URI format. Expected: note://{name}",
        ),
        ("prompts/get", {"name": "none"}, "Unknown prompt: none"),
    ],
)
async def test_errors_of_a_call_itself_are_minus_32602_with_http_200(
    method: str, params: dict[str, Any], message: str
) -> None:
    """D-114: old clients take a 400 for a host without a server.

    Resource not found is -32602 in this version and carries the URI.
    """
    reply = await ask(method, params)
    assert (reply.status, reply.error) == (200, -32602)
    error = json.loads(reply.body)["error"]
    assert error["message"] == message
    if method == "resources/read":
        assert error["data"] == {"uri": params["uri"]}


@pytest.mark.parametrize(
    ("arguments", "sent", "text"),
    [
        ({"region": "eu"}, {"region": "eu"}, None),
        ({}, {}, None),
        (None, {"unknown": "x"}, None),
        ({"region": "eu"}, {}, "header is missing"),
        ({"region": "eu"}, {"region": "us"}, "header differs from the body"),
        (None, {"region": "us"}, "header has no value in the body"),
    ],
)
async def test_step_8_compares_mirrored_parameters_with_their_headers(
    arguments: Any, sent: dict[str, str], text: str | None
) -> None:
    """The specification, streamable-http: 400 -32020, before the tool is called."""
    params = {"name": "mirror", "arguments": arguments}
    provider = SampleProvider()
    reply = await ask("tools/call", params, McpHeaders(parameters=sent), provider)
    assert (reply.status, reply.error) == (
        (200, None) if text is None else (400, -32020)
    )
    assert len(provider.seen) == (text is None)
    if text is not None:
        message = json.loads(reply.body)["error"]["message"]
        assert message == f"Header mismatch: Mcp-Param-Region {text}"


async def test_a_call_that_takes_no_waiting_has_the_same_response() -> None:
    """Unless a mirrored parameter is refused: `answer` reports that."""
    era = make_era(Immediate(), CachingHints(TTL))
    arguments = {"region": "eu"}
    for name, parameters, is_answered in (
        ("echo", {}, True),
        ("mirror", {"region": "eu"}, True),
        ("mirror", {"region": "us"}, False),
        ("mirror", {}, False),
        ("count", {}, False),
    ):
        headers = McpHeaders(
            version=M, method="tools/call", name=name, parameters=parameters
        )
        params = {"name": name, "arguments": arguments}
        call = Call("7", "tools/call", params, M, headers)
        response = era.answer_now(call)
        assert (response is not None) == is_answered
        if response is not None:
            assert response == await era.answer(call, CallContext(M, params))


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "echo", "arguments": {"region": "eu"}}),
        ("tools/call", {"name": "none", "arguments": {"region": "eu"}}),
        ("tools/list", {}),
    ],
)
async def test_step_8_is_for_tools_that_mirror_parameters_only(
    method: str, params: dict[str, Any]
) -> None:
    """The specification, streamable-http: unknown Mcp-Param headers are ignored."""
    reply = await ask(method, params, McpHeaders(parameters={"region": "us"}))
    assert reply.status == 200
    assert reply.error in (None, -32602)


async def test_a_channel_without_headers_has_no_step_8() -> None:
    """The specification, stdio: there is no header to compare."""
    params = {"name": "mirror", "arguments": {"region": "eu"}}
    assert (await result("tools/call", params))["structuredContent"] == {"region": "eu"}
