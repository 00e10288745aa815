"""resources/subscribe and resources/unsubscribe, in the versions that have them."""

import json
from typing import Any

import pytest
from support.shelf import IDENTITY, SampleProvider

from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher
from asdlc_kb.mcp.dispatch.provider import CallContext
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.eras import handshake
from asdlc_kb.mcp.eras.handshake import Handshake
from asdlc_kb.mcp.protocol.inbound import Call
from asdlc_kb.mcp.protocol.versions import HANDSHAKE
from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.mcp.sessions.sessions import MAX_SUBSCRIPTIONS, Sessions

versions = pytest.mark.parametrize("version", HANDSHAKE)
both_verbs = pytest.mark.parametrize("verb", ["subscribe", "unsubscribe"])
EMPTY = Response(200, b'{"jsonrpc":"2.0","id":7,"result":{}}')


async def ask(
    session: Session | None,
    verb: str,
    uri: Any,
    version: str = "2025-11-25",
    sessions: Sessions | None = None,
) -> Response:
    """Answer one call of a session over a sample provider of 1,100 notes."""
    provider = SampleProvider(notes=[str(number) for number in range(1100)] + ["a"])
    held = Sessions() if sessions is None else sessions
    era = Handshake(Dispatcher([provider]), IDENTITY, str, held)
    call = Call(7, f"resources/{verb}", {"uri": uri}, version)
    return await era.answer(call, CallContext(version, call.params), session)


def error(reply: Response) -> dict[str, Any]:
    """Return the error of a response that has HTTP 200."""
    assert reply.status == 200
    described: dict[str, Any] = json.loads(reply.body)["error"]
    assert described["code"] == reply.error
    return described


@versions
async def test_a_session_subscribes_and_unsubscribes(version: str) -> None:
    """The specification, server/resources: empty results; twice is once."""
    session = Session(version)
    for _ in range(2):
        assert await ask(session, "subscribe", "note://a", version) == EMPTY
        assert session.subscription.filter.uris == {"note://a": "note://a"}
    for _ in range(2):
        assert await ask(session, "unsubscribe", "note://a", version) == EMPTY
        assert session.subscription.filter.uris == {}


async def test_spellings_of_one_resource_are_one_subscription() -> None:
    """D-117: no spelling adds to what is stored; notifications use the first."""
    session = Session()
    for uri in ("note://A", "note://a"):
        assert await ask(session, "subscribe", uri) == EMPTY
    assert session.subscription.filter.uris == {"note://a": "note://A"}
    assert await ask(session, "unsubscribe", "note://a") == EMPTY
    assert session.subscription.filter.uris == {}


@versions
@pytest.mark.parametrize("uri", ["note://none", "", "x:y"])
async def test_what_is_not_there_cannot_be_subscribed_to(
    version: str, uri: str
) -> None:
    """The specification, server/resources: -32002 with the URI."""
    session = Session(version)
    assert error(await ask(session, "subscribe", uri, version)) == {
        "code": -32002,
        "message": "Resource not found",
        "data": {"uri": uri},
    }
    assert session.subscription.filter.uris == {}
    assert await ask(session, "unsubscribe", uri, version) == EMPTY


async def test_a_uri_that_is_far_too_long_is_cut_in_the_error() -> None:
    """D-052: errors are small, whatever was requested."""
    message = error(await ask(Session(), "subscribe", "note://" + "x" * 5000))
    assert message["data"] == {"uri": "note://" + "x" * 193}


@both_verbs
@pytest.mark.parametrize("uri", [None, 5, ["note://a"], {}])
async def test_a_uri_is_a_string(verb: str, uri: object) -> None:
    """The specification, schema.ts: -32602."""
    assert error(await ask(Session(), verb, uri)) == {
        "code": -32602,
        "message": "Invalid params: uri must be a string",
    }


@both_verbs
async def test_without_a_session_there_is_no_subscriber(verb: str) -> None:
    """A request without a session is served where that is possible."""
    reason = "subscriptions belong to a session: send initialize first"
    assert error(await ask(None, verb, "note://a")) == {
        "code": -32600,
        "message": "Invalid Request",
        "data": {"reason": reason},
    }


async def test_a_session_has_1000_subscriptions_at_most() -> None:
    """D-116: what a peer makes the server hold is bounded; what it has stays."""
    assert MAX_SUBSCRIPTIONS == 1000
    session = Session()
    uris = {f"note://{number}": f"note://{number}" for number in range(1000)}
    session.subscription.filter.uris.update(uris)
    assert error(await ask(session, "subscribe", "note://a")) == {
        "code": -32602,
        "message": "1000 resources are subscribed to",
    }
    assert await ask(session, "subscribe", "note://999") == EMPTY
    assert await ask(session, "unsubscribe", "note://0") == EMPTY
    assert await ask(session, "subscribe", "note://a") == EMPTY
    assert len(session.subscription.filter.uris) == 1000


async def test_all_sessions_of_a_client_have_one_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D-116: capped for each address and principal; a repeated one counts once."""
    monkeypatch.setattr(handshake, "MAX_SUBSCRIPTIONS_PER_CLIENT", 2)
    sessions = Sessions()
    first, second, other = (
        sessions.find(sessions.ids.issue("2025-11-25"), address=address)
        for address in ("a", "a", "b")
    )
    for session in (first, second):
        reply = await ask(session, "subscribe", "note://1", sessions=sessions)
        assert reply == EMPTY
    for uri, session in (("note://1", first), ("note://2", other)):
        assert await ask(session, "subscribe", uri, sessions=sessions) == EMPTY
    refused = await ask(second, "subscribe", "note://2", sessions=sessions)
    assert error(refused)["message"] == (
        "2 resources are subscribed to by all sessions of this client"
    )
