"""Answered messages in the terms of the semantic conventions for MCP.

Source: open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md, Server.
"""

from typing import Any

import pytest

from asdlc_kb.mcp.dispatch.operation import (
    OTHER,
    Operation,
    describe_operations,
    digest_session,
)
from asdlc_kb.mcp.dispatch.response import AnsweredMember, Response
from asdlc_kb.mcp.protocol.errors import InvalidRequest
from asdlc_kb.mcp.protocol.inbound import (
    Batch,
    Call,
    Ignored,
    Inbound,
    InboundNotification,
    Rejection,
)

VERSION = "2025-11-25"
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
OK = Response(200)
QUERY = {"name": "search_articles", "arguments": {"query": "agents", "limit": 3}}


def is_known(method: str, name: str) -> bool:
    """Know one tool and one prompt."""
    return (method, name) in {
        ("tools/call", "search_articles"),
        ("prompts/get", "review"),
    }


def describe(
    message: Inbound | Batch, reply: Response | None = OK, **given: Any
) -> Operation:
    """Return the only operation of a message."""
    (operation,) = describe_operations(message, reply, 0.5, is_known, **given)
    return operation


def call(method: str, **params: Any) -> Call:
    """Return a call."""
    return Call(7, method, params, VERSION)


def test_a_tool_call_is_named_after_its_tool() -> None:
    """`{mcp.method.name} {gen_ai.tool.name}`."""
    operation = describe(call("tools/call", **QUERY))
    assert operation.name == "tools/call search_articles"
    assert operation.labels == {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": VERSION,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search_articles",
    }
    assert operation.details == {"jsonrpc.request.id": "7"}
    assert operation.seconds == 0.5


def test_a_prompt_is_named_likewise() -> None:
    """`gen_ai.prompt.name`, and no tool is executed."""
    operation = describe(call("prompts/get", name="review", arguments={"a": "b"}))
    assert operation.name == "prompts/get review"
    assert operation.labels["gen_ai.prompt.name"] == "review"
    assert "gen_ai.operation.name" not in operation.labels


@pytest.mark.parametrize("method", ["tools/call", "prompts/get"])
def test_an_invented_name_is_no_label(method: str) -> None:
    """Clients can invent any number; the span has it, cut."""
    operation = describe(call(method, name="x" * 500))
    assert operation.name == method
    kind = "tool" if method == "tools/call" else "prompt"
    assert f"gen_ai.{kind}.name" not in operation.labels
    assert operation.details[f"gen_ai.{kind}.name"] == "x" * 100


def test_an_invented_method_is_no_label() -> None:
    """`_OTHER`, as the HTTP conventions have it for methods."""
    operation = describe(call("invented/" + "x" * 500))
    assert (operation.name, operation.labels["mcp.method.name"]) == (OTHER, OTHER)
    assert operation.details["mcp.method.name"] == ("invented/" + "x" * 500)[:100]


def test_a_resource_is_no_part_of_the_name() -> None:
    """Of a span, to avoid very many names; the URI is as the client sent it."""
    operation = describe(call("resources/read", uri="kb://article/x"))
    assert operation.name == "resources/read"
    assert operation.details["mcp.resource.uri"] == "kb://article/x"
    assert "mcp.resource.uri" not in operation.labels


def test_a_notification_has_no_id() -> None:
    """It has no response either."""
    operation = describe(InboundNotification("notifications/initialized", {}))
    assert operation.name == "notifications/initialized"
    assert operation.details == {}


def test_a_client_s_response_is_no_operation() -> None:
    """This server sends no requests."""
    assert not [*describe_operations(Ignored(), OK, 0.1, is_known)]


@pytest.mark.parametrize(
    ("reply", "labels"),
    [
        (OK, {}),
        (Response(200, has_failed=True), {"error.type": "tool_error"}),
        (
            Response(200, error=-32602),
            {"error.type": "-32602", "rpc.response.status_code": "-32602"},
        ),
        (Response(200, is_cancelled=True), {"error.type": "cancelled"}),
        (None, {"error.type": OTHER}),
    ],
)
def test_a_failure_has_its_type(reply: Response | None, labels: Any) -> None:
    """The code of the JSON-RPC error, or `tool_error`."""
    found = describe(call("ping"), reply).labels
    assert {k: found[k] for k in found if not k.startswith("mcp.")} == labels


def test_a_rejected_message_has_no_method() -> None:
    """It was not understood."""
    rejected = Rejection(InvalidRequest(), 400, 1)
    operation = describe(rejected, Response(400, error=-32600))
    assert operation.labels == {
        "mcp.method.name": OTHER,
        "error.type": "-32600",
        "rpc.response.status_code": "-32600",
    }


def test_a_query_is_exported_only_if_queries_are_logged() -> None:
    """And no other argument ever."""
    searching = call("tools/call", **QUERY)
    assert "agents" not in repr(describe(searching))
    details = describe(searching, with_query=True).details
    assert details["gen_ai.tool.call.arguments"] == '{"query":"agents"}'
    reading = call("tools/call", name="get_article", arguments={"slug": "a-slug"})
    assert "a-slug" not in repr(describe(reading, with_query=True))


def test_a_session_is_named_and_its_id_stays() -> None:
    """The id admits to the session."""
    operation = describe(call("ping"), session="a-secret-id")
    assert operation.details["mcp.session.id"] == digest_session("a-secret-id")
    assert "a-secret-id" not in repr(operation)
    opened = describe(call("initialize"), Response(200, session="a-secret-id"))
    assert opened.details["mcp.session.id"] == operation.details["mcp.session.id"]
    other = describe(call("ping"), session="another-id")
    assert other.details["mcp.session.id"] != operation.details["mcp.session.id"]


@pytest.mark.parametrize(
    ("meta", "trace"),
    [
        ({"traceparent": TRACE}, {"traceparent": TRACE}),
        (
            {"traceparent": TRACE, "tracestate": "a=b"},
            {"traceparent": TRACE, "tracestate": "a=b"},
        ),
        (
            {"traceparent": TRACE, "tracestate": "a=" + "b" * 511},
            {"traceparent": TRACE},
        ),
        ({"traceparent": TRACE, "tracestate": 5}, {"traceparent": TRACE}),
        ({"traceparent": "nonsense", "tracestate": "a=b"}, {}),
        ({"tracestate": "a=b"}, {}),
        ("nonsense", {}),
    ],
)
def test_the_trace_context_is_that_of_the_meta(meta: object, trace: Any) -> None:
    """SEP-414: unprefixed keys of W3C Trace Context."""
    assert describe(call("ping", _meta=meta)).trace == trace


def test_a_batch_has_the_operations_of_its_messages() -> None:
    """Each with the time that it took."""
    ping, failing = call("ping"), call("tools/call", name="search_articles")
    members = (
        AnsweredMember(ping, OK, 0.1, 1000.0),
        AnsweredMember(failing, Response(200, has_failed=True), 0.2, 1001.0),
    )
    batch = Batch((ping, failing))
    found = [*describe_operations(batch, Response(200, members=members), 9.0, is_known)]
    assert [(each.name, each.seconds, each.ended) for each in found] == [
        ("ping", 0.1, 1000.0),
        ("tools/call search_articles", 0.2, 1001.0),
    ]
    assert found[1].labels["error.type"] == "tool_error"
    assert not [*describe_operations(batch, None, 9.0, is_known)]
