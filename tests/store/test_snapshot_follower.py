"""Publication of the snapshots of a mirror."""

import asyncio
from pathlib import Path

from support.processes import BOUND

from asdlc_kb.store.mirror_set import MirrorSet
from asdlc_kb.store.snapshot_follower import SnapshotFollower
from asdlc_kb.store.values import SourceRecord

RECORD = SourceRecord("articles", "articles", {}, "", 0)


class Library:
    """Records what is scanned and published; fails on demand."""

    def __init__(self, failures: int = 0) -> None:
        self.scans = 0
        self.failures = failures
        self.published: list[int] = []

    def scan(self) -> int:
        """Return the number of the scan."""
        self.scans += 1
        if self.scans <= self.failures:
            raise ValueError("not readable")
        return self.scans

    def publish(self, update: int) -> None:
        """Record an update."""
        self.published.append(update)


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
