"""What only HTTP has: sessions, headers that mirror bodies, methods, origins."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from interaction.raw import Connect, compose, mirror, tell
from support.peers import HttpPeer, message

from asdlc_kb.app import App

SUPPORTED = ["2026-07-28", "2025-11-25", "2025-06-18"]


def over_http(peer: Any) -> HttpPeer:
    """Narrow a peer of these tests to what it is."""
    assert isinstance(peer, HttpPeer)
    return peer


@pytest.mark.behaviour("http-session")
async def test_a_session_begins_with_initialize_and_ends_with_delete(
    app: App, connect: Connect
) -> None:
    """Its id is a secret of visible ASCII; after its end it is 404."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        assert peer.session is not None
        assert len(peer.session) >= 32
        assert all(0x21 <= ord(character) <= 0x7E for character in peer.session)
        headers = {"Mcp-Session-Id": peer.session}
        assert (await tell(peer, message("ping"))).status == 200
        ended = await peer.site.fetch("/mcp", method="DELETE", headers=headers)
        assert ended.code == 204
        heard = await tell(peer, message("ping", request_id="late"))
        again = await peer.site.fetch("/mcp", method="DELETE", headers=headers)
    assert (heard.status, heard.answer["id"]) == (404, "late")
    assert heard.error == {"code": -32600, "message": "Session not found"}
    assert again.code == 404


@pytest.mark.behaviour("http-session")
async def test_each_client_has_a_session_of_its_own(app: App, connect: Connect) -> None:
    """An unknown id is 404, none at all is served, and DELETE needs one."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        first = peer.session
        params = {"protocolVersion": peer.version, "capabilities": {}}
        await tell(peer, message("initialize", params), {"Mcp-Session-Id": None})
        await peer.result("initialize", params)
        unknown = await tell(peer, message("ping"), {"Mcp-Session-Id": "x" * 32})
        without = await tell(peer, message("tools/list"), {"Mcp-Session-Id": None})
        deleted = await peer.site.fetch("/mcp", method="DELETE")
        assert peer.session != first
    assert unknown.status == 404
    assert (without.status, len(without.answer["result"]["tools"])) == (200, 3)
    assert deleted.code == 400


@pytest.mark.behaviour("http-session")
async def test_an_error_never_carries_a_session(app: App, connect: Connect) -> None:
    """A client would take it for its own."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        response = await peer.site.post(message("initialize", {}))
    assert json.loads(response.body)["error"]["code"] == -32602
    assert "Mcp-Session-Id" not in response.headers


@pytest.mark.behaviour("http-stateless")
async def test_sessions_do_not_exist_without_a_handshake(
    app: App, connect: Connect
) -> None:
    """None is given, and one that is sent is ignored."""
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
    app: App, connect: Connect, stated: str
) -> None:
    """400, with the versions that we do speak."""
    async with connect(app) as peer:
        headers = {"MCP-Protocol-Version": stated}
        heard = await tell(peer, message("tools/list", request_id="v"), headers)
    assert heard.status == 400
    assert heard.answer["id"] == "v"
    assert heard.error["code"] == -32022
    assert heard.error["data"] == {"supported": SUPPORTED, "requested": stated}


@pytest.mark.behaviour("http-version")
@pytest.mark.parametrize("stated", [*SUPPORTED, "2025-11-25, 2025-11-25", None])
async def test_every_version_we_speak_may_stand_in_a_session_s_header(
    app: App, connect: Connect, stated: str | None
) -> None:
    """Clients are known that leak another one, repeat it, or leave it out."""
    async with connect(app) as peer:
        headers = {"MCP-Protocol-Version": stated}
        heard = await tell(peer, message("tools/list"), headers)
    assert heard.status == 200
    assert "resultType" not in heard.answer["result"]


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
@pytest.mark.parametrize(("headers", "told"), MISMATCHES)
async def test_a_header_that_differs_from_the_body_is_refused(
    app: App, connect: Connect, headers: Mapping[str, str | None], told: str
) -> None:
    """400 and -32020, with the id: a proxy must not see another call than we do."""
    async with connect(app) as peer:
        sent = compose(peer, "tools/call", {"name": "list_articles"}, "m")
        heard = await tell(peer, sent, headers)
    assert heard.status == 400
    assert heard.answer["id"] == "m"
    assert heard.error == {"code": -32020, "message": f"Header mismatch: {told}"}


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
    app: App, connect: Connect, headers: Mapping[str, str | None]
) -> None:
    """Blanks around, another case of its name, base64; unknown ones are ignored."""
    async with connect(app) as peer:
        sent = compose(peer, "tools/call", {"name": "list_articles"})
        heard = await tell(peer, sent, headers)
    assert heard.status == 200
    assert heard.answer["result"]["structuredContent"]["total"] == 1


@pytest.mark.behaviour("http-get")
@pytest.mark.parametrize("accept", ["text/event-stream", "*/*", "application/json"])
async def test_get_offers_no_stream(app: App, connect: Connect, accept: str) -> None:
    """405 with what is allowed: clients take it for `no stream here`."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        headers = {**mirror(peer, None), "Accept": accept}
        response = await peer.site.fetch("/mcp", method="GET", headers=headers)
    allowed = "POST" if peer.is_stateless else "POST, DELETE"
    assert (response.code, response.headers["Allow"]) == (405, allowed)
    assert "id" not in json.loads(response.body)


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
    app: App, connect: Connect, headers: dict[str, str]
) -> None:
    """403 before anything is read, with or without a session."""
    async with connect(app) as peer:
        heard = await tell(peer, compose(peer, "tools/list"), headers)
    assert heard.status == 403
    assert "id" not in heard.answer


@pytest.mark.behaviour("http-origin")
async def test_our_own_pages_may_call(app: App, connect: Connect) -> None:
    """The origin of this very server is no stranger."""
    async with connect(app) as any_peer:
        peer = over_http(any_peer)
        headers = {"Origin": f"http://127.0.0.1:{peer.site.port}"}
        heard = await tell(peer, compose(peer, "tools/list"), headers)
    assert heard.status == 200
