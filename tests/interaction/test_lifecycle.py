"""The beginning of a connection in each era, and the declared capabilities."""

from typing import Any

import pytest
from interaction.raw import SUPPORTED, Connect, compose, send_raw, titled
from support.knowledge import KnowledgeBase
from support.peers import HANDSHAKE, HttpPeer, envelope, message, open_app

from asdlc_kb import __version__
from asdlc_kb.app import Runtime
from asdlc_kb.app.instructions import ARTICLES, CAUTION, insert_topics

CAPABILITIES: dict[str, dict[str, bool]] = {
    "tools": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "prompts": {"listChanged": True},
    "completions": {},
}
VERSION = "io.modelcontextprotocol/protocolVersion"
DECLARED = "io.modelcontextprotocol/clientCapabilities"


def hello(version: Any) -> dict[str, Any]:
    """Return the parameters of initialize."""
    client = {"name": "tests", "version": "1"}
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": client}


@pytest.mark.behaviour("lifecycle-initialize")
async def test_initialize_agrees_on_the_version_that_was_asked(
    app: Runtime, connect: Connect
) -> None:
    """The same version, the capabilities, the server's identity, the instructions."""
    async with connect(app) as peer:
        result = await peer.result("initialize", hello(peer.version))
    unknown = {"completions"} if peer.version == "2024-11-05" else set()
    assert result == {
        "protocolVersion": peer.version,
        "capabilities": {k: CAPABILITIES[k] for k in CAPABILITIES.keys() - unknown},
        "serverInfo": {
            "name": "asdlc-knowledge-base",
            **titled(peer, "ASDLC Knowledge Base"),
            "version": __version__,
        },
        "instructions": f"{insert_topics(ARTICLES, 'concepts')}\n\n{CAUTION}",
    }


@pytest.mark.behaviour("lifecycle-negotiation")
@pytest.mark.parametrize(
    "version", ["2026-07-28", "2099-01-01", "1.0", "", "2025-11-25 "]
)
async def test_an_unknown_version_is_answered_with_the_newest_of_the_era(
    app: Runtime, connect: Connect, version: str
) -> None:
    """Never an error, and never the version that has no handshake."""
    async with connect(app) as peer:
        result = await peer.result("initialize", hello(version))
    assert result["protocolVersion"] == "2025-11-25"


@pytest.mark.behaviour("lifecycle-negotiation")
async def test_an_old_version_of_the_era_is_kept(
    app: Runtime, connect: Connect
) -> None:
    """A repeated initialize agrees on a version again."""
    async with connect(app) as peer:
        for version in (*HANDSHAKE, *reversed(HANDSHAKE)):
            result = await peer.result("initialize", hello(version))
            assert result["protocolVersion"] == version


@pytest.mark.behaviour("lifecycle-ill-typed")
@pytest.mark.parametrize("params", [{}, hello(5), hello(None), hello(["2025-11-25"])])
async def test_initialize_needs_a_version(
    app: Runtime, connect: Connect, params: dict[str, Any]
) -> None:
    """A version that is missing or no text is -32602."""
    async with connect(app) as peer:
        response = await send_raw(peer, message("initialize", params, 9))
    assert response.error["code"] == -32602
    assert response.answer["id"] == 9
    assert response.is_status(200)


@pytest.mark.behaviour("lifecycle-discover")
async def test_discover_says_all_that_a_client_needs(
    app: Runtime, connect: Connect
) -> None:
    """Versions newest first, capabilities, instructions, and their ttl."""
    async with connect(app) as peer:
        result = await peer.result("server/discover")
    info = result["_meta"].pop("io.modelcontextprotocol/serverInfo")
    assert info["name"] == "asdlc-knowledge-base"
    assert result == {
        "resultType": "complete",
        "supportedVersions": SUPPORTED,
        "capabilities": CAPABILITIES,
        "instructions": f"{insert_topics(ARTICLES, 'concepts')}\n\n{CAUTION}",
        "ttlMs": 300_000,
        "cacheScope": "public",
        "_meta": {},
    }


WORKS = [
    ("tools/list", {}, "tools"),
    ("tools/call", {"name": "list_articles"}, "content"),
    ("resources/list", {}, "resources"),
    ("resources/templates/list", {}, "resourceTemplates"),
    ("resources/read", {"uri": "kb://article/links-to-hidden"}, "contents"),
    ("prompts/list", {}, "prompts"),
    (
        "prompts/get",
        {"name": "explain_concept", "arguments": {"slug": "links-to-hidden"}},
        "messages",
    ),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "explain_concept"},
            "argument": {"name": "slug", "value": ""},
        },
        "completion",
    ),
]
ABSENT = [
    ("logging/setLevel", {"level": "info"}),
    ("sampling/createMessage", {}),
    ("roots/list", {}),
]


@pytest.mark.behaviour("lifecycle-capabilities")
@pytest.mark.parametrize(("method", "params", "key"), WORKS)
async def test_what_is_declared_works(
    app: Runtime, connect: Connect, method: str, params: dict[str, Any], key: str
) -> None:
    """Tools, resources, prompts and completions: each of their methods."""
    async with connect(app) as peer:
        result = await peer.result(method, params)
    assert result[key]


@pytest.mark.behaviour("lifecycle-capabilities", "errors-method")
@pytest.mark.parametrize(("method", "params"), ABSENT)
async def test_what_is_not_declared_is_absent(
    app: Runtime, connect: Connect, method: str, params: dict[str, Any]
) -> None:
    """Logging, and requests that only a server makes of a client."""
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, method, params))
        status = 404 if peer.is_stateless else 200
    assert response.error["code"] == -32601
    assert response.error["message"] == f"Method '{method}' not found"
    assert response.is_status(status)


@pytest.mark.behaviour("lifecycle-capabilities", "lifecycle-ping", "errors-method")
@pytest.mark.parametrize("method", ["server/discover", "subscriptions/listen"])
async def test_methods_of_the_stateless_era_are_not_there_yet(
    app: Runtime, connect: Connect, method: str
) -> None:
    """Without an envelope they are unknown."""
    async with connect(app) as peer:
        response = await send_raw(peer, message(method, {"notifications": {}}))
    assert response.error["code"] == -32601
    assert response.is_status(200)


@pytest.mark.behaviour("lifecycle-subscribe")
async def test_a_visible_resource_can_be_subscribed_to(
    app: Runtime, connect: Connect
) -> None:
    """An empty result each time; ending no subscription is no error."""
    known = {"uri": "kb://article/links-to-hidden"}
    async with connect(app) as peer:
        for method in ("subscribe", "subscribe", "unsubscribe", "unsubscribe"):
            assert await peer.result(f"resources/{method}", known) == {}


@pytest.mark.behaviour("lifecycle-subscribe", "errors-resource")
@pytest.mark.parametrize("name", ["known-draft", "does-not-exist", "%ff", ""])
async def test_a_resource_that_cannot_be_read_cannot_be_subscribed_to(
    app: Runtime, connect: Connect, name: str
) -> None:
    """D-002: the error is that of a missing article."""
    uri = f"kb://article/{name}"
    async with connect(app) as peer:
        sent = compose(peer, "resources/subscribe", {"uri": uri})
        response = await send_raw(peer, sent)
    assert response.error["code"] == -32002
    assert response.error["data"] == {"uri": uri}
    assert response.error["message"] == "Resource not found"
    assert response.is_status(200)


@pytest.mark.behaviour("lifecycle-subscribe")
@pytest.mark.parametrize("method", ["resources/subscribe", "resources/unsubscribe"])
@pytest.mark.parametrize("params", [{}, {"uri": 5}, {"uri": None}])
async def test_a_subscription_needs_a_uri(
    app: Runtime, connect: Connect, method: str, params: dict[str, Any]
) -> None:
    """-32602, the same as for a read."""
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, method, params))
    message = "Invalid params: uri must be a string"
    assert response.error == {"code": -32602, "message": message}


@pytest.mark.behaviour("lifecycle-listen")
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"notifications": None},
        {"notifications": []},
        {"notifications": {"toolsListChanged": 1}},
        {"notifications": {"resourcesListChanged": "yes"}},
        {"notifications": {"resourceSubscriptions": "kb://article/x"}},
        {"notifications": {"resourceSubscriptions": [5]}},
        {"notifications": {"resourceSubscriptions": ["kb://article/x"] * 1001}},
    ],
    ids=lambda params: str(params)[:50],
)
async def test_a_listen_for_nothing_we_understand_is_refused(
    app: Runtime, connect: Connect, params: dict[str, Any]
) -> None:
    """-32602 with HTTP 200, as any other error of a call itself."""
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, "subscriptions/listen", params))
    assert response.error["code"] == -32602
    assert response.is_status(200)


@pytest.mark.behaviour("lifecycle-ping")
async def test_ping_is_answered_at_any_time(app: Runtime, connect: Connect) -> None:
    """An empty result, before and after other requests."""
    async with connect(app) as peer:
        assert await peer.result("ping") == {}
        await peer.result("tools/list")
        assert await peer.result("ping", {"_meta": {"progressToken": 1}}) == {}


@pytest.mark.behaviour("lifecycle-removed")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("initialize", hello("2026-07-28")),
        ("ping", {}),
        ("logging/setLevel", {"level": "info"}),
        ("resources/subscribe", {"uri": "kb://article/x"}),
        ("resources/unsubscribe", {"uri": "kb://article/x"}),
    ],
)
async def test_methods_of_the_other_era_are_gone(
    app: Runtime, connect: Connect, method: str, params: dict[str, Any]
) -> None:
    """With an envelope they are unknown; the error names the versions we speak."""
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, method, params, "x"))
    assert response.answer["id"] == "x"
    assert response.error["code"] == -32601
    assert response.error["data"]["supported"] == SUPPORTED
    assert response.is_status(404)


@pytest.mark.behaviour("lifecycle-both-eras")
async def test_a_peer_may_change_eras_at_any_time(
    app: Runtime, connect: Connect
) -> None:
    """Clients are known that initialize after a discover that succeeded."""
    old = message("initialize", hello("2025-06-18"), "old")
    new = message("server/discover", {"_meta": envelope("2026-07-28")}, "new")
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"}
    none = dict.fromkeys((*headers, "Mcp-Session-Id"))
    async with connect(app) as peer:
        for _ in range(2):
            response = await send_raw(peer, new, headers)
            assert response.answer["result"]["supportedVersions"] == SUPPORTED
            response = await send_raw(peer, old, none)
            assert response.answer["result"]["protocolVersion"] == "2025-06-18"
        assert len((await peer.result("tools/list"))["tools"]) == 3


@pytest.mark.behaviour("lifecycle-unsupported")
@pytest.mark.parametrize("version", ["v999.0.0", *HANDSHAKE, ""])
async def test_an_unknown_version_in_the_envelope_is_told_ours(
    app: Runtime, connect: Connect, version: str
) -> None:
    """-32022 with the supported versions, the same as in discover; HTTP 400."""
    async with connect(app) as peer:
        sent = message("tools/list", {"_meta": envelope(version)}, 0)
        response = await send_raw(peer, sent, {"MCP-Protocol-Version": version})
    assert response.answer == {
        "jsonrpc": "2.0",
        "id": 0,
        "error": {
            "code": -32022,
            "message": "Unsupported protocol version",
            "data": {"supported": SUPPORTED, "requested": version},
        },
    }
    assert response.is_status(400)


@pytest.mark.behaviour("lifecycle-envelope")
@pytest.mark.parametrize(
    "meta",
    [
        {VERSION: "2026-07-28"},
        {VERSION: "2026-07-28", DECLARED: None},
        {VERSION: "2026-07-28", DECLARED: []},
        {VERSION: 5, DECLARED: {}},
        {VERSION: None, DECLARED: {}},
    ],
)
async def test_an_incomplete_envelope_is_refused(
    app: Runtime, connect: Connect, meta: dict[str, Any]
) -> None:
    """Version and capabilities are required, in that order; HTTP 400."""
    async with connect(app) as peer:
        response = await send_raw(peer, message("tools/list", {"_meta": meta}))
    assert response.error["code"] == -32602
    assert response.error["message"].startswith(
        "Invalid params: io.modelcontextprotocol/"
    )
    assert response.answer["id"] == 1
    assert response.is_status(400)


@pytest.mark.behaviour("lifecycle-envelope")
async def test_an_envelope_need_not_name_the_client(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """clientInfo is optional; over HTTP a header without an envelope is refused."""
    meta = {VERSION: "2026-07-28", DECLARED: {}}
    async with connect(open_app(knowledge)) as peer:
        response = await send_raw(peer, message("tools/list", {"_meta": meta}))
        assert len(response.answer["result"]["tools"]) == 3
        if isinstance(peer, HttpPeer):
            every: list[dict[str, Any]] = [{}, {"_meta": {}}, {"_meta": {DECLARED: {}}}]
            for params in every:
                response = await send_raw(peer, message("tools/list", params))
                assert (response.status, response.error["code"]) == (400, -32602)
