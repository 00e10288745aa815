"""Reading snapshots: differences, one transaction, replicas that lag."""

from collections.abc import Iterator
from contextlib import suppress
from time import monotonic
from typing import Any

import pytest
from store.network_link import NetworkLink, network_link
from store.postgres import PostgresServer, postgres_server
from store.snapshots import MTIME, WrittenSource, record

from asdlc_kb.exceptions import StoreMisconfigured, StoreUnavailable
from asdlc_kb.store import database as store_database
from asdlc_kb.store import snapshot_reader
from asdlc_kb.store.database import BoundedConnection, StoreAddress, connect
from asdlc_kb.store.schema import migrate
from asdlc_kb.store.snapshot_reader import SnapshotReader
from asdlc_kb.store.values import SnapshotChanges


@pytest.fixture
def source(connection: BoundedConnection) -> WrittenSource:
    """A source that no test has written yet."""
    return WrittenSource(connection)


@pytest.fixture
def reader(source: WrittenSource, postgres: PostgresServer) -> Iterator[SnapshotReader]:
    """A reader with the least privilege."""
    database = source.connection.info.dbname
    role = f"reader_{database}"
    postgres.create_role(role, "asdlc_reader")
    address = StoreAddress(postgres.url_for(role, database))
    with SnapshotReader(address) as opened:
        yield opened


def read_changes(reader: SnapshotReader, since: int) -> SnapshotChanges:
    """Return what readers of a snapshot have to change."""
    with reader.snapshot("handbook", since) as snapshot:
        return snapshot.changes


def paths(changes: SnapshotChanges) -> list[str]:
    """Return the paths of files."""
    return [file.path for file in changes.files]


def test_a_first_reader_gets_all_files(
    source: WrittenSource, reader: SnapshotReader
) -> None:
    """Visible ones, with their contents."""
    number = source.write({"b": b"2", "a": b"1", "c": b"1"}, {"h": b"no"})
    with reader.snapshot("handbook", 0) as snapshot:
        changes = snapshot.changes
        blobs = dict(snapshot.blobs((*changes.files, record("", b"no"))))
    assert (changes.number, changes.is_whole, changes.removed) == (number, True, ())
    assert paths(changes) == ["a", "b", "c"]
    assert changes.files[0] == record("a", b"1")
    assert changes.files[0].mtime_ns == MTIME
    assert sorted(blobs.values()) == [b"1", b"2"]
    assert [(each.name, each.snapshot) for each in reader.sources()] == [
        ("handbook", number)
    ]


def test_later_readers_get_the_difference(
    source: WrittenSource, reader: SnapshotReader
) -> None:
    """Over any number of snapshots; what came and went is not in it."""
    first = source.write({"a": b"1", "b": b"2", "c": b"3", "d": b"4"})
    source.write({"a": b"1", "b": b"x", "d": b"4", "e": b"5"})
    third = source.write({"a": b"1", "b": b"x", "f": b"6"}, {"d": b"4"})
    changes = read_changes(reader, first)
    assert (changes.number, changes.is_whole) == (third, False)
    assert paths(changes) == ["b", "f"]
    assert changes.removed == ("c", "d", "e")
    changes = read_changes(reader, third)
    assert (changes.files, changes.removed, changes.is_whole) == ((), (), False)


def test_an_unknown_snapshot_is_answered_with_all(
    source: WrittenSource, reader: SnapshotReader
) -> None:
    """One of before a rebuild, or of a primary that lost it (D-247)."""
    first = source.write({"a": b"1", "b": b"2"})
    source.writer.rebuild("handbook")
    assert read_changes(reader, first).is_whole
    assert read_changes(reader, first + 10**9).is_whole


def test_contents_are_those_of_the_snapshot(
    source: WrittenSource, reader: SnapshotReader
) -> None:
    """Also if a later one has deleted them."""
    source.write({"a": b"1"})
    first = record("a", b"1")
    with reader.snapshot("handbook", 0) as snapshot:
        source.write({"b": b"2"})
        assert list(snapshot.blobs([first])) == [(first.digest, b"1")]
    with reader.snapshot("handbook", 0) as snapshot:
        assert paths(snapshot.changes) == ["b"]
        assert list(snapshot.blobs([first])) == []


@pytest.mark.parametrize("fails", [False, True])
def test_no_transaction_stays_open(
    source: WrittenSource, reader: SnapshotReader, fails: bool
) -> None:
    """It would hold back migrations and vacuum; also after a failure of the reader."""
    source.write({"a": b"1", "b": b"2"})
    with suppress(LookupError), reader.snapshot("handbook", 0) as snapshot:
        contents = snapshot.blobs(snapshot.changes.files)
        next(contents)
        if fails:
            raise LookupError
    source.connection.execute("SET lock_timeout = '5s'")
    source.connection.execute("ALTER TABLE asdlc_kb.files ADD COLUMN later integer")
    states = source.connection.execute(
        "SELECT state FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    ).fetchall()
    assert states == [("idle",)]


def test_many_contents_come_in_batches(
    source: WrittenSource, reader: SnapshotReader
) -> None:
    """More than are asked for at once."""
    files = {str(i): b"%d" % i for i in range(2_500)}
    source.write(files)
    with reader.snapshot("handbook", 0) as snapshot:
        found = dict(snapshot.blobs(snapshot.changes.files))
    assert sorted(found.values()) == sorted(files.values())


def test_large_contents_are_read_alone(
    source: WrittenSource, reader: SnapshotReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes in memory are bounded, not only their number."""
    monkeypatch.setattr(snapshot_reader, "_BATCH_BYTES", 10)
    files = {"a": b"1234", "b": b"5678", "c": b"9" * 20, "d": b"0", "e": b"1" * 9}
    source.write(files)
    with reader.snapshot("handbook", 0) as snapshot:
        batches: list[list[bytes]] = []
        execute = snapshot.connection.execute

        def spy(statement: str, values: tuple[int, list[bytes]], **options: Any) -> Any:
            batches.append(values[1])
            return execute(statement, values, **options)

        monkeypatch.setattr(snapshot.connection, "execute", spy)
        found = dict(snapshot.blobs(snapshot.changes.files))
    assert found == {record("", each).digest: each for each in files.values()}
    assert [len(batch) for batch in batches] == [2, 1, 2]


def test_a_missing_source_is_reported(reader: SnapshotReader) -> None:
    """It was removed, or never written."""
    with (
        pytest.raises(StoreMisconfigured, match="no source 'other'"),
        reader.snapshot("other", 0),
    ):
        pass


def test_a_lost_connection_is_replaced(
    source: WrittenSource, reader: SnapshotReader, postgres: PostgresServer
) -> None:
    """The first call after a restart already succeeds."""
    number = source.write({"a": b"1"})
    with (
        pytest.raises(StoreUnavailable),
        reader.snapshot("handbook", 0) as snapshot,
    ):
        postgres.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = %s AND usename LIKE 'reader%%'",
            source.connection.info.dbname,
        )
        list(snapshot.blobs([record("a", b"1")]))
    assert read_changes(reader, 0).number == number


def test_a_replica_that_lags_is_not_read() -> None:
    """Until it has the snapshot that the primary states."""
    with postgres_server() as primary, connect(primary.url) as connection:
        migrate(connection)
        source = WrittenSource(connection)
        first = source.write({"a": b"1"})
        with primary.replica() as replica:
            address = StoreAddress(primary.url, (replica.url,))
            with SnapshotReader(address) as reader:
                replica.pause_replay()
                second = source.write({"b": b"2"})
                with reader.snapshot("handbook", first) as snapshot:
                    assert snapshot.changes.number == second
                    assert snapshot.connection.info.port == primary.port
                replica.resume_replay()
                replica.wait_for_replay(primary)
                with reader.snapshot("handbook", first) as snapshot:
                    assert snapshot.changes.removed == ("a",)
                    assert snapshot.connection.info.port == replica.port
                primary.kill()
                with (
                    pytest.raises(StoreUnavailable, match=str(primary.port)),
                    reader.snapshot("handbook", first),
                ):
                    pass


@pytest.fixture
def link(postgres: PostgresServer) -> Iterator[NetworkLink]:
    """Another way to the server, which can fail."""
    with network_link(postgres.port) as opened:
        yield opened


@pytest.fixture
def with_replica(
    source: WrittenSource, database: str, link: NetworkLink, postgres: PostgresServer
) -> Iterator[SnapshotReader]:
    """A reader for which the server is its own replica, over the link."""
    source.write({"a": b"1"})
    replica = database.replace(f":{postgres.port}/", f":{link.port}/")
    address = StoreAddress(database, (f"{replica}?connect_timeout=2",))
    with SnapshotReader(address) as opened:
        yield opened


def read_port(reader: SnapshotReader) -> int:
    """Return the port of the server from which all contents are read."""
    with reader.snapshot("handbook", 0) as snapshot:
        list(snapshot.blobs(snapshot.changes.files))
        return snapshot.connection.info.port


def test_a_replica_that_fails_is_left_out_for_a_while(
    with_replica: SnapshotReader,
    link: NetworkLink,
    postgres: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So the next attempt succeeds, and a hung one delays only the first."""
    assert read_port(with_replica) == link.port
    with (
        pytest.raises(StoreUnavailable),
        with_replica.snapshot("handbook", 0) as snapshot,
    ):
        link.cut()
        list(snapshot.blobs([record("a", b"1")]))
    assert read_port(with_replica) == postgres.port
    now = monotonic() + snapshot_reader.RETRY_SECONDS
    monkeypatch.setattr(snapshot_reader, "monotonic", lambda: now)
    assert read_port(with_replica) == link.port


def test_a_hung_replica_delays_one_update(
    with_replica: SnapshotReader,
    link: NetworkLink,
    postgres: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also over an open connection, which is no longer used."""
    assert read_port(with_replica) == link.port
    monkeypatch.setattr(store_database, "PROBE_SECONDS", 0.1)
    link.pause()
    began = monotonic()
    assert read_port(with_replica) == postgres.port
    assert monotonic() - began < store_database.STATEMENT_SECONDS
    link.resume()
    assert read_port(with_replica) == postgres.port
