"""Writing snapshots: all or nothing, and only what changed."""

from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic

import pytest
from store.snapshots import WrittenSource, record
from support.processes import BOUND

from asdlc_kb.exceptions import OperationalError, StoreMisconfigured, StoreUnavailable
from asdlc_kb.store import snapshot_writer
from asdlc_kb.store.database import BoundedConnection, connect
from asdlc_kb.store.snapshot_writer import SnapshotWriter
from asdlc_kb.store.values import FileRecord, SourceRecord


@pytest.fixture
def source(connection: BoundedConnection) -> WrittenSource:
    """A source that no test has written yet."""
    return WrittenSource(connection)


def count(connection: BoundedConnection, table: str) -> int:
    """Return the number of rows of a table."""
    row = connection.execute(f"SELECT count(*) FROM asdlc_kb.{table}".encode())
    found = row.fetchone()
    assert found is not None
    return int(found[0])


def counts(source: WrittenSource) -> tuple[int, int, int]:
    """Return what the last write changed."""
    result = source.result
    return result.written, result.removed, result.bytes_sent


def test_a_snapshot_has_all_files(source: WrittenSource) -> None:
    """Equal contents are stored once, hidden files elsewhere."""
    number = source.write({"a.md": b"one", "b/c.md": b"one", "d": b""}, {"h": b"no"})
    assert sorted(source.reads) == ["b/c.md", "d", "h"]
    assert counts(source) == (3, 0, 5)
    (listed,) = source.writer.list_sources()
    assert (listed.name, listed.kind, listed.snapshot) == ("handbook", "docs", number)
    assert (listed.file_count, listed.byte_count) == (3, 6)
    assert abs(listed.updated_at * 1000 - number) < 60_000
    assert count(source.connection, "blobs") == 2
    assert count(source.connection, "hidden_files") == 1


def test_only_changed_contents_are_read(source: WrittenSource) -> None:
    """And a write without a change keeps the number, whatever the times."""
    first = source.write({"a": b"1", "b": b"2"})
    assert source.write({"a": b"1", "b": b"2"}) == first
    assert source.reads == []
    assert source.write({"a": b"1", "b": b"3", "c": b"1"}) > first
    assert source.reads == ["b"]
    assert counts(source) == (2, 0, 1)
    assert count(source.connection, "blobs") == 2


def test_a_change_of_hidden_files_makes_no_snapshot(source: WrittenSource) -> None:
    """D-248: a reader cannot see that there are any."""
    first = source.write({"a": b"1"}, {"h": b"2"})
    assert source.write({"a": b"1"}, {"h": b"3", "i": b"4"}) == first
    assert source.reads == ["h", "i"]
    assert counts(source) == (0, 0, 2)
    assert source.write({"a": b"1"}) == first
    assert count(source.connection, "hidden_files") == 0


def test_hidden_and_deleted_are_the_same(source: WrittenSource) -> None:
    """The content of a file that is hidden leaves the table of visible ones."""
    first = source.write({"a": b"1", "b": b"2", "c": b"3"})
    second = source.write({"a": b"1"}, {"b": b"2"})
    assert second > first
    assert counts(source) == (0, 2, 1)
    rows = source.connection.execute("SELECT path, snapshot FROM asdlc_kb.removals")
    assert sorted(rows) == [("b", second), ("c", second)]
    assert count(source.connection, "blobs") == 1
    third = source.write({"a": b"1", "b": b"2"})
    assert third > second
    rows = source.connection.execute("SELECT path FROM asdlc_kb.removals")
    assert sorted(rows) == [("c",)]
    assert count(source.connection, "hidden_files") == 0


def test_a_new_option_is_a_new_snapshot(source: WrittenSource) -> None:
    """Readers lay out a source by its options; a first owner is one too."""
    first = source.write({})
    source.options["dialect"] = "mkdocs"
    second = source.write({})
    assert second > first
    source.owner = "team-a"
    assert source.write({}) > second
    (listed,) = source.writer.list_sources()
    assert listed.options == {"dialect": "mkdocs"}
    assert listed.owner == "team-a"


def test_another_owner_is_refused(source: WrittenSource) -> None:
    """Two teams that chose the same name notice."""
    source.owner = "team-a"
    first = source.write({"a": b"1"})
    source.owner = "team-b"
    with pytest.raises(StoreMisconfigured, match="belongs to team-a, not to team-b"):
        source.write({"a": b"2"})
    source.owner = ""
    with pytest.raises(StoreMisconfigured, match="team-a, and no owner is given"):
        source.write({"a": b"2"})
    assert source.writer.set_owner("handbook", "team-b")
    source.owner = "team-b"
    assert source.write({"a": b"1"}) > first


def test_sources_are_checked_before_one_is_written(source: WrittenSource) -> None:
    """Owner, kind, and names that a server cannot serve together."""
    source.owner = "team-a"
    source.write({"a": b"1"})
    check = source.writer.check
    check([SourceRecord("handbook", "docs", {}, "team-a", 0)])
    check([SourceRecord("other", "docs", {}, "", 0)])
    for other, message in (
        (SourceRecord("handbook", "docs", {}, "team-b", 0), "not to team-b"),
        (SourceRecord("handbook", "articles", {}, "team-a", 0), "not articles"),
        (SourceRecord("Handbook", "docs", {}, "team-a", 0), "differs by case only"),
    ):
        with pytest.raises(StoreMisconfigured, match=message):
            check([other])


def test_a_file_and_a_folder_of_one_name_are_refused(source: WrittenSource) -> None:
    """No mirror has both. A file that stays as stored counts, a hidden one does not."""
    source.write({"a": b"1"})
    with pytest.raises(ValueError, match="'a' is both a file and a folder"):
        source.write({"a": b"1", "a/b": b"2"})
    target, records = SourceRecord("handbook", "docs", {}, "", 0), [record("a/b", b"2")]
    with pytest.raises(ValueError, match="'a' is both a file and a folder"):
        source.writer.write(target, records, {"a/b": b"2"}.__getitem__, kept={"a"})
    assert [each.file_count for each in source.writer.list_sources()] == [1]
    source.write({"a/b": b"2"}, {"a": b"1"})


def test_another_kind_is_refused(source: WrittenSource) -> None:
    """A name does not become another source by mistake."""
    source.write({"a": b"1"})
    source.kind = "articles"
    with pytest.raises(StoreMisconfigured, match="has docs, not articles"):
        source.write({"a": b"1"})


def test_a_removed_source_leaves_nothing(source: WrittenSource) -> None:
    """Added again, its numbers go on (D-247)."""
    first = source.write({"a": b"1"}, {"h": b"2"})
    assert source.writer.remove("handbook")
    assert not source.writer.remove("handbook")
    assert not source.writer.rebuild("handbook")
    assert not source.writer.set_owner("handbook", "")
    for table in ("sources", "files", "blobs", "hidden_files", "snapshots"):
        assert count(source.connection, table) == 0
    assert source.write({"a": b"1"}) > first


def test_rebuild_has_readers_compare_all(source: WrittenSource) -> None:
    """No snapshot before it is known."""
    first = source.write({"a": b"1"})
    assert source.writer.rebuild("handbook")
    rows = source.connection.execute("SELECT number FROM asdlc_kb.snapshots").fetchall()
    assert len(rows) == 1
    assert rows[0][0] > first


def test_history_is_bounded(
    source: WrittenSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removals are kept as long as a snapshot that may need them."""
    monkeypatch.setattr(snapshot_writer, "MAX_SNAPSHOTS", 3)
    numbers = [source.write({str(i): b"x"}) for i in range(6)]
    rows = source.connection.execute("SELECT number FROM asdlc_kb.snapshots")
    assert sorted(number for (number,) in rows) == numbers[-3:]
    rows = source.connection.execute("SELECT path, snapshot FROM asdlc_kb.removals")
    assert sorted(rows) == [("3", numbers[4]), ("4", numbers[5])]


def test_a_file_that_changes_meanwhile_is_noticed(source: WrittenSource) -> None:
    """Nothing of that snapshot is stored."""
    first = source.write({"a": b"1"})
    records = [record("a", b"2"), record("b", b"3")]
    target = SourceRecord("handbook", "docs", {}, "", 0)
    with pytest.raises(OperationalError, match="b changed while it was read"):
        source.writer.write(target, records, lambda path: b"2")
    assert source.write({"a": b"1"}) == first


@pytest.mark.parametrize("paths", [["../a"], ["/a"], ["a\0"], ["a", "a"]])
def test_wrong_paths_are_refused(source: WrittenSource, paths: list[str]) -> None:
    """Before anything is stored."""
    source.write({})
    records: list[FileRecord] = [record(path, b"") for path in paths]
    target = SourceRecord("handbook", "docs", {}, "", 0)
    with pytest.raises(ValueError, match="the path"):
        source.writer.write(target, records, lambda path: b"")


def test_many_files_are_sent_in_batches(
    source: WrittenSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By rows and by bytes; progress counts files."""
    monkeypatch.setattr(snapshot_writer, "_BATCH_ROWS", 7)
    monkeypatch.setattr(snapshot_writer, "_BATCH_BYTES", 20)
    files = {f"{i}.md": b"%05d" % i for i in range(40)}
    source.write(files, {"h1": b"h" * 30, "h2": b"h" * 30})
    assert count(source.connection, "files") == 40
    assert count(source.connection, "blobs") == 40
    source.write({"0.md": b"00000"})
    assert count(source.connection, "blobs") == 1
    calls: list[tuple[int, int]] = []
    records = [record("x", b"x"), record("y", b"y")]
    target = SourceRecord("handbook", "docs", {}, "", 0)
    source.writer.write(
        target, records, str.encode, lambda done, total: calls.append((done, total))
    )
    assert calls == [(1, 2), (2, 2)]


def test_two_writers_of_one_source_take_turns(
    source: WrittenSource, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The second one compares its files with the snapshot of the first."""
    source.write({"a": b"0"})
    with (
        connect(database, statement_seconds=1) as connection,
        ThreadPoolExecutor(1) as pool,
    ):
        other = WrittenSource(connection)
        writes: list[Future[int]] = []

        def read(path: str) -> bytes:
            writes.append(pool.submit(other.write, {"b": b"2"}))
            deadline = monotonic() + BOUND
            while not caplog.messages:
                assert monotonic() < deadline
            return b"1"

        target = SourceRecord("handbook", "docs", {}, "", 0)
        first = source.writer.write(target, [record("a", b"1")], read).number
        assert writes[0].result(BOUND) > first
    assert counts(other) == (1, 1, 1)
    assert caplog.messages == ["another command writes the source 'handbook': waiting"]


def test_the_wait_for_another_writer_is_bounded(
    source: WrittenSource, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection may be held by a program that stopped."""
    monkeypatch.setattr(snapshot_writer, "MAX_LOCK_SECONDS", 0.0)
    with connect(database) as connection:
        other = WrittenSource(connection)

        def read(path: str) -> bytes:
            with pytest.raises(StoreUnavailable, match="another command has been"):
                other.write({"b": b"2"})
            return b"1"

        target = SourceRecord("handbook", "docs", {}, "", 0)
        assert SnapshotWriter(source.connection).write(
            target, [record("a", b"1")], read
        )


def test_of_names_that_differ_by_case_one_is_written(
    source: WrittenSource, database: str
) -> None:
    """Also if both are written at once: a server serves neither."""
    with connect(database) as connection, ThreadPoolExecutor(1) as pool:
        other = WrittenSource(connection, "Handbook")
        writes: list[Future[int]] = []

        def read(path: str) -> bytes:
            writes.append(pool.submit(other.write, {"b": b"2"}))
            return b"1"

        target = SourceRecord("handbook", "docs", {}, "", 0)
        SnapshotWriter(source.connection).write(target, [record("a", b"1")], read)
        with pytest.raises(StoreMisconfigured, match="'handbook': 'Handbook' differs"):
            writes[0].result(BOUND)
    assert count(source.connection, "sources") == 1


def test_writers_of_two_sources_do_not_wait(
    source: WrittenSource, database: str
) -> None:
    """Even if their files are equal."""
    with connect(database, statement_seconds=20) as connection:
        other = WrittenSource(connection, "other")

        def read(path: str) -> bytes:
            assert other.write({"a": b"same"})
            return b"same"

        target = SourceRecord("handbook", "docs", {}, "", 0)
        writer = SnapshotWriter(source.connection)
        assert writer.write(target, [record("a", b"same")], read)


def test_a_new_snapshot_is_notified(source: WrittenSource, database: str) -> None:
    """Once it can be read, and only if something visible changed."""
    with connect(database) as connection:
        connection.execute("LISTEN asdlc_kb_snapshot")
        first = source.write({"a": b"1"}, {"h": b"1"})
        source.write({"a": b"1"}, {"h": b"2"})
        source.writer.remove("handbook")
        payloads = [
            notification.payload
            for notification in connection.notifies(timeout=20, stop_after=2)
        ]
    assert payloads == [f"handbook:{first}", "handbook:0"]
