"""subscriptions/listen over HTTP (2026-07-28 basic/patterns/subscriptions)."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.peers import (
    ACKNOWLEDGED,
    ALL_LISTS,
    EVENTS,
    HttpPeer,
    Site,
    envelope,
    message,
    open_app,
    serving,
)
from support.site import articles_of
from support.wire import Wire, dial, until

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.web.connections.event_stream import EventStreams

VERSION = "2026-07-28"
KEY = "io.modelcontextprotocol/subscriptionId"
IDS = ["a", "", 0, 7, -1]


def listen(wanted: Any, request_id: Any = "a") -> dict[str, Any]:
    """Return the request."""
    params = {"notifications": wanted, "_meta": envelope(VERSION)}
    return message("subscriptions/listen", params, request_id)


async def send(wire: Wire, site: Site, sent: Mapping[str, Any], accept: str) -> None:
    """POST a stateless request."""
    headers = HttpPeer(VERSION, site=site).headers(sent)
    headers |= {"Content-Type": "application/json", "Accept": accept}
    await wire.request("POST", headers=headers, body=json.dumps(sent).encode())


@asynccontextmanager
async def listening(
    site: Site, wanted: Any, request_id: Any = "a"
) -> AsyncIterator[Wire]:
    """Open a stream of events and read its head."""
    async with dial(site.port) as wire:
        await send(wire, site, listen(wanted, request_id), EVENTS["Accept"])
        head = await wire.head()
        assert (head.status, head.headers["content-type"]) == (200, "text/event-stream")
        assert head.headers["x-accel-buffering"] == "no"
        assert "mcp-session-id" not in head.headers
        yield wire


def acknowledged(wanted: Mapping[str, Any], request_id: Any) -> dict[str, Any]:
    """Return the first message of a stream."""
    params = {"_meta": {KEY: request_id}, "notifications": wanted}
    return {"jsonrpc": "2.0", "method": ACKNOWLEDGED, "params": params}


def tagged(method: str, request_id: Any, **params: Any) -> dict[str, Any]:
    """Return an event of a subscription."""
    params["_meta"] = {KEY: request_id}
    method = f"notifications/{method}"
    return {"jsonrpc": "2.0", "method": method, "params": params}


@pytest.fixture
def live(knowledge: KnowledgeBase) -> Runtime:
    """An application with articles to change."""
    knowledge.write("concepts/one")
    knowledge.write("concepts/two")
    return open_app(knowledge)


def change(knowledge: KnowledgeBase, app: Runtime, text: str = "Another") -> None:
    """Change the texts of two resources, and the list of resources."""
    for name in ("one", "two"):
        knowledge.write(f"concepts/{name}", title=text, body=f"{text} text\n")
    articles_of(app).load()


@pytest.mark.parametrize("request_id", IDS)
async def test_the_acknowledgement_is_first_and_the_rest_tagged(
    knowledge: KnowledgeBase, live: Runtime, request_id: Any
) -> None:
    """The id as it was sent; zero and "" are ids."""
    wanted = {"resourcesListChanged": True}
    async with serving(live) as site:
        async with listening(site, wanted, request_id) as wire:
            assert await wire.notice() == acknowledged(wanted, request_id)
            change(knowledge, live)
            event = tagged("resources/list_changed", request_id)
            assert await wire.notice() == event


async def test_only_what_was_asked_for_comes(
    knowledge: KnowledgeBase, live: Runtime
) -> None:
    """D-039: a change that concerns all: each stream gets its own part of it."""
    uri = "kb://article/one"
    async with serving(live) as site:
        async with (
            listening(site, {"resourceSubscriptions": [uri]}, 1) as one,
            listening(site, {"toolsListChanged": True}, 2) as tools,
            listening(site, {"promptsListChanged": True}, 3) as prompts,
            listening(site, {"resourcesListChanged": False}, 4) as nothing,
        ):
            subscribed = {"resourceSubscriptions": [uri]}
            assert await one.notice() == acknowledged(subscribed, 1)
            assert await tools.notice() == acknowledged({"toolsListChanged": True}, 2)
            wanted = {"promptsListChanged": True}
            assert await prompts.notice() == acknowledged(wanted, 3)
            assert await nothing.notice() == acknowledged({}, 4)
            knowledge.write("patterns/new")
            change(knowledge, live)
            assert await one.notice() == tagged("resources/updated", 1, uri=uri)
            assert await tools.notice() == tagged("tools/list_changed", 2)
            # Whatever else came would be before the end.
            site.web.state.streams.end()
            heard = [await prompts.notice(), await prompts.notice()]
            methods = [notice.get("method") for notice in heard if notice]
            assert set(methods) <= {"notifications/prompts/list_changed", None}
            for wire in (one, tools, nothing):
                assert "result" in await wire.notice()
                assert await wire.notice() is None


async def test_the_acknowledgement_is_not_kept(
    live: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be long, and a stream is open for hours."""
    feeds: list[EventQueue] = []
    start = EventStreams.start

    def note(self: EventStreams, handler: Any, feed: EventQueue, **given: Any) -> None:
        feeds.append(feed)
        start(self, handler, feed, **given)

    monkeypatch.setattr(EventStreams, "start", note)
    async with serving(live) as site, listening(site, ALL_LISTS) as wire:
        assert await wire.notice() == acknowledged(ALL_LISTS, "a")
        assert [feed.opening for feed in feeds] == [b""]


async def test_what_is_not_served_is_left_out(live: Runtime) -> None:
    """Unknown kinds and foreign URIs are no errors; the subset is stated."""
    wanted = {
        **ALL_LISTS,
        "moonPhaseChanged": True,
        "resourceSubscriptions": ["https://example.com/", "kb://article/one"],
    }
    honoured = {**ALL_LISTS, "resourceSubscriptions": ["kb://article/one"]}
    async with serving(live) as site, listening(site, wanted) as wire:
        assert await wire.notice() == acknowledged(honoured, "a")


@pytest.mark.parametrize(
    "wanted",
    [
        None,
        [],
        "all",
        {"toolsListChanged": 1},
        {"resourceSubscriptions": "kb://article/one"},
        {"resourceSubscriptions": [1]},
    ],
    ids=str,
)
async def test_a_malformed_filter_is_an_error_as_json(
    live: Runtime, wanted: Any
) -> None:
    """-32602, and no stream begins."""
    async with serving(live) as site, dial(site.port) as wire:
        await send(wire, site, listen(wanted), EVENTS["Accept"])
        answer = await wire.answer()
        assert answer.status == 200
        assert answer.headers["content-type"] == "application/json"
        assert (answer.json["id"], answer.json["error"]["code"]) == ("a", -32602)
        assert len(site.web.state.streams) == 0


async def test_a_change_is_told_on_each_stream(
    knowledge: KnowledgeBase, live: Runtime
) -> None:
    """Each listen is its own request, even with one id."""
    wanted = {"resourcesListChanged": True}
    async with serving(live) as site:
        async with listening(site, wanted) as one, listening(site, wanted) as two:
            for wire in (one, two):
                await wire.notice()
            change(knowledge, live)
            event = tagged("resources/list_changed", "a")
            assert await one.notice() == event
            assert await two.notice() == event


@pytest.mark.parametrize("request_id", IDS)
async def test_the_server_s_end_is_a_result(live: Runtime, request_id: Any) -> None:
    """Graceful: the result with the subscription's id, then the last chunk."""
    async with serving(live) as site:
        async with listening(site, {}, request_id) as wire:
            await wire.notice()
            site.web.state.streams.end()
            result = {"resultType": "complete", "_meta": {KEY: request_id}}
            assert await wire.notice() == {
                "jsonrpc": "2.0",
                "id": request_id,
                "result": result,
            }
            assert await wire.chunk() == b""


async def test_a_client_that_left_is_noticed(
    knowledge: KnowledgeBase, live: Runtime
) -> None:
    """Closing the stream is the cancellation: nothing is kept, no message is sent."""
    async with serving(live) as site:
        async with listening(site, ALL_LISTS) as wire:
            await wire.notice()
            assert len(site.web.state.streams) == 1
        await until(lambda: len(site.web.state.streams) == 0)
        change(knowledge, live)
        assert not site.web.state.in_flight


@pytest.mark.parametrize("accept", ["application/json", "*/*"])
async def test_it_is_a_stream_whatever_is_accepted(live: Runtime, accept: str) -> None:
    """There is no other form of this answer."""
    async with serving(live) as site, dial(site.port) as wire:
        await send(wire, site, listen({}), accept)
        head = await wire.head()
        assert head.headers["content-type"] == "text/event-stream"
        assert await wire.notice() == acknowledged({}, "a")


async def test_one_stream_too_many_is_503(
    live: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be retried; the error has the request's id."""
    async with serving(live) as site:
        monkeypatch.setattr(site.web.state.streams, "_max_streams", 1)
        async with listening(site, {}) as first, dial(site.port) as wire:
            await first.notice()
            await send(wire, site, listen({}, 0), EVENTS["Accept"])
            answer = await wire.answer()
            assert (answer.status, answer.headers["retry-after"]) == (503, "30")
            assert (answer.json["id"], answer.json["error"]["code"]) == (0, -32603)
            # The subscription is not kept either.
            bus = live.server.sessions.bus
            assert len(bus) == 1


async def test_other_versions_have_no_such_method(live: Runtime) -> None:
    """-32601 in a handshake version, with or without a session."""
    async with serving(live) as site:
        params = {"notifications": ALL_LISTS}
        response = await site.post(message("subscriptions/listen", params))
        assert json.loads(response.body)["error"]["code"] == -32601
