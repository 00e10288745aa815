"""subscriptions/listen: the honoured filter, the first message, the last one."""

import asyncio
import json
from typing import Any

import pytest
from support.shelf import SampleProvider, make_server
from support.wire import BOUND

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.subscriptions.events import (
    Event,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)

M = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
UPDATED = ResourceUpdated("note://a")
ALL: tuple[Event, ...] = (ToolsChanged(), PromptsChanged(), ResourcesChanged(), UPDATED)
METHODS = {
    "toolsListChanged": "notifications/tools/list_changed",
    "promptsListChanged": "notifications/prompts/list_changed",
    "resourcesListChanged": "notifications/resources/list_changed",
}


async def listen(
    server: McpServer, notifications: Any = ..., request_id: Any = "listen-1"
) -> Response:
    """Request a stream; `...` leaves the filter out."""
    meta = {f"{PREFIX}protocolVersion": M, f"{PREFIX}clientCapabilities": {}}
    params: dict[str, Any] = {"_meta": meta}
    if notifications is not ...:
        params["notifications"] = notifications
    message = {"jsonrpc": "2.0", "id": request_id, "method": "subscriptions/listen"}
    text = json.dumps({**message, "params": params}).encode()
    return await server.answer(server.receive(text))


async def read_events(reply: Response) -> list[dict[str, Any]]:
    """Return the next messages of a stream."""
    assert reply.queue is not None
    messages = await asyncio.wait_for(reply.queue.next(), BOUND)
    return [json.loads(message) for message in messages]


@pytest.mark.parametrize("request_id", [0, "", 7, "listen:0"])
async def test_a_stream_opens_with_its_acknowledgement_and_closes_with_its_result(
    request_id: Any,
) -> None:
    """The specification, subscriptions: the id of the request tags every message."""
    reply = await listen(make_server(), {"toolsListChanged": True}, request_id)
    assert (reply.status, reply.body, reply.error) == (200, b"", None)
    assert reply.queue is not None
    meta = {f"{PREFIX}subscriptionId": request_id}
    assert json.loads(reply.queue.opening) == {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": {"toolsListChanged": True}, "_meta": meta},
    }
    assert json.loads(reply.queue.closing) == {
        "jsonrpc": "2.0",
        "id": request_id,
        "result": {"resultType": "complete", "_meta": meta},
    }
    for message in (reply.queue.opening, reply.queue.closing):
        assert f'subscriptionId":{json.dumps(request_id)}'.encode() in message


@pytest.mark.parametrize("kind", METHODS)
async def test_only_the_kinds_that_were_asked_for_come(kind: str) -> None:
    """The specification, subscriptions: never another kind; each message tagged."""
    server = make_server()
    requested = {**dict.fromkeys(METHODS, False), kind: True}
    reply = await listen(server, requested)
    assert reply.queue is not None
    opening = json.loads(reply.queue.opening)
    assert opening["params"]["notifications"] == {kind: True}
    server.sessions.bus.publish(ALL)
    (message,) = await read_events(reply)
    assert message["method"] == METHODS[kind]
    assert message["params"] == {"_meta": {f"{PREFIX}subscriptionId": "listen-1"}}


async def test_resources_that_are_served_are_honoured_and_the_others_left_out() -> None:
    """The specification, subscriptions: what is not supported is no error. Whether a
    resource exists is not revealed: a hidden one is the same as a missing one.
    """
    server = make_server()
    uris = ["note://B", "x:y", "note://a", "note://none", "", "note://a"]
    reply = await listen(server, {"resourceSubscriptions": uris})
    assert reply.queue is not None
    opening = json.loads(reply.queue.opening)
    honoured = {"resourceSubscriptions": ["note://B", "note://a", "note://none"]}
    assert opening["params"]["notifications"] == honoured
    server.sessions.bus.publish(
        [*ALL, ResourceUpdated("note://b"), ResourceUpdated("x:y")]
    )
    messages = await read_events(reply)
    meta = {f"{PREFIX}subscriptionId": "listen-1"}
    assert [message["params"] for message in messages] == [
        {"_meta": meta, "uri": "note://a"},
        {"_meta": meta, "uri": "note://B"},
    ]
    assert {message["method"] for message in messages} == {
        "notifications/resources/updated"
    }


@pytest.mark.parametrize(
    "requested",
    [
        {},
        {"resourceSubscriptions": []},
        {"unknownKind": True, "toolsListChanged": False},
    ],
)
async def test_a_stream_of_nothing_is_acknowledged(requested: dict[str, Any]) -> None:
    """The specification, subscriptions: the honoured subset may be empty."""
    server = make_server()
    reply = await listen(server, requested)
    assert reply.queue is not None
    assert json.loads(reply.queue.opening)["params"]["notifications"] == {}
    server.sessions.bus.publish(ALL)
    reply.queue.end()
    assert await read_events(reply) == []


NO_FILTERS: list[Any] = [..., None, [], "toolsListChanged", True]
NO_SWITCHES: list[Any] = [None, 1, "true", []]
NO_URIS: list[Any] = [None, "note://a", {}, [None], ["note://a", 1]]


@pytest.mark.parametrize(
    ("requested", "message"),
    [
        *(
            (requested, "Invalid params: notifications must be an object")
            for requested in NO_FILTERS
        ),
        *(
            ({kind: value}, "Invalid params: a notification is true or false")
            for kind in METHODS
            for value in NO_SWITCHES
        ),
        *(
            (
                {"resourceSubscriptions": value},
                "Invalid params: resourceSubscriptions must be URIs",
            )
            for value in NO_URIS
        ),
        (
            {"resourceSubscriptions": ["note://a"] * 1001},
            "at most 1000 resourceSubscriptions",
        ),
        (
            # The limit is in bytes: 64 KiB, less four for "note", plus one.
            {"resourceSubscriptions": ["note", "\u00e4" * (32 * 1024 - 2), "x"]},
            "resourceSubscriptions are longer than 65536 bytes in all",
        ),
    ],
)
async def test_a_filter_of_another_form_is_invalid(
    requested: Any, message: str
) -> None:
    """The specification, subscriptions: -32602, and no stream."""
    reply = await listen(make_server(), requested)
    assert (reply.status, reply.error, reply.queue) == (200, -32602, None)
    assert json.loads(reply.body)["error"] == {"code": -32602, "message": message}


async def test_a_change_is_told_on_each_stream_with_its_own_id() -> None:
    """The specification, subscriptions: one listen is one stream; ids may be equal."""
    server = make_server()
    requested = {"toolsListChanged": True}
    replies = [await listen(server, requested, request_id) for request_id in (1, 2, 2)]
    server.sessions.bus.publish([ToolsChanged()])
    ids = [(await read_events(reply))[0]["params"]["_meta"] for reply in replies]
    assert ids == [{f"{PREFIX}subscriptionId": number} for number in (1, 2, 2)]


async def test_a_filter_may_have_64_kib_of_uris() -> None:
    """D-116: what a stream makes the server hold is bounded."""
    uris = [f"note://{number}" + "b" * (16 * 1024 - 8) for number in range(4)]
    reply = await listen(make_server(), {"resourceSubscriptions": uris})
    assert reply.queue is not None
    honoured = json.loads(reply.queue.opening)["params"]["notifications"]
    assert honoured == {"resourceSubscriptions": uris}


async def test_of_two_spellings_of_a_resource_the_first_is_told() -> None:
    """D-117: the same rule as with resources/subscribe."""
    server = make_server()
    reply = await listen(server, {"resourceSubscriptions": ["note://A", "note://a"]})
    assert reply.queue is not None
    opening = json.loads(reply.queue.opening)
    honoured = {"resourceSubscriptions": ["note://A"]}
    assert opening["params"]["notifications"] == honoured
    server.sessions.bus.publish([UPDATED])
    assert [message["params"]["uri"] for message in await read_events(reply)] == [
        "note://A"
    ]


async def test_a_closed_stream_leaves_nothing_behind() -> None:
    """D-116: streams that come and go leave nothing."""
    server = make_server(SampleProvider())
    for _ in range(100):
        reply = await listen(server, {"toolsListChanged": True})
        assert reply.queue is not None
        reply.queue.close()
    assert not server.sessions.bus._subscriptions
