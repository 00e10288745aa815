"""HTTP+SSE, the transport of 2024-11-05: one GET that listens, POSTs that send."""

import asyncio
import json
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.peers import (
    EVENTS,
    HANDSHAKE,
    JSON,
    SsePeer,
    envelope,
    message,
    open_app,
    serving,
    shake_hands,
    sse_peer,
)
from support.shelf import SampleProvider
from support.site import articles_of
from support.slow import SlowProvider
from support.wire import ask, dial, until
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.web.mcp.legacy_sse import LegacySseMatches

PING = message("ping")
OLD = "2024-11-05"


async def test_the_endpoint_comes_first(app: Runtime) -> None:
    """2024-11-05 transports: an `endpoint` event with the URI for messages."""
    async with serving(app) as site, dial(site.port) as wire:
        await wire.request("GET", headers=EVENTS)
        head = await wire.head()
        assert (head.status, head.headers["content-type"]) == (200, "text/event-stream")
        assert head.headers["cache-control"] == "no-store, no-transform"
        assert "mcp-session-id" not in head.headers
        frame = await wire.frame()
    assert frame is not None
    name, data = frame
    assert name == "endpoint"
    path, _, session = data.decode().partition("?session_id=")
    assert path == "/mcp"
    assert len(session) >= 32
    assert session.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize(
    ("base_url", "path"),
    [
        ("https://kb.example.com", "/mcp"),
        ("https://kb.example.com/", "/mcp"),
        ("https://kb.example.com/kb", "/kb/mcp"),
        ("http://kb.example.com:8420/a/b/", "/a/b/mcp"),
        ("https://kb.example.com//evil.example", "/evil.example/mcp"),
        ("https://kb.example.com/größe", "/gr%C3%B6%C3%9Fe/mcp"),
    ],
)
async def test_the_endpoint_is_where_the_public_address_has_it(
    knowledge: KnowledgeBase, base_url: str, path: str
) -> None:
    """D-076: a proxy may serve us below a path that requests do not show."""
    app = open_app(knowledge, base_url=base_url)
    async with serving(app) as site, sse_peer(site, OLD, handshake=False) as peer:
        assert peer.path.partition("?session_id=")[0] == path


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_any_version_of_the_era_may_be_agreed_on(
    app: Runtime, version: str
) -> None:
    """Transport and version are independent; answers come on the stream."""
    async with serving(app) as site, sse_peer(site, version) as peer:
        listed = await peer.result("tools/list")
        assert len(listed["tools"]) == 3
        error = await peer.error("nonsense")
        assert error["code"] == -32601


async def test_a_message_is_202_whatever_it_is(app: Runtime) -> None:
    """The body of the POST is empty; errors are on the stream, with the id."""
    async with serving(app) as site, sse_peer(site, OLD) as peer:
        for sent, request_id in (
            ({"jsonrpc": "2.0", "id": 7}, 7),
            ({"jsonrpc": "1.0", "id": "a", "method": "ping"}, "a"),
            (1, None),
            ([], None),
        ):
            await peer.send(sent)
            answer = await peer.wire.notice()
            assert answer["error"]["code"] == -32600
            assert answer.get("id") == request_id
        await peer.send({"jsonrpc": "2.0", "id": 1, "result": {}})
        await peer.send({"jsonrpc": "2.0", "method": "notifications/x"})
        assert (await peer.exchange(PING))["result"] == {}


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"nonsense"])
async def test_what_is_not_json_is_400(app: Runtime, body: bytes) -> None:
    """Only that is answered by the POST itself; the stream hears nothing of it."""
    async with serving(app) as site, sse_peer(site, OLD) as peer:
        response = await site.post(body, path=peer.path)
        assert response.code == 400
        assert json.loads(response.body)["error"]["code"] == -32700
        assert (await peer.exchange(PING))["result"] == {}


async def test_the_form_of_a_message_is_checked(knowledge: KnowledgeBase) -> None:
    """Type and size as everywhere: a page could send forms. Accept is not asked."""
    app = open_app(knowledge, max_body=1024)
    async with serving(app) as site, sse_peer(site, OLD) as peer:
        response = await site.post(PING, {"Content-Type": "text/plain"}, peer.path)
        assert response.code == 415
        response = await site.post(message("x" * 1024), path=peer.path)
        assert response.code == 413
        response = await site.post(PING, {"Accept": "text/html"}, peer.path)
        assert response.code == 202
        assert (await peer.wire.notice())["result"] == {}


@pytest.mark.parametrize("session", ["", "unknown", "x" * 1000, "%00", "%ff"])
async def test_an_unknown_session_is_404(app: Runtime, session: str) -> None:
    """2024-11-05 has nothing better for a client whose stream is gone."""
    async with serving(app) as site:
        answer = await ask(
            site.port,
            "POST",
            f"/mcp?session_id={session}",
            JSON,
            json.dumps(PING).encode(),
        )
    assert answer.status == 404
    error = answer.json["error"]
    # Nothing of what was sent comes back.
    assert (error["code"], error["data"]) == (-32600, {"reason": "Session not found"})


async def test_a_session_of_the_other_transport_is_no_channel(app: Runtime) -> None:
    """An Mcp-Session-Id names no HTTP+SSE stream, and the other way round."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    async with serving(app) as site, sse_peer(site, OLD) as peer:
        response = await site.post(message("initialize", hello))
        session = response.headers["Mcp-Session-Id"]
        response = await site.post(PING, path=f"/mcp?session_id={session}")
        assert response.code == 404
        channel = peer.path.partition("=")[2]
        response = await site.post(PING, {"Mcp-Session-Id": channel})
        assert response.code == 404
        headers = {**EVENTS, "Mcp-Session-Id": channel}
        assert (await ask(site.port, "GET", headers=headers)).status == 404


async def test_an_envelope_is_for_another_transport(app: Runtime) -> None:
    """-32601 on the stream: the official client then begins a handshake."""
    async with serving(app) as site, sse_peer(site, OLD, handshake=False) as peer:
        sent = message("server/discover", {"_meta": envelope("2026-07-28")}, 0)
        answer = await peer.exchange(sent)
        assert (answer["id"], answer["error"]["code"]) == (0, -32601)


async def test_headers_of_another_version_do_not_matter(app: Runtime) -> None:
    """2024-11-05 has none: what a client sends all the same is not read."""
    async with serving(app) as site, sse_peer(site, OLD) as peer:
        for version in ("2025-11-25", "2026-07-28", "nonsense"):
            headers = {"MCP-Protocol-Version": version, "Mcp-Session-Id": "x"}
            response = await site.post(PING, headers, peer.path)
            assert response.code == 202
            assert (await peer.wire.notice())["result"] == {}


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_an_array_is_a_batch_in_the_versions_that_have_them(
    app: Runtime, version: str
) -> None:
    """One event with an array of answers; later versions refuse the array."""
    batch = [message("ping", {}, 0), message("nonsense", {}, "b")]
    notice = {"jsonrpc": "2.0", "method": "notifications/x"}
    async with serving(app) as site, sse_peer(site, version) as peer:
        await peer.send([*batch, notice])
        answer = await peer.wire.notice()
        if version in ("2024-11-05", "2025-03-26"):
            assert [each["id"] for each in answer] == [0, "b"]
            assert answer[0]["result"] == {}
            assert answer[1]["error"]["code"] == -32601
            await peer.send([notice])
        else:
            assert answer["error"]["code"] == -32600
        assert (await peer.exchange(PING))["result"] == {}


async def test_progress_comes_on_the_stream(knowledge: KnowledgeBase) -> None:
    """Before the answer, as in every transport."""
    app = open_app(knowledge, SlowProvider())
    call = {"name": "progress", "arguments": {}, "_meta": {"progressToken": 0}}
    async with serving(app) as site, sse_peer(site, OLD) as peer:
        answer = await peer.exchange(message("tools/call", call))
        assert answer["result"]["content"][0]["text"] == "progress is done"
        steps = [notice["params"]["progress"] for notice in peer.notices]
        assert steps == [0, 50, 100]


async def test_too_long_an_answer_fails_alone(knowledge: KnowledgeBase) -> None:
    """Python clients end the session at an event of more than 1 MiB."""
    app = open_app(knowledge, SampleProvider())
    arguments = {"text": '"' * 400_000}
    call = message("tools/call", {"name": "echo", "arguments": arguments}, 7)
    async with serving(app) as site, sse_peer(site, OLD) as peer:
        await peer.send(call)
        _, data = await peer.wire.frame() or ("", b"")
        answer = json.loads(data)
        assert (answer["id"], answer["error"]["code"]) == (7, -32603)
        assert "ask for less" in answer["error"]["message"]
        assert (await peer.exchange(PING))["result"] == {}


async def test_closing_the_stream_ends_the_session(app: Runtime) -> None:
    """D-115: the stream is the session: no answer could be delivered."""
    async with serving(app) as site:
        async with sse_peer(site, OLD) as peer:
            assert len(site.web.state.streams) == 1
        await until(lambda: len(site.web.state.streams) == 0)
        response = await site.post(PING, path=peer.path)
        assert response.code == 404


async def test_an_answer_to_who_has_left_goes_nowhere(knowledge: KnowledgeBase) -> None:
    """A disconnect is no cancellation: the call ends, and that is all."""
    slow = SlowProvider()
    async with serving(open_app(knowledge, slow)) as site:
        async with sse_peer(site, OLD) as peer:
            call = message("tools/call", {"name": "wait"})
            posting = asyncio.ensure_future(site.post(call, path=peer.path))
            await until(slow.started.is_set)
        await until(lambda: len(site.web.state.streams) == 0)
        slow.released.set()
        assert (await posting).code == 202
        assert not slow.was_cancelled


async def test_changes_come_on_the_stream(knowledge: KnowledgeBase) -> None:
    """Unsolicited list_changed, updated for subscriptions."""
    knowledge.write("concepts/one")
    app = open_app(knowledge)
    async with serving(app) as site, sse_peer(site, OLD) as peer:
        async with peer.events("kb://article/one") as receive:
            knowledge.write("concepts/one", title="Another", body="Another text\n")
            articles_of(app).load()
            heard = [await receive(), await receive()]
    assert {notice["method"] for notice in heard} == {
        "notifications/resources/list_changed",
        "notifications/resources/updated",
    }


async def test_changes_wait_for_the_handshake(knowledge: KnowledgeBase) -> None:
    """2024-11-05 lifecycle: nothing before `initialized`, and then what waited."""
    app = open_app(knowledge)
    async with serving(app) as site, sse_peer(site, OLD, handshake=False) as peer:
        knowledge.write("concepts/one")
        articles_of(app).load()
        await shake_hands(peer)
        assert peer.notices == []
        assert (await peer.notice())["method"].endswith("/list_changed")


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json, */*"])
async def test_it_can_be_switched_off(knowledge: KnowledgeBase, accept: str) -> None:
    """`--no-sse`: 405, which clients read as "no stream here"; sessions still have."""
    app = open_app(knowledge, sse=False)
    async with serving(app) as site:
        answer = await ask(site.port, "GET", headers={"Accept": accept})
        assert answer.status == 405
        streams = accept == "text/event-stream"
        allowed = "POST, DELETE" if streams else "GET, POST, DELETE"
        assert answer.headers["allow"] == allowed


async def refused(site: Any, reason: str = "too many streams are open") -> None:
    """One more stream is 503, with the reason."""
    answer = await ask(site.port, "GET", headers=EVENTS)
    assert (answer.status, answer.headers["retry-after"]) == (503, "30")
    assert answer.json["error"]["code"] == -32603
    assert answer.json["error"]["data"] == {"reason": reason}
    assert answer.json["id"] is None


@pytest.mark.parametrize(
    "limits", [{"_max_streams": 2}, {"_max_per_client": 2}], ids=str
)
async def test_streams_are_capped(
    app: Runtime, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]
) -> None:
    """Per address and in total; a stream that ends makes room."""
    async with serving(app) as site:
        for name, most in limits.items():
            monkeypatch.setattr(site.web.state.streams, name, most)
        async with sse_peer(site, OLD) as kept:
            async with sse_peer(site, OLD):
                await refused(site)
                await refused(site)
            await until(lambda: len(site.web.state.streams) == 1)
            async with sse_peer(site, OLD) as peer:
                assert isinstance(peer, SsePeer)
                assert (await kept.exchange(PING))["result"] == {}


async def test_channels_are_capped(knowledge: KnowledgeBase) -> None:
    """A stream is a session: when all have a stream, 503."""
    app = open_app(knowledge, sessions=Sessions(max_sessions=1))
    async with serving(app) as site, sse_peer(site, OLD, handshake=False):
        await refused(site, "1 sessions are open")


def match(
    method: str, uri: str, headers: dict[str, str], *, has_channels: bool
) -> dict[str, Any] | None:
    """Return the handler arguments of a request of this transport, else None."""
    line = RequestStartLine(method, uri, "HTTP/1.1")
    sent = HTTPHeaders({"Host": "127.0.0.1", **headers})
    request = HTTPServerRequest(start_line=line, headers=sent)
    return LegacySseMatches(r"/mcp/?", has_channels=has_channels).match(request)


@pytest.mark.parametrize("has_channels", [True, False])
@pytest.mark.parametrize(
    ("method", "uri", "headers", "is_legacy"),
    [
        ("GET", "/mcp", EVENTS, True),
        ("GET", "/mcp/", {**EVENTS, "MCP-Protocol-Version": "2025-11-25"}, True),
        ("GET", "/mcp", {**EVENTS, "MCP-Protocol-Version": "2026-07-28"}, False),
        ("GET", "/mcp", {**EVENTS, "Mcp-Session-Id": ""}, False),
        ("GET", "/mcp?session_id=x", {"Accept": "*/*"}, False),
        ("GET", "/mcpx", EVENTS, False),
        ("DELETE", "/mcp?session_id=x", EVENTS, False),
        ("POST", "/mcp", EVENTS, False),
    ],
    ids=str,
)
def test_the_request_selects_the_transport(
    method: str,
    uri: str,
    headers: dict[str, str],
    *,
    is_legacy: bool,
    has_channels: bool,
) -> None:
    """A GET without a session for event streams is of this one, if it is offered."""
    matches = match(method, uri, headers, has_channels=has_channels)
    assert matches == ({} if is_legacy and has_channels else None)


@pytest.mark.parametrize("has_channels", [True, False])
@pytest.mark.parametrize("channel_id", ["x", "", "%ff"])
def test_a_post_that_names_a_channel_is_of_this_transport(
    channel_id: str, *, has_channels: bool
) -> None:
    """Even if no channels are offered: then it is 404."""
    uri = f"/mcp?session_id={channel_id}"
    assert match("POST", uri, {}, has_channels=has_channels) == {}
