"""Sessions over HTTP: opened by initialize, checked, ended, bounded."""

import json
from dataclasses import replace
from typing import Any

import pytest
from support.loglines import captured
from support.peers import (
    HANDSHAKE,
    JSON,
    VERSIONS,
    Site,
    envelope,
    message,
    serving,
    sse_peer,
)
from support.wire import ask

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.eras.stateless import CachingHints
from asdlc_kb.mcp.protocol.model import Implementation
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.subscriptions.sessions import IDLE_SECONDS, Sessions
from asdlc_kb.mcp.subscriptions.subscribers import Subscribers

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
    server = McpServer(
        (), identity, instructions="", hints=hints, audience=Subscribers(sessions)
    )
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
            (message("ping", request_id="a"), {"id": "a"}),
            (message("tools/list", request_id=0), {"id": 0}),
            ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {}),
        ):
            body = json.dumps(sent).encode()
            answer = await ask(site.port, "POST", headers=headers, body=body)
            assert answer.status == 404
            assert answer.json == {"jsonrpc": "2.0", **request_id, "error": NOT_FOUND}
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
    """D-113: DELETE finds what GET and POST find."""
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


async def test_no_more_sessions_than_there_is_room_for(app: Runtime) -> None:
    """D-047: 503; the sessions that live are not ended for it."""
    sessions = Sessions(most=2)
    async with serving(with_sessions(app, sessions)) as site:
        first, _ = await open_session(site), await open_session(site)
        for session in sessions:
            session.begin()
        response = await site.post(initialize())
        assert response.code == 503
        assert SESSION not in response.headers
        answer = json.loads(response.body)
        assert (answer["id"], answer["error"]["code"]) == (0, -32603)
        assert answer["error"]["data"] == {"reason": "2 sessions are open"}
        assert response.headers["Retry-After"] == "30"
        response = await site.post(message("ping"), {SESSION: first})
        assert response.code == 200
        assert (await site.post(message("ping"))).code == 200
        await ask(site.port, "DELETE", headers={SESSION: first})
        await open_session(site)


async def test_an_idle_session_ends(app: Runtime) -> None:
    """Half an hour after its last use, and not before."""
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0])
    async with serving(with_sessions(app, sessions)) as site:
        session = await open_session(site)
        begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await site.post(begun, {SESSION: session})).code == 202
        for _ in range(2):
            now[0] += IDLE_SECONDS - 1
            response = await site.post(message("ping"), {SESSION: session})
            assert response.code == 200
        now[0] += IDLE_SECONDS + 1
        response = await site.post(message("ping"), {SESSION: session})
        assert response.code == 404


async def test_a_session_takes_any_message_at_once(app: Runtime) -> None:
    """Clients race their first requests with notifications/initialized."""
    async with serving(app) as site:
        session = await open_session(site)
        response = await site.post(message("tools/list"), {SESSION: session})
        assert len(json.loads(response.body)["result"]["tools"]) == 3
