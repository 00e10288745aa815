"""Processes that serve one session together, over mail of the test's own."""

import asyncio
import json
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from support.cluster import KEY, Cluster, Process
from support.slow import SlowProvider
from support.wire import BOUND, until

from asdlc_kb.cluster.rpc_client import (
    ALIVE_SECONDS,
    SILENT_SECONDS,
    SLOW_TIMEOUT_SECONDS,
)
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.eras.session_routing import RemoteStream, SessionIds
from asdlc_kb.mcp.protocol.inbound import McpHeaders
from asdlc_kb.mcp.subscriptions.events import ResourceUpdated, ToolsChanged

GONE = {"code": -32600, "message": "Session not found"}


@pytest.fixture
def cluster() -> Cluster:
    """No process yet."""
    return Cluster()


def write(method: str, params: Any = None, request_id: Any = 1) -> bytes:
    """Return a request, or a notification if the id is None."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    if request_id is not None:
        message["id"] = request_id
    return json.dumps(message).encode()


async def send(
    process: Process,
    session: str | None,
    text: bytes,
    emit: Callable[[bytes], None] | None = None,
) -> Response:
    """Send a message to a process, as its door does."""
    server = process.server
    received = server.receive(text, McpHeaders(session=session))
    reply = server.ready(received) or server.answer(received, emit)
    if isinstance(reply, Response):
        return reply
    return await asyncio.wait_for(reply, BOUND)


async def begin(process: Process, version: str = "2025-11-25") -> str:
    """Open a session; return its id."""
    params = {"protocolVersion": version, "capabilities": {}}
    reply = await send(process, None, write("initialize", params))
    assert reply.session is not None
    notice = write("notifications/initialized", request_id=None)
    assert (await send(process, reply.session, notice)).status == 202
    return reply.session


async def listen(process: Process, session: str) -> RemoteStream:
    """Open a stream of a session."""
    opening = process.server.open_stream(McpHeaders(session=session))
    stream = await asyncio.wait_for(opening, BOUND)
    assert stream is not None
    return stream


async def hear(stream: RemoteStream) -> list[str]:
    """Return the methods of what a stream carries next."""
    messages = await asyncio.wait_for(stream.feed.next(), BOUND)
    return [json.loads(message)["method"] for message in messages]


def result(reply: Response) -> Any:
    """Return the result in an answer."""
    return json.loads(reply.body)["result"]


async def test_a_session_is_served_by_any_process(cluster: Cluster) -> None:
    """D-049: a remote message is forwarded whole, and its answer comes back."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first)
    for process in (first, second):
        assert result(await send(process, session, write("ping"))) == {}
        error = json.loads((await send(process, session, write("x"))).body)["error"]
        assert error["code"] == -32601
    assert cluster.post.carried


async def test_a_subscription_made_anywhere_is_told_anywhere(cluster: Cluster) -> None:
    """The specification, resources/subscribe: by session, not by process."""
    first, second = cluster.start("first"), cluster.start("second")
    third = cluster.start("third")
    session = await begin(first)
    subscribe = write("resources/subscribe", {"uri": "note://a"})
    assert result(await send(second, session, subscribe)) == {}
    stream = await listen(third, session)
    first.server.audience.publish([ResourceUpdated("note://a"), ToolsChanged()])
    assert await hear(stream) == [
        "notifications/tools/list_changed",
        "notifications/resources/updated",
    ]
    unsubscribe = write("resources/unsubscribe", {"uri": "note://a"})
    assert result(await send(third, session, unsubscribe)) == {}


async def test_a_stream_that_ended_elsewhere_leaves_its_events(
    cluster: Cluster,
) -> None:
    """A change between two streams is not lost, wherever they are."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first)
    stream = await listen(second, session)
    stream.feed.close()
    kept = first.server.find_session(McpHeaders(session=session))
    assert kept is not None
    await until(lambda: not kept.feeds)
    first.server.audience.publish([ToolsChanged()])
    again = await listen(second, session)
    assert await hear(again) == ["notifications/tools/list_changed"]


async def test_a_session_ends_from_anywhere(cluster: Cluster) -> None:
    """DELETE: its streams end everywhere, and it is unknown everywhere."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first)
    stream = await listen(second, session)
    assert await second.server.end_session(McpHeaders(session=session))
    assert await hear(stream) == []
    for process in (first, second):
        reply = await send(process, session, write("ping"))
        assert (reply.status, json.loads(reply.body)["error"]) == (404, GONE)
        assert await process.server.open_stream(McpHeaders(session=session)) is None
        assert not await process.server.end_session(McpHeaders(session=session))


async def test_progress_and_cancellation_cross_processes(cluster: Cluster) -> None:
    """The specification, progress and cancellation: three processes, one call."""
    slow = SlowProvider()
    first = cluster.start("first", slow)
    second, third = cluster.start("second"), cluster.start("third")
    session, notes = await begin(first), list[bytes]()
    params = {"name": "wait", "_meta": {"progressToken": "t"}}
    calling = send(second, session, write("tools/call", params, 7), notes.append)
    task = asyncio.ensure_future(calling)
    await until(lambda: slow.started.is_set() and bool(notes))
    assert json.loads(notes[0])["params"] == {"progressToken": "t", "progress": 1}
    notice = write("notifications/cancelled", {"requestId": 7}, None)
    assert (await send(third, session, notice)).status == 202
    reply = await task
    assert (reply.is_cancelled, reply.body) == (True, b"")
    assert slow.was_cancelled


async def test_how_a_call_went_is_known_where_it_came_in(cluster: Cluster) -> None:
    """What is logged and counted there: how many were found, and a tool's failure."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first)
    for name, known in (("echo", (3, False)), ("fail", (None, True))):
        params = {"name": name, "arguments": {"total": 3}}
        for process in (first, second):
            reply = await send(process, session, write("tools/call", params))
            assert (reply.found, reply.has_failed) == known


async def test_a_batch_is_answered_by_the_home(cluster: Cluster) -> None:
    """2025-03-26: an array, in its order."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first, "2025-03-26")
    text = b"[" + write("ping", None, 1) + b"," + write("ping", None, 2) + b"]"
    reply = await send(second, session, text)
    assert [each["id"] for each in json.loads(reply.body)] == [1, 2]
    assert cluster.post.carried


async def test_a_channel_takes_messages_anywhere(cluster: Cluster) -> None:
    """2024-11-05: the stream is at home, the POSTs are anywhere."""
    first, second = cluster.start("first"), cluster.start("second")
    channel = first.server.open_channel()
    feed = first.server.open_queue(channel)
    sent = write("initialize", {"protocolVersion": "2024-11-05"})
    for process, text, status in (
        (second, sent, 202),
        (second, write("notifications/initialized", request_id=None), 202),
        (second, b"nonsense", 400),
    ):
        reply = await process.server.forward_to_channel(channel.id, text)
        assert reply is not None
        assert reply.status == status
    (message,) = await asyncio.wait_for(feed.next(), BOUND)
    assert json.loads(message)["result"]["protocolVersion"] == "2024-11-05"
    first.server.close_session(channel.id)
    assert await second.server.forward_to_channel(channel.id, sent) is None


async def test_the_sessions_of_a_dead_process_are_gone(cluster: Cluster) -> None:
    """D-049: 404, upon which clients start over; other sessions are not affected."""
    first, second = cluster.start("first"), cluster.start("second")
    session, own = await begin(first), await begin(second)
    stream = await listen(second, session)
    del cluster.post.ends["first"]
    reply = await send(second, session, write("ping"))
    assert (reply.status, json.loads(reply.body)["error"]) == (404, GONE)
    cluster.now += ALIVE_SECONDS
    second.relay.look_after()
    assert await hear(stream) == []
    assert not stream.is_wanted()
    assert result(await send(second, own, write("ping"))) == {}


async def test_a_home_that_dies_during_a_call_is_not_waited_for(
    cluster: Cluster,
) -> None:
    """D-049: no reply for two seconds: calls without a session are answered here."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first)
    cluster.post.is_lossy = True
    calling = asyncio.ensure_future(send(second, session, write("ping")))
    await until(lambda: bool(cluster.post.carried))
    cluster.now += SLOW_TIMEOUT_SECONDS
    second.relay.look_after()
    assert result(await calling) == {}


async def test_while_the_post_is_down_calls_are_answered_where_they_come(
    cluster: Cluster,
) -> None:
    """D-124: never a 5xx; calls that need the session's process are 404."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first, "2025-06-18")
    cluster.post.is_down = True
    assert result(await send(second, session, write("ping"))) == {}
    subscribe = write("resources/subscribe", {"uri": "note://a"})
    assert (await send(second, session, subscribe)).status == 404
    assert await second.server.open_stream(McpHeaders(session=session)) is None
    cluster.post.is_down = False
    assert result(await send(second, session, subscribe)) == {}


async def test_what_only_the_home_can_do_is_worth_a_wait(cluster: Cluster) -> None:
    """A slow transport delays no call, and loses no subscription."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first)
    cluster.post.is_late = True
    assert result(await send(second, session, write("ping"))) == {}
    cluster.post.is_late = False
    assert cluster.post.carried == []
    assert result(await send(second, session, write("ping"))) == {}
    assert cluster.post.carried == [], "there is still a letter on its way"
    subscribe = write("resources/subscribe", {"uri": "note://a"})
    assert result(await send(second, session, subscribe)) == {}
    await second.relay._office.stop(0)


async def test_both_ends_keep_a_quiet_stream_alive(cluster: Cluster) -> None:
    """Dropped only when one of them is silent."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first)
    stream = await listen(second, session)
    kept = first.server.find_session(McpHeaders(session=session))
    assert kept is not None
    await until(lambda: bool(kept.feeds))

    def has_carried(count: int) -> bool:
        return len(cluster.post.carried) == count

    for _ in range(2 * int(SILENT_SECONDS / ALIVE_SECONDS)):
        cluster.now += ALIVE_SECONDS
        before = len(cluster.post.carried)
        first.relay.look_after()
        second.relay.look_after()
        await until(partial(has_carried, before + 2))
        await asyncio.sleep(0)
    assert stream.is_wanted()
    assert kept.feeds
    cluster.post.is_down = True
    cluster.now += SILENT_SECONDS
    first.relay.look_after()
    second.relay.look_after()
    assert not stream.is_wanted()
    await until(lambda: not kept.feeds)


async def test_streams_end_with_either_process(cluster: Cluster) -> None:
    """D-094: a drain leaves no client waiting."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first)
    stream, kept = await listen(second, session), await listen(first, session)
    await first.relay.stop()
    assert await hear(stream) == []
    assert kept.is_wanted(), "streams at home are the door's"
    await second.relay.stop()


async def test_the_relay_looks_after_things_by_itself(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No caller triggers it."""
    first = cluster.start("first")
    looked = asyncio.Event()
    monkeypatch.setattr(first.relay, "look_after", looked.set)
    running = asyncio.ensure_future(first.relay.run())
    await asyncio.wait_for(looked.wait(), BOUND)
    running.cancel()


@pytest.mark.parametrize("data", [b"", b"garbage", b"\0" * 100])
async def test_garbage_is_dropped_and_told_once(
    cluster: Cluster, caplog: pytest.LogCaptureFixture, data: bytes
) -> None:
    """D-050: any client of a shared Redis can publish."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first)
    (take,) = cluster.post.ends["first"].takes
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            take("second", data)
    told = [r.levelname for r in caplog.records if r.name.endswith("cluster.relay")]
    assert told == ["WARNING"]
    assert result(await send(second, session, write("ping"))) == {}


async def test_no_letter_breaks_the_post(
    cluster: Cluster, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a letter does, the next one is taken."""
    first, second = cluster.start("first"), cluster.start("second")
    session = await begin(first)

    def fail(*_: object) -> None:
        raise RuntimeError("unforeseen")

    with monkeypatch.context() as patch:
        patch.setattr(first.relay._home, "take", fail)
        calling = asyncio.ensure_future(send(second, session, write("ping")))
        await until(lambda: "unexpected error while handling a message" in caplog.text)
    cluster.now += SLOW_TIMEOUT_SECONDS
    second.relay.look_after()
    assert result(await calling) == {}
    assert result(await send(second, session, write("ping"))) == {}


async def test_an_id_of_here_is_not_foreign(cluster: Cluster) -> None:
    """A session that ended here is unknown; no other process is asked."""
    first = cluster.start("first")
    ids = SessionIds("first", KEY)
    assert first.relay.locate(ids.make("2025-11-25")) is None
    assert first.relay.locate("nonsense") is None
    reply = await send(first, ids.make("2025-11-25"), write("ping"))
    assert reply.status == 404
    assert cluster.post.carried == []


async def test_another_server_takes_over(cluster: Cluster) -> None:
    """A reload: the relay goes on with the server that it is given."""
    first, second = cluster.start("first"), cluster.start("second")
    slow = SlowProvider()
    other = cluster.start("other", slow).server
    session = await begin(first)
    other._sessions = first.server._sessions
    first.relay.serve(other)
    listed = result(await send(second, session, write("tools/list")))
    assert "wait" in {tool["name"] for tool in listed["tools"]}
