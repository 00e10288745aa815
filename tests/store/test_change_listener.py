"""The listener: polls, notifications, outages."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from store.endless import running
from store.postgres import PASSWORD, PostgresServer, postgres_server
from store.snapshots import WrittenSource
from support.wire import BOUND, until

from asdlc_kb.store import change_listener
from asdlc_kb.store.change_listener import ChangeListener, NumbersListener
from asdlc_kb.store.database import (
    BoundedConnection,
    StoreAddress,
    connect,
    connect_async,
)
from asdlc_kb.store.schema import migrate


class Polls:
    """Records what a listener calls back."""

    def __init__(self) -> None:
        self.numbers: list[Mapping[str, int]] = []

    async def __call__(self, numbers: Mapping[str, int]) -> None:
        """Record one poll."""
        self.numbers.append(numbers)


def listening(url: str, polls: NumbersListener) -> AbstractAsyncContextManager[None]:
    """Run a listener until the block ends."""
    return running(ChangeListener(StoreAddress(url), polls).run())


async def test_every_poll_is_called_back(
    connection: BoundedConnection, database: str
) -> None:
    """With equal numbers too: each is a contact with the database."""
    polls = Polls()
    number = WrittenSource(connection).write({"a": b"1"})
    async with listening(database, polls):
        await until(lambda: len(polls.numbers) >= 2)
    assert polls.numbers[:2] == [{"handbook": number}] * 2


async def test_a_notification_comes_before_the_poll(
    connection: BoundedConnection, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen with polls that would come too late for this test."""
    for limit in ("POLL_SECONDS", "ANSWER_SECONDS"):
        monkeypatch.setattr(change_listener, limit, 10 * BOUND)
    polls = Polls()
    async with listening(database, polls):
        await until(lambda: len(polls.numbers) == 1)
        number = await asyncio.to_thread(WrittenSource(connection).write, {"a": b"1"})
        await until(lambda: {"handbook": number} in polls.numbers)


async def test_a_callback_that_fails_is_logged_once(
    connection: BoundedConnection,
    database: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And polling goes on, over the same connection."""
    monkeypatch.setattr(change_listener, "POLL_SECONDS", 0.01)
    opened: list[str] = []

    async def count(address: str, *, statement_seconds: float) -> Any:
        opened.append(address)
        return await connect_async(address, statement_seconds=statement_seconds)

    monkeypatch.setattr(change_listener, "connect_async", count)
    calls: list[int] = []

    async def fail(numbers: Mapping[str, int]) -> None:
        calls.append(len(numbers))
        raise LookupError

    async with listening(database, fail):
        await until(lambda: len(calls) >= 5)
    assert opened == [database]
    messages = [entry.message for entry in caplog.records if "store" in entry.name]
    assert messages == ["the snapshots of the store could not be processed"]


@pytest.mark.parametrize("fault", ["killed", "restarted", "paused"])
async def test_an_outage_is_survived(
    fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged once at each end, without the password."""
    polls = Polls()
    with postgres_server() as server:
        with connect(server.url) as connection:
            migrate(connection)
            first = WrittenSource(connection).write({"a": b"1"})
        with caplog.at_level(logging.INFO):
            async with listening(server.url, polls):
                await until(lambda: {"handbook": first} in polls.numbers)
                await run_outage(server, fault, caplog)
                await until(lambda: "reachable again" in caplog.text)
                second = await asyncio.to_thread(write_again, server)
                await until(lambda: {"handbook": second} in polls.numbers)
    events = [entry.message for entry in caplog.records if "store" in entry.name]
    assert len(events) == 2, events
    assert events[0].startswith("store unreachable: the database at 127.0.0.1:")
    assert events[1] == "store reachable again"
    assert PASSWORD not in caplog.text


def write_again(server: PostgresServer) -> int:
    """Write a second snapshot."""
    with connect(server.url) as connection:
        return WrittenSource(connection).write({"b": b"2"})


async def run_outage(
    server: PostgresServer, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Have the server be away until the listener notices."""
    if fault == "paused":
        server.pause()
    else:
        await asyncio.to_thread(server.kill if fault == "killed" else server.stop)
    await until(lambda: "store unreachable" in caplog.text)
    if fault == "paused":
        server.resume()
    else:
        await asyncio.to_thread(server.start)


async def test_a_standby_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    """LISTEN needs the primary; the log says so, once."""
    polls = Polls()
    with postgres_server() as server, connect(server.url) as connection:
        migrate(connection)
        with server.replica() as replica:
            async with listening(replica.url, polls):
                await until(lambda: "is a standby" in caplog.text)
    assert polls.numbers == []


async def test_a_newer_schema_is_reported(
    database: str, connection: BoundedConnection, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says what to do."""
    connection.execute("INSERT INTO asdlc_kb.migrations (version) VALUES (99)")
    async with listening(database, Polls()):
        await until(lambda: "upgrade it" in caplog.text)
