"""Classification of a POST's message: its kind and version, or its rejection."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.results import describe_rejection

from asdlc_kb.mcp.protocol import inbound
from asdlc_kb.mcp.protocol.inbound import (
    Batch,
    Call,
    Ignored,
    InboundContext,
    InboundNotification,
    McpHeaders,
    Rejection,
    route,
)
from asdlc_kb.mcp.protocol.jsonrpc import describe
from asdlc_kb.mcp.protocol.versions import KNOWN

VERSION = inbound.VERSION_KEY
CAPABILITIES = inbound.CAPABILITIES_KEY
L0, L1, L2, L3, M = KNOWN
SUPPORTED = [M, L3, L2, L1, L0]
MISSING_META = f"Invalid params: _meta must have {VERSION} and {CAPABILITIES}"


def enveloped(version: object = M) -> dict[str, Any]:
    """Return params with a complete envelope in `_meta`."""
    return {"_meta": {VERSION: version, CAPABILITIES: {}}}


def request(method: object = "tools/list", **fields: Any) -> dict[str, Any]:
    """Return a request without an envelope."""
    return {"jsonrpc": "2.0", "id": 7, "method": method, **fields}


def notification(**params: Any) -> dict[str, Any]:
    """Return a notification."""
    method = "notifications/initialized"
    return {"jsonrpc": "2.0", "method": method, "params": params}


def received(
    message: Any,
    version: str | None = None,
    session: str | None = None,
    negotiated: str | None = None,
    **headers: Any,
) -> Any:
    """Route a message that came over HTTP."""
    sent = McpHeaders(version=version, session=session, **headers)
    return route(message, InboundContext(sent, negotiated))


NO_MESSAGES = [
    ("ping", None),
    (3, None),
    (None, None),
    (request(jsonrpc="1.0"), 7),
    ({"id": 7, "method": "ping"}, 7),
    (request(method=5), 7),
    ({"jsonrpc": "2.0", "id": 7}, 7),
    ({"jsonrpc": "2.0"}, None),
    (request(params=[]), 7),
    (request(id=None), None),
    (request(id=True), None),
    (request(id=1.0), None),
    (request(id={}), None),
    (request(id=[]), None),
]


@pytest.mark.parametrize(("message", "echoed"), NO_MESSAGES)
@pytest.mark.parametrize("version", [None, L3, M, "bogus"])
@pytest.mark.parametrize("session", [None, "unknown"])
def test_what_is_no_message_comes_before_any_header(
    message: Any, echoed: object, version: str | None, session: str | None
) -> None:
    """D-030: 400 -32600 with a usable id, whatever the headers are."""
    assert describe_rejection(received(message, version, session)) == (
        400,
        -32600,
        echoed,
    )


@pytest.mark.parametrize("answer", [{"result": {}}, {"error": {"code": 1}}])
@pytest.mark.parametrize("session", [None, "unknown"])
def test_a_response_is_dropped_but_refused_in_the_stateless_era(
    answer: dict[str, Any], session: str | None
) -> None:
    """D-030: this server requests nothing of clients; 2026-07-28 forbids responses."""
    message = {"jsonrpc": "2.0", "id": 1, **answer}
    for version in (None, L0, L1, L2, L3):
        assert received(message, version, session) == Ignored()
    assert describe_rejection(received(message, M, session)) == (400, -32600, None)
    assert route(message, InboundContext()) == Ignored()


@pytest.mark.parametrize("session", [None, "live", "unknown"])
def test_an_envelope_is_served_statelessly_whatever_the_session(
    session: str | None,
) -> None:
    """The specification, basic/versioning: the body decides; sessions are ignored."""
    message = request("tools/list", params=enveloped())
    negotiated = L3 if session == "live" else None
    call = received(message, M, session, negotiated, method="tools/list")
    assert isinstance(call, Call)
    assert (call.id, call.version, call.is_stateless) == (7, M, True)


@pytest.mark.parametrize("version", [None, L2, L3, M, "bogus"])
@pytest.mark.parametrize("session", [None, "unknown", "live"])
def test_initialize_begins_a_handshake_whatever_the_headers_say(
    version: str | None, session: str | None
) -> None:
    """D-030: clients send headers of other servers and sessions."""
    message = request("initialize", params={"protocolVersion": L2})
    negotiated = L3 if session == "live" else None
    call = received(message, version, session, negotiated)
    assert isinstance(call, Call)
    assert (call.method, call.version, call.is_stateless) == ("initialize", L2, False)


@pytest.mark.parametrize(
    ("requested", "agreed"),
    [
        *((version, version) for version in (L0, L1, L2, L3)),
        *((other, L3) for other in (M, "2024-10-07", "x", 5, None)),
    ],
)
def test_initialize_is_answered_in_the_version_asked_for_or_the_latest(
    requested: object, agreed: str
) -> None:
    """The specification, basic/lifecycle: negotiation never fails and never offers
    the stateless version.
    """
    call = route(
        request("initialize", params={"protocolVersion": requested}), InboundContext()
    )
    assert isinstance(call, Call)
    assert call.version == agreed


@pytest.mark.parametrize("session", [None, "unknown"])
def test_a_stateless_header_without_an_envelope_is_refused(
    session: str | None,
) -> None:
    """D-030: 400 -32602 names what is missing, before the session."""
    without: list[dict[str, Any]] = [{}, {"_meta": {}}, {"_meta": {CAPABILITIES: {}}}]
    for params in (*without, {"_meta": 5}):
        refusal = received(request(params=params), M, session)
        assert describe_rejection(refusal) == (400, -32602, 7)
        assert refusal.error.message == MISSING_META
        assert refusal.version == M


def test_a_live_session_wins_over_a_stateless_header() -> None:
    """D-030: some clients send new headers into old sessions."""
    call = received(request(), M, "live", L2)
    assert isinstance(call, Call)
    assert (call.version, call.is_stateless) == (L2, False)


@pytest.mark.parametrize("session", [None, "unknown"])
@pytest.mark.parametrize("params", [{}, enveloped(), {"_meta": 5}])
def test_a_stateless_notification_is_accepted(
    session: str | None, params: dict[str, Any]
) -> None:
    """The specification, streamable-http: 202, no header rules, no envelope needed."""
    notice = received(notification(**params), M, session)
    assert notice == InboundNotification("notifications/initialized", params)


def test_a_notification_with_an_envelope_needs_no_headers() -> None:
    """D-030: an envelope is stateless, so its session is ignored."""
    message = notification(**enveloped())
    for version in (None, "bogus"):
        assert isinstance(received(message, version, "unknown"), InboundNotification)


@pytest.mark.parametrize(
    "version", ["2024-10-07", "2099-01-01", "x", "", f"{L3}, {L2}"]
)
@pytest.mark.parametrize(
    ("session", "negotiated"), [(None, None), ("unknown", None), ("live", L3)]
)
def test_a_version_header_that_is_not_served_is_refused(
    version: str, session: str | None, negotiated: str | None
) -> None:
    """D-030: 400 -32022 with what is supported, before the session."""
    for message, echoed in ((request(), 7), (notification(), None)):
        refusal = received(message, version, session, negotiated)
        assert describe_rejection(refusal) == (400, -32022, echoed)
        assert describe(refusal.error) == {
            "code": -32022,
            "message": "Unsupported protocol version",
            "data": {"supported": SUPPORTED, "requested": version},
        }


@pytest.mark.parametrize("version", [None, L0, L1, L2, L3])
def test_an_unknown_session_is_not_found(version: str | None) -> None:
    """The specification, 2025-11-25 transports: 404, so that the client starts over."""
    for message, echoed in ((request(), 7), (notification(), None)):
        refusal = received(message, version, "unknown")
        assert describe_rejection(refusal) == (404, -32600, echoed)
        assert refusal.error.message == "Session not found"


@pytest.mark.parametrize(
    ("stated", "negotiated", "served"),
    [
        (None, None, L1),
        (L0, None, L0),
        (L1, None, L1),
        (L2, None, L2),
        (L3, None, L3),
        (None, L3, L3),
        (None, L2, L2),
        (None, L0, L0),
        (L3, L0, L0),
        (L3, L2, L2),
        (L2, L3, L3),
    ],
)
def test_the_session_the_header_or_2025_03_26_decides_the_version(
    stated: str | None, negotiated: str | None, served: str
) -> None:
    """D-113: a session's version first, then the header; a request without either is of
    2025-03-26, which has no such header.
    """
    session = "live" if negotiated else None
    call = received(request(params={"a": 1}), stated, session, negotiated)
    assert isinstance(call, Call)
    assert (call.version, call.id, call.params) == (served, 7, {"a": 1})
    assert isinstance(
        received(notification(), stated, session, negotiated), InboundNotification
    )


@pytest.mark.parametrize("negotiated", [None, L0, L1, L2, L3])
def test_a_channel_without_headers_serves_both_eras_at_once(
    negotiated: str | None,
) -> None:
    """The specification, basic/versioning: an envelope is stateless even after a
    handshake, and a request without one belongs to the handshake made or assumed.
    """
    context = InboundContext(None, negotiated)
    stateless = route(request(params=enveloped()), context)
    plain = route(request(), context)
    assert isinstance(stateless, Call)
    assert isinstance(plain, Call)
    assert (stateless.version, plain.version) == (M, negotiated or L1)
    assert isinstance(route(notification(), context), InboundNotification)


@pytest.mark.parametrize("method", ["server/discover", "tools/list", "nope"])
@pytest.mark.parametrize("version", [M, L3, "x", 5])
def test_http_sse_takes_no_request_with_an_envelope(
    method: str, version: object
) -> None:
    """D-115: no stateless version defines that transport; -32601, on which clients that
    probe with server/discover fall back to initialize.
    """
    context = InboundContext(accepts_envelope=False)
    message = request(method, params=enveloped(version))
    assert describe_rejection(route(message, context)) == (404, -32601, 7)
    assert isinstance(route(notification(**enveloped()), context), InboundNotification)
    assert isinstance(route(request(), context), Call)


TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("meta", "trace"),
    [
        ({"traceparent": TRACE}, TRACE),
        ({"traceparent": TRACE.upper()}, None),
        ({"traceparent": "00-" + "0" * 32 + "-b7ad6b7169203331-01"}, None),
        ({"traceparent": TRACE + "\n"}, None),
        ({"traceparent": 5}, None),
        ({}, None),
        (5, None),
        (None, None),
    ],
)
def test_trace_context_is_read_or_ignored(meta: object, trace: str | None) -> None:
    """The specification, basic/index: W3C formats; malformed ones never reject."""
    call = route(request(params={"_meta": meta}), InboundContext())
    assert isinstance(call, Call)
    assert call.trace == trace


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(["_meta", VERSION, CAPABILITIES, "name"])
            | st.text(max_size=3),
            below,
            max_size=3,
        )
    ),
    max_leaves=8,
)
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | json_values},
    optional={
        "id": json_values,
        "method": st.sampled_from(["initialize", "tools/call"]) | json_values,
        "params": json_values,
        "result": json_values,
    },
)
maybe = st.none() | st.sampled_from([L2, L3, M, "tools/call"]) | st.text(max_size=5)


@given(
    messages | st.lists(messages) | json_values,
    maybe,
    maybe,
    maybe,
    maybe,
    st.sampled_from([None, L3]),
)
def test_any_message_with_any_headers_is_routed_or_refused(
    message: Any, version: Any, session: Any, method: Any, name: Any, negotiated: Any
) -> None:
    """D-030: routing never raises, and refuses with a 4xx only."""
    headers = McpHeaders(version, session, method, name)
    for context in (
        InboundContext(headers, negotiated),
        InboundContext(None, negotiated),
    ):
        routed = route(message, context)
        members = routed.members if isinstance(routed, Batch) else (routed,)
        for member in members:
            if isinstance(member, Rejection):
                assert member.status in (400, 404)
                assert not isinstance(member.id, bool)
