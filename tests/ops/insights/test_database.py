"""Counts in an SQLite file: shared, private, deleted for good, never in the way."""

import logging
import os
import resource
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from asdlc_kb.ops.insights.daily_counts import DailyCounts, DayCount, Measure
from asdlc_kb.ops.insights.database import (
    APPLICATION,
    ForeignFile,
    InsightsFile,
    require_own_file,
)

DAY = "2026-02-01"
SECRET = "whale-song-query"
BOUND = 30


def make(label: str = "why", number: int = 1, day: str = DAY) -> DailyCounts:
    """Return the count of one query."""
    counts = DailyCounts()
    counts.add(day, Measure.QUERIES, label, "agents", number)
    counts.add(day, Measure.SEARCHES, "search_docs", "agents", number)
    return counts


def read(file: InsightsFile) -> list[tuple[str, int]]:
    """Return the queries and their numbers."""
    counts = file.read("2000-01-01")
    return [(c.label, c.number) for c in counts if c.measure == Measure.QUERIES]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of a file that does not exist yet."""
    return tmp_path / "insights.db"


def test_counts_are_added_up(path: Path) -> None:
    """By every object that opens the file, as after a restart."""
    InsightsFile(path).add(make("a", 2))
    InsightsFile(path).add(make("a", 3))
    InsightsFile(path).add(make("b"))
    assert read(InsightsFile(path)) == [("a", 5), ("b", 1)]
    assert list(InsightsFile(path).read("2026-02-02")) == []


def test_only_the_owner_may_read_it(path: Path) -> None:
    """It has queries, if they are logged."""
    InsightsFile(path).add(make())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_workers_lose_no_count(path: Path) -> None:
    """Each waits for the transaction of another."""
    barrier = threading.Barrier(4)

    def add() -> None:
        file = InsightsFile(path, busy_seconds=BOUND)
        barrier.wait(BOUND)
        for _ in range(20):
            file.add(make())

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(BOUND)
    assert read(InsightsFile(path)) == [("why", 80)]


def test_what_expires_is_nowhere_in_the_file(path: Path) -> None:
    """Nor in a journal; numbers of the day remain."""
    file = InsightsFile(path)
    for number in range(50):
        file.add(make(f"{SECRET} {number} {'x' * 3000}", day="2026-01-01"))
    file.add(make("new"))
    assert SECRET.encode() in path.read_bytes()
    file.expire("2025-01-01", "2026-01-15")
    assert read(file) == [("new", 1)]
    for each in path.parent.iterdir():
        assert SECRET.encode() not in each.read_bytes()
    searches = [c for c in file.read("2000-01-01") if c.measure == Measure.SEARCHES]
    assert sum(count.number for count in searches) == 51
    file.expire("2026-01-15", "2026-01-15")
    assert {count.day for count in file.read("2000-01-01")} == {DAY}


@pytest.mark.parametrize("damage", [bytes(20_000), None])
def test_a_damaged_file_is_renamed_and_replaced(
    path: Path, damage: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    """It is reported; counting goes on at once."""
    file = InsightsFile(path)
    for number in range(300):
        file.add(make(f"query {number}"))
    data = path.read_bytes()
    path.write_bytes(damage or data[:4096] + os.urandom(len(data) - 4096))
    os.utime(path, (1e9, 1e9))
    journal = path.with_name("insights.db-journal")
    journal.write_bytes(b"old")
    with caplog.at_level(logging.ERROR):
        file.add(make("new"))
    assert read(file) == [("new", 1)]
    assert not journal.exists()
    damaged = path.with_name("insights.db.damaged")
    assert damaged.stat().st_size > 1000
    assert damaged.stat().st_mtime >= path.parent.stat().st_mtime - BOUND
    assert [r.getMessage() for r in caplog.records] == ["insights file is damaged"]


def test_a_damaged_file_expires_too(path: Path) -> None:
    """It has the texts of the days before it was replaced. Another's file stays."""
    file = InsightsFile(path)
    file.add(make(SECRET))
    path.write_bytes(path.read_bytes()[:4096] + SECRET.encode() * 999)
    os.utime(path, (1e9, 1e9))
    file.add(make())
    damaged = path.with_name("insights.db.damaged")
    file.expire("2000-01-01", "2026-01-01")
    assert damaged.exists()
    os.utime(damaged, (1e9, 1e9))
    file.expire("2000-01-01", "2026-01-01")
    assert not damaged.exists()
    assert read(file) == [("why", 1)]
    damaged.write_text("theirs")
    os.utime(damaged, (1e9, 1e9))
    file.expire("2000-01-01", "2026-01-01")
    path.write_bytes(bytes(20_000))
    with pytest.raises(ForeignFile):
        file.add(make())
    assert damaged.read_text() == "theirs"


def test_a_file_that_another_process_replaced_is_not_renamed_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers may find the same damage."""
    path.write_bytes(bytes(7 * 999))
    first, second = InsightsFile(path), InsightsFile(path)
    create = first._create

    def create_late() -> int:
        inode = create()
        if path.stat().st_size == 7 * 999:
            second.add(make("theirs"))
            path.with_name("insights.db").touch()
            monkeypatch.setattr(first, "_begin", fail_once(first))
        return inode

    monkeypatch.setattr(first, "_create", create_late)
    first.add(make("ours"))
    assert sorted(read(second)) == [("ours", 1), ("theirs", 1)]


def fail_once(file: InsightsFile) -> object:
    """Return a method that fails as with a damaged file, and then works."""
    begin = file._begin
    failed: list[int] = []

    @contextmanager
    def fail() -> Iterator[sqlite3.Connection]:
        if not failed:
            failed.append(1)
            error = sqlite3.DatabaseError("database disk image is malformed")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error
        with begin() as connection:
            yield connection

    return fail


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE theirs (a)"],
        ["PRAGMA application_id = 5"],
        [f"PRAGMA application_id = {APPLICATION}", "PRAGMA user_version = 2"],
    ],
)
def test_a_file_of_another_program_or_version_is_not_touched(
    path: Path, statements: list[str]
) -> None:
    """Nor replaced: it is not damaged."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    before = path.read_bytes()
    with pytest.raises(OSError, match=r"another program|newer version"):
        InsightsFile(path).add(make())
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [b"notes", b"\0", bytes(9000), b"SQLite format 3\0", bytes(9000) + b"notes"],
)
def test_a_file_that_is_no_database_is_not_touched(path: Path, content: bytes) -> None:
    """Nor renamed, nor deleted after a month; only zeros are a crash's."""
    path.write_bytes(content)
    os.utime(path, (1e9, 1e9))
    if any(content):
        with pytest.raises(ForeignFile, match="written by another program"):
            require_own_file(path)
        with pytest.raises(ForeignFile, match="written by another program"):
            InsightsFile(path).add(make())
        with pytest.raises(ForeignFile, match="written by another program"):
            InsightsFile(path).expire("2026-01-01", "2026-01-01")
        assert (path.read_bytes(), path.stat().st_mtime) == (content, 1e9)
        assert os.listdir(path.parent) == [path.name]
    else:
        require_own_file(path)
        InsightsFile(path).add(make())
        require_own_file(path)


def test_a_device_is_no_file(path: Path) -> None:
    """As root it could be renamed."""
    path.symlink_to("/dev/null")
    for check in (require_own_file, lambda path: InsightsFile(path).add(make())):
        with pytest.raises(ForeignFile, match="it is no file"):
            check(path)
    with pytest.raises(ForeignFile, match="it is no file"):
        require_own_file(path.parent)
    require_own_file(path.with_name("missing"))


def test_a_full_disk_leaves_the_file_as_it_was(path: Path) -> None:
    """All of the counts are added later, or none."""
    file = InsightsFile(path)
    file.add(make("before"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, limits[1]))
    try:
        with pytest.raises(OSError, match="insights"):
            file.add(make("x" * 100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert read(file) == [("before", 1)]
    file.add(make("after"))
    assert [query for query, _ in read(file)] == ["after", "before"]


def test_a_missing_folder_and_a_lock_are_errors_of_the_system(path: Path) -> None:
    """The recorder keeps the counts and tries again."""
    with pytest.raises(OSError, match="No such file"):
        InsightsFile(path.parent / "missing" / "insights.db").add(make())
    file = InsightsFile(path, busy_seconds=0.01)
    file.add(make())
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(OSError, match="locked"):
            file.add(make())
    assert DayCount(DAY, Measure.QUERIES, "why", "agents", 1) in file.read(DAY)
