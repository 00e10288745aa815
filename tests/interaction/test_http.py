"""HTTP only: sessions, headers that mirror bodies, methods, origins."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from interaction.channels import KEEP_ALIVE
from interaction.raw import (
    SUPPORTED,
    Connect,
    compose,
    mirror,
    send_raw,
    tool_value,
)
from support.knowledge import KnowledgeBase
from support.peers import (
    EVENTS,
    HANDSHAKE,
    HttpPeer,
    Site,
    SsePeer,
    envelope,
    message,
    open_app,
    serving,
    sse_peer,
)
from support.wire import ask, dial, until

from asdlc_kb.app import Runtime


def over_http(peer: Any) -> HttpPeer:
    """Narrow a peer of these tests to its type."""
    assert isinstance(peer, HttpPeer)
    return peer


def over_sse(peer: Any) -> SsePeer:
    """Narrow a peer of the oldest version to its type."""
    assert isinstance(peer, SsePeer)
    return peer


def site_of(peer: Any) -> Site:
    """Return the server of a peer, over either transport."""
    assert isinstance(peer, (HttpPeer, SsePeer))
    return peer.site


@pytest.mark.behaviour("http-session")
async def test_a_session_begins_with_initialize_and_ends_with_delete(
    app: Runtime, connect: Connect
) -> None:
    """Its id is a secret of visible ASCII; after its end it is 404."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        assert peer.session is not None
        assert len(peer.session) >= 32
        assert all(0x21 <= ord(character) <= 0x7E for character in peer.session)
        headers = {"Mcp-Session-Id": peer.session}
        assert (await send_raw(peer, message("ping"))).status == 200
        ended = await peer.site.fetch("/mcp", method="DELETE", headers=headers)
        assert ended.code == 204
        response = await send_raw(peer, message("ping", request_id="late"))
        again = await peer.site.fetch("/mcp", method="DELETE", headers=headers)
    assert (response.status, response.answer["id"]) == (404, "late")
    assert response.error == {"code": -32600, "message": "Session not found"}
    assert again.code == 404


@pytest.mark.behaviour("http-session")
async def test_each_client_has_a_session_of_its_own(
    app: Runtime, connect: Connect
) -> None:
    """An unknown id is 404, none at all is served, and DELETE needs one."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        first = peer.session
        params = {"protocolVersion": peer.version, "capabilities": {}}
        await send_raw(peer, message("initialize", params), {"Mcp-Session-Id": None})
        await peer.result("initialize", params)
        unknown = await send_raw(peer, message("ping"), {"Mcp-Session-Id": "x" * 32})
        without = await send_raw(peer, message("tools/list"), {"Mcp-Session-Id": None})
        deleted = await peer.site.fetch("/mcp", method="DELETE")
        assert peer.session != first
    assert unknown.status == 404
    assert (without.status, len(without.answer["result"]["tools"])) == (200, 3)
    assert deleted.code == 400


@pytest.mark.behaviour("http-session")
async def test_an_error_never_carries_a_session(app: Runtime, connect: Connect) -> None:
    """A client would take it for its own."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        response = await peer.site.post(message("initialize", {}))
    assert json.loads(response.body)["error"]["code"] == -32602
    assert "Mcp-Session-Id" not in response.headers


@pytest.mark.behaviour("http-stateless")
async def test_sessions_do_not_exist_without_a_handshake(
    app: Runtime, connect: Connect
) -> None:
    """No id is issued, and one that is sent is ignored."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        sent = compose(peer, "tools/list")
        for headers in ({}, {"Mcp-Session-Id": "x" * 32}):
            response = await peer.site.post(sent, {**mirror(peer, sent), **headers})
            assert response.code == 200
            assert "Mcp-Session-Id" not in response.headers
        headers = {"MCP-Protocol-Version": peer.version, "Mcp-Session-Id": "x" * 32}
        deleted = await peer.site.fetch("/mcp", method="DELETE", headers=headers)
    assert (deleted.code, deleted.headers["Allow"]) == (405, "POST")


@pytest.mark.behaviour("http-version")
@pytest.mark.parametrize("stated", ["2099-01-01", "2024-13-01", "latest"])
async def test_an_unknown_version_header_is_refused(
    app: Runtime, connect: Connect, stated: str
) -> None:
    """400, with the versions that the server supports."""
    async with connect(app) as peer:
        headers = {"MCP-Protocol-Version": stated}
        response = await send_raw(peer, message("tools/list", request_id="v"), headers)
    assert response.status == 400
    assert response.answer["id"] == "v"
    assert response.error["code"] == -32022
    assert response.error["data"] == {"supported": SUPPORTED, "requested": stated}


@pytest.mark.behaviour("http-version")
@pytest.mark.parametrize("stated", [*SUPPORTED, "2025-11-25, 2025-11-25", None])
async def test_every_version_we_speak_may_stand_in_a_session_s_header(
    app: Runtime, connect: Connect, stated: str | None
) -> None:
    """Clients are known that send another one, repeat it, or leave it out."""
    async with connect(app) as peer:
        headers = {"MCP-Protocol-Version": stated}
        response = await send_raw(peer, message("tools/list"), headers)
    assert response.status == 200
    assert "resultType" not in response.answer["result"]


MISMATCHES: list[tuple[Mapping[str, str | None], str]] = [
    ({"MCP-Protocol-Version": None}, "MCP-Protocol-Version header is missing"),
    (
        {"MCP-Protocol-Version": "2025-11-25"},
        "MCP-Protocol-Version header differs from the body",
    ),
    ({"Mcp-Method": None}, "Mcp-Method header is missing"),
    ({"Mcp-Method": "tools/list"}, "Mcp-Method header differs from the body"),
    ({"Mcp-Method": "Tools/Call"}, "Mcp-Method header differs from the body"),
    ({"Mcp-Name": None}, "Mcp-Name header is missing"),
    ({"Mcp-Name": "get_article"}, "Mcp-Name header differs from the body"),
    ({"Mcp-Name": "LIST_ARTICLES"}, "Mcp-Name header differs from the body"),
]


@pytest.mark.behaviour("http-mirrors")
@pytest.mark.parametrize(("headers", "message"), MISMATCHES)
async def test_a_header_that_differs_from_the_body_is_refused(
    app: Runtime, connect: Connect, headers: Mapping[str, str | None], message: str
) -> None:
    """400 and -32020, with the id: a proxy must not see another call than we do."""
    async with connect(app) as peer:
        sent = compose(peer, "tools/call", {"name": "list_articles"}, "m")
        response = await send_raw(peer, sent, headers)
    assert response.status == 400
    assert response.answer["id"] == "m"
    assert response.error == {"code": -32020, "message": f"Header mismatch: {message}"}


@pytest.mark.behaviour("http-mirrors")
@pytest.mark.parametrize(
    "headers",
    [
        {"Mcp-Name": " list_articles "},
        {"mcp-name": "list_articles", "Mcp-Name": None},
        {"Mcp-Name": "=?base64?bGlzdF9hcnRpY2xlcw==?="},
        {"Mcp-Param-Unheard-Of": "x"},
    ],
)
async def test_a_header_may_be_spelled_in_other_ways(
    app: Runtime, connect: Connect, headers: Mapping[str, str | None]
) -> None:
    """Blanks around, another case of its name, base64; unknown ones are ignored."""
    async with connect(app) as peer:
        sent = compose(peer, "tools/call", {"name": "list_articles"})
        response = await send_raw(peer, sent, headers)
    assert response.status == 200
    assert len(tool_value(response.answer["result"])) == 1


@pytest.mark.behaviour("http-get")
@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/*", None])
async def test_a_client_that_does_not_accept_events_gets_no_stream(
    app: Runtime, connect: Connect, accept: str | None
) -> None:
    """D-041: 405 with the allowed methods: browsers and curl would wait for ever."""
    async with connect(app) as peer:
        assert isinstance(peer, (HttpPeer, SsePeer))
        headers = mirror(peer, None) | ({} if accept is None else {"Accept": accept})
        response = await ask(peer.site.port, "GET", headers=headers)
    allowed = "POST" if peer.is_stateless else "GET, POST, DELETE"
    assert (response.status, response.headers["allow"]) == (405, allowed)
    assert response.json["id"] is None


@pytest.mark.behaviour("http-get", "http-stateless")
async def test_there_is_no_get_without_a_handshake(
    app: Runtime, connect: Connect
) -> None:
    """405 even for events, whether or not a session is named."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        for further in ({}, {"Mcp-Session-Id": "x"}):
            headers = mirror(peer, None) | {"Accept": "text/event-stream"} | further
            response = await ask(peer.site.port, "GET", headers=headers)
            assert (response.status, response.headers["allow"]) == (405, "POST")


@pytest.mark.behaviour("http-get", "http-session")
async def test_a_stream_belongs_to_a_session(app: Runtime, connect: Connect) -> None:
    """404 for an unknown one; an ended one ends its stream with a whole last chunk."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        headers = peer.headers({}) | {"Accept": "text/event-stream"}
        other = {**headers, "Mcp-Session-Id": "x" * 32}
        assert (await ask(peer.site.port, "GET", headers=other)).status == 404
        async with dial(peer.site.port) as wire:
            await wire.request("GET", "/mcp", headers)
            assert (await wire.head()).status == 200
            assert await wire.chunk() == KEEP_ALIVE
            await peer.site.fetch("/mcp", method="DELETE", headers=headers)
            assert await wire.chunk() == b""


@pytest.mark.behaviour("http-origin")
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example.com"},
        {"Origin": "null"},
        {"Host": "evil.example.com"},
        {"Host": "localhost.evil.example.com", "Origin": "http://localhost"},
    ],
)
async def test_pages_of_others_may_not_call(
    app: Runtime, connect: Connect, headers: dict[str, str]
) -> None:
    """D-074: 403 before anything is read, with or without a session."""
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, "tools/list"), headers)
    assert response.status == 403
    assert response.answer["id"] is None


@pytest.mark.behaviour("http-origin")
async def test_our_own_pages_may_call(app: Runtime, connect: Connect) -> None:
    """The origin of this very server is not foreign."""
    async with connect(app) as peer:
        headers = {"Origin": f"http://127.0.0.1:{site_of(peer).port}"}
        response = await send_raw(peer, compose(peer, "tools/list"), headers)
    assert response.answer["result"]["tools"]
    assert response.is_status(200)


@pytest.mark.behaviour("http-sse")
async def test_the_first_event_says_where_to_post(
    app: Runtime, connect: Connect
) -> None:
    """On the same origin, with a secret; every version of the era may be agreed on."""
    async with connect(app) as any_peer:
        first = over_sse(any_peer)
        for version in HANDSHAKE:
            async with sse_peer(first.site, version) as peer:
                path, _, secret = peer.path.partition("?session_id=")
                assert path == "/mcp"
                assert len(secret) >= 32
                assert peer.path != first.path
                assert len((await peer.result("tools/list"))["tools"]) == 3


@pytest.mark.behaviour("http-sse")
async def test_a_message_for_no_stream_is_told_so(
    app: Runtime, connect: Connect
) -> None:
    """404; the secret is no session id of another transport, nor the other way."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}}
    async with connect(app) as any_peer:
        peer = over_sse(any_peer)
        begun = await peer.site.post(message("initialize", params))
        session = begun.headers["Mcp-Session-Id"]
        secret = peer.path.partition("=")[2]
        for unknown in ("", "x" * 32, session):
            path = f"/mcp?session_id={unknown}"
            assert (await peer.site.post(message("ping"), path=path)).code == 404
        headers = {"Mcp-Session-Id": secret}
        assert (await peer.site.post(message("ping"), headers)).code == 404
        assert (
            await ask(peer.site.port, "GET", headers=headers | EVENTS)
        ).status == 404


@pytest.mark.behaviour("http-sse")
async def test_an_envelope_is_not_for_this_transport(
    app: Runtime, connect: Connect
) -> None:
    """-32601 over the stream, after which clients initialize."""
    sent = message("server/discover", {"_meta": envelope("2026-07-28")}, "d")
    async with connect(app) as peer:
        response = await send_raw(peer, sent)
        assert (await peer.result("tools/list"))["tools"]
    assert (response.status, response.answer["id"]) == (None, "d")
    assert response.error["code"] == -32601


@pytest.mark.behaviour("http-sse")
async def test_no_header_is_asked_of_an_old_client(
    app: Runtime, connect: Connect
) -> None:
    """Versions of any kind, sent by mistake, change nothing."""
    async with connect(app) as peer:
        for version in ("2026-07-28", "2025-11-25", "1999-01-01"):
            headers = {"MCP-Protocol-Version": version, "Mcp-Session-Id": "x"}
            response = await send_raw(peer, message("ping"), headers)
            assert (response.status, response.answer["result"]) == (None, {})


@pytest.mark.behaviour("http-sse")
async def test_the_session_ends_with_its_stream(app: Runtime, connect: Connect) -> None:
    """D-115: once the client disconnects its address is gone."""
    async with connect(app) as any_peer:
        first = over_sse(any_peer)
        async with sse_peer(first.site, "2024-11-05") as peer:
            assert (await peer.result("tools/list"))["tools"]
        streams = first.site.web.state.streams
        await until(lambda: len(streams) == 1)
        response = await first.site.post(message("ping"), path=peer.path)
        assert response.code == 404
        assert (await first.result("tools/list"))["tools"]


async def test_the_old_transport_can_be_turned_off(knowledge: KnowledgeBase) -> None:
    """405, never 404: clients take it for `no stream here`."""
    async with serving(open_app(knowledge, sse=False)) as site:
        response = await ask(site.port, "GET", headers=EVENTS)
    assert (response.status, response.headers["allow"]) == (405, "POST, DELETE")
