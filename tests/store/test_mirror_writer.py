"""Writing of the mirrors of a database."""

import asyncio
import logging
import shutil
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Event
from typing import Final

import pytest
from store.endless import running
from store.ingesting import Ingester
from store.mirroring import open_writer
from store.snapshots import WrittenSource
from support.files import save_over
from support.wire import BOUND, until

from asdlc_kb.exceptions import OperationalError, StoreUnavailable
from asdlc_kb.store import change_listener, mirror_writer
from asdlc_kb.store.database import BoundedConnection, StoreAddress
from asdlc_kb.store.mirror_set import MirrorSet
from asdlc_kb.store.mirror_writer import MirrorWriter
from asdlc_kb.store.snapshot_reader import OpenSnapshot, SnapshotReader
from asdlc_kb.store.values import FileRecord, SourceRecord

CONFLICT: Final = "UPDATE asdlc_kb.files SET path = 'x/y' WHERE path = 'z'"
"""Makes a snapshot that no folder can hold, which the writer refuses."""


def test_mirrors_follow_the_store(tmp_path: Path, database: str) -> None:
    """New, changed and removed sources."""
    ingester = Ingester(database)
    save_over(tmp_path / "docs" / "a.md", "# A\n")
    snapshot = ingester.write(tmp_path / "docs", "d", "docs")
    mirrors, writer = open_writer(tmp_path / "m", database)
    writer.fill(0.0)
    source = mirrors.find("d")
    assert source is not None
    assert source.snapshot == snapshot
    assert (mirrors.locate(source) / "a.md").read_text() == "# A\n"
    ingester.remove("d")
    writer.synchronize()
    assert mirrors.sources == ()
    writer.close()


def test_only_chosen_sources_are_mirrored(tmp_path: Path, database: str) -> None:
    """What happens to the others does not count as a change."""
    ingester = Ingester(database)
    save_over(tmp_path / "docs" / "a.md", "# A\n")
    ingester.write(tmp_path / "docs", "other", "docs")
    mirrors = MirrorSet(tmp_path / "m", ["d", "later"])
    writer = MirrorWriter(mirrors, StoreAddress.parse(database))
    with pytest.raises(OperationalError, match="no source 'd' or 'later'"):
        writer.fill(0.0)
    snapshot = ingester.write(tmp_path / "docs", "d", "docs")
    writer.fill(0.0)
    assert [each.name for each in mirrors.sources] == ["d"]
    assert not writer.is_due({"d": snapshot, "other": 1})
    assert writer.is_due({"d": snapshot, "later": 1})
    assert writer.is_due({"other": 1})
    writer.close()


def test_an_empty_store_is_an_error_at_a_start(tmp_path: Path, database: str) -> None:
    """It says what to do."""
    Ingester(database)
    _, writer = open_writer(tmp_path, database)
    with pytest.raises(OperationalError, match="asdlc-kb ingest"):
        writer.fill(0.0)
    writer.close()


def test_an_interrupted_update_is_completed_without_the_store(
    tmp_path: Path, database: str
) -> None:
    """The former snapshot is in the folder, or the next one in its plan."""
    ingester = Ingester(database)
    save_over(tmp_path / "docs" / "a.md", "# A\n")
    snapshot = ingester.write(tmp_path / "docs", "d", "docs")
    mirrors, writer = open_writer(tmp_path / "m", database)
    writer.fill(0.0)
    source = mirrors.sources[0]
    with mirrors.writing(SourceRecord("d", "docs", source.options, "", 0)):
        pass
    assert not mirrors.is_whole
    _, other = open_writer(tmp_path / "m", "postgresql://kb@127.0.0.1:1/kb")
    other.fill(0.0)
    assert [each.snapshot for each in mirrors.sources] == [snapshot]
    writer.close()


def test_a_slow_store_delays_no_scan(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The former snapshot can be read and started with until files are moved."""
    ingester = Ingester(database)
    mirrors, writer = open_writer(tmp_path / "m", database)
    contents: list[str] = []
    read_blobs = OpenSnapshot.blobs

    def blobs(
        snapshot: OpenSnapshot, files: Iterable[FileRecord]
    ) -> Iterator[tuple[bytes, bytes]]:
        if contents:
            assert mirrors.is_whole
            with mirrors.reading("d"):
                contents.append(read())
        yield from read_blobs(snapshot, files)

    def read() -> str:
        return (mirrors.locate(mirrors.sources[0]) / "a.md").read_text()

    monkeypatch.setattr(OpenSnapshot, "blobs", blobs)
    for text in ("# A\n", "# B\n"):
        save_over(tmp_path / "docs" / "a.md", text)
        ingester.write(tmp_path / "docs", "d", "docs")
        writer.synchronize()
        contents.append(read())
    assert contents == ["# A\n", "# A\n", "# B\n"]
    writer.close()


def test_no_server_starts_with_a_part_of_the_sources(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first mirror is whole when all sources are."""
    ingester = Ingester(database)
    for name in ("a", "b"):
        save_over(tmp_path / name / "index.md", "# A\n")
        ingester.write(tmp_path / name, name, "docs", {"tree": name})
    mirrors, writer = open_writer(tmp_path / "m", database)
    found: list[bool] = []
    read_blobs = OpenSnapshot.blobs

    def blobs(
        snapshot: OpenSnapshot, files: Iterable[FileRecord]
    ) -> Iterator[tuple[bytes, bytes]]:
        found.append(mirrors.is_whole)
        yield from read_blobs(snapshot, files)

    monkeypatch.setattr(OpenSnapshot, "blobs", blobs)
    writer.synchronize()
    assert found == [False, False]
    assert mirrors.is_whole
    writer.close()


def test_a_source_that_no_folder_can_hold_delays_no_other(
    tmp_path: Path, database: str, connection: BoundedConnection
) -> None:
    """The failure is raised after the others were written; the content is not new."""
    sources = [WrittenSource(connection, name) for name in "abc"]
    for source in sources:
        source.write({"x": b"1"})
    mirrors, writer = open_writer(tmp_path / "m", database)
    writer.synchronize()
    assert mirrors.content_age is not None
    before = (tmp_path / "m" / "current").stat().st_mtime_ns
    first, second, third = sources
    first.write({"x": b"2"})
    second.write({"x": b"2", "z": b"2"})
    connection.execute(CONFLICT)
    snapshot = third.write({"x": b"2"})
    with pytest.raises(OperationalError, match="a file 'x' and a file below it"):
        writer.synchronize()
    contents = [
        (mirrors.locate(source) / "x").read_bytes() for source in mirrors.sources
    ]
    assert contents == [b"2", b"1", b"2"]
    assert mirrors.sources[2].snapshot == snapshot
    assert (tmp_path / "m" / "current").stat().st_mtime_ns == before
    second.write({"x": b"3"})
    writer.synchronize()
    assert (tmp_path / "m" / "current").stat().st_mtime_ns > before
    writer.close()


def test_a_source_that_cannot_be_read_delays_others_once(
    tmp_path: Path, connection: BoundedConnection
) -> None:
    """Damage of the database may be in one of them; removed sources are removed."""
    sources = [WrittenSource(connection, name) for name in "abc"]
    for source in sources:
        source.write({"x": b"1"})
    mirrors, writer = open_writer(tmp_path / "m", connection.address)
    writer.synchronize()
    first, second, third = sources
    first.write({"x": b"2"})
    connection.execute(
        "ALTER TABLE asdlc_kb.blobs DISABLE TRIGGER ALL;"
        "DELETE FROM asdlc_kb.blobs WHERE content = '2'"
    )
    snapshot = second.write({"x": b"3"})
    third.writer.remove("c")
    for expected in (False, True):
        with pytest.raises(StoreUnavailable, match="lacks contents of source 'a'"):
            writer.synchronize()
        assert [each.name for each in mirrors.sources] == ["a", "b"]
        assert (mirrors.sources[1].snapshot == snapshot) is expected
    last = first.write({"x": b"4"})
    writer.synchronize()
    assert [each.snapshot for each in mirrors.sources] == [last, snapshot]
    writer.close()


async def test_a_server_that_stops_writes_until_another_may(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that write at once would move each other's files."""
    save_over(tmp_path / "docs" / "a.md", "# A\n")
    Ingester(database).write(tmp_path / "docs", "d", "docs")
    mirrors, writer = open_writer(tmp_path / "m", database)
    other, _ = open_writer(tmp_path / "m", database)
    is_reading, may_end = Event(), Event()
    read_blobs = OpenSnapshot.blobs

    def blobs(
        snapshot: OpenSnapshot, files: Iterable[FileRecord]
    ) -> Iterator[tuple[bytes, bytes]]:
        is_reading.set()
        assert may_end.wait(BOUND)
        yield from read_blobs(snapshot, files)

    monkeypatch.setattr(OpenSnapshot, "blobs", blobs)
    running = asyncio.ensure_future(writer.run())
    assert await asyncio.to_thread(is_reading.wait, BOUND)
    running.cancel()
    await asyncio.wait((running,))
    assert not other.claim()
    may_end.set()
    async with asyncio.timeout(BOUND):
        while not other.claim():
            await asyncio.sleep(0.01)
    assert other.is_whole
    assert mirrors.sources == other.sources
    other.release()


def test_a_label_that_no_folder_can_have_delays_no_other_source(
    tmp_path: Path, connection: BoundedConnection
) -> None:
    """Neither at the first update nor later."""
    first, second = (WrittenSource(connection, name) for name in "ab")
    first.write({"x": b"1"})
    second.write({"x": b"1"})
    connection.execute(
        'UPDATE asdlc_kb.sources SET options = \'{"label": "../up"}\''
        " WHERE name = 'a'"
    )
    mirrors, writer = open_writer(tmp_path / "m", connection.address)
    for content in (b"1", b"2"):
        number = second.write({"x": content})
        with pytest.raises(OperationalError, match="source 'a'"):
            writer.synchronize()
        assert [each.snapshot for each in mirrors.sources] == [None, number]
    writer.close()


def test_a_snapshot_that_fails_is_read_again_after_a_pause(
    tmp_path: Path, connection: BoundedConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not at each poll: each attempt reads all new contents. A later one is at once."""
    source = WrittenSource(connection)
    source.write({"x": b"1", "z": b"1"})
    connection.execute(CONFLICT)
    mirrors, writer = open_writer(tmp_path / "m", connection.address)
    reads: list[int] = []
    open_snapshot = SnapshotReader.snapshot

    def count(
        reader: SnapshotReader, name: str, since: int
    ) -> AbstractContextManager[OpenSnapshot]:
        reads.append(since)
        return open_snapshot(reader, name, since)

    monkeypatch.setattr(SnapshotReader, "snapshot", count)
    now = [1_000.0]
    monkeypatch.setattr(mirror_writer, "monotonic", lambda: now[0])
    counts = []
    for seconds in (0.0, 0.5, 0.5, 1.0, 1.0, 59.0, 60.0):
        now[0] += seconds
        with pytest.raises(OperationalError, match="a file 'x' and a file below it"):
            writer.synchronize()
        counts.append(len(reads))
    assert counts == [1, 1, 2, 2, 3, 4, 5]
    number = source.write({"x": b"2"})
    writer.synchronize()
    assert [each.snapshot for each in mirrors.sources] == [number]
    writer.close()


async def test_a_folder_that_cannot_be_written_is_logged_once(
    tmp_path: Path,
    connection: BoundedConnection,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """While polls and attempts go on."""
    monkeypatch.setattr(mirror_writer, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(change_listener, "POLL_SECONDS", 0.01)
    WrittenSource(connection).write({"x": b"1"})
    mirrors, writer = open_writer(tmp_path / "m", connection.address)
    recorded: list[bool] = []
    record_contact = mirrors.record_contact

    def count(*, is_current: bool) -> None:
        recorded.append(is_current)
        record_contact(is_current=is_current)

    monkeypatch.setattr(mirrors, "record_contact", count)
    async with running(writer.run()):
        await until(lambda: True in recorded)
        (tmp_path / "m").rename(tmp_path / "moved")
        save_over(tmp_path / "m", "a file in its place")
        failures = len(recorded) + 20
        await until(lambda: len(recorded) >= failures)
    entries = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert [each.getMessage() for each in entries] == ["mirror not updated"]
    assert "cannot be written" in entries[0].reason  # type: ignore[attr-defined]


async def test_a_deleted_folder_is_written_again(
    tmp_path: Path, connection: BoundedConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cleaners of caches exist, and a restart is not needed."""
    monkeypatch.setattr(mirror_writer, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(change_listener, "POLL_SECONDS", 0.01)
    number = WrittenSource(connection).write({"x": b"1"})
    mirrors, writer = open_writer(tmp_path / "m", connection.address)
    async with running(writer.run()):
        for _ in range(2):
            await until(lambda: mirrors.is_whole)
            (tmp_path / "m").rename(tmp_path / "moved")
            shutil.rmtree(tmp_path / "moved")
        await until(lambda: mirrors.is_whole)
        assert not MirrorSet(tmp_path / "m").claim()
    assert [each.snapshot for each in mirrors.sources] == [number]


async def test_a_claim_that_fails_is_repeated(
    tmp_path: Path, connection: BoundedConnection, caplog: pytest.LogCaptureFixture
) -> None:
    """Else this process would never take over."""
    WrittenSource(connection).write({"x": b"1"})
    mirrors, writer = open_writer(tmp_path / "m", connection.address)
    (tmp_path / "m").rmdir()
    save_over(tmp_path / "m", "a file in its place")
    async with running(writer.run()):
        await until(lambda: "mirror not updated" in caplog.text)
        (tmp_path / "m").unlink()
        await until(lambda: mirrors.is_whole)


def test_another_label_leaves_no_former_file(
    tmp_path: Path, connection: BoundedConnection
) -> None:
    """What was withdrawn with the move is not kept."""
    source = WrittenSource(connection, options={"label": "old/docs"})
    source.write({"kept": b"1", "withdrawn": b"1"})
    mirrors, writer = open_writer(tmp_path / "m", connection.address)
    writer.synchronize()
    source.options = {"label": "new/docs"}
    source.write({"kept": b"1"})
    writer.synchronize()
    writer.close()
    folder = mirrors.locate(mirrors.sources[0])
    assert folder.parts[-2:] == ("new", "docs")
    files = [*(tmp_path / "m").rglob("kept"), *(tmp_path / "m").rglob("withdrawn")]
    assert files == [folder / "kept"]
