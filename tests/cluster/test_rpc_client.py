"""The requesting end, with a session host simulated by the test."""

import asyncio

import pytest
from support.post import End, MessageExchange
from support.wire import BOUND, until

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
from asdlc_kb.cluster.rpc_client import (
    ALIVE_SECONDS,
    FAST_TIMEOUT_SECONDS,
    MAX_LISTED,
    SILENT_SECONDS,
    SLOW_TIMEOUT_SECONDS,
    RemoteSessionClient,
    split_numbers,
)
from asdlc_kb.mcp.eras.session_routing import (
    RemoteStream,
    SessionHostGone,
    SessionHostTimeout,
)

KEY = b"a key of this test"


class Asker:
    """The end under test, and what a home sees of it."""

    def __init__(self) -> None:
        self.post = MessageExchange()
        self.now = 100.0
        self.asking = RemoteSessionClient(
            MessageSender(self.post.end("here"), KEY), lambda: self.now
        )
        self.home: End | None = self.post.end("home")

    def seen(self) -> list[AnyMessage]:
        """Return the letters that the home got."""
        seal = MessageSigner("home", KEY)
        opened = [seal.open("here", data) for _, _, data in self.post.carried]
        return [letter for letter in opened if letter is not None]

    def pass_time(self, seconds: float) -> None:
        """Let time go by, and the asker look after things."""
        self.now += seconds
        self.asking.look_after()

    def question(self, matter: str = "message") -> RpcRequest:
        """Return a new question."""
        number = self.asking.number()
        return RpcRequest(exchange=number, matter=matter, session="s")  # type: ignore[arg-type]

    async def ask(self, question: RpcRequest, **given: object) -> RpcResponse:
        """Ask the home."""
        asked = self.asking.ask("home", question, **given)  # type: ignore[arg-type]
        return await asyncio.wait_for(asked, BOUND)

    async def begin(
        self, question: RpcRequest, **given: object
    ) -> "asyncio.Task[RpcResponse]":
        """Ask the home, and wait until it has the question."""
        asking = asyncio.ensure_future(self.ask(question, **given))
        await until(lambda: question in self.seen())
        return asking

    async def open_stream(self) -> tuple[int, RemoteStream]:
        """Open a stream."""
        question = self.question("stream")
        opening = self.asking.open_stream("home", question)
        task = asyncio.ensure_future(asyncio.wait_for(opening, BOUND))
        await until(lambda: question in self.seen())
        self.asking.take("home", RpcResponse(exchange=question.exchange, status=200))
        stream = await task
        assert stream is not None
        begun = ReaderKeepalive(exchanges=(question.exchange,))
        await until(lambda: self.seen()[-1] == begun)
        return question.exchange, stream


@pytest.fixture
def asker() -> Asker:
    """A client whose session host exists."""
    return Asker()


async def test_a_home_answers(asker: Asker) -> None:
    """D-049: the reply comes back, notifications before it."""
    question, notes = asker.question(), list[bytes]()
    task = await asker.begin(question, emit=notes.append)
    number = question.exchange
    answer = RpcResponse(exchange=number, status=200, body=b"body")
    for letter in (RpcNotification(exchange=number, text=b"note"), answer, answer):
        assert asker.asking.take("home", letter)
    assert await task == answer
    assert notes == [b"note"]
    assert asker.asking.take("home", answer), "an answer to nothing is passed over"


async def test_only_the_home_that_was_asked_answers(asker: Asker) -> None:
    """D-050: no process answers for another."""
    question = asker.question()
    task = await asker.begin(question)
    forged = RpcResponse(exchange=question.exchange, status=200, body=b"forged")
    assert asker.asking.take("somebody", forged)
    meant = RpcResponse(exchange=question.exchange, status=200, body=b"meant")
    asker.asking.take("home", meant)
    assert await task == meant


async def test_a_home_that_is_gone_is_known_at_once(asker: Asker) -> None:
    """D-049: its clients have to start over."""
    del asker.post.ends["home"]
    with pytest.raises(SessionHostGone):
        await asker.ask(asker.question())


async def test_nothing_waits_for_a_post_that_is_down(asker: Asker) -> None:
    """D-124: Redis is unavailable."""
    asker.post.is_down = True
    with pytest.raises(SessionHostTimeout):
        await asker.ask(asker.question())


async def test_what_hurries_does_not_wait_for_late_post(asker: Asker) -> None:
    """Once, for a moment at most; then not at all, until the transport recovers."""
    asker.post.is_late = True
    with pytest.raises(SessionHostTimeout):
        await asker.ask(asker.question(), hurries=True)
    asker.post.is_late = False
    with pytest.raises(SessionHostTimeout):
        await asker.ask(asker.question(), hurries=True)
    assert asker.seen() == []
    (task,) = asker.asking._overdue
    task.cancel()
    await until(lambda: not asker.asking._overdue)
    question = asker.question()
    task_of_answer = await asker.begin(question, hurries=True)
    asker.asking.take("home", RpcResponse(exchange=question.exchange, status=200))
    assert (await task_of_answer).status == 200


async def test_a_silent_home_is_given_up_on(asker: Asker) -> None:
    """D-049: a process that dies in the middle of a call."""
    task = await asker.begin(asker.question())
    asker.pass_time(SLOW_TIMEOUT_SECONDS - 0.1)
    await asyncio.sleep(0)
    assert not task.done()
    asker.pass_time(0.1)
    with pytest.raises(SessionHostTimeout):
        await task


async def test_a_home_is_not_waited_for_long_if_others_can_answer(
    asker: Asker,
) -> None:
    """D-049: no reply in two seconds."""
    task = await asker.begin(asker.question(), hurries=True)
    asker.pass_time(FAST_TIMEOUT_SECONDS - 0.1)
    await asyncio.sleep(0)
    assert not task.done()
    asker.pass_time(0.1)
    with pytest.raises(SessionHostTimeout):
        await task


async def test_a_home_that_is_still_at_it_is_waited_for(asker: Asker) -> None:
    """A slow call is no dead home."""
    question = asker.question()
    task = await asker.begin(question)
    for _ in range(5):
        asker.pass_time(SLOW_TIMEOUT_SECONDS - 0.1)
        asker.asking.take("home", Keepalive(exchanges=(question.exchange, 99)))
    asker.asking.take("home", RpcResponse(exchange=question.exchange, status=200))
    assert (await task).status == 200


async def test_a_home_may_leave_the_answer_to_the_asker(asker: Asker) -> None:
    """An answer may be too long for a letter, a home too busy."""
    question = asker.question()
    task = await asker.begin(question)
    asker.asking.take("home", RpcResponse(exchange=question.exchange, status=0))
    with pytest.raises(SessionHostTimeout):
        await task


async def test_letters_for_a_home_are_left_to_it(asker: Asker) -> None:
    """Both ends are in every process."""
    assert not asker.asking.take("home", asker.question())
    assert not asker.asking.take("home", StreamCancel(exchange=1))
    assert not asker.asking.take("home", ReaderKeepalive(exchanges=(1,)))


async def test_a_stream_carries_what_comes_even_before_its_answer(asker: Asker) -> None:
    """Nothing is lost between the answer and its reader."""
    question = asker.question("stream")
    opening = asker.asking.open_stream("home", question)
    task = asyncio.ensure_future(asyncio.wait_for(opening, BOUND))
    await until(lambda: question in asker.seen())
    number = question.exchange
    for letter in (
        RpcResponse(exchange=number, status=200),
        StreamData(exchange=number, messages=(b"1", b"2")),
        StreamData(exchange=number, messages=(b"3",)),
    ):
        asker.asking.take("home", letter)
    stream = await task
    assert stream is not None
    assert await asyncio.wait_for(stream.feed.next(), BOUND) == [b"1", b"2", b"3"]
    assert stream.is_wanted()


async def test_a_stream_ends_with_its_home(asker: Asker) -> None:
    """DELETE and expiry end it there."""
    number, stream = await asker.open_stream()
    asker.asking.take("somebody", StreamEnd(exchange=number))
    assert stream.is_wanted()
    asker.asking.take("home", StreamEnd(exchange=number))
    assert not stream.is_wanted()
    assert await asyncio.wait_for(stream.feed.next(), BOUND) == []
    stream.feed.close()
    await asyncio.sleep(0)
    assert len(asker.seen()) == 2, "there is nobody to tell"


async def test_a_home_hears_that_a_reader_left(asker: Asker) -> None:
    """Its events wait for the next stream."""
    number, stream = await asker.open_stream()
    stream.feed.close()
    await until(lambda: asker.seen()[-1] == StreamCancel(exchange=number))
    assert asker.asking.take("home", StreamData(exchange=number, messages=(b"late",)))


@pytest.mark.parametrize("status", [404, 503])
async def test_there_may_be_no_stream(asker: Asker, status: int) -> None:
    """The session has ended, or too much is carried."""
    question = asker.question("stream")
    opening = asker.asking.open_stream("home", question)
    task = asyncio.ensure_future(asyncio.wait_for(opening, BOUND))
    await until(lambda: question in asker.seen())
    asker.asking.take("home", RpcResponse(exchange=question.exchange, status=status))
    assert await task is None


async def test_a_stream_of_a_gone_home_is_not_opened(asker: Asker) -> None:
    """Nothing is left of the attempt."""
    del asker.post.ends["home"]
    with pytest.raises(SessionHostGone):
        await asker.asking.open_stream("home", asker.question("stream"))
    assert not asker.asking._lines


async def test_readers_say_that_they_are_there(asker: Asker) -> None:
    """Both ends keep a stream alive; each process gets keepalives of its own."""
    numbers = [(await asker.open_stream())[0] for _ in range(2)]
    asker.pass_time(ALIVE_SECONDS - 0.1)
    await asyncio.sleep(0)
    assert len(asker.seen()) == 4
    asker.pass_time(0.1)
    await until(lambda: asker.seen()[-1] == ReaderKeepalive(exchanges=tuple(numbers)))


async def test_a_stream_of_a_home_that_died_ends(asker: Asker) -> None:
    """D-049: its client reconnects, gets 404, and starts over."""
    _, stream = await asker.open_stream()
    del asker.post.ends["home"]
    asker.pass_time(ALIVE_SECONDS)
    await until(lambda: not stream.is_wanted())
    assert await asyncio.wait_for(stream.feed.next(), BOUND) == []


async def test_a_silent_stream_ends(asker: Asker) -> None:
    """Dropped when the other end is silent for so long, and not before."""
    number, stream = await asker.open_stream()
    asker.post.is_down = True
    asker.pass_time(SILENT_SECONDS - 0.1)
    assert stream.is_wanted()
    asker.asking.take("home", Keepalive(exchanges=(number,)))
    asker.pass_time(SILENT_SECONDS - 0.1)
    assert stream.is_wanted()
    asker.pass_time(0.1)
    assert not stream.is_wanted()


async def test_streams_end_with_the_process(asker: Asker) -> None:
    """Their clients reconnect elsewhere."""
    _, stream = await asker.open_stream()
    asker.asking.stop()
    assert await asyncio.wait_for(stream.feed.next(), BOUND) == []


def test_long_lists_are_cut() -> None:
    """A letter lists so many exchanges; none is lost."""
    numbers = range(2 * MAX_LISTED + 1)
    parts = list(split_numbers(numbers))
    assert [len(part) for part in parts] == [MAX_LISTED, MAX_LISTED, 1]
    assert [number for part in parts for number in part] == list(numbers)
