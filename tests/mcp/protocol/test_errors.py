"""The error objects: codes of JSON-RPC and MCP, and fixed messages."""

import pytest

from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.mcp.protocol import errors
from asdlc_kb.mcp.protocol.errors import MethodNotFound, ProtocolError, ToolFailure
from asdlc_kb.mcp.protocol.jsonrpc import describe


@pytest.mark.parametrize(
    ("kind", "code", "message"),
    [
        (errors.ParseError, -32700, "Parse error"),
        (errors.InvalidRequest, -32600, "Invalid Request"),
        (errors.InvalidParams, -32602, "Invalid params"),
        (errors.InternalError, -32603, "Internal server error"),
        (errors.ResourceNotFound, -32002, "Resource not found"),
        (errors.HeaderMismatch, -32020, "Header mismatch"),
        (errors.MissingCapability, -32021, "Missing required client capability"),
        (errors.UnsupportedVersion, -32022, "Unsupported protocol version"),
    ],
)
def test_each_code_has_one_class_and_one_message(
    kind: type[ProtocolError], code: int, message: str
) -> None:
    """D-033: fixed messages; codes of JSON-RPC 2.0 and the specification."""
    assert describe(kind()) == {"code": code, "message": message}
    detailed = kind("Said otherwise", {"with": "data"})
    assert describe(detailed) == {
        "code": code,
        "message": "Said otherwise",
        "data": {"with": "data"},
    }
    assert str(detailed) == "Said otherwise"


def test_a_method_that_does_not_exist_is_named() -> None:
    """D-033: Method '{method}' not found."""
    assert describe(MethodNotFound("tools/x", {"a": 1})) == {
        "code": -32601,
        "message": "Method 'tools/x' not found",
        "data": {"a": 1},
    }


def test_a_peers_word_is_repeated_up_to_200_characters() -> None:
    """D-052: errors are small, whatever was requested."""
    error = MethodNotFound("m" * 1_000_000)
    assert error.message == f"Method '{'m' * 200}' not found"
    assert errors.clip("x" * 200) == "x" * 200
    assert errors.clip("x" * 201) == "x" * 200


def test_data_that_is_empty_is_still_told() -> None:
    """JSON-RPC 2.0 section 5.1: data may be any value; only None is left out."""
    assert describe(errors.InvalidParams(data={}))["data"] == {}


def test_a_tool_failure_is_no_protocol_error_until_it_is_asked_to_be() -> None:
    """D-004: a tool's failure is a result for the model by default."""
    failure = ToolFailure("No", {"a": 1})
    assert not isinstance(failure, ProtocolError)
    assert isinstance(failure, KnowledgeBaseError)
    assert (failure.message, failure.data) == ("No", {"a": 1})
    assert failure.protocol is errors.InvalidParams
    assert ToolFailure("No", None, errors.InternalError).protocol.CODE == -32603
