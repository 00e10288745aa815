"""Sessions over HTTP: opened by initialize, checked, ended, bounded."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import (
    EVENTS,
    HANDSHAKE,
    JSON,
    VERSIONS,
    Site,
    envelope,
    message,
    open_app,
    serving,
    sse_peer,
)
from support.wire import ask, dial, until

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.eras.stateless import CachingHints
from asdlc_kb.mcp.protocol.model import Implementation
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.mcp.sessions.session_lifetimes import MAX_AGE_SECONDS
from asdlc_kb.mcp.sessions.session_store import IDLE_SECONDS
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.events import Event

SESSION = "Mcp-Session-Id"
NOT_FOUND = {"code": -32600, "message": "Session not found"}


def initialize(version: str = "2025-11-25") -> dict[str, Any]:
    """Return the first message of a client."""
    client = {"name": "tests", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return message("initialize", params, 0)


def with_sessions(app: Runtime, sessions: Sessions) -> Runtime:
    """Return an application with given sessions, without content."""
    identity = Implementation(name="tests", version="1")
    hints = CachingHints({"discovery": 0, "list": 0, "resource": 0})
    server = McpServer((), identity, instructions=str, hints=hints, sessions=sessions)
    return replace(app, server=server)


async def open_session(site: Site) -> str:
    """Initialize; return the session's id."""
    response = await site.post(initialize())
    assert response.code == 200
    session: str = response.headers[SESSION]
    return session


async def test_initialize_opens_a_session(app: Runtime) -> None:
    """2025-11-25 transports: an unguessable id of visible ASCII, on that answer."""
    async with serving(app) as site:
        ids = [await open_session(site) for _ in range(3)]
        assert len(set(ids)) == 3
        for session in ids:
            assert len(session) >= 32
            assert all("\x21" <= character <= "\x7e" for character in session)
        response = await site.post(message("ping"), {SESSION: ids[0]})
        assert response.code == 200
        assert SESSION not in response.headers


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_a_session_has_the_version_it_agreed_on(
    app: Runtime, version: str
) -> None:
    """Without a version header the session's version holds."""
    async with serving(app) as site:
        response = await site.post(initialize(version))
        answer = json.loads(response.body)
        assert answer["id"] == 0
        assert answer["result"]["protocolVersion"] == version
        session = response.headers[SESSION]
        with captured() as lines:
            await site.post(message("ping"), {SESSION: session})
    assert lines.rows[0]["version"] == version


async def test_any_supported_version_header_is_taken_in_a_session(app: Runtime) -> None:
    """Seen from real clients: a header that differs from what was agreed."""
    async with serving(app) as site:
        session = await open_session(site)
        for version in VERSIONS:
            headers = {SESSION: session, "MCP-Protocol-Version": version}
            response = await site.post(message("ping"), headers)
            assert (response.code, json.loads(response.body)["result"]) == (200, {})


async def test_a_session_header_that_comes_twice_counts_once(app: Runtime) -> None:
    """Proxies repeat headers."""
    async with serving(app) as site:
        session = await open_session(site)
        headers = {**JSON, SESSION: f"{session}, {session}"}
        body = json.dumps(message("ping")).encode()
        answer = await ask(site.port, "POST", headers=headers, body=body)
        assert (answer.status, answer.json["result"]) == (200, {})


@pytest.mark.parametrize("session", ["unknown", "", "x" * 5000, "\u00e4", "a, b"])
async def test_an_unknown_session_is_404(app: Runtime, session: str) -> None:
    """2025-11-25 transports: 404, upon which the client starts over; the id echoed."""
    async with serving(app) as site:
        headers = {**JSON, SESSION: session}
        for sent, request_id in (
            (message("ping", request_id="a"), "a"),
            (message("tools/list", request_id=0), 0),
            ({"jsonrpc": "2.0", "method": "notifications/initialized"}, None),
        ):
            body = json.dumps(sent).encode()
            answer = await ask(site.port, "POST", headers=headers, body=body)
            assert answer.status == 404
            error = {"jsonrpc": "2.0", "id": request_id, "error": NOT_FOUND}
            assert answer.json == error
            assert SESSION.lower() not in answer.headers


async def test_an_ended_session_is_unknown(app: Runtime) -> None:
    """DELETE ends it: 204 once, 404 from then on; other sessions live."""
    async with serving(app) as site:
        session, other = await open_session(site), await open_session(site)
        answer = await ask(site.port, "DELETE", headers={SESSION: session})
        assert (answer.status, answer.body) == (204, b"")
        response = await site.post(message("ping"), {SESSION: session})
        assert response.code == 404
        answer = await ask(site.port, "DELETE", headers={SESSION: session})
        assert answer.status == 404
        assert answer.json["error"]["data"] == {"reason": "Session not found"}
        response = await site.post(message("ping"), {SESSION: other})
        assert response.code == 200


async def test_a_delete_ends_no_stream_of_the_other_transport(app: Runtime) -> None:
    """D-115: DELETE finds what GET and POST find."""
    async with serving(app) as site, sse_peer(site, "2024-11-05") as peer:
        channel = peer.path.partition("=")[2]
        answer = await ask(site.port, "DELETE", headers={SESSION: channel})
        assert answer.status == 404
        assert await peer.result("ping") == {}


async def test_a_delete_without_a_session_is_400(app: Runtime) -> None:
    """There is nothing to end."""
    async with serving(app) as site:
        answer = await ask(site.port, "DELETE")
    assert answer.status == 400
    reason = "Mcp-Session-Id header is missing"
    assert answer.json["error"]["data"] == {"reason": reason}


async def test_a_stateless_delete_ends_nothing(app: Runtime) -> None:
    """2026-07-28 knows no sessions: 405, and the session lives on."""
    async with serving(app) as site:
        session = await open_session(site)
        headers = {SESSION: session, "MCP-Protocol-Version": "2026-07-28"}
        assert (await ask(site.port, "DELETE", headers=headers)).status == 405
        response = await site.post(message("ping"), {SESSION: session})
        assert response.code == 200


async def test_a_session_header_on_initialize_is_ignored(app: Runtime) -> None:
    """A client that lost its session starts over, with the old id."""
    async with serving(app) as site:
        response = await site.post(initialize(), {SESSION: "gone"})
        assert response.code == 200
        assert response.headers[SESSION] != "gone"


@pytest.mark.parametrize("params", [{}, {"protocolVersion": 1}, None])
async def test_a_failed_initialize_opens_no_session(app: Runtime, params: Any) -> None:
    """No session id on an error: clients would take it."""
    async with serving(app) as site:
        response = await site.post(message("initialize", params))
    assert response.code == 200
    assert json.loads(response.body)["error"]["code"] == -32602
    assert SESSION not in response.headers


async def test_a_stateless_request_has_no_session(app: Runtime) -> None:
    """2026-07-28: the header is ignored, and none is ever set."""
    async with serving(app) as site:
        headers = {
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "server/discover",
            SESSION: "unknown",
        }
        params = {"_meta": envelope("2026-07-28")}
        response = await site.post(message("server/discover", params), headers)
        assert response.code == 200
        assert SESSION not in response.headers
        sent = message("initialize", {**initialize()["params"], **params})
        headers["Mcp-Method"] = "initialize"
        response = await site.post(sent, headers)
        assert response.code == 404
        assert json.loads(response.body)["error"]["code"] == -32601
        assert SESSION not in response.headers


async def test_no_more_streams_of_sessions_than_there_is_room_for(
    app: Runtime,
) -> None:
    """503, for this passes; sessions without a stream or a subscription need none."""
    sessions = Sessions(max_sessions=1)
    async with serving(with_sessions(app, sessions)) as site:
        first, second = await open_session(site), await open_session(site)
        async with dial(site.port) as wire:
            await wire.request("GET", headers={**EVENTS, SESSION: first})
            assert (await wire.head()).status == 200
            answer = await ask(site.port, "GET", headers={**EVENTS, SESSION: second})
            assert (answer.status, answer.headers["retry-after"]) == (503, "30")
            assert answer.json["error"]["code"] == -32603
            assert answer.json["error"]["data"] == {"reason": "1 sessions are open"}
            for session in (first, second):
                response = await site.post(message("ping"), {SESSION: session})
                assert response.code == 200
            await open_session(site)
            await ask(site.port, "DELETE", headers={SESSION: first})
            async with dial(site.port) as other:
                await other.request("GET", headers={**EVENTS, SESSION: second})
                assert (await other.head()).status == 200


async def test_an_idle_session_ends_a_day_after_it_began(app: Runtime) -> None:
    """Half an hour after its last use, and not before."""
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0], wall_clock=lambda: now[0])
    async with serving(with_sessions(app, sessions)) as site:
        session = await open_session(site)
        begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await site.post(begun, {SESSION: session})).code == 202
        now[0] = MAX_AGE_SECONDS - 1.0
        for _ in range(3):
            response = await site.post(message("ping"), {SESSION: session})
            assert response.code == 200
            now[0] += IDLE_SECONDS - 1
        now[0] += IDLE_SECONDS + 1
        response = await site.post(message("ping"), {SESSION: session})
        assert response.code == 404


async def test_a_session_outlives_the_process_where_a_key_is_given(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """Without a session key file a restart ends it."""
    key = tmp_path / "session.key"
    key.write_bytes(b"a key of this test, long enough to be one")
    cases: tuple[tuple[dict[str, Any], int], ...] = (
        ({"session_key_file": str(key)}, 200),
        ({}, 404),
    )
    for given, status in cases:
        async with serving(open_app(knowledge, **given)) as site:
            session = await open_session(site)
        async with serving(open_app(knowledge, **given)) as site:
            response = await site.post(message("ping"), {SESSION: session})
            assert response.code == status


async def test_a_stream_is_logged_with_the_name_of_its_client(app: Runtime) -> None:
    """The one that it gave itself in `initialize`."""
    with captured() as lines:
        async with serving(app) as site:
            session = await open_session(site)
            async with dial(site.port) as wire:
                await wire.request("GET", headers={**EVENTS, SESSION: session})
                assert (await wire.head()).status == 200
            await until(lambda: len(lines.rows) == 2)
    (row,) = (row for row in lines.rows if row["verb"] == "GET")
    assert row["client"] == "tests"


async def test_a_session_takes_any_message_at_once(app: Runtime) -> None:
    """Clients race their first requests with notifications/initialized."""
    async with serving(app) as site:
        session = await open_session(site)
        response = await site.post(message("tools/list"), {SESSION: session})
        assert len(json.loads(response.body)["result"]["tools"]) == 3


async def test_a_session_that_ends_while_its_stream_opens_gets_none(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lists are digested in a thread, and DELETE may come meanwhile."""
    find_missed = app.server.find_missed

    async def end_meanwhile(session: Session) -> list[Event]:
        missed = await find_missed(session)
        app.server.sessions.end(session)
        return missed

    monkeypatch.setattr(app.server, "find_missed", end_meanwhile)
    async with serving(app) as site:
        session = await open_session(site)
        answer = await ask(site.port, "GET", headers={**EVENTS, SESSION: session})
        assert answer.status == 404
        assert len(app.server.sessions) == 0
