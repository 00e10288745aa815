"""Bytes in, a response out: the object behind every transport."""

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shelf import SECRET, SampleProvider, make_server

from asdlc_kb.mcp.dispatch.provider import Validator
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.inbound import (
    Ignored,
    InboundNotification,
    McpHeaders,
    Rejection,
)
from asdlc_kb.mcp.protocol.versions import KNOWN
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.sessions.session_lifetimes import MAX_AGE_SECONDS
from asdlc_kb.mcp.sessions.session_store import IDLE_SECONDS
from asdlc_kb.mcp.sessions.sessions import Sessions

L0, L1, L2, L3, M = KNOWN
PREFIX = "io.modelcontextprotocol/"


def request(method: str, request_id: Any = 1, version: str = M, **params: Any) -> bytes:
    """Return a request as bytes; with an envelope if the version has one."""
    meta = params.pop("_meta", {})
    if version == M:
        meta = {
            f"{PREFIX}protocolVersion": M,
            f"{PREFIX}clientCapabilities": {},
            **meta,
        }
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return json.dumps({**message, "params": {**params, "_meta": meta}}).encode()


async def ask(
    server: McpServer, text: bytes, headers: McpHeaders | None = None
) -> Response:
    """Pass one message to a server."""
    return await server.answer(server.receive(text, headers))


@pytest.mark.parametrize(
    "text", [b"", b"{", b"\xff", b'{"a":1,"a":2}', b"NaN", b"[" * 40 + b"]" * 40]
)
@pytest.mark.parametrize(
    "headers", [None, McpHeaders(version=M), McpHeaders(version="x")]
)
async def test_what_is_not_json_is_a_parse_error_with_id_null(
    text: bytes, headers: McpHeaders | None
) -> None:
    """D-030: 400 -32700, before any header is read."""
    reply = await ask(make_server(), text, headers)
    assert (reply.status, reply.error) == (400, -32700)
    answer = json.loads(reply.body)
    assert set(answer) == {"jsonrpc", "id", "error"}
    assert answer["id"] is None
    assert answer["error"]["message"] == "Parse error"


@pytest.mark.parametrize("request_id", [0, "", 2**63, "x", -1])
@pytest.mark.parametrize("version", [L3, M])
async def test_every_answer_echoes_the_id_of_its_request(
    request_id: Any, version: str
) -> None:
    """JSON-RPC 2.0 section 5: results and errors alike, 0 and "" too."""
    server = make_server()
    for method in ("tools/list", "nope"):
        reply = await ask(server, request(method, request_id, version))
        answered = json.loads(reply.body)["id"]
        assert (answered, type(answered)) == (request_id, type(request_id))


async def test_a_refusal_that_could_read_the_id_echoes_it() -> None:
    """JSON-RPC 2.0 section 5.1: null only where there is no id to read."""
    server = make_server()
    reply = await ask(server, b'{"jsonrpc":"1.0","id":"x","method":"ping"}')
    assert json.loads(reply.body)["id"] == "x"
    reply = await ask(server, b'{"jsonrpc":"2.0","id":null,"method":"ping"}')
    assert json.loads(reply.body)["id"] is None


@pytest.mark.parametrize(
    "text",
    [
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"break"}}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
    ],
)
async def test_what_wants_no_answer_is_accepted_without_a_body(text: bytes) -> None:
    """The specification, transports: 202 and nothing else."""
    server = make_server()
    received = server.receive(text, McpHeaders())
    assert isinstance(received, (InboundNotification, Ignored))
    assert await server.answer(received) == Response(202)


async def test_a_session_lives_from_initialize_to_its_close() -> None:
    """The specification, 2025-11-25 transports: afterwards it is 404."""
    server = make_server()
    opened = await ask(
        server,
        request("initialize", version=L2, protocolVersion=L2),
        McpHeaders(),
    )
    assert opened.session is not None
    headers = McpHeaders(version=L3, session=opened.session)
    call = server.receive(request("tools/list", version=L2), headers)
    assert call.version == L2  # type: ignore[union-attr]
    assert server.end_session(headers)
    assert not server.end_session(headers)
    refusal = server.receive(request("tools/list", version=L2), headers)
    assert isinstance(refusal, Rejection)
    assert (refusal.status, refusal.error.message) == (404, "Session not found")


async def test_a_session_ends_a_day_after_its_last_use() -> None:
    """An id of that age ends, unless it was used within the last half an hour."""
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0], wall_clock=lambda: now[0])
    server = make_server(sessions=sessions)
    text = request("initialize", version=L3, protocolVersion=L3)
    opened = await ask(server, text, McpHeaders())
    headers = McpHeaders(session=opened.session)
    for now[0] in (MAX_AGE_SECONDS - 1.0, MAX_AGE_SECONDS + 1_000.0):
        assert (await ask(server, request("ping", version=L3), headers)).status == 200
    now[0] += IDLE_SECONDS
    assert (await ask(server, request("ping", version=L3), headers)).status == 404


async def test_a_stateless_request_ignores_the_session_header() -> None:
    """The specification, 2026-07-28: Mcp-Session-Id is ignored and never minted."""
    headers = McpHeaders(version=M, session="unknown", method="tools/list")
    reply = await ask(make_server(), request("tools/list"), headers)
    assert (reply.status, reply.session) == (200, None)


@pytest.mark.parametrize("version", [L2, L3, M])
@pytest.mark.parametrize("request_id", [0, "a"])
async def test_an_unforeseen_failure_is_an_internal_error_without_detail(
    version: str, request_id: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """D-052: -32603 Internal server error, HTTP 200, the id echoed; the detail is in
    the log, once.
    """
    with caplog.at_level(logging.ERROR):
        text = request("tools/call", request_id, version, name="break")
        reply = await ask(make_server(), text)
    assert (reply.status, reply.error) == (200, -32603)
    assert json.loads(reply.body) == {
        "jsonrpc": "2.0",
        "id": request_id,
        "error": {"code": -32603, "message": "Internal server error"},
    }
    (record,) = caplog.records
    assert record.getMessage() == "unexpected error"
    assert SECRET in str(record.exc_info)


@pytest.mark.parametrize("version", [L2, L3, M])
async def test_where_it_is_wanted_an_unforeseen_failure_shows_its_traceback(
    version: str,
) -> None:
    """D-052: with --debug, a traceback in the error's data."""
    server = make_server(shows_tracebacks=True)
    reply = await ask(server, request("tools/call", 1, version, name="break"))
    assert (reply.status, reply.error) == (200, -32603)
    trace = json.loads(reply.body)["error"]["data"]["traceback"]
    assert trace.startswith("Traceback")
    assert SECRET in trace


async def test_a_result_that_cannot_be_written_is_an_internal_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nothing that a provider returns breaks the server."""

    class InvalidResultProvider(SampleProvider):
        async def call_tool(self, *_: Any) -> Any:
            return {"content": object()}

    reply = await ask(
        make_server(InvalidResultProvider()), request("tools/call", name="echo")
    )
    assert (reply.status, reply.error) == (200, -32603)
    assert [record.levelname for record in caplog.records] == ["ERROR"]


async def test_a_cancelled_call_stays_cancelled() -> None:
    """The specification, cancellation: a cancel is no failure and gets no answer."""

    class Waiting(SampleProvider):
        async def call_tool(self, *_: Any) -> Any:
            await asyncio.Event().wait()

    server = make_server(Waiting())
    received = server.receive(request("tools/call", name="echo"))
    answering = asyncio.ensure_future(server.answer(received))
    await asyncio.wait((answering,), timeout=0)
    answering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await answering


@pytest.mark.parametrize("version", [L3, M])
@pytest.mark.parametrize("token", ["t", "", 0, 7])
async def test_progress_goes_before_the_answer_and_only_increases(
    version: str, token: Any
) -> None:
    """The specification, progress: the token as it was given, values that increase."""
    server = make_server()
    sent: list[bytes] = []
    meta = {"progressToken": token}
    text = request("tools/call", 1, version, name="count", _meta=meta)
    reply = await server.answer(server.receive(text), sent.append)
    assert reply.status == 200
    messages = [json.loads(line) for line in sent]
    assert [notice["method"] for notice in messages] == ["notifications/progress"] * 4
    assert [notice["params"] for notice in messages] == [
        {"progressToken": token, "progress": 1, "total": 3, "message": "step 1"},
        {"progressToken": token, "progress": 2, "total": 3, "message": "step 2"},
        {"progressToken": token, "progress": 3, "total": 3, "message": "step 3"},
        {"progressToken": token, "progress": 4.5},
    ]


NO_TOKENS: list[Any] = [None, True, [], 1.5]


@pytest.mark.parametrize("meta", [{}, *({"progressToken": t} for t in NO_TOKENS)])
async def test_without_a_token_there_is_no_progress(meta: dict[str, Any]) -> None:
    """The specification, progress: a token is a string or an integer."""
    server = make_server()
    sent: list[bytes] = []
    text = request("tools/call", name="count", _meta=meta)
    reply = await server.answer(server.receive(text), sent.append)
    assert (reply.status, sent) == (200, [])


async def test_a_transport_that_cannot_send_before_the_answer_drops_progress() -> None:
    """The specification, progress: a server MAY send none."""
    text = request("tools/call", name="count", _meta={"progressToken": 1})
    assert (await ask(make_server(), text)).error is None


async def test_a_provider_sees_the_call_as_it_came() -> None:
    """Raw params and declared capabilities reach the provider, in the right version."""
    provider = SampleProvider()
    server = make_server(provider)
    meta: dict[str, Any] = {f"{PREFIX}clientCapabilities": {"sampling": {}}}
    await ask(server, request("tools/call", name="echo", requestState="s", _meta=meta))
    await ask(server, request("tools/call", 1, L3, name="echo"))
    stateless, handshake = provider.seen
    assert (stateless.version, stateless.capabilities) == (M, {"sampling": {}})
    assert stateless.params["requestState"] == "s"
    assert (handshake.version, handshake.capabilities) == (L1, {})


async def test_tool_errors_are_told_as_the_server_was_told_to() -> None:
    """D-004: a tool result or a protocol error, by a setting."""
    text = request("tools/call", name="fail")
    result = await ask(make_server(), text)
    assert json.loads(result.body)["result"]["isError"] is True
    error = await ask(make_server(tool_errors="protocol"), text)
    assert json.loads(error.body)["error"] == {
        "code": -32602,
        "message": "It did not work",
        "data": {"why": "asked to"},
    }


async def test_two_clients_with_one_id_get_their_own_answers() -> None:
    """D-046: nothing is found by a client's request id."""
    server = make_server()
    texts = [
        request("tools/call", 1, name="echo", arguments={"nonce": n}) for n in range(50)
    ]
    replies = await asyncio.gather(*(ask(server, text) for text in texts))
    answers = [json.loads(reply.body)["result"] for reply in replies]
    assert [answer["structuredContent"]["nonce"] for answer in answers] == [*range(50)]


optional = st.none() | st.sampled_from([L3, M, "tools/call"]) | st.text(max_size=4)
mutations = st.tuples(st.integers(0, 300), st.binary(max_size=4))


@given(mutations, optional, optional, optional, optional)
def test_any_bytes_with_any_headers_get_a_reply(
    mutation: tuple[int, bytes], version: Any, session: Any, method: Any, name: Any
) -> None:
    """The server never raises and refuses with a 4xx at most."""
    server, (path, patch) = make_server(), mutation
    whole = request("tools/call", name="echo", arguments={"a": [1, None]})
    text = whole[:path] + patch + whole[path + len(patch) :]
    for headers in (McpHeaders(version, session, method, name), None):
        reply = asyncio.run(ask(server, text, headers))
        assert reply.status in (200, 202, 400, 404)
        if reply.body:
            answer = json.loads(reply.body)
            assert ("result" in answer) != ("error" in answer)
            assert answer.get("error", {}).get("code") == reply.error


class FailingValidator(SampleProvider):
    """Fails to compute a validator."""

    def validator(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Fail."""
        raise RuntimeError(SECRET)


@pytest.mark.parametrize("version", [L3, M])
async def test_a_validator_that_fails_is_an_internal_error(
    version: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It fails twice and is reported once: no cache, and the call has the reason."""
    server = make_server(FailingValidator())
    text = request("tools/list", 7, version)
    message = server.receive(text, McpHeaders(version, method="tools/list"))
    assert server.cached_response(message) is None
    assert caplog.records == []
    reply = await server.answer(message)
    assert json.loads(reply.body)["id"] == 7
    assert reply.error == -32603
    assert SECRET.encode() not in reply.body
    assert [record.message for record in caplog.records] == ["unexpected error"]
