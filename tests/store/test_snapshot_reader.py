"""Reading snapshots: differences, one transaction, replicas that lag."""

from collections.abc import Iterator

import pytest
from store.postgres import PostgresServer, postgres_server
from store.snapshots import MTIME, WrittenSource, record

from asdlc_kb.exceptions import StoreMisconfigured, StoreUnavailable
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


def paths(changes: SnapshotChanges) -> list[str]:
    """Return the paths of files."""
    return [file.path for file in changes.files]


def test_a_first_reader_gets_all_files(
    source: WrittenSource, reader: SnapshotReader
) -> None:
    """Visible ones, with their contents."""
    number = source.write({"b": b"2", "a": b"1", "c": b"1"}, {"h": b"no"})
    changes = reader.changes("handbook", 0)
    assert (changes.number, changes.is_whole, changes.removed) == (number, True, ())
    assert paths(changes) == ["a", "b", "c"]
    assert changes.files[0] == record("a", b"1")
    assert changes.files[0].mtime_ns == MTIME
    digests = [file.digest for file in changes.files] + [record("", b"no").digest]
    blobs = dict(reader.blobs(digests))
    assert sorted(blobs.values()) == [b"1", b"2"]
    assert dict(reader.numbers()) == {"handbook": number}
    assert [listed.name for listed in reader.sources()] == ["handbook"]


def test_later_readers_get_the_difference(
    source: WrittenSource, reader: SnapshotReader
) -> None:
    """Over any number of snapshots; what came and went is not in it."""
    first = source.write({"a": b"1", "b": b"2", "c": b"3", "d": b"4"})
    source.write({"a": b"1", "b": b"x", "d": b"4", "e": b"5"})
    third = source.write({"a": b"1", "b": b"x", "f": b"6"}, {"d": b"4"})
    changes = reader.changes("handbook", first)
    assert (changes.number, changes.is_whole) == (third, False)
    assert paths(changes) == ["b", "f"]
    assert changes.removed == ("c", "d", "e")
    changes = reader.changes("handbook", third)
    assert (changes.files, changes.removed, changes.is_whole) == ((), (), False)


def test_an_unknown_snapshot_is_answered_with_all(
    source: WrittenSource, reader: SnapshotReader
) -> None:
    """One of before a rebuild, or of a primary that lost it (D-243)."""
    first = source.write({"a": b"1", "b": b"2"})
    source.writer.rebuild("handbook")
    assert reader.changes("handbook", first).is_whole
    assert reader.changes("handbook", first + 10**9).is_whole


def test_contents_are_those_of_the_snapshot(
    source: WrittenSource, reader: SnapshotReader
) -> None:
    """Also if a later one has deleted them."""
    source.write({"a": b"1"})
    changes = reader.changes("handbook", 0)
    source.write({"b": b"2"})
    (blob,) = reader.blobs([changes.files[0].digest])
    assert blob[1] == b"1"
    assert paths(reader.changes("handbook", 0)) == ["b"]
    assert list(reader.blobs([changes.files[0].digest])) == []


def test_many_contents_come_in_batches(
    source: WrittenSource, reader: SnapshotReader
) -> None:
    """More than are asked for at once."""
    files = {str(i): b"%d" % i for i in range(2_500)}
    source.write(files)
    changes = reader.changes("handbook", 0)
    blobs = dict(reader.blobs(file.digest for file in changes.files))
    assert sorted(blobs.values()) == sorted(files.values())


def test_a_missing_source_is_reported(reader: SnapshotReader) -> None:
    """It was removed, or never written."""
    with pytest.raises(StoreMisconfigured, match="no source 'other'"):
        reader.changes("other", 0)
    with pytest.raises(ValueError, match="no snapshot"):
        next(reader.blobs([b""]))


def test_a_lost_connection_is_replaced(
    source: WrittenSource, reader: SnapshotReader, postgres: PostgresServer
) -> None:
    """The first call after a restart already succeeds."""
    number = source.write({"a": b"1"})
    reader.changes("handbook", 0)
    database = source.connection.info.dbname
    postgres.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = %s AND usename LIKE 'reader%%'",
        database,
    )
    with pytest.raises(StoreUnavailable):
        list(reader.blobs([record("a", b"1").digest]))
    assert reader.changes("handbook", 0).number == number


def test_a_replica_that_lags_is_not_read() -> None:
    """Until it has the snapshot that the primary states; without a primary it is."""
    with postgres_server() as primary, connect(primary.url) as connection:
        migrate(connection)
        source = WrittenSource(connection)
        first = source.write({"a": b"1"})
        with primary.replica() as replica:
            address = StoreAddress(primary.url, (replica.url,))
            with SnapshotReader(address) as reader:
                replica.pause_replay()
                second = source.write({"b": b"2"})
                assert reader.changes("handbook", first).number == second
                assert read_from(reader) == primary.port
                replica.resume_replay()
                replica.wait_for_replay(primary)
                assert reader.changes("handbook", first).removed == ("a",)
                assert read_from(reader) == replica.port
                primary.kill()
                assert reader.changes("handbook", first).number == second
                with pytest.raises(StoreUnavailable, match=str(primary.port)):
                    reader.changes("handbook", second + 1)
                with pytest.raises(StoreUnavailable, match=str(primary.port)):
                    reader.numbers()
                assert reader.changes("handbook", 0).is_whole


def read_from(reader: SnapshotReader) -> int:
    """Return the port of the server with the open transaction."""
    assert reader._snapshot is not None
    return reader._snapshot[0].info.port
