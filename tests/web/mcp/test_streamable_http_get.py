"""The GET stream of a session (2025-03-26 to 2025-11-25): notifications only."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.peers import (
    EVENTS,
    STREAMABLE,
    HttpPeer,
    http_peer,
    message,
    open_app,
    serving,
)
from support.site import articles_of
from support.wire import Wire, ask, dial, until

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.sessions.session_lifetimes import MAX_AGE_SECONDS
from asdlc_kb.mcp.sessions.session_store import IDLE_SECONDS
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.web.handler_context import ServerState

LISTED = "notifications/resources/list_changed"


@asynccontextmanager
async def connected(
    app: Runtime, version: str = "2025-11-25"
) -> AsyncIterator[HttpPeer]:
    """Connect a client that has a session."""
    async with http_peer(app, version) as peer:
        assert isinstance(peer, HttpPeer)
        yield peer


@asynccontextmanager
async def listening(peer: HttpPeer, **headers: str) -> AsyncIterator[Wire]:
    """Open a stream of the peer's session; its opening comment is read."""
    async with dial(peer.site.port) as wire:
        sent = {**peer.headers({}), **EVENTS, **headers}
        await wire.request("GET", headers=sent)
        head = await wire.head()
        assert (head.status, head.headers["content-type"]) == (200, "text/event-stream")
        assert "mcp-session-id" not in head.headers
        frame = await wire.frame()
        assert frame is not None
        assert frame[0] == ""
        yield wire


@pytest.fixture
def live(knowledge: KnowledgeBase) -> Runtime:
    """An application with an article to change."""
    knowledge.write("concepts/one")
    return open_app(knowledge)


def add(knowledge: KnowledgeBase, app: Runtime, name: str) -> None:
    """Write a new article and have it noticed."""
    knowledge.write(f"concepts/{name}")
    articles_of(app).load()


@pytest.mark.parametrize("version", STREAMABLE)
async def test_changes_come_on_the_stream(
    knowledge: KnowledgeBase, live: Runtime, version: str
) -> None:
    """Untagged, without an `endpoint` or a priming event, and no answers."""
    async with connected(live, version) as peer:
        await peer.result("resources/subscribe", {"uri": "kb://article/one"})
        async with listening(peer) as wire:
            await peer.result("ping")
            knowledge.write("concepts/one", body="Another text\n", title="Another")
            articles_of(live).load()
            heard = [await wire.notice(), await wire.notice()]
    updated = {"uri": "kb://article/one"}
    assert sorted(heard, key=lambda notice: str(notice["method"])) == [
        {"jsonrpc": "2.0", "method": LISTED, "params": {}},
        {
            "jsonrpc": "2.0",
            "method": "notifications/resources/updated",
            "params": updated,
        },
    ]


async def test_an_accept_that_names_events_among_others_is_enough(
    live: Runtime,
) -> None:
    """Clients list more than one type, with parameters."""
    async with connected(live) as peer:
        accept = "application/json, Text/Event-Stream;q=0.5"
        async with listening(peer, Accept=accept):
            assert len(peer.site.web.state.streams) == 1


async def test_a_last_event_id_resumes_nothing(live: Runtime) -> None:
    """Resumption is not offered, so no event has an id: treated as if absent."""
    async with connected(live) as peer:
        async with listening(peer, **{"Last-Event-ID": "7"}):
            assert (await peer.result("ping")) == {}


async def test_a_newer_stream_gets_the_events_and_the_older_one_ends(
    knowledge: KnowledgeBase, live: Runtime
) -> None:
    """Each message on one stream only, the newest; what it missed is not lost."""
    async with connected(live) as peer, listening(peer) as old:
        async with listening(peer) as new:
            assert await old.notice() is None
            add(knowledge, live, "two")
            assert (await new.notice())["method"] == LISTED
        await until(lambda: len(peer.site.web.state.streams) == 0)
        add(knowledge, live, "three")
        async with listening(peer) as third:
            assert (await third.notice())["method"] == LISTED
            answer = await ask(peer.site.port, "DELETE", headers=peer.headers({}))
            assert answer.status == 204
            assert await third.notice() is None


async def test_an_event_waits_for_a_stream_with_a_valid_token(
    knowledge: KnowledgeBase, live: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-122: a stream whose token expired ends without it."""
    async with connected(live) as peer:
        async with listening(peer) as expired:
            with monkeypatch.context() as patch:
                patch.setattr(ServerState, "admits", lambda self, principal: False)
                add(knowledge, live, "two")
                assert await expired.notice() is None
        await until(lambda: len(peer.site.web.state.streams) == 0)
        async with listening(peer) as wire:
            assert (await wire.notice())["method"] == LISTED


async def test_a_change_before_the_stream_is_not_lost(
    knowledge: KnowledgeBase, live: Runtime
) -> None:
    """D-048: between initialize and GET, and between two streams; several are one."""
    async with connected(live) as peer:
        add(knowledge, live, "two")
        add(knowledge, live, "three")
        async with listening(peer) as wire:
            assert (await wire.notice())["method"] == LISTED
        await until(lambda: len(peer.site.web.state.streams) == 0)
        add(knowledge, live, "four")
        async with listening(peer) as wire:
            assert (await wire.notice())["method"] == LISTED
            await ask(peer.site.port, "DELETE", headers=peer.headers({}))
            assert await wire.notice() is None


async def test_the_end_of_the_session_ends_its_streams(live: Runtime) -> None:
    """DELETE: a whole last chunk on each; streams of other sessions stay."""
    async with connected(live) as peer:
        other = HttpPeer("2025-11-25", site=peer.site)
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
        await other.result("initialize", hello)
        async with listening(other), listening(peer) as one, listening(peer) as two:
            answer = await ask(peer.site.port, "DELETE", headers=peer.headers({}))
            assert answer.status == 204
            assert await one.chunk() == b""
            assert await two.chunk() == b""
            await until(lambda: len(peer.site.web.state.streams) == 1)
            assert await one.rest() == b""


async def test_closing_the_stream_does_not_end_the_session(live: Runtime) -> None:
    """The session lives on without one."""
    async with connected(live) as peer:
        async with listening(peer):
            pass
        await until(lambda: len(peer.site.web.state.streams) == 0)
        assert (await peer.result("ping")) == {}


async def test_a_stream_keeps_its_session_in_use(
    knowledge: KnowledgeBase,
) -> None:
    """A client that only listens does not expire, however old its id."""
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0], wall_clock=lambda: now[0])
    live = open_app(knowledge, sessions=sessions)
    async with connected(live) as peer, listening(peer) as wire:
        now[0] = 3.0 * MAX_AGE_SECONDS
        assert await peer.result("ping") == {}
        add(knowledge, live, "two")
        assert (await wire.notice())["method"] == LISTED
        assert len(sessions) == 1
    await until(lambda: not any(each.has_stream for each in sessions))
    assert len(sessions) == 1
    now[0] += IDLE_SECONDS
    assert len(sessions) == 0


@pytest.mark.parametrize("session", ["unknown", ""])
async def test_an_unknown_session_is_404(app: Runtime, session: str) -> None:
    """The client must start over; it does not get a stream of its own."""
    async with serving(app) as site:
        headers = {**EVENTS, "Mcp-Session-Id": session}
        answer = await ask(site.port, "GET", headers=headers)
        assert answer.status == 404
        assert answer.json["error"]["data"] == {"reason": "Session not found"}
        assert len(site.web.state.streams) == 0


@pytest.mark.parametrize("version", ["2026-07-28", "2099-01-01"])
async def test_other_versions_have_no_such_stream(live: Runtime, version: str) -> None:
    """2026-07-28, and unknown versions: 405, whatever is named."""
    async with connected(live) as peer:
        headers = {**peer.headers({}), **EVENTS, "MCP-Protocol-Version": version}
        answer = await ask(peer.site.port, "GET", headers=headers)
        assert (answer.status, answer.headers["allow"]) == (405, "POST")


async def test_sessions_have_streams_though_sse_is_off(
    knowledge: KnowledgeBase,
) -> None:
    """`--no-sse` is about the transport of 2024-11-05 alone."""
    app = open_app(knowledge, sse=False)
    async with connected(app) as peer, listening(peer) as wire:
        add(knowledge, app, "two")
        assert (await wire.notice())["method"] == LISTED


async def test_one_stream_too_many_is_503(
    live: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be retried; the session and its other stream live on."""
    async with connected(live) as peer, listening(peer):
        monkeypatch.setattr(peer.site.web.state.streams, "_max_per_client", 1)
        headers: dict[str, Any] = {**peer.headers({}), **EVENTS}
        answer = await ask(peer.site.port, "GET", headers=headers)
        assert (answer.status, answer.headers["retry-after"]) == (503, "30")
        response = await peer.site.post(message("ping"), peer.headers(message("ping")))
        assert json.loads(response.body)["result"] == {}
