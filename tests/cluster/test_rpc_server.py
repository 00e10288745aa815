"""The serving end, with a client simulated by the test."""

import asyncio
import json
from typing import Any

import pytest
from support.post import MessageExchange
from support.shelf import SampleProvider, make_server
from support.slow import SlowProvider
from support.wire import until

from asdlc_kb.cluster import rpc_server
from asdlc_kb.cluster.envelope import (
    AnyMessage,
    Keepalive,
    MessageSigner,
    ReaderKeepalive,
    RpcNotification,
    RpcRequest,
    RpcResponse,
    StreamCancel,
    StreamData,
    StreamEnd,
)
from asdlc_kb.cluster.outgoing import MessageSender
from asdlc_kb.cluster.rpc_client import ALIVE_SECONDS, SILENT_SECONDS
from asdlc_kb.cluster.rpc_server import RemoteSessionServer
from asdlc_kb.cluster.transport import MAX_MESSAGE_BYTES
from asdlc_kb.mcp.dispatch.provider import Provider
from asdlc_kb.mcp.eras.session_routing import SessionIds
from asdlc_kb.mcp.protocol.model import TextContent, ToolResult
from asdlc_kb.mcp.subscriptions.events import ToolsChanged
from asdlc_kb.mcp.subscriptions.sessions import IDLE_SECONDS, Session, Sessions
from asdlc_kb.mcp.subscriptions.subscribers import Subscribers

KEY = b"a key"


class Hosting:
    """The end under test, and what an asker sees of it."""

    def __init__(self, *providers: Provider) -> None:
        self.post = MessageExchange()
        self.now = 10_000.0
        ids = SessionIds("home", KEY)
        self.sessions = Sessions(make_id=ids.make, clock=lambda: self.now)
        self.server = make_server(*providers, audience=Subscribers(self.sessions))
        self.office = MessageSender(self.post.end("home"), KEY)
        self.home = RemoteSessionServer(self.server, self.office, lambda: self.now)
        self.post.end("asker")
        self.session = self.open()

    def open(self) -> Session:
        """Open an initialized session."""
        (session := self.sessions.open("2025-11-25")).begin()
        return session

    def seen(self, kind: type[Any] = object, to: str = "asker") -> list[AnyMessage]:
        """Return the letters of a kind that the asker got."""
        seal = MessageSigner(to, KEY)
        opened = [
            seal.open("home", data)
            for _, receiver, data in self.post.carried
            if receiver == to
        ]
        return [letter for letter in opened if letter and isinstance(letter, kind)]

    def ask(self, exchange: int, method: str = "ping", **given: Any) -> None:
        """Send a question with a request."""
        params = given.pop("params", {})
        text = {"jsonrpc": "2.0", "id": exchange, "method": method, "params": params}
        given.setdefault("matter", "message")
        given.setdefault("session", self.session.id)
        given.setdefault("text", json.dumps(text).encode())
        self.home.take("asker", RpcRequest(exchange=exchange, **given))

    async def answer(self, exchange: int) -> RpcResponse:
        """Return the answer to a question."""

        def answers() -> list[RpcResponse]:
            found = [a for a in self.seen(RpcResponse) if isinstance(a, RpcResponse)]
            return [answer for answer in found if answer.exchange == exchange]

        await until(lambda: bool(answers()))
        (answer,) = answers()
        return answer

    async def carry(self, exchange: int, *, is_read: bool = True) -> None:
        """Open a stream."""
        self.ask(exchange, matter="stream")
        assert (await self.answer(exchange)).status == 200
        if is_read:
            self.home.take("asker", ReaderKeepalive(exchanges=(exchange,)))

    def pass_time(self, seconds: float) -> None:
        """Let time go by, and the home look after things."""
        self.now += seconds
        self.home.look_after()


@pytest.fixture
def hosting() -> Hosting:
    """A home with one session."""
    return Hosting()


async def test_a_call_is_answered_as_if_it_had_come_here(hosting: Hosting) -> None:
    """D-049: the message goes whole, the reply comes back whole."""
    hosting.ask(1)
    answer = await hosting.answer(1)
    assert (answer.status, json.loads(answer.body)["result"]) == (200, {})
    hosting.ask(2, "nonsense")
    answer = await hosting.answer(2)
    assert (answer.status, answer.error) == (200, -32601)


async def test_an_ended_session_is_not_found(hosting: Hosting) -> None:
    """2025-11-25 transports: 404 with the request's id."""
    hosting.server.close_session(hosting.session.id)
    hosting.ask(7)
    answer = await hosting.answer(7)
    assert (answer.status, json.loads(answer.body)["id"]) == (404, 7)
    for exchange, matter in ((8, "close"), (9, "stream"), (10, "channel")):
        hosting.ask(exchange, matter=matter)
        assert (await hosting.answer(exchange)).status == 404


async def test_a_call_from_afar_keeps_the_session_alive(hosting: Hosting) -> None:
    """A client does not know which process it talks to."""
    for exchange in (1, 2):
        hosting.now += IDLE_SECONDS - 1
        hosting.ask(exchange)
        assert (await hosting.answer(exchange)).status == 200
    hosting.now += IDLE_SECONDS + 1
    hosting.ask(3)
    assert (await hosting.answer(3)).status == 404


async def test_a_session_is_ended_from_afar(hosting: Hosting) -> None:
    """DELETE works wherever it arrives: once."""
    hosting.ask(1, matter="close")
    assert (await hosting.answer(1)).status == 204
    hosting.ask(2, matter="close")
    assert (await hosting.answer(2)).status == 404


async def test_a_channel_gets_its_answers_on_its_stream(hosting: Hosting) -> None:
    """2024-11-05: the POST gets 202, or an error for invalid JSON."""
    channel = hosting.server.open_channel()
    feed = hosting.server.open_queue(channel)
    hosting.ask(1, matter="channel", session=channel.id)
    assert await hosting.answer(1) == RpcResponse(exchange=1, status=202)
    (message,) = await feed.next()
    assert json.loads(message)["result"] == {}
    hosting.ask(2, matter="channel", session=channel.id, text=b"nonsense")
    answer = await hosting.answer(2)
    assert (answer.status, answer.error) == (400, -32700)


async def test_progress_goes_before_the_answer() -> None:
    """The specification, progress: only where the asker's client takes events."""
    hosting = Hosting(SlowProvider())
    params = {"name": "progress", "_meta": {"progressToken": "t"}}
    hosting.ask(1, "tools/call", params=params, takes_notes=True)
    await hosting.answer(1)
    *notes, answer = hosting.seen()
    assert isinstance(answer, RpcResponse)
    told = [
        json.loads(note.text) for note in notes if isinstance(note, RpcNotification)
    ]
    assert [each["params"]["progress"] for each in told] == [0, 50, 100]
    hosting.ask(2, "tools/call", params=params)
    await hosting.answer(2)
    assert len(hosting.seen(RpcNotification)) == 3


async def test_a_call_is_cancelled_from_afar() -> None:
    """The specification, cancellation: in the same session, by any way."""
    slow = SlowProvider()
    hosting = Hosting(slow)
    params = {"name": "wait", "_meta": {}}
    hosting.ask(1, "tools/call", params=params, takes_notes=True)
    await until(slow.started.is_set)
    notice = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    text = json.dumps({**notice, "params": {"requestId": 1}}).encode()
    hosting.ask(2, text=text)
    assert (await hosting.answer(2)).status == 202
    answer = await hosting.answer(1)
    assert (answer.is_cancelled, answer.body) == (True, b"")
    assert slow.was_cancelled


async def test_an_asker_hears_that_a_call_goes_on() -> None:
    """A slow call is no dead home."""
    slow = SlowProvider()
    hosting = Hosting(slow)
    hosting.ask(1, "tools/call", params={"name": "wait"})
    await until(slow.started.is_set)
    hosting.pass_time(0.5)
    await until(lambda: hosting.seen() == [Keepalive(exchanges=(1,))])
    slow.released.set()
    await hosting.answer(1)
    hosting.pass_time(0.5)
    await asyncio.sleep(0)
    assert len(hosting.seen(Keepalive)) == 1


async def test_a_question_that_comes_twice_is_one() -> None:
    """D-050: messages are unique; a repetition gains nothing."""
    slow = SlowProvider()
    hosting = Hosting(slow)
    for _ in range(2):
        hosting.ask(1, "tools/call", params={"name": "wait"})
    await until(slow.started.is_set)
    slow.released.set()
    await hosting.answer(1)
    await hosting.office.stop(10)
    assert len(hosting.seen(RpcResponse)) == 1


async def test_an_answer_too_long_for_a_letter_is_left_to_the_asker() -> None:
    """Messages are bounded; the call needs no session."""

    class Long(SampleProvider):
        async def call_tool(self, *given: Any) -> Any:
            text = TextContent(text="x" * MAX_MESSAGE_BYTES)
            return ToolResult(content=(text,))

    hosting = Hosting(Long())
    hosting.ask(1, "tools/call", params={"name": "echo", "arguments": {"text": "x"}})
    assert await hosting.answer(1) == RpcResponse(exchange=1, status=0)


async def test_who_asks_too_much_is_to_answer_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So many requests at once."""
    monkeypatch.setattr(rpc_server, "MAX_REQUESTS", 1)
    slow = SlowProvider()
    hosting = Hosting(slow)
    hosting.ask(1, "tools/call", params={"name": "wait"})
    hosting.ask(2)
    assert (await hosting.answer(2)).status == 0
    slow.released.set()
    assert (await hosting.answer(1)).status == 200


async def test_a_fault_is_the_homes_own(
    hosting: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unexpected error is logged, and the asker need not wait for it."""

    def fail(*_: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(hosting.server, "receive", fail)
    hosting.ask(1)
    assert (await hosting.answer(1)).status == 0


async def test_a_stream_carries_events(hosting: Hosting) -> None:
    """The process of the session sends its queue as messages."""
    await hosting.carry(1)
    hosting.server.audience.publish([ToolsChanged()])
    await until(lambda: bool(hosting.seen(StreamData)))
    (carried,) = hosting.seen(StreamData)
    assert isinstance(carried, StreamData)
    (message,) = carried.messages
    assert json.loads(message)["method"] == "notifications/tools/list_changed"


async def test_what_was_before_the_stream_is_carried_too(hosting: Hosting) -> None:
    """A change between initialize and GET is not lost."""
    hosting.server.audience.publish([ToolsChanged()])
    await hosting.carry(1)
    await until(lambda: bool(hosting.seen(StreamData)))


async def test_events_that_were_not_sent_wait_for_the_next_stream(
    hosting: Hosting,
) -> None:
    """D-048: a failed transport loses none."""
    await hosting.carry(1)
    hosting.post.is_down = True
    hosting.server.audience.publish([ToolsChanged()])
    await until(lambda: not hosting.session.feeds)
    hosting.post.is_down = False
    await hosting.carry(2)
    await until(lambda: bool(hosting.seen(StreamData)))


async def test_a_stream_whose_reader_died_is_closed(hosting: Hosting) -> None:
    """No process of that name exists any more."""
    await hosting.carry(1)
    del hosting.post.ends["asker"]
    hosting.server.audience.publish([ToolsChanged()])
    await until(lambda: not hosting.session.feeds)


async def test_a_stream_begins_when_its_reader_says_so(hosting: Hosting) -> None:
    """The client may have given up: then its events would be lost."""
    hosting.ask(1, matter="stream")
    assert (await hosting.answer(1)).status == 200
    hosting.server.audience.publish([ToolsChanged()])
    await hosting.office.stop(10)
    assert hosting.seen(StreamData) == []
    await hosting.carry(2)
    await until(lambda: bool(hosting.seen(StreamData)))
    hosting.pass_time(SILENT_SECONDS)
    hosting.home.take("asker", ReaderKeepalive(exchanges=(1,)))
    await until(lambda: not hosting.session.feeds)


async def test_a_session_may_end_before_its_stream_begins(hosting: Hosting) -> None:
    """The reader learns of it."""
    hosting.ask(1, matter="stream")
    assert (await hosting.answer(1)).status == 200
    hosting.server.close_session(hosting.session.id)
    hosting.home.take("asker", ReaderKeepalive(exchanges=(1,)))
    await until(lambda: hosting.seen()[-1] == StreamEnd(exchange=1))


async def test_a_reader_may_leave(hosting: Hosting) -> None:
    """Even before the stream was begun."""
    await hosting.carry(1)
    hosting.home.take("somebody", StreamCancel(exchange=1))
    await asyncio.sleep(0)
    assert hosting.session.feeds
    hosting.home.take("asker", StreamCancel(exchange=1))
    await until(lambda: not hosting.session.feeds)
    hosting.ask(2, matter="stream")
    hosting.home.take("asker", StreamCancel(exchange=2))
    hosting.home.take("asker", ReaderKeepalive(exchanges=(2,)))
    assert not hosting.session.feeds


async def test_a_silent_reader_is_dropped(hosting: Hosting) -> None:
    """When either end is silent for so long."""
    await hosting.carry(1)
    hosting.pass_time(SILENT_SECONDS - 1)
    hosting.home.take("asker", ReaderKeepalive(exchanges=(1, 2)))
    hosting.pass_time(SILENT_SECONDS - 1)
    await asyncio.sleep(0)
    assert hosting.session.feeds
    hosting.pass_time(1)
    await until(lambda: not hosting.session.feeds)


async def test_a_stream_that_is_read_keeps_its_session(hosting: Hosting) -> None:
    """As a stream does that is opened here."""
    await hosting.carry(1)
    step = SILENT_SECONDS - 1
    for _ in range(int(2 * IDLE_SECONDS / step)):
        hosting.pass_time(step)
        hosting.home.take("asker", ReaderKeepalive(exchanges=(1,)))
    hosting.ask(2)
    assert (await hosting.answer(2)).status == 200


async def test_readers_hear_that_a_stream_is_there(hosting: Hosting) -> None:
    """Both ends keep it alive."""
    await hosting.carry(1)
    hosting.pass_time(ALIVE_SECONDS - 1)
    await asyncio.sleep(0)
    assert hosting.seen(Keepalive) == []
    hosting.pass_time(1)
    await until(lambda: hosting.seen(Keepalive) == [Keepalive(exchanges=(1,))])


async def test_a_stream_ends_with_its_session(hosting: Hosting) -> None:
    """The reader learns of it."""
    await hosting.carry(1)
    hosting.server.close_session(hosting.session.id)
    await until(lambda: hosting.seen()[-1] == StreamEnd(exchange=1))


@pytest.mark.parametrize("is_read", [True, False])
async def test_streams_end_with_the_process(hosting: Hosting, is_read: bool) -> None:
    """Their readers learn of it before the process ends, new ones included."""
    await hosting.carry(1, is_read=is_read)
    hosting.home.stop()
    await hosting.office.stop(10)
    assert hosting.seen()[-1] == StreamEnd(exchange=1)


async def test_so_many_streams_are_carried(
    hosting: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for streams that are opened here."""
    monkeypatch.setattr(rpc_server, "MAX_STREAMS", 1)
    await hosting.carry(1)
    hosting.ask(2, matter="stream")
    assert (await hosting.answer(2)).status == 503


async def test_a_letter_for_an_asker_is_none_for_a_home(hosting: Hosting) -> None:
    """Both ends are in every process."""
    assert not hosting.home.take("asker", StreamEnd(exchange=1))
