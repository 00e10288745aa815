"""The bus over Redis, with a server that fails on demand."""

import asyncio
import logging
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from support.resp import FakeRedis, fake_redis
from support.wire import BOUND, until

from asdlc_kb.cluster.bus import MAX_MESSAGE_BYTES
from asdlc_kb.cluster.redis_transport import CHANNEL, RedisTransport


@dataclass
class End:
    """One replica, and what it hears."""

    bus: RedisTransport
    heard: list[tuple[str, bytes]] = field(default_factory=list)
    joins: int = 0

    def joined(self) -> None:
        """Count it."""
        self.joins += 1

    def receive(self, sender: str, data: bytes) -> None:
        """Note it."""
        self.heard.append((sender, data))

    def left(self, sender: str) -> None:
        """Redis does not report it."""
        raise AssertionError(sender)


def is_open(end: End) -> bool:
    """Whether a replica can publish and hear."""
    return end.bus.is_connected and end.bus.is_heard.is_set()


@asynccontextmanager
async def joined(server: FakeRedis, name: str | None = None) -> AsyncIterator[End]:
    """Run one replica."""
    end = End(RedisTransport(server.url, name=name))
    end.bus.listen(end)
    running = asyncio.ensure_future(end.bus.run())
    await until(lambda: is_open(end))
    try:
        yield end
    finally:
        running.cancel()
        await asyncio.wait((running,), timeout=BOUND)


async def test_a_message_arrives_at_all_others_with_its_senders_name() -> None:
    """Not at its sender."""
    async with (
        fake_redis() as server,
        joined(server, "here") as here,
        joined(server) as there,
        joined(server) as elsewhere,
    ):
        sent = [b"", b"\0", b"one\r\n", bytes(range(256))]
        for data in sent:
            assert here.bus.publish(data)
        await here.bus.flush()
        await until(lambda: len(there.heard) == len(elsewhere.heard) == len(sent))
        assert there.heard == [("here", data) for data in sent]
        assert elsewhere.heard == there.heard
        assert here.heard == []
    assert server.channels.keys() == {CHANNEL.encode()}


async def test_messages_arrive_in_their_order() -> None:
    """More than one pipeline of them."""
    async with fake_redis() as server, joined(server) as here, joined(server) as there:
        sent = [str(number).encode() for number in range(2000)]
        assert all(here.bus.publish(data) for data in sent)
        await until(lambda: len(there.heard) == len(sent))
    assert [data for _, data in there.heard] == sent


async def test_each_process_has_a_name_of_its_own() -> None:
    """A restarted process is another one."""
    async with fake_redis() as server, joined(server) as here, joined(server) as there:
        assert here.bus.name != there.bus.name


async def test_nothing_is_stored_in_redis() -> None:
    """It may be emptied at any time."""
    async with fake_redis() as server, joined(server) as here:
        here.bus.publish(b"x")
        await here.bus.flush()
        asked = {command[0] for command in server.commands}
    assert asked.isdisjoint({b"SET", b"INCRBY", b"EXPIRE"})
    assert not server.values


async def test_a_message_that_is_too_long_is_not_sent() -> None:
    """Redis disconnects a client with too much pending output."""
    async with fake_redis() as server, joined(server) as here:
        assert not here.bus.publish(bytes(MAX_MESSAGE_BYTES + 1))
        assert server.asked(b"PUBLISH") == []


async def test_so_much_waits_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """D-126: while Redis is slow, memory does not grow."""
    monkeypatch.setattr(RedisTransport, "max_waiting_bytes", 10_000)
    async with fake_redis() as server, joined(server) as here, joined(server) as there:
        assert all(here.bus.publish(bytes(900)) for _ in range(10))
        assert not here.bus.publish(bytes(2000))
        await until(lambda: len(there.heard) == 10)
        assert here.bus.publish(bytes(2000))


async def test_nothing_waits_while_redis_is_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """D-126: lost at once, logged once, without the password; then back."""
    async with fake_redis() as server, joined(server) as here, joined(server) as there:
        assert (here.joins, there.joins) == (1, 1)
        with caplog.at_level(logging.INFO, "asdlc_kb"):
            await server.stop()
            for end in (here, there):
                await until(lambda end=end: not is_open(end))  # type: ignore[misc]
            await until(lambda: not here.bus.is_connected)
            assert not here.bus.publish(b"lost")
            await server.start()
            await until(lambda: is_open(here) and is_open(there))
            await until(lambda: caplog.text.count("Redis reachable again") == 2)
        assert (here.joins, there.joins) >= (2, 2)
        assert here.bus.publish(b"found")
        await until(lambda: [data for _, data in there.heard] == [b"found"])
    messages = [record.getMessage() for record in caplog.records]
    assert messages.count("Redis unreachable") == 2
    assert messages.count("Redis reachable again") == 2
    assert "a-secret" not in caplog.text


async def test_a_line_that_says_nothing_notices_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first message after a restart of Redis is not to pay for it."""
    monkeypatch.setattr(RedisTransport, "quiet_seconds", 10 * BOUND)
    async with fake_redis() as server, joined(server) as here:
        await server.stop()
        await until(lambda: not here.bus.is_connected)
        await server.start()
        await until(lambda: is_open(here))


async def test_what_is_under_way_when_redis_goes_is_lost() -> None:
    """It is not sent late, and nothing waits for it."""
    async with fake_redis() as server, joined(server) as here, joined(server) as there:
        server.answers.clear()
        for _ in range(3):
            here.bus.publish(b"x")
        server.cut()
        await until(lambda: not here.bus.is_connected)
        assert here.bus._waiting == 0
        server.answers.set()
        await until(lambda: is_open(here) and is_open(there))


async def test_a_redis_that_does_not_answer_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Stopped is as good as dead, and found when it goes on."""
    monkeypatch.setattr(RedisTransport, "answer_seconds", 0.2)
    monkeypatch.setattr(RedisTransport, "quiet_seconds", 0.1)
    async with fake_redis() as server, joined(server) as here, joined(server) as there:
        server.answers.clear()
        await until(
            lambda: not here.bus.is_connected and not there.bus.is_heard.is_set()
        )
        assert not here.bus.publish(b"lost")
        server.answers.set()
        # On a busy machine an answer may be late once more.
        async with asyncio.timeout(BOUND):
            while not there.heard:
                await until(lambda: is_open(here) and there.bus.is_heard.is_set())
                here.bus.publish(b"x")
                await here.bus.flush()
                await asyncio.sleep(0)


async def test_a_quiet_line_is_held_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lies between forgets lines on which nothing is said."""
    monkeypatch.setattr(RedisTransport, "quiet_seconds", 0.01)
    async with fake_redis() as server, joined(server) as here:
        lines = set(server.connections)
        await until(lambda: min(server.pings[True], server.pings[False]) > 5)
        assert server.connections == lines
        assert here.bus.is_connected


async def test_a_fault_of_our_own_does_not_end_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged, and the connection made again."""
    failures = [RuntimeError("unforeseen")]
    prove = RedisTransport._send

    async def fail_once(self: RedisTransport, client: object) -> None:
        if failures:
            raise failures.pop()
        await prove(self, client)  # type: ignore[arg-type]

    monkeypatch.setattr(RedisTransport, "_send", fail_once)
    async with fake_redis() as server, joined(server) as here:
        assert here.bus.publish(b"x")
    assert "unexpected error on a connection" in caplog.text


@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        ("WRONGPASS invalid username-password pair", "not accept the user or password"),
        ("NOAUTH Authentication required.", "not accept the user or password"),
        ("ERR DB index is out of range", "has no database of this number"),
        ("NOPERM this user has no permissions", "may not publish or subscribe"),
    ],
)
async def test_a_redis_that_refuses_is_not_called_unreachable(
    caplog: pytest.LogCaptureFixture, refusal: str, reason: str
) -> None:
    """No retry helps until an operator acts; logged once, without the password."""
    async with fake_redis() as server:
        server.refusal = refusal
        transport = RedisTransport(server.url)
        running = asyncio.ensure_future(transport.run())
        await until(lambda: len(server.commands) > 4)
        assert not transport.is_usable
        server.refusal = None
        await until(lambda: transport.is_usable)
        running.cancel()
        await asyncio.wait((running,))
    refused, back = caplog.records
    assert refused.getMessage() == "Redis refuses this server"
    assert vars(refused)["reason"].startswith(f"{transport.address}: ")
    assert vars(refused)["reason"].endswith(reason)
    assert "bus_url" in vars(refused)["advice"]
    assert back.getMessage() == "Redis reachable again"
    assert "a-secret" not in str([vars(record) for record in caplog.records])


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("redis://kb:hunter2@127.0.0.1:1/0", "127.0.0.1:1: Connection refused"),
        (
            "unix:///missing/hunter.sock?password=hunter2",
            "/missing/hunter.sock: No such",
        ),
    ],
)
async def test_a_redis_that_is_away_is_named_without_its_password(
    url: str, found: str
) -> None:
    """By its address and the error of the system."""
    fault = await RedisTransport(url).find_fault()
    assert fault is not None and fault.startswith(found)
    assert "hunter2" not in fault


async def test_what_is_no_redis_is_named() -> None:
    """A program of another protocol at this port."""

    async def answer(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        fault = await RedisTransport(f"redis://{address}").find_fault()
    assert fault == f"{address}: it is not a Redis"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1", "redis://127.0.0.1/abc", "rediss://127.0.0.1/0/x"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    """Said at the start, not by a server that never connects."""
    with pytest.raises(ValueError):
        RedisTransport(url)


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1", "redis://127.0.0.1/", "redis://h:1/15", "unix:///a/b"]
)
def test_a_database_is_a_number(url: str) -> None:
    """Or not named: 0. The path of a Unix socket is none."""
    RedisTransport(url)
