"""Arrays of messages: where they are accepted, their size, and forbidden members."""

from typing import Any

import pytest
from support.results import describe_rejection

from asdlc_kb.mcp.protocol import inbound
from asdlc_kb.mcp.protocol.inbound import (
    MAX_BATCH_MEMBERS,
    Batch,
    Call,
    Ignored,
    InboundContext,
    InboundNotification,
    McpHeaders,
    Rejection,
    route,
)
from asdlc_kb.mcp.protocol.versions import KNOWN

L0, L1, L2, L3, M = KNOWN
PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
NOTICE = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {}}
ENVELOPE = {inbound.VERSION_KEY: M, inbound.CAPABILITIES_KEY: {}}
ALONE = "initialize, and a request with its own version, is sent alone"


def over_http(
    message: Any, version: str | None, session: str | None, negotiated: str | None
) -> Any:
    """Route a message that came over HTTP."""
    return route(
        message,
        InboundContext(McpHeaders(version=version, session=session), negotiated),
    )


@pytest.mark.parametrize(
    ("stated", "session", "negotiated", "answer"),
    [
        (None, None, None, L1),
        (L1, None, None, L1),
        (L0, None, None, L0),
        (None, "live", L0, L0),
        (None, "live", L1, L1),
        (L3, "live", L1, L1),
        (M, "live", L1, L1),
        (L2, None, None, (400, -32600)),
        (L3, None, None, (400, -32600)),
        (M, None, None, (400, -32600)),
        (M, "unknown", None, (400, -32600)),
        (L3, "unknown", None, (400, -32600)),
        ("bogus", None, None, (400, -32600)),
        (None, "live", L2, (400, -32600)),
        (None, "live", L3, (400, -32600)),
        (L1, "live", L3, (400, -32600)),
        (None, "unknown", None, (404, -32600)),
        (L1, "unknown", None, (404, -32600)),
        ("bogus", "live", L1, (400, -32022)),
    ],
)
def test_an_array_is_taken_where_the_version_in_force_has_batches(
    stated: str | None, session: str | None, negotiated: str | None, answer: object
) -> None:
    """The specification, 2025-03-26 basic: MUST be received; 2025-06-18 removed them.

    The session's version counts first, then the header, then 2025-03-26.
    """
    routed = over_http([PING], stated, session, negotiated)
    if isinstance(answer, tuple):
        assert describe_rejection(routed) == (*answer, None)
    else:
        assert isinstance(routed, Batch)
        (call,) = routed.members
        assert isinstance(call, Call)
        assert (call.version, call.id) == (answer, 7)


@pytest.mark.parametrize(
    ("negotiated", "is_taken"),
    [(None, True), (L0, True), (L1, True), (L2, False), (L3, False)],
)
def test_a_channel_takes_arrays_by_the_version_it_agreed_on(
    negotiated: str | None, is_taken: bool
) -> None:
    """D-113: stdio and HTTP+SSE have no version header."""
    routed = route([PING], InboundContext(None, negotiated))
    assert isinstance(routed, Batch if is_taken else Rejection)


@pytest.mark.parametrize("count", [0, 51, 1000])
def test_a_batch_has_1_to_50_messages(count: int) -> None:
    """JSON-RPC 2.0 section 6: not empty; D-040: bounded."""
    assert MAX_BATCH_MEMBERS == 50
    refusal = route([PING] * count, InboundContext())
    assert describe_rejection(refusal) == (400, -32600, None)
    assert isinstance(refusal, Rejection)
    assert refusal.error.data == {"reason": "a batch has 1 to 50 messages"}
    whole = route([PING] * 50, InboundContext())
    assert isinstance(whole, Batch)
    assert len(whole.members) == 50


def test_each_member_is_routed_by_itself_in_its_place() -> None:
    """JSON-RPC 2.0 section 6: an invalid member gets an error of its own."""
    broken = {"jsonrpc": "1.0", "id": "x", "method": "ping"}
    routed = route([PING, NOTICE, 5, ANSWER, broken, [PING]], InboundContext())
    assert isinstance(routed, Batch)
    call, notice, number, ignored, old, nested = routed.members
    assert isinstance(call, Call)
    assert notice == InboundNotification("notifications/initialized", {})
    assert ignored == Ignored()
    assert (
        describe_rejection(number) == describe_rejection(nested) == (400, -32600, None)
    )
    assert describe_rejection(old) == (400, -32600, "x")


@pytest.mark.parametrize(
    "member",
    [
        {**PING, "method": "initialize", "params": {"protocolVersion": L1}},
        {**PING, "method": "initialize"},
        {**PING, "params": {"_meta": ENVELOPE}},
        {**PING, "method": "tools/list", "params": {"_meta": ENVELOPE}},
        {**PING, "method": "subscriptions/listen", "params": {"_meta": ENVELOPE}},
        {**PING, "params": {"_meta": {inbound.VERSION_KEY: "x"}}},
        {**PING, "method": "initialize", "params": {"_meta": ENVELOPE}},
    ],
)
@pytest.mark.parametrize("headers", [None, McpHeaders()])
def test_what_stands_alone_is_refused_as_a_member(
    member: dict[str, Any], headers: McpHeaders | None
) -> None:
    """The specification, 2025-03-26 lifecycle: initialize MUST NOT be in a batch; the
    version that has envelopes has no batches.
    """
    for accepts_envelope in (True, False):
        context = InboundContext(headers, accepts_envelope=accepts_envelope)
        routed = route([member, PING], context)
        assert isinstance(routed, Batch)
        refusal, call = routed.members
        assert describe_rejection(refusal) == (400, -32600, 7)
        assert isinstance(refusal, Rejection)
        assert refusal.error.data == {"reason": ALONE}
        assert isinstance(call, Call)


def test_a_notification_is_accepted_in_a_batch_whatever_it_carries() -> None:
    """D-040: a notification gets no answer, so no error either."""
    enveloped = {**NOTICE, "params": {"_meta": ENVELOPE}}
    routed = route([enveloped, {**NOTICE, "method": "initialize"}], InboundContext())
    assert isinstance(routed, Batch)
    assert all(isinstance(member, InboundNotification) for member in routed.members)
