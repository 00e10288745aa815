"""Faults of writers and databases: the former snapshot, or the new one, never half."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from store import killed_writer
from store.ingesting import read_visible
from store.killed_writer import FIRST, HIDDEN, MAX_WAITS, SECOND
from store.network_link import network_link
from store.postgres import PostgresServer, postgres_server
from store.snapshots import WrittenSource, record
from support.processes import BOUND

from asdlc_kb.exceptions import OperationalError, StoreUnavailable
from asdlc_kb.store import database as store_database
from asdlc_kb.store import snapshot_reader
from asdlc_kb.store.database import (
    BYTES_PER_SECOND,
    BoundedConnection,
    StoreAddress,
    connect,
)
from asdlc_kb.store.mirror import SourceMirror
from asdlc_kb.store.mirror_paths import list_files
from asdlc_kb.store.schema import migrate
from asdlc_kb.store.snapshot_reader import SnapshotReader
from asdlc_kb.store.snapshot_writer import SnapshotWriter
from asdlc_kb.store.values import SourceRecord


def read_store(address: str) -> dict[str, bytes]:
    """Return the files that a reader gets; nothing else may be left in the tables."""
    with (
        SnapshotReader(StoreAddress(address)) as reader,
        reader.snapshot("handbook", 0) as snapshot,
    ):
        changes = snapshot.changes
        blobs = dict(snapshot.blobs(changes.files))
    with connect(address) as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM asdlc_kb.blobs),"
            " (SELECT max(number) FROM asdlc_kb.snapshots)"
        ).fetchone()
    assert row == (len(blobs), changes.number)
    return {file.path: blobs[file.digest] for file in changes.files}


@pytest.mark.parametrize("numbers", [range(n, MAX_WAITS + 1, 2) for n in range(2)])
def test_a_killed_writer_leaves_one_whole_snapshot(
    connection: BoundedConnection, database: str, numbers: range
) -> None:
    """After any number of answers of the server; the next writer is not held up."""
    source = WrittenSource(connection)
    outcomes = set()
    for number in numbers:
        first = source.write(FIRST)
        done = subprocess.run(
            [sys.executable, killed_writer.__file__, database, str(number)],
            capture_output=True,
            timeout=BOUND,
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        # The lock is free once the server has noticed.
        SnapshotWriter(connection).remove("none")
        with connection.transaction():
            connection.execute("LOCK TABLE asdlc_kb.sources")
        files = read_store(database)
        is_new = source.writer.list_sources()[0].snapshot != first
        assert files == (SECOND if is_new else FIRST)
        hidden = connection.execute("SELECT path FROM asdlc_kb.hidden_files").fetchall()
        assert sorted(hidden) == ([(path,) for path in HIDDEN] if is_new else [])
        outcomes.add((done.returncode, is_new))
    assert (-signal.SIGKILL, False) in outcomes
    assert (0, True) in outcomes


def test_a_database_that_dies_during_a_write(tmp_path: Path) -> None:
    """Readers go on with what they have; the same write succeeds afterwards."""
    with postgres_server() as server:
        with connect(server.url) as connection:
            migrate(connection)
            first = WrittenSource(connection).write(FIRST)
            records = [record(path, content) for path, content in SECOND.items()]
            target = SourceRecord("handbook", "docs", {}, "", 0)
            reader = SnapshotReader(StoreAddress(server.url))
            mirrored = SourceMirror(tmp_path / "files", "handbook", reader)
            assert mirrored.update() == first

            def read(path: str) -> bytes:
                if path == "e":
                    server.kill()
                return SECOND[path]

            with pytest.raises(StoreUnavailable, match="cannot be reached"):
                SnapshotWriter(connection).write(target, records, read)
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            mirrored.update()
        server.start()
        assert read_store(server.url) == FIRST
        assert mirrored.update() == first
        with connect(server.url) as connection:
            second = WrittenSource(connection).write(SECOND)
        assert mirrored.update() == second
        reader.close()


def test_large_contents_have_time_on_a_slow_link(
    connection: BoundedConnection, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To be written and to be read: longer than any other statement."""
    content = os.urandom(4 * BYTES_PER_SECOND)
    monkeypatch.setattr(store_database, "_GRACE_SECONDS", 0.2)
    hurried = partial(connect, statement_seconds=0.2)
    monkeypatch.setattr(snapshot_reader, "connect", hurried)
    port = connection.info.port
    with network_link(port) as link:
        address = database.replace(f":{port}/", f":{link.port}/")
        with hurried(address) as slow:
            source = WrittenSource(slow)
            link.bytes_per_second = len(content)
            source.write({"large": content})
            source.write({"large": content, "small": b"1"}, {"hidden": content})
        assert read_visible(address, "handbook") == {"large": content, "small": b"1"}


@pytest.mark.parametrize(
    ("state", "message"),
    [("53100", "has no room"), ("53400", "has no room"), ("40001", "40001")],
)
def test_a_database_without_room_is_reported(
    connection: BoundedConnection, database: str, state: str, message: str
) -> None:
    """The server's own errors, raised by a trigger in the middle of a write."""
    source = WrittenSource(connection)
    source.write(FIRST)
    connection.execute(
        "CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE SQLSTATE '{state}'; END $$;"
        " CREATE TRIGGER fail BEFORE INSERT ON asdlc_kb.removals"
        " FOR EACH ROW EXECUTE FUNCTION public.fail()".encode()
    )
    with pytest.raises(StoreUnavailable, match=message):
        source.write(SECOND)
    assert read_store(database) == FIRST
    connection.execute("DROP TRIGGER fail ON asdlc_kb.removals")
    source.write(SECOND)
    assert read_store(database) == SECOND


def test_the_role_of_ingesters_is_enough(
    connection: BoundedConnection, postgres: PostgresServer
) -> None:
    """It owns nothing, and writes, rebuilds and removes."""
    database = connection.info.dbname
    role = f"writer_{database}"
    postgres.create_role(role, "asdlc_ingest")
    with connect(postgres.url_for(role, database)) as own:
        source = WrittenSource(own)
        source.write(FIRST)
        source.write(SECOND, HIDDEN)
        assert source.writer.rebuild("handbook")
        assert source.writer.set_owner("handbook", "team")
        assert source.writer.remove("handbook")


def test_a_promoted_standby_that_lost_a_snapshot(tmp_path: Path) -> None:
    """Readers of the lost snapshot compare all files (D-247)."""
    with postgres_server() as primary:
        with connect(primary.url) as connection:
            migrate(connection)
            WrittenSource(connection).write(FIRST)
        with primary.replica() as standby:
            standby.wait_for_replay(primary)
            standby.stop()
            with connect(primary.url) as connection:
                WrittenSource(connection).write({**SECOND, "lost": b"lost"})
            mirrored = mirror(primary, tmp_path)
            primary.kill()
            standby.start()
            standby.promote()
            with connect(standby.url) as connection:
                WrittenSource(connection).write(SECOND)
            assert read_files(tmp_path / "files") == {**SECOND, "lost": b"lost"}
            assert mirror(standby, tmp_path) != mirrored
            assert read_files(tmp_path / "files") == SECOND


def mirror(server: PostgresServer, folder: Path) -> int:
    """Update a mirror from a server; return its snapshot."""
    with SnapshotReader(StoreAddress(server.url)) as reader:
        return SourceMirror(folder / "files", "handbook", reader).update()


def read_files(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder."""
    return {path: (folder / path).read_bytes() for path in list_files(folder)}


class Oracle:
    """Writes random snapshots, reads mirrors, and remembers both."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.written: dict[int, Mapping[str, bytes]] = {}
        self.read: list[tuple[int, dict[str, bytes]]] = []
        self.is_half, self.is_over = Event(), Event()

    def write(self, seed: int, count: int) -> None:
        """Write so many snapshots, and try again while the server is away."""
        chosen = random.Random(seed)
        deadline = monotonic() + BOUND
        remaining = count
        while remaining and monotonic() < deadline:
            files = {
                chosen.choice(("a", "b/c", "b/d", "e/f/g")): chosen.randbytes(3)
                for _ in range(chosen.randrange(8))
            }
            with suppress(StoreUnavailable), connect(self.address) as connection:
                number = WrittenSource(connection).write(files)
                # Only an unchanged snapshot keeps its number.
                assert self.written.setdefault(number, files) == files
                remaining -= 1
            if remaining < count / 2:
                self.is_half.set()

    def follow(self, folder: Path, replica: str) -> None:
        """Update a mirror until the end."""
        address = StoreAddress(self.address, (replica,))
        with SnapshotReader(address) as reader:
            mirrored = SourceMirror(folder, "handbook", reader)
            while not self.is_over.is_set():
                with suppress(StoreUnavailable):
                    number = mirrored.update()
                    self.read.append((number, read_files(folder)))
            self.read.append((mirrored.update(), read_files(folder)))


def test_random_snapshots_are_never_mixed(tmp_path: Path) -> None:
    """Two writers, two mirrors, a replica, a server that is killed."""
    with postgres_server() as server:
        oracle = Oracle(server.url)
        with connect(server.url) as connection:
            migrate(connection)
        oracle.write(0, 1)
        with server.replica() as replica, ThreadPoolExecutor(4) as pool:
            folders = (tmp_path / "one", tmp_path / "two")
            followers = [pool.submit(oracle.follow, f, replica.url) for f in folders]
            writers = [pool.submit(oracle.write, seed, 30) for seed in (1, 2)]
            assert oracle.is_half.wait(BOUND)
            server.kill()
            server.start()
            for writer in writers:
                writer.result(2 * BOUND)
            oracle.is_over.set()
            for follower in followers:
                follower.result(BOUND)
    assert len(oracle.written) > 40
    assert oracle.read[-1][0] == max(oracle.written)
    for number, files in oracle.read:
        # A write that the kill cut off at its end may be committed without its number.
        assert oracle.written.get(number, files) == files
    assert len({number for number, _ in oracle.read} & oracle.written.keys()) > 10


def test_a_source_of_which_a_file_is_lost(
    connection: BoundedConnection, database: str, tmp_path: Path
) -> None:
    """A damaged content is not served."""
    WrittenSource(connection).write(FIRST)
    connection.execute("UPDATE asdlc_kb.blobs SET content = 'x' WHERE content = '2'")
    with SnapshotReader(StoreAddress(database)) as reader:
        mirrored = SourceMirror(tmp_path / "files", "handbook", reader)
        with pytest.raises(OperationalError, match="damaged content"):
            mirrored.update()
    assert mirrored.number is None
