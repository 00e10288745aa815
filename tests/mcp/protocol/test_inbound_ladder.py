"""The checks of 2026-07-28 in their order: each defect, and which of two answers."""

from itertools import combinations
from typing import Any

import pytest
from support.results import describe_rejection

from asdlc_kb.mcp.protocol import inbound
from asdlc_kb.mcp.protocol.inbound import (
    Call,
    InboundContext,
    McpHeaders,
    Rejection,
    route,
)
from asdlc_kb.mcp.protocol.versions import KNOWN

VERSION = inbound.VERSION_KEY
CAPABILITIES = inbound.CAPABILITIES_KEY
L0, L1, L2, L3, M = KNOWN
SUPPORTED = [M, L3, L2, L1, L0]


def classify(
    *,
    method: str = "tools/call",
    params: dict[str, Any] | None = None,
    meta: dict[str, Any] | None = None,
    **sent: Any,
) -> Any:
    """Route a request with some fields or headers changed.

    A `_meta` value of `...` is left out; `mcp_method` is the Mcp-Method header.
    """
    whole = {VERSION: M, CAPABILITIES: {}, **(meta or {})}
    kept = {key: value for key, value in whole.items() if value is not ...}
    stated = {"name": "echo"} if params is None else params
    message = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": method,
        "params": {**stated, "_meta": kept},
    }
    headers = {"version": M, "name": "echo", **sent}
    headers["method"] = headers.pop("mcp_method", method)
    return route(message, InboundContext(McpHeaders(**headers)))


def test_a_call_without_a_defect_climbs_the_whole_ladder() -> None:
    """The specification, streamable-http: client info is optional."""
    call = classify()
    assert isinstance(call, Call)
    assert (call.id, call.method, call.version) == (7, "tools/call", M)
    assert (call.target, call.is_stateless) == ("echo", True)
    assert isinstance(classify(meta={"io.modelcontextprotocol/clientInfo": {}}), Call)


V_TYPE = f"Invalid params: {VERSION} must be a string"
C_TYPE = f"Invalid params: {CAPABILITIES} must be an object"
UNKNOWN = "Unsupported protocol version"
NONE = "Method 'tools/none' not found"
H_VERSION = "Header mismatch: MCP-Protocol-Version header"
H_METHOD = "Header mismatch: Mcp-Method header"
H_NAME = "Header mismatch: Mcp-Name"
DIFFERS = "differs from the body"
V9 = {"version": "v999.0.0", "meta": {VERSION: "v999.0.0"}}
OLD = {"version": L3, "meta": {VERSION: L3}}
NEVER_ENCODED = {"mcp_method": "=?base64?dG9vbHMvY2FsbA==?="}

DEFECTS: list[tuple[int, dict[str, Any], int, int, str]] = [
    (2, {"meta": {VERSION: 5}}, 400, -32602, V_TYPE),
    (2, {"meta": {VERSION: None}}, 400, -32602, V_TYPE),
    (2, {"meta": {VERSION: {}}}, 400, -32602, V_TYPE),
    (2, {"meta": {CAPABILITIES: ...}}, 400, -32602, C_TYPE),
    (2, {"meta": {CAPABILITIES: []}}, 400, -32602, C_TYPE),
    (2, {"meta": {CAPABILITIES: None}}, 400, -32602, C_TYPE),
    (3, {"version": None}, 400, -32020, f"{H_VERSION} is missing"),
    (3, {"version": L3}, 400, -32020, f"{H_VERSION} {DIFFERS}"),
    (4, V9, 400, -32022, UNKNOWN),
    (4, OLD, 400, -32022, UNKNOWN),
    (5, {"mcp_method": None}, 400, -32020, f"{H_METHOD} is missing"),
    (5, {"mcp_method": "tools/list"}, 400, -32020, f"{H_METHOD} {DIFFERS}"),
    (5, {"mcp_method": "Tools/Call"}, 400, -32020, f"{H_METHOD} {DIFFERS}"),
    (5, NEVER_ENCODED, 400, -32020, f"{H_METHOD} {DIFFERS}"),
    (6, {"method": "tools/none"}, 404, -32601, NONE),
    (7, {"name": None}, 400, -32020, f"{H_NAME} header is missing"),
    (7, {"name": "Echo"}, 400, -32020, f"{H_NAME} header {DIFFERS}"),
    (7, {"name": "caf\xe9"}, 400, -32020, f"{H_NAME} has invalid characters"),
    (
        7,
        {"name": "=?base64?!?="},
        400,
        -32020,
        f"{H_NAME} is not valid base64 of UTF-8",
    ),
]
"""Step, defect, and the status, code and message that answer it."""

PAIRS = [
    (lower, higher)
    for lower, higher in combinations(DEFECTS, 2)
    if lower[0] < higher[0] and not (set(lower[1]) & set(higher[1])) - {"meta"}
]
"""Defects of two steps that one request can have at once."""


def combine(lower: dict[str, Any], higher: dict[str, Any]) -> dict[str, Any]:
    """Return two defects as one."""
    meta = {**higher.get("meta", {}), **lower.get("meta", {})}
    return {**higher, **lower, "meta": meta}


@pytest.mark.parametrize(("step", "defect", "status", "code", "message"), DEFECTS)
def test_each_step_of_the_ladder_refuses_its_defect(
    step: int, defect: dict[str, Any], status: int, code: int, message: str
) -> None:
    """The specification, 2026-07-28: one defect, one status and code, id echoed."""
    refusal = classify(**defect)
    assert describe_rejection(refusal) == (status, code, 7), step
    assert refusal.error.message == message
    assert refusal.version == M


@pytest.mark.parametrize(("lower", "higher"), PAIRS)
def test_of_two_defects_the_lower_step_answers(lower: Any, higher: Any) -> None:
    """D-030: the checks have one order, whatever else is wrong."""
    _, defect, status, code, message = lower
    refusal = classify(**combine(defect, higher[1]))
    assert describe_rejection(refusal) == (status, code, 7)
    assert refusal.error.message == message


def test_a_header_that_differs_comes_before_a_version_that_is_unsupported() -> None:
    """The specification, streamable-http: step 3 is -32020, step 4 would be -32022."""
    assert describe_rejection(classify(meta={VERSION: "v999.0.0"})) == (400, -32020, 7)
    assert describe_rejection(classify(meta={VERSION: L3})) == (400, -32020, 7)


def test_an_unsupported_envelope_names_what_is_supported() -> None:
    """The specification, basic/versioning: data has supported and requested."""
    refusal = classify(version="v9", meta={VERSION: "v9"})
    assert refusal.error.data == {"supported": SUPPORTED, "requested": "v9"}
    refusal = classify(version="v" * 5000, meta={VERSION: "v" * 5000})
    assert refusal.error.data == {"supported": SUPPORTED, "requested": "v" * 200}


@pytest.mark.parametrize(
    "method",
    [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "nope",
        "",
    ],
)
def test_methods_that_the_stateless_era_lacks_are_not_found(method: str) -> None:
    """The specification, 2026-07-28: removed methods are 404 -32601, and the error
    names the versions served, as an error to an initialize should.
    """
    refusal = classify(method=method)
    assert describe_rejection(refusal) == (404, -32601, 7)
    assert refusal.error.message == f"Method '{method}' not found"
    assert refusal.error.data == {"supported": SUPPORTED}


@pytest.mark.parametrize(
    ("method", "key"),
    [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri")],
)
def test_three_methods_have_their_target_in_mcp_name(method: str, key: str) -> None:
    """The specification, streamable-http: equal, encoded or not; without such a
    parameter there is nothing to compare and the method itself answers.
    """
    named = {key: "café"}
    assert describe_rejection(classify(method=method, params=named)) == (400, -32020, 7)
    call = classify(method=method, params=named, name="=?base64?Y2Fmw6k=?=")
    assert isinstance(call, Call)
    assert call.target == "café"
    for params in ({}, {key: 5}, {key: None}):
        call = classify(method=method, params=params, name=None)
        assert isinstance(call, Call)
        assert call.target is None


def test_other_methods_have_no_name_to_compare() -> None:
    """The specification, streamable-http: a stray Mcp-Name is ignored."""
    call = classify(method="tools/list", name="whatever")
    assert isinstance(call, Call)
    assert call.target is None


@pytest.mark.parametrize(
    ("step", "defect", "code"),
    [
        (2, {"meta": {CAPABILITIES: ...}}, -32602),
        (4, {"meta": {VERSION: L3}}, -32022),
        (6, {"method": "nope"}, -32601),
    ],
)
def test_a_channel_without_headers_has_fewer_steps(
    step: int, defect: dict[str, Any], code: int
) -> None:
    """The specification, stdio: no header layer, the body's steps only."""
    meta = {VERSION: M, CAPABILITIES: {}, **defect.get("meta", {})}
    kept = {key: value for key, value in meta.items() if value is not ...}
    method = defect.get("method", "tools/list")
    refusal = route(
        {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"_meta": kept}},
        InboundContext(),
    )
    assert isinstance(refusal, Rejection), step
    assert (refusal.error.CODE, refusal.id) == (code, 7)
