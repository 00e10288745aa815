"""Publication of the snapshots of a mirror."""

import asyncio
import errno
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.knowledge import settled_clock
from support.processes import BOUND

from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.files import cache
from asdlc_kb.files.reader import RawFile, read_file
from asdlc_kb.store.mirror_set import MirrorSet
from asdlc_kb.store.snapshot_follower import SnapshotFollower
from asdlc_kb.store.values import SourceRecord

RECORD = SourceRecord("articles", "articles", {}, "", 0)


@dataclass(frozen=True)
class Update:
    """The number of a scan."""

    number: int
    is_incomplete: bool = False


class Library:
    """Records what is scanned and published; fails on demand."""

    def __init__(self, failures: int = 0) -> None:
        self.scans = 0
        self.failures = failures
        self.published: list[int] = []

    def scan(self) -> Update:
        """Return the number of the scan."""
        self.scans += 1
        if self.scans <= self.failures:
            raise ValueError("not readable")
        return Update(self.scans)

    def publish(self, update: Update) -> None:
        """Record an update."""
        self.published.append(update.number)


async def follow(follower: SnapshotFollower, snapshot: int) -> None:
    """Run a follower until it serves a snapshot."""
    running = asyncio.ensure_future(follower.run())
    async with asyncio.timeout(BOUND):
        while follower.snapshot != snapshot:
            await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait((running,))


async def test_all_libraries_of_a_source_are_scanned_for_each_snapshot(
    tmp_path: Path,
) -> None:
    """Once for each, and published together."""
    mirrors = MirrorSet(tmp_path)
    libraries = Library(), Library()
    follower = SnapshotFollower(mirrors, "articles", libraries)
    for number in (5, 9):
        mirrors.set_snapshot(RECORD, number)
        await follow(follower, number)
    assert [each.published for each in libraries] == [[1, 2], [1, 2]]


async def test_a_failed_scan_is_repeated(tmp_path: Path) -> None:
    """The snapshot counts as served only when it is published."""
    mirrors, library = MirrorSet(tmp_path), Library(failures=1)
    mirrors.set_snapshot(RECORD, 5)
    await follow(SnapshotFollower(mirrors, "articles", [library]), 5)
    assert library.published == [2]


async def test_a_file_that_could_not_be_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process may have too many open files for some time."""
    mirrors, record = MirrorSet(tmp_path), SourceRecord("d", "docs", {}, "", 0)
    with mirrors.writing(record) as folder:
        folder.mkdir()
        (folder / "index.md").write_text("# A\n")
        mirrors.set_snapshot(record, 1)
    failures = [OSError(errno.EMFILE, "Too many open files")] * 2

    def read(*values: Any, **options: Any) -> RawFile:
        if failures:
            raise failures.pop()
        return read_file(*values, **options)

    monkeypatch.setattr(cache, "read_file", read)
    library = DocLibrary(
        folder, mirror=lambda: mirrors.reading("d"), clock=settled_clock
    )
    follower = SnapshotFollower(mirrors, "d", [library])
    running = asyncio.ensure_future(follower.run())
    async with asyncio.timeout(BOUND):
        while not library.catalog.pages:
            await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.wait((running,))
    assert (follower.snapshot, failures) == (1, [])
