"""The bus over a real PostgreSQL: roles, standbys, stored messages, other programs."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from store.postgres import PASSWORD, PostgresServer, postgres_server
from support.bus_server import PostgresBus
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import run_cli, serve_process
from support.wire import BOUND, until

from asdlc_kb.cluster.postgres_transport import PostgresTransport, name_channel
from asdlc_kb.exceptions import StoreMisconfigured

KEY = b"a key of this test"
LONG = bytes(20_000)


@pytest.fixture(scope="module")
def bus() -> Iterator[PostgresBus]:
    """A server that no test stops."""
    with postgres_server() as server:
        yield PostgresBus(server)


class Listener:
    """Records what arrives."""

    def __init__(self) -> None:
        self.received: list[bytes] = []

    def joined(self) -> None:
        """Do nothing."""

    def receive(self, sender: str, data: bytes) -> None:
        """Record it."""
        self.received.append(data)

    def left(self, sender: str) -> None:
        """Do nothing."""


@asynccontextmanager
async def running(
    url: str, key: bytes | None = KEY
) -> AsyncIterator[tuple[PostgresTransport, Listener]]:
    """Run the transport of one replica."""
    transport, listener = PostgresTransport(url, key), Listener()
    transport.listen(listener)
    task = asyncio.ensure_future(transport.run())
    try:
        await until(lambda: transport.is_connected and transport.is_heard.is_set())
        yield transport, listener
    finally:
        task.cancel()
        await asyncio.wait((task,), timeout=BOUND)


def list_ages(bus: PostgresBus) -> list[bool]:
    """Return for each stored message whether it is young."""
    rows = bus.server.query(
        "SELECT sent_at > now() - interval '60 seconds' FROM asdlc_kb.bus_messages"
    )
    return [is_young for (is_young,) in rows]


async def test_only_long_messages_are_stored(
    bus: PostgresBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And deleted by age, by whichever replica is there, busy or idle."""
    monkeypatch.setattr(PostgresTransport, "quiet_seconds", 10 * BOUND)
    bus.server.query("DELETE FROM asdlc_kb.bus_messages")
    async with running(bus.url) as (one, _), running(bus.url) as (two, heard):
        assert one.publish(b"short")
        assert one.publish(LONG)
        await until(lambda: heard.received == [b"short", LONG])
        assert list_ages(bus) == [True]
        bus.server.query(
            "UPDATE asdlc_kb.bus_messages SET sent_at = now() - interval '61 seconds'"
        )
        two._next_prune = 0
        assert two.publish(LONG)
        await until(lambda: list_ages(bus) == [True])
    ((persistence,),) = bus.server.query(
        "SELECT relpersistence FROM pg_class WHERE relname = 'bus_messages'"
    )
    assert persistence in ("u", b"u")


async def test_a_stored_message_that_is_gone_is_lost_alone(bus: PostgresBus) -> None:
    """A receiver that was stopped for a minute: the next message arrives."""
    async with running(bus.url) as (_, heard):
        payload = "there/1"
        bus.server.query("SELECT pg_notify(%s, %s)", name_channel(KEY), payload)
        async with running(bus.url) as (other, _):
            assert other.publish(b"next")
            await until(lambda: heard.received == [b"next"])


@pytest.mark.parametrize(
    ("statement", "groups"),
    [
        ("SELECT * FROM asdlc_kb.bus_messages", ("asdlc_bus",)),
        (
            "INSERT INTO asdlc_kb.bus_messages (key, data) VALUES ('k', '')",
            ("asdlc_bus",),
        ),
        ("INSERT INTO asdlc_kb.bus_messages VALUES ('k', '', 'infinity')", ()),
        ("DELETE FROM asdlc_kb.bus_messages", ("asdlc_bus",)),
        ("UPDATE asdlc_kb.bus_messages SET data = ''", ()),
        ("TRUNCATE asdlc_kb.bus_messages", ()),
        ("SELECT * FROM asdlc_kb.sources", ("asdlc_ingest",)),
        ("SELECT * FROM asdlc_kb.visible_files", ("asdlc_ingest", "asdlc_reader")),
    ],
)
def test_only_asdlc_bus_reads_and_writes_messages(
    bus: PostgresBus, statement: str, groups: tuple[str, ...]
) -> None:
    """Least privilege: it sees no content, and the others see no messages."""
    for group in ("asdlc_bus", "asdlc_reader", "asdlc_ingest"):
        with psycopg.connect(bus.server.url, autocommit=True) as connection:
            connection.execute(f"SET ROLE {group}".encode())
            if group in groups:
                connection.execute(statement.encode())
            else:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement.encode())


def test_a_role_without_the_privilege_is_refused(bus: PostgresBus) -> None:
    """With the command to run, and without the password."""
    bus.server.create_role("unprivileged", "asdlc_reader")
    transport = PostgresTransport(bus.server.url_for("unprivileged"))
    with pytest.raises(StoreMisconfigured, match="GRANT asdlc_bus to it") as caught:
        transport.require_usable()
    assert PASSWORD not in str(caught.value)
    PostgresTransport(bus.url).require_usable()


def test_the_owner_creates_the_table(bus: PostgresBus) -> None:
    """The first start in an empty database; another role cannot."""
    url = bus.server.create_database("empty")
    member = bus.server.url_for("replica", "empty")
    with pytest.raises(StoreMisconfigured, match="no table for messages"):
        PostgresTransport(member).require_usable()
    PostgresTransport(url).require_usable()
    PostgresTransport(member).require_usable()


async def test_no_other_role_can_listen_without_the_key(bus: PostgresBus) -> None:
    """Neither by the channel without a key nor by what the catalogs show."""
    bus.server.create_role("curious")
    with psycopg.connect(bus.server.url_for("curious"), autocommit=True) as connection:
        connection.execute(f"LISTEN {name_channel(None)}".encode())
        async with running(bus.url) as (one, _), running(bus.url) as (_, heard):
            rows = connection.execute("SELECT query FROM pg_stat_activity").fetchall()
            assert name_channel(KEY) not in str(rows)
            one.publish(b"secret")
            await until(lambda: heard.received == [b"secret"])
        assert list(connection.notifies(timeout=0)) == []


async def test_sites_with_different_keys_do_not_hear_each_other(
    bus: PostgresBus,
) -> None:
    """In one database."""
    async with (
        running(bus.url) as (one, _),
        running(bus.url) as (_, same),
        running(bus.url, b"another key") as (_, other),
    ):
        one.publish(b"x")
        await until(lambda: same.received == [b"x"])
        assert other.received == []


async def test_garbage_on_the_channel_harms_nothing(bus: PostgresBus) -> None:
    """D-050: a role that knows the channel may publish anything."""
    garbage = ("x", "/", "a/1 !", "a/1", "a" * 7999, "é" * 100, "a/1 e" * 1000)
    async with running(bus.url) as (one, _), running(bus.url) as (_, heard):
        for payload in garbage:
            bus.server.query("SELECT pg_notify(%s, %s)", name_channel(KEY), payload)
        one.publish(b"good")
        await until(lambda: b"good" in heard.received)
        assert heard.received == [b"good"]


async def test_a_listener_that_does_not_read_is_disconnected(
    bus: PostgresBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL keeps all notifications until the slowest listener has read them."""
    module = "asdlc_kb.cluster.postgres_transport"
    monkeypatch.setattr(f"{module}._LISTENER_SECONDS", 1)
    transport = PostgresTransport(bus.url, KEY)
    async with transport.open() as stopped, running(bus.url) as (one, _):
        await stopped.execute(f"LISTEN {transport.channel}".encode())
        pid = stopped.info.backend_pid
        deadline = time.monotonic() + BOUND
        while bus.server.query("SELECT FROM pg_stat_activity WHERE pid = %s", pid):
            assert time.monotonic() < deadline
            for _ in range(200):
                one.publish(bytes(5000))
            await one.flush()


def test_a_standby_is_refused_at_the_start(
    bus: PostgresBus, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """It cannot LISTEN; exit code 3, and an error that says what to write."""
    with bus.server.replica() as standby:
        url = standby.url_for("replica")
        done = run_cli(
            "serve",
            knowledge.root,
            "--port=0",
            scanner=scanner,
            env={"ASDLC_KB_BUS_URL": url, "ASDLC_KB_CACHE_DIR": "off"},
        )
        assert done.code == 3
        assert "is a standby, which cannot forward messages: give the" in done.err
        assert "Traceback" not in done.err
        assert PASSWORD not in done.err


async def test_the_primary_of_several_hosts_is_found() -> None:
    """Also after a failover: the standby was promoted, its address was given before."""
    with postgres_server() as primary:
        bus = PostgresBus(primary)
        with primary.replica() as other:
            await follow_failover(bus, other)


async def follow_failover(bus: PostgresBus, other: PostgresServer) -> None:
    """Publish before and after the standby takes over."""
    primary = bus.server
    url = bus.url.replace(
        f"127.0.0.1:{primary.port}",
        f"127.0.0.1:{other.port},127.0.0.1:{primary.port}",
    )
    PostgresTransport(url).require_usable()
    async with running(url) as (one, _), running(url) as (_, heard):
        one.publish(b"before")
        await until(lambda: heard.received == [b"before"])
        primary.kill()
        await until(lambda: not one.is_connected)
        other.promote()
        async with asyncio.timeout(BOUND):
            while LONG not in heard.received:
                one.publish(LONG)
                await asyncio.sleep(0.01)


async def test_a_host_that_does_not_answer_delays_the_next_one(
    bus: PostgresBus,
) -> None:
    """As a machine that was switched off, first in an address of several hosts."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = bus.server.port
        url = bus.url.replace(
            f"127.0.0.1:{port}",
            f"127.0.0.1:{silent.getsockname()[1]},127.0.0.1:{port}",
        )
        PostgresTransport(url).require_usable()
        async with running(url) as (one, _), running(url) as (_, heard):
            one.publish(b"heard")
            await until(lambda: heard.received == [b"heard"])


def test_a_server_starts_while_postgresql_is_away(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """One line in the log, without the password; it joins once it can."""
    key = tmp_path / "session.key"
    key.write_bytes(b"the key that all replicas of this test have")
    with postgres_server() as server:
        bus = PostgresBus(server)
        server.kill()
        with serve_process(
            knowledge.root,
            "--session-key-file",
            str(key),
            scanner=scanner,
            env={"ASDLC_KB_BUS_URL": bus.url, "ASDLC_KB_CACHE_DIR": "off"},
        ) as served:
            (line,) = served.running.wait_for_event("PostgreSQL unreachable")
            assert line["reason"].startswith("the database at ")
            server.start()
            served.running.wait_for_event("PostgreSQL reachable again")
            written = served.running.read_stderr().decode()
    assert written.count("PostgreSQL unreachable") == 1
    assert PASSWORD not in written
    assert "Traceback" not in written
