"""The common part of the buses over a network, with a server in memory."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from support.wire import BOUND, until

from asdlc_kb.cluster import network_transport as module
from asdlc_kb.cluster.bus import MAX_MESSAGE_BYTES
from asdlc_kb.cluster.network_transport import NetworkTransport


class ServerFault(Exception):
    """A connection that failed."""


class MemoryTransport(NetworkTransport[None]):
    """A transport that records what is sent."""

    server = "Memory"
    faults = (ServerFault,)

    def __init__(self) -> None:
        super().__init__("memory.example", name="here")
        self.batches: list[Sequence[bytes]] = []
        self.failures: list[Exception] = []
        """Raised by the next connections."""
        self.pings = 0
        self.is_open = asyncio.Event()
        """Set while the server accepts messages."""
        self.is_open.set()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Connect, or fail."""
        if self.failures:
            raise self.failures.pop()
        yield None

    async def ping(self, connection: None) -> None:
        """Count it."""
        self.pings += 1

    async def send_batch(self, connection: None, messages: Sequence[bytes]) -> None:
        """Record the messages, once the server accepts them."""
        await self.is_open.wait()
        self.batches.append(messages)

    async def receive(self, connection: None) -> None:
        """Receive nothing."""
        self.begin_receiving()
        await asyncio.Event().wait()


@asynccontextmanager
async def running(transport: MemoryTransport) -> AsyncIterator[MemoryTransport]:
    """Run a transport until the block ends."""
    task = asyncio.ensure_future(transport.run())
    try:
        await until(lambda: transport.is_connected and transport.is_heard.is_set())
        yield transport
    finally:
        task.cancel()
        await asyncio.wait((task,), timeout=BOUND)


async def test_batches_are_bounded_and_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By number and by bytes; a longer message is alone."""
    monkeypatch.setattr(module, "MAX_BATCH", 3)
    monkeypatch.setattr(module, "MAX_BATCH_BYTES", 100)
    sent = [b"1", b"2", b"3", b"4", bytes(60), bytes(60), bytes(200), b"5"]
    async with running(MemoryTransport()) as transport:
        assert all(transport.publish(data) for data in sent)
        await transport.flush()
        assert [list(batch) for batch in transport.batches] == [
            [b"1", b"2", b"3"],
            [b"4", bytes(60)],
            [bytes(60)],
            [bytes(200)],
            [b"5"],
        ]


async def test_the_queue_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """D-126: while the server is slow, memory does not grow, also by empty messages."""
    monkeypatch.setattr(MemoryTransport, "max_waiting_bytes", 1000)
    async with running(MemoryTransport()) as transport:
        transport.is_open.clear()
        transport.publish(b"under way")
        await until(lambda: not transport._queue)
        accepted = sum(transport.publish(b"") for _ in range(1000))
        assert 50 < accepted < 200
        transport.is_open.set()
        await transport.flush()
        assert transport._waiting == 0
        assert transport.publish(bytes(900))


async def test_flush_waits_for_messages_under_way() -> None:
    """A process that leaves has sent its last message."""
    async with running(MemoryTransport()) as transport:
        transport.is_open.clear()
        transport.publish(b"last")
        await until(lambda: not transport._queue)
        flushing = asyncio.ensure_future(transport.flush())
        await asyncio.sleep(0)
        assert not flushing.done()
        transport.is_open.set()
        await flushing
        assert transport.batches == [[b"last"]]


async def test_a_message_that_is_too_long_is_not_sent() -> None:
    """The limit of every bus."""
    async with running(MemoryTransport()) as transport:
        assert transport.publish(bytes(MAX_MESSAGE_BYTES))
        assert not transport.publish(bytes(MAX_MESSAGE_BYTES + 1))


async def test_an_outage_is_logged_once_without_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """D-126: the text may contain a password."""
    transport = MemoryTransport()
    transport.failures = [ServerFault("a-secret") for _ in range(4)]
    with caplog.at_level(logging.INFO, "asdlc_kb"):
        async with running(transport):
            assert transport.publish(b"x")
    messages = [record.getMessage() for record in caplog.records]
    assert messages == ["Memory unreachable", "Memory reachable again"]
    assert vars(caplog.records[0])["reason"] == "memory.example: ServerFault"
    assert "a-secret" not in str([vars(record) for record in caplog.records])


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (ConnectionRefusedError(111, "Connect call failed ('a-secret')"), "Connection"),
        (OSError(-2, "Name or service not known"), "Name or service not known"),
        (OSError("Multiple exceptions: refused"), "Multiple exceptions: refused"),
        (TimeoutError(), "no answer within 2 seconds"),
    ],
)
async def test_the_cause_of_a_fault_is_in_words(cause: OSError, reason: str) -> None:
    """Clients raise their own type while they handle the error of the system."""
    transport = MemoryTransport()
    fault = ServerFault("a-secret")
    fault.__context__ = cause
    transport.failures = [fault]
    found = await transport.find_fault()
    assert found is not None and found.startswith(f"memory.example: {reason}")
    assert "a-secret" not in found
    assert await transport.find_fault() is None


async def test_an_unexpected_error_ends_no_transport(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is logged with a traceback, and the connection opened again."""
    transport = MemoryTransport()
    transport.failures = [RuntimeError("unforeseen")]
    async with running(transport):
        assert transport.publish(b"x")
    assert "unexpected error on a connection to Memory" in caplog.text


async def test_an_idle_connection_is_pinged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Firewalls drop connections without traffic."""
    monkeypatch.setattr(MemoryTransport, "quiet_seconds", 0.01)
    async with running(MemoryTransport()) as transport:
        await until(lambda: transport.pings > 5)
