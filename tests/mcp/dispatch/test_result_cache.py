"""Cached results: valid while their validator is equal, bounded, never a failure."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shelf import SampleProvider, make_server

from asdlc_kb.mcp.dispatch.provider import CallContext, Provider, Validator
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.dispatch.result_cache import PreparedCall, ResultCache
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.errors import ToolFailure
from asdlc_kb.mcp.protocol.inbound import Call, McpHeaders
from asdlc_kb.mcp.protocol.model import TextContent, Tool, ToolResult
from asdlc_kb.mcp.protocol.pagination import Listed, number_items
from asdlc_kb.mcp.protocol.versions import KNOWN
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.sessions.session import Session

M = KNOWN[-1]


class Counter(Provider):
    """A tool that counts its calls; its validator is settable."""

    def __init__(self, validator: Validator | None = None) -> None:
        self.made_from = Validator(1) if validator is None else validator
        self.calls = 0
        self.while_called: Validator | None = None

    def validator(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return the test's validator."""
        return None if params.get("arguments") == {"a": "never"} else self.made_from

    def tools(self) -> tuple[Listed[Tool], ...]:
        """Return the tool."""
        return number_items([Tool("count", "For tests", {"type": "object"})])

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult:
        """Count; fail if requested."""
        self.calls += 1
        if self.while_called is not None:
            self.made_from, self.while_called = self.while_called, None
        if arguments.get("a") == "fail":
            raise ToolFailure("failed")
        return ToolResult(content=(TextContent(text=f"call {self.calls}"),))


async def call(
    server: McpServer,
    request_id: Any = 1,
    version: str = M,
    headers: McpHeaders | None = None,
    **arguments: Any,
) -> tuple[dict[str, Any], bool]:
    """Call the tool; return the answer and whether it was cached."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params: dict[str, Any] = {"name": "count", "arguments": arguments}
    if version == M:
        params["_meta"] = meta
    message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call"}
    received = server.receive(json.dumps({**message, "params": params}).encode())
    if headers is not None:
        assert isinstance(received, Call)
        received = Call(
            received.id, received.method, received.params, received.version, headers
        )
    remembered = server.cached_response(received)
    reply = remembered or await server.answer(received)
    answer: dict[str, Any] = json.loads(reply.body)
    return answer, remembered is not None


@pytest.mark.parametrize("version", ["2025-03-26", M])
async def test_the_same_call_gets_the_same_result_with_its_own_id(version: str) -> None:
    """D-107: result bytes are cached, and the id is spliced in."""
    server, first = make_server(Counter()), "a\u2028\"'"
    made, was_remembered = await call(server, first, version)
    assert not was_remembered
    for request_id in (first, 0, "", -(2**63), 2**64 - 1):
        answer, was_remembered = await call(server, request_id, version)
        assert was_remembered
        assert answer == {**made, "id": request_id}


async def test_another_validator_version_or_argument_is_another_call() -> None:
    """D-107: by version, method and arguments, while the validator is equal."""
    provider = Counter()
    server = make_server(provider)
    await call(server)
    assert (await call(server, a=1))[1] is False
    assert (await call(server, version="2025-03-26"))[1] is False
    assert (await call(server))[1] is True
    provider.made_from = Validator(2)
    assert (await call(server))[1] is False
    assert (await call(server))[1] is True
    assert provider.calls == 4


async def test_a_change_while_the_work_is_done_is_not_missed() -> None:
    """D-107: it is taken before the work, so an old answer never has a new one."""
    provider = Counter()
    server = make_server(provider)
    provider.while_called = Validator(2)
    await call(server)
    assert (await call(server))[1] is False


async def test_failures_and_results_without_a_validator_are_not_cached() -> None:
    """D-107: errors are never cached, nor are results without a validator."""
    server = make_server(Counter())
    for argument in ("fail", "never"):
        for _ in range(2):
            assert (await call(server, a=argument))[1] is False


async def test_a_call_with_mirrored_parameters_is_checked_each_time() -> None:
    """2026-07-28 transports: Mcp-Param-* headers are compared with the call."""
    server = make_server(Counter())
    await call(server)
    sent = McpHeaders(
        version=M, method="tools/call", name="count", parameters={"a": "1"}
    )
    assert (await call(server, headers=sent))[1] is False


async def test_unknown_names_and_other_messages_are_not_remembered() -> None:
    """Calls that cannot be answered cannot fill the memory."""
    server = make_server(Counter())
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    unknown = ping.replace(b'"ping"', b'"tools/call","params":{"name":"none"}')
    for text in (ping, unknown, b"[]", b'{"jsonrpc":"2.0","method":"x"}', b"{"):
        message = server.receive(text)
        await server.answer(message)
        assert server.cached_response(message) is None


def row(number: int, method: str = "tools/call") -> PreparedCall:
    """Return one of many calls."""
    return PreparedCall(Call(number, method, {"name": f"{number:06}"}, M))


def find(answers: ResultCache, number: int, validator: Validator) -> bytes | None:
    """Return the cached result of one of many calls."""
    kept = answers.find(row(number), validator)
    return None if kept is None else kept.result


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3_000)), max_size=200))
def test_memory_is_bounded_whatever_is_kept(kept: list[tuple[int, int]]) -> None:
    """D-107: a hit is the value stored last, and the bytes stay within the limit."""
    answers, last = (
        ResultCache(max_bytes=40_000, max_search_bytes=0),
        dict[int, bytes](),
    )
    for name, size in kept:
        last[name] = bytes([name]) * size
        answers.store(row(name), Validator(1), last[name])
    found = {name: find(answers, name, Validator(1)) for name in last}
    assert all(result in (None, last[name]) for name, result in found.items())
    assert sum(len(result or b"") for result in found.values()) <= 40_000


def test_what_was_not_asked_for_longest_goes_first() -> None:
    """Least recently used; free text has a smaller cache of its own."""
    answers = ResultCache(max_bytes=100_000, max_search_bytes=100_000)
    result = b"x" * 5_000
    for number in range(10):
        answers.store(row(number), Validator(1), result)
    assert find(answers, 0, Validator(1)) == result
    for number in range(10, 25):
        answers.store(row(number), Validator(1), result)
        answers.store(row(number), Validator(1, is_open=True), result)
        assert find(answers, 0, Validator(1)) == result
    assert find(answers, 1, Validator(1)) is None
    assert find(answers, 24, Validator(1, is_open=True)) == result
    answers.store(row(24), Validator(2), b"y" * 90_000)
    assert find(answers, 24, Validator(2)) is find(answers, 24, Validator(1)) is None


@pytest.mark.parametrize("shaped", [{"isError": True}, {"resultType": "inputRequired"}])
def test_a_failure_in_a_peer_s_own_words_is_not_kept(shaped: dict[str, Any]) -> None:
    """D-107: a provider may pass on a result as it is: errors are never cached."""
    assert Response.of(7, shaped).result == b""


async def test_what_has_an_effect_is_never_answered_from_memory() -> None:
    """Two sessions that subscribe are two; ping and completion have no validator."""
    server = make_server(Counter(), SampleProvider())
    for method in ("resources/subscribe", "resources/unsubscribe", "ping"):
        for session in (Session("2025-11-25"), Session("2025-11-25")):
            params = {"uri": "note://a", "": "count", "name": "count"}
            sent = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            received = server.receive(json.dumps(sent).encode(), session=session)
            assert server.cached_response(received) is None
            assert (await server.answer(received, session=session)).error is None
            is_wanted = method == "resources/subscribe"
            assert bool(session.subscription.filter.uris) == is_wanted


def test_a_reply_is_what_its_body_says() -> None:
    """The result next to the body is for the cache alone."""
    reply = Response.of(7, {"a": 1})
    assert reply == Response(200, jsonrpc.write_result(7, {"a": 1}))
    assert reply.result == b'{"a":1}'
