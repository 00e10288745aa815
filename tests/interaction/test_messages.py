"""Messages themselves: ids, notifications, invalid messages, result fields."""

from typing import Any

import pytest
from interaction.raw import Connect, compose, send_raw, send_unanswered, tool_value
from mcp_types import methods
from support.peers import HttpPeer, StdioPeer, envelope, message

from asdlc_kb.app import Runtime

IDS = [
    0,
    -1,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
    "",
    "0",
    "a b/c",
    'quote " and \\ and \n',
    "日本語 🙂 \u2028",
    "x" * 1000,
]


@pytest.mark.behaviour("messages-ids")
@pytest.mark.parametrize("request_id", IDS, ids=lambda value: repr(value)[:20])
async def test_ids_come_back_as_they_were_sent(
    app: Runtime, connect: Connect, request_id: str | int
) -> None:
    """With a result and with an error: the same value of the same type."""
    async with connect(app) as peer:
        good = await send_raw(peer, compose(peer, "tools/list", {}, request_id))
        bad = await send_raw(peer, compose(peer, "no/such", {}, request_id))
    assert good.answer["id"] == bad.answer["id"] == request_id
    assert type(good.answer["id"]) is type(request_id)
    assert "result" in good.answer
    assert bad.error["code"] == -32601


@pytest.mark.behaviour("messages-bad-ids")
@pytest.mark.parametrize(
    "request_id",
    [None, True, 1.5, 1.0, [], {}, 2**64, -(2**63) - 1, 10**30],
    ids=repr,
)
async def test_other_ids_are_refused_rather_than_altered(
    app: Runtime, connect: Connect, request_id: Any
) -> None:
    """D-294: -32600 with null: theirs cannot be echoed."""
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, "tools/list", {}, request_id))
    assert response.error["code"] == -32600
    assert response.answer["id"] is None
    assert response.is_status(400)


@pytest.mark.behaviour("messages-unanswered")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("notifications/initialized", {}),
        ("notifications/cancelled", {"requestId": "never-sent"}),
        ("notifications/cancelled", {"requestId": None}),
        ("notifications/roots/list_changed", {}),
        ("notifications/unheard-of", {"any": "thing"}),
        ("tools/list", {}),
        ("tools/call", {"name": "no_such_tool"}),
        ("ping", {}),
    ],
)
async def test_no_notification_is_answered(
    app: Runtime, connect: Connect, method: str, params: dict[str, Any]
) -> None:
    """HTTP 202 without a body; on a pipe no line."""
    async with connect(app) as peer:
        sent = compose(peer, method, params)
        del sent["id"]
        await send_unanswered(peer, sent)


NOT_JSON: list[tuple[bytes, int | None]] = [
    (b"{", None),
    (b"not json", None),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping",}', 1),
    (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', None),
    (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', None),
    (b'{"jsonrpc": "2.0", "method": "ping", "params": {"id": 1, "x": "\xff"}}', None),
    (b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": 1, "method": "ping"}', 1),
    (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', None),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping"} {}', 1),
    (b"[" * 40 + b"]" * 40, None),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "\xff"}', 1),
]


@pytest.mark.behaviour("messages-parse", "tools-messages")
@pytest.mark.parametrize(("raw", "found"), NOT_JSON, ids=lambda raw: repr(raw)[:40])
async def test_what_is_not_strict_json_is_a_parse_error(
    app: Runtime, connect: Connect, raw: bytes, found: int | None
) -> None:
    """Parse error, with the id if there is one, else null (JSON-RPC 2.0 section 5).

    The next message is answered as usual.
    """
    async with connect(app) as peer:
        response = await send_raw(peer, raw)
        assert (await peer.result("tools/list"))["tools"]
    assert (response.error["code"], response.error["message"]) == (
        -32700,
        "Parse error",
    )
    assert response.answer["id"] == found
    assert response.is_status(400)


SHAPES: list[tuple[Any, str | int | None]] = [
    ({"id": 1, "method": "ping"}, 1),
    ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 1),
    ({"jsonrpc": 2.0, "id": "a", "method": "ping"}, "a"),
    ({"jsonrpc": "2.0", "id": 0}, 0),
    ({"jsonrpc": "2.0", "id": 1, "method": 5}, 1),
    ({"jsonrpc": "2.0", "id": 1, "method": None}, 1),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, 1),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x"}, 1),
    ({}, None),
    ("ping", None),
    (5, None),
    (None, None),
    ([], None),
]


@pytest.mark.behaviour("messages-shape", "tools-messages")
@pytest.mark.parametrize(("sent", "echoed"), SHAPES, ids=repr)
async def test_what_is_no_request_is_invalid(
    app: Runtime, connect: Connect, sent: Any, echoed: str | int | None
) -> None:
    """Invalid Request, with the id where there is a usable one."""
    raw = b"null" if sent is None else sent
    async with connect(app) as peer:
        response = await send_raw(peer, raw)
        assert (await peer.result("tools/list"))["tools"]
    assert (response.error["code"], response.error["message"]) == (
        -32600,
        "Invalid Request",
    )
    assert response.answer["id"] == echoed
    assert response.is_status(400)


@pytest.mark.behaviour("messages-no-batch")
async def test_a_batch_is_no_message(app: Runtime, connect: Connect) -> None:
    """-32600: over a pipe without a handshake, as each of its members alone."""
    async with connect(app) as peer:
        response = await send_raw(peer, [compose(peer, "tools/list")])
        assert (await peer.result("tools/list"))["tools"]
    is_pipe = peer.is_stateless and not isinstance(peer, HttpPeer)
    (answer,) = response.answer if is_pipe else [response.answer]
    assert answer["error"]["code"] == -32600
    assert answer.get("id") == (1 if is_pipe else None)
    assert response.is_status(200 if is_pipe else 400)


@pytest.mark.behaviour("messages-batch")
async def test_a_batch_is_answered_as_a_batch(app: Runtime, connect: Connect) -> None:
    """One answer for each request; each invalid member gets its own error."""
    alone = message("tools/list", {"_meta": envelope("2026-07-28")}, "alone")
    sent = [
        message("ping", None, 0),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}},
        message("no/such", None, "n"),
        {"jsonrpc": "2.0", "id": 5, "result": {}},
        "what",
        message("initialize", {"protocolVersion": "2025-03-26"}, "begin"),
        alone,
        message("tools/call", {"name": "list_articles"}, "t"),
    ]
    async with connect(app) as peer:
        response = await send_raw(peer, sent)
        assert (await peer.result("tools/list"))["tools"]
    assert isinstance(response.answer, list)
    answers = {answer.get("id"): answer for answer in response.answer}
    assert len(answers) == len(response.answer) == 6
    assert answers[0]["result"] == {}
    assert len(tool_value(answers["t"]["result"])) == 1
    codes = {key: a["error"]["code"] for key, a in answers.items() if "error" in a}
    assert codes == {"n": -32601, None: -32600, "begin": -32600, "alone": -32600}
    assert response.is_status(200)


@pytest.mark.behaviour("messages-batch")
async def test_a_batch_that_asks_for_nothing_gets_nothing(
    app: Runtime, connect: Connect
) -> None:
    """HTTP 202 without a body; on a pipe no line."""
    notice = {"jsonrpc": "2.0", "method": "notifications/unheard-of"}
    response = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "x"}}
    async with connect(app) as peer:
        await send_unanswered(peer, [notice, response, notice])


@pytest.mark.behaviour("messages-batch")
async def test_a_batch_is_bounded(app: Runtime, connect: Connect) -> None:
    """D-040: 50 messages are answered, 51 are refused as a whole."""
    pings = [message("ping", None, number) for number in range(51)]
    async with connect(app) as peer:
        many = await send_raw(peer, pings)
        largest = await send_raw(peer, pings[:50])
    assert many.error["code"] == -32600
    assert many.is_status(400)
    assert [answer["id"] for answer in largest.answer] == list(range(50))


@pytest.mark.behaviour("messages-responses")
@pytest.mark.parametrize(
    "body", [{"result": {}}, {"error": {"code": -32603, "message": "x"}}], ids=repr
)
async def test_a_response_to_nothing_is_dropped(
    app: Runtime, connect: Connect, body: dict[str, Any]
) -> None:
    """This server sends no requests, so it waits for no answer."""
    async with connect(app) as peer:
        await send_unanswered(peer, {"jsonrpc": "2.0", "id": 77, **body})


METAS: list[dict[str, Any]] = [
    {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
    {"traceparent": "not a trace", "tracestate": 5, "baggage": []},
    {"io.modelcontextprotocol/logLevel": "debug"},
    {"com.example/anything": {"deep": [1, 2, 3]}},
]


@pytest.mark.behaviour("messages-meta")
@pytest.mark.parametrize("meta", METAS, ids=repr)
async def test_metadata_never_changes_the_answer(
    app: Runtime, connect: Connect, meta: dict[str, Any]
) -> None:
    """Trace context, former log levels and foreign keys are no reason to refuse."""
    call = {"name": "list_articles", "arguments": {}}
    async with connect(app) as peer:
        plain = await peer.result("tools/call", call)
        with_meta = await peer.result("tools/call", {**call, "_meta": meta})
    assert with_meta == plain


@pytest.mark.behaviour("messages-meta")
async def test_a_progress_token_alone_brings_no_progress(
    app: Runtime, connect: Connect
) -> None:
    """Progress is reported only if there is some; fields of a retry are accepted."""
    call = {"name": "list_articles", "inputResponses": {}, "requestState": "x"}
    async with connect(app) as peer:
        for token in ("t", 0):
            params = {**call, "_meta": {"progressToken": token}}
            result = await peer.result("tools/call", params)
            assert len(tool_value(result)) == 1


EVERY_RESULT = [
    ("tools/list", {}),
    ("tools/call", {"name": "search_articles", "arguments": {"query": "hidden"}}),
    ("tools/call", {"name": "get_article", "arguments": {"slug": "x"}}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "kb://article/links-to-hidden"}),
    ("prompts/list", {}),
    (
        "prompts/get",
        {"name": "explain_concept", "arguments": {"slug": "links-to-hidden"}},
    ),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "kb://article/{slug}"},
            "argument": {"name": "slug", "value": "l"},
        },
    ),
]
CACHED = {
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
}


@pytest.mark.behaviour("messages-model", "messages-gating")
@pytest.mark.parametrize(("method", "params"), EVERY_RESULT)
async def test_results_have_the_fields_of_their_version(
    app: Runtime, connect: Connect, method: str, params: dict[str, Any]
) -> None:
    """The official model of the version knows every field, and misses none."""
    async with connect(app) as peer:
        result = await peer.result(method, params)
    modelled = methods.serialize_server_result(method, peer.version, result)
    modelled.setdefault("isError", False)
    expected = {"isError": False, **result}
    assert modelled == expected
    modern = {"resultType", "_meta"} if peer.is_stateless else set()
    if peer.is_stateless and method in CACHED:
        modern |= {"ttlMs", "cacheScope"}
    era_fields = {"resultType", "ttlMs", "cacheScope", "_meta"}
    assert result.keys() & era_fields == modern


@pytest.mark.behaviour("messages-model", "lifecycle-initialize")
async def test_initialize_has_the_fields_of_its_version(
    app: Runtime, connect: Connect
) -> None:
    """The official model of the version knows every field."""
    params = {"protocolVersion": "", "capabilities": {}, "clientInfo": {}}
    async with connect(app) as peer:
        params["protocolVersion"] = peer.version
        result = await peer.result("initialize", params)
    assert result == methods.serialize_server_result("initialize", peer.version, result)


@pytest.mark.behaviour("messages-model", "lifecycle-discover")
async def test_discover_has_the_fields_of_its_version(
    app: Runtime, connect: Connect
) -> None:
    """The official model of the version knows every field."""
    async with connect(app) as peer:
        result = await peer.result("server/discover")
    modelled = methods.serialize_server_result("server/discover", peer.version, result)
    assert result == modelled


@pytest.mark.behaviour("messages-parse", "tools-messages")
async def test_half_an_emoji_in_an_argument_does_not_lose_the_call(
    app: Runtime, connect: Connect
) -> None:
    """D-032: a client truncated a text within a surrogate pair."""
    async with connect(app) as peer:
        arguments = {"query": "no such thing \ud83d"}
        params = {"name": "search_articles", "arguments": arguments}
        call = compose(peer, "tools/call", params, "cut")
        response = await send_raw(peer, call)
    assert response.answer["id"] == call["id"]
    assert response.answer["result"]["content"][0]["text"] == "[]"


@pytest.mark.behaviour("messages-parse")
async def test_a_message_beyond_the_limit_is_refused_and_the_next_is_served(
    app: Runtime, connect: Connect
) -> None:
    """D-054: 1 MiB is the limit; HTTP 413, and a line that is skipped."""
    limit = app.settings.max_body
    async with connect(app) as peer:
        response = await send_raw(peer, b'{"x": "' + b"y" * limit + b'"}')
        assert (await peer.result("tools/list"))["tools"]
    assert response.answer.get("id") is None
    assert response.is_status(413)
    assert response.error["code"] == (-32700 if isinstance(peer, StdioPeer) else -32600)
