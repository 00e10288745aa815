"""The era of initialize: 2024-11-05 to 2025-11-25."""

import json
from typing import Any

import pytest
from support.shelf import IDENTITY, SECRET, Immediate, SampleProvider, make_server

from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher
from asdlc_kb.mcp.dispatch.provider import CallContext
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.eras.handshake import Handshake
from asdlc_kb.mcp.protocol.errors import InvalidParams
from asdlc_kb.mcp.protocol.inbound import GEMINI_CLI, Call, McpHeaders
from asdlc_kb.mcp.protocol.versions import HANDSHAKE
from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.mcp.sessions.sessions import Sessions

L0, L1, L2, L3 = HANDSHAKE
versions = pytest.mark.parametrize("version", HANDSHAKE)


async def ask(
    method: str,
    params: dict[str, Any] | None = None,
    *,
    version: str = L3,
    headers: McpHeaders | None = None,
    sessions: Sessions | None = None,
    session: Session | None = None,
    provider: SampleProvider | None = None,
    client_name: str = "",
) -> Response:
    """Answer one call with an era over the sample provider."""
    held = Sessions() if sessions is None else sessions
    dispatcher = Dispatcher([provider or SampleProvider()])
    era = Handshake(dispatcher, IDENTITY, lambda: "Read me.", held)
    call = Call(7, method, params or {}, version, headers, client_name)
    return await era.answer(call, CallContext(version, call.params), session)


def body(reply: Response) -> Any:
    """Return the body of a response."""
    return json.loads(reply.body)


@versions
async def test_initialize_agrees_on_a_version_and_names_the_server(
    version: str,
) -> None:
    """The specification, basic/lifecycle; schema.ts: titles since 2025-06-18, the
    capability of completions since 2025-03-26.
    """
    session = Session()
    params = {"protocolVersion": version}
    reply = await ask("initialize", params, version=version, session=session)
    title = {"title": "The Shelf"} if version in (L2, L3) else {}
    completions: dict[str, Any] = {} if version == L0 else {"completions": {}}
    assert reply.status == 200
    assert body(reply) == {
        "jsonrpc": "2.0",
        "id": 7,
        "result": {
            "protocolVersion": version,
            "capabilities": {
                "tools": {"listChanged": True},
                "resources": {"listChanged": True, "subscribe": True},
                "prompts": {"listChanged": True},
                **completions,
            },
            "serverInfo": {"name": "shelf", "version": "1.2.3", **title},
            "instructions": "Read me.",
        },
    }
    assert session.version == version
    assert reply.session is None


async def test_initialize_over_http_opens_a_session() -> None:
    """The specification, transports: an id with the successful answer."""
    sessions = Sessions()
    params = {"protocolVersion": L2}
    reply = await ask(
        "initialize", params, version=L2, headers=McpHeaders(), sessions=sessions
    )
    assert reply.session is not None
    session = sessions.find(reply.session)
    assert session is not None
    assert session.version == L2


@pytest.mark.parametrize(
    "params", [{}, {"protocolVersion": 5}, {"protocolVersion": None}]
)
async def test_initialize_without_a_version_is_invalid_and_opens_nothing(
    params: dict[str, Any],
) -> None:
    """The specification, transports: an id goes with a successful answer only."""
    sessions = Sessions()
    reply = await ask("initialize", params, headers=McpHeaders(), sessions=sessions)
    assert (reply.status, reply.error, reply.session) == (200, -32602, None)
    message = body(reply)["error"]["message"]
    assert message == "Invalid params: protocolVersion must be a string"
    assert len(sessions) == 0


async def test_initialize_needs_no_room() -> None:
    """Nothing is kept of a session before it opens a stream or subscribes."""
    sessions = Sessions(max_sessions=0)
    params = {"protocolVersion": L3}
    reply = await ask(
        "initialize",
        params,
        headers=McpHeaders(),
        sessions=sessions,
        client_name="a client",
    )
    assert reply.status == 200
    assert reply.session is not None
    session = sessions.find(reply.session)
    assert session is not None
    assert session.claims is not None
    assert session.claims.client_name == "a client"
    assert len(session.claims.lists) == 3
    refused = await ask(
        "resources/subscribe", {"uri": "note://a"}, sessions=sessions, session=session
    )
    assert (refused.status, refused.error) == (200, -32603)
    assert body(refused)["error"]["data"] == {"reason": "0 sessions are open"}


@pytest.mark.parametrize("client", [None, 5, {}, {"name": 5}, {"name": "x" * 5_000}])
async def test_a_client_may_say_nothing_of_itself(client: Any) -> None:
    """Its name is no reason to refuse it."""
    params = {"protocolVersion": L3, "clientInfo": client}
    reply = await ask("initialize", params, headers=McpHeaders())
    assert reply.status == 200
    assert reply.session is not None


@versions
async def test_ping_is_answered_with_nothing(version: str) -> None:
    """The specification, basic/utilities/ping: an empty result."""
    reply = await ask("ping", version=version)
    assert reply == Response(200, b'{"jsonrpc":"2.0","id":7,"result":{}}')


@versions
@pytest.mark.parametrize(
    "method",
    ["server/discover", "subscriptions/listen", "logging/setLevel", "nope"],
)
async def test_a_method_of_another_version_is_not_found_with_http_200(
    version: str, method: str
) -> None:
    """The specification, transports: errors of served requests travel with 200."""
    reply = await ask(method, version=version)
    assert (reply.status, reply.error) == (200, -32601)
    assert body(reply) == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32601, "message": f"Method '{method}' not found"},
    }


@versions
async def test_results_carry_nothing_of_the_stateless_era(version: str) -> None:
    """The specification, schema.ts: no resultType, no caching hints, no _meta."""
    for method in ("tools/list", "resources/list", "prompts/list"):
        result = body(await ask(method, version=version))["result"]
        assert set(result) == {method.split("/")[0]}
    read = body(await ask("resources/read", {"uri": "note://a"}, version=version))
    assert read["result"] == {"contents": [{"uri": "note://a", "text": "text"}]}


@versions
@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/call", {"name": "none"}, -32602),
        ("tools/list", {"cursor": "garbage"}, -32602),
        ("resources/read", {"uri": "note://none"}, -32002),
        ("resources/read", {"uri": "x:y"}, -32002),
        ("prompts/get", {"name": "none"}, -32602),
    ],
)
async def test_errors_have_their_codes_and_http_200(
    version: str, method: str, params: dict[str, Any], code: int
) -> None:
    """The specification, server: -32002 for resources, -32602 for the rest."""
    reply = await ask(method, params, version=version)
    assert (reply.status, reply.error) == (200, code)
    assert body(reply)["error"]["code"] == code


async def test_a_failure_of_the_server_is_phrased_by_the_era() -> None:
    """The server reports an unexpected exception through the era."""
    era = Handshake(Dispatcher([]), IDENTITY, str, Sessions())
    call = Call("x", "tools/list", {}, L3)
    assert body(era.fail(call, InvalidParams("No"))) == {
        "jsonrpc": "2.0",
        "id": "x",
        "error": {"code": -32602, "message": "No"},
    }


async def test_the_provider_fails_unforeseen_in_this_era_too() -> None:
    """D-052: -32603 with 200, no detail, the id echoed."""
    server = make_server()
    text = b'{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"break"}}'
    reply = await server.answer(server.receive(text, McpHeaders(version=L3)))
    assert (reply.status, reply.error) == (200, -32603)
    assert SECRET.encode() not in reply.body
    assert body(reply)["id"] == 0


@versions
@pytest.mark.parametrize("client_name", ["", GEMINI_CLI])
async def test_a_call_that_takes_no_waiting_has_the_same_response(
    version: str, client_name: str
) -> None:
    """Of each version; the provider leaves the others to `answer`."""
    dispatcher = Dispatcher([Immediate()], structured_results=False)
    era = Handshake(dispatcher, IDENTITY, lambda: "Read me.", Sessions())
    for name in ("echo", "count"):
        params = {"name": name, "arguments": {"a": 1}}
        call = Call(7, "tools/call", params, version, client_name=client_name)
        response = era.answer_now(call)
        assert (response is not None) == (name == "echo")
        if response is not None:
            context = CallContext(version, params)
            assert response == await era.answer(call, context, None)
