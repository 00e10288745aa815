"""Messages and counters over Redis, with a server that fails on demand."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from support.resp import FakeRedis, fake_redis
from support.wire import BOUND, until

from asdlc_kb.cluster import redis_transport as posts
from asdlc_kb.cluster.redis_transport import PREFIX, SETTLE_SECONDS, RedisTransport
from asdlc_kb.cluster.transport import MAX_MESSAGE_BYTES, PeerUnreachable

NAMES = ("here", "there")


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The time of both ends."""
    return Clock()


@asynccontextmanager
async def posting(
    server: FakeRedis, clock: Clock, name: str | None = None
) -> AsyncIterator[tuple[RedisTransport, list[tuple[str, bytes]]]]:
    """Run one end; yield it and the received messages."""
    post = RedisTransport(server.url, keep_seconds=120, name=name, clock=clock)
    letters: list[tuple[str, bytes]] = []
    post.listen(lambda sender, letter: letters.append((sender, letter)))
    running = asyncio.ensure_future(post.run())
    await until(lambda: post.is_connected and post.is_heard.is_set())
    try:
        yield post, letters
    finally:
        running.cancel()
        await asyncio.wait((running,), timeout=BOUND)


async def send(post: RedisTransport, to: str, letter: bytes = b"letter") -> bool:
    """Send a letter, within bounds."""
    return await asyncio.wait_for(post.send(to, letter), BOUND)


async def test_a_letter_arrives_with_its_senders_name(clock: Clock) -> None:
    """PUBLISH returns the number of receivers."""
    async with (
        fake_redis() as server,
        posting(server, clock, "here") as (here, _),
        posting(server, clock, "there") as (_, letters),
    ):
        sent = [b"", b"\0", b"one\r\n", bytes(range(256))]
        for letter in sent:
            assert await send(here, "there", letter)
        await until(lambda: len(letters) == len(sent))
    assert letters == [("here", letter) for letter in sent]
    assert server.channels.keys() == {f"{PREFIX}mail:{n}".encode() for n in NAMES}


async def test_letters_arrive_in_their_order(clock: Clock) -> None:
    """Even if no send awaited the one before."""
    async with (
        fake_redis() as server,
        posting(server, clock) as (here, _),
        posting(server, clock, "there") as (_, letters),
    ):
        sent = [str(number).encode() for number in range(2000)]
        await asyncio.gather(*(send(here, "there", letter) for letter in sent))
        await until(lambda: len(letters) == len(sent))
    assert [letter for _, letter in letters] == sent


async def test_nobody_of_a_name_is_known_once_all_had_time_to_connect(
    clock: Clock,
) -> None:
    """False; but just after a fault they may not be connected yet."""
    async with fake_redis() as server, posting(server, clock) as (here, _):
        with pytest.raises(PeerUnreachable):
            await send(here, "nobody")
        clock.now += SETTLE_SECONDS
        assert not await send(here, "nobody")


async def test_each_process_has_a_name_of_its_own(clock: Clock) -> None:
    """A restarted process is another one."""
    async with (
        fake_redis() as server,
        posting(server, clock) as (here, _),
        posting(server, clock) as (there, letters),
    ):
        assert here.name != there.name
        assert await send(here, there.name)
        await until(lambda: letters == [(here.name, b"letter")])


async def test_a_letter_that_is_too_long_is_not_sent(clock: Clock) -> None:
    """Redis disconnects a client with too much pending output."""
    async with fake_redis() as server, posting(server, clock) as (here, _):
        with pytest.raises(PeerUnreachable):
            await send(here, "there", bytes(MAX_MESSAGE_BYTES + 1))
        assert server.asked(b"PUBLISH") == []


async def test_so_much_waits_and_no_more(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-124: while Redis is slow, memory does not grow."""
    monkeypatch.setattr(posts, "MAX_WAITING_BYTES", 10_000)
    async with (
        fake_redis() as server,
        posting(server, clock) as (here, _),
        posting(server, clock, "there") as (_, letters),
    ):
        server.answers.clear()
        texts = [bytes(900)] * 10
        sending = [asyncio.ensure_future(send(here, "there", text)) for text in texts]
        await until(lambda: here._waiting > 9000)
        with pytest.raises(PeerUnreachable):
            await send(here, "there", bytes(2000))
        server.answers.set()
        assert all(await asyncio.gather(*sending))
        await until(lambda: len(letters) == 10)
        assert await send(here, "there", bytes(2000))


async def test_sums_are_those_of_all_processes(clock: Clock) -> None:
    """D-057: INCRBY and EXPIRE under a prefix with the schema's version."""
    async with (
        fake_redis() as server,
        posting(server, clock) as (here, _),
        posting(server, clock) as (there, _),
    ):
        assert await here.exchange({"a": 2, "b": 1}) == {"a": 2, "b": 1}
        assert await there.exchange({"a": 3}) == {"a": 5}
        assert await here.exchange({}) == {}
    assert server.values == {b"asdlc-kb:2:sum:a": 5, b"asdlc-kb:2:sum:b": 1}
    expiries = {command[1:] for command in server.asked(b"EXPIRE")}
    assert expiries == {(key, b"120") for key in server.values}


async def test_many_sums_go_in_parts(clock: Clock) -> None:
    """A letter between them need not wait for fifty thousand clients."""
    counted = {f"key {number}": number for number in range(1000)}
    async with fake_redis() as server, posting(server, clock) as (here, _):
        assert await here.exchange(counted) == counted


async def test_a_spoilt_sum_harms_no_other(clock: Clock) -> None:
    """D-124: keys of a wrong type; that client's own count goes on."""
    async with fake_redis() as server, posting(server, clock) as (here, _):
        server.spoilt.add(b"asdlc-kb:2:sum:bad")
        assert await here.exchange({"bad": 1, "good": 2}) == {"good": 2}
        assert here.is_connected


async def test_nothing_waits_while_redis_is_away(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """D-124: unreachable at once, logged once, without the password; then back."""
    async with (
        fake_redis() as server,
        posting(server, clock) as (here, _),
        posting(server, clock, "there") as (there, letters),
    ):
        with caplog.at_level(logging.INFO, "asdlc_kb"):
            await server.stop()
            with pytest.raises(PeerUnreachable):
                await send(here, "there")
            await until(lambda: not there.is_heard.is_set())
            for post in (here, there):
                with pytest.raises(PeerUnreachable):
                    await post.exchange({"a": 1})
            assert not here.is_connected
            await server.start()
            await until(
                lambda: (
                    here.is_connected and there.is_connected and there.is_heard.is_set()
                )
            )
        assert await send(here, "there")
        await until(lambda: bool(letters))
    messages = [record.getMessage() for record in caplog.records]
    assert (
        messages.count("Redis unreachable")
        == messages.count("Redis reachable again")
        == 2
    )
    assert "a-secret" not in caplog.text


async def test_a_line_that_says_nothing_notices_too(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call after a restart of Redis is not to pay for it."""
    monkeypatch.setattr(posts, "QUIET_SECONDS", 10 * BOUND)
    async with fake_redis() as server, posting(server, clock) as (here, _):
        await server.stop()
        await until(lambda: not here.is_connected)
        await server.start()
        await until(lambda: here.is_connected and here.is_heard.is_set())


async def test_what_is_under_way_when_redis_goes_is_not_known(clock: Clock) -> None:
    """D-124: no caller waits for an answer that cannot come."""
    async with fake_redis() as server, posting(server, clock) as (here, _):
        server.answers.clear()
        sending = [asyncio.ensure_future(send(here, "there")) for _ in range(3)]
        await until(lambda: here._waiting > 0)
        server.cut()
        server.answers.set()
        results = await asyncio.gather(*sending, return_exceptions=True)
    assert all(isinstance(result, PeerUnreachable) for result in results)


async def test_a_redis_that_does_not_answer_is_given_up(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-124: a stopped one is treated as dead, and used when it goes on."""
    monkeypatch.setattr(posts, "ANSWER_SECONDS", 0.2)
    monkeypatch.setattr(posts, "QUIET_SECONDS", 0.1)
    async with (
        fake_redis() as server,
        posting(server, clock) as (here, _),
        posting(server, clock, "there") as (there, letters),
    ):
        server.answers.clear()
        await until(lambda: not here.is_connected and not there.is_heard.is_set())
        with pytest.raises(PeerUnreachable):
            await send(here, "there")
        server.answers.set()
        # On a busy machine an answer may be late once more.
        async with asyncio.timeout(BOUND):
            while not letters:
                with suppress(PeerUnreachable):
                    await post_now(here, there)


async def post_now(here: RedisTransport, there: RedisTransport) -> None:
    """Send a letter once both can be reached."""
    await until(lambda: here.is_connected and there.is_heard.is_set())
    await send(here, "there")


async def test_a_quiet_line_is_held_open(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever lies between forgets lines on which nothing is said."""
    monkeypatch.setattr(posts, "QUIET_SECONDS", 0.01)
    async with fake_redis() as server, posting(server, clock) as (here, _):
        lines = set(server.connections)
        await until(lambda: min(server.pings[True], server.pings[False]) > 5)
        assert server.connections == lines
        assert here.is_connected


async def test_whoever_stops_waiting_leaves_no_trace(clock: Clock) -> None:
    """D-057: a limit waits for a bounded time; a later reply is dropped."""
    async with fake_redis() as server, posting(server, clock) as (here, _):
        server.answers.clear()
        adding = asyncio.ensure_future(here.exchange({"a": 1}))
        await until(lambda: here._waiting > 0)
        adding.cancel()
        server.answers.set()
        assert await here.exchange({"a": 1}) == {"a": 2}
        assert here._waiting == 0


async def test_a_fault_of_our_own_does_not_end_it(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged, and the connection made again."""
    failures = [RuntimeError("unforeseen")]
    prove = RedisTransport._speak

    async def fail_once(self: RedisTransport, client: object) -> None:
        if failures:
            raise failures.pop()
        await prove(self, client)  # type: ignore[arg-type]

    monkeypatch.setattr(RedisTransport, "_speak", fail_once)
    async with fake_redis() as server, posting(server, clock) as (here, _):
        assert await here.exchange({"a": 1}) == {"a": 1}
    assert "unexpected error on a connection" in caplog.text


def test_an_address_that_is_none_is_refused() -> None:
    """Said at the start, not by a server that never connects."""
    with pytest.raises(ValueError):
        RedisTransport("http://127.0.0.1", keep_seconds=1)
