"""Publication of the snapshots of a mirror."""

import asyncio
import errno
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from store.endless import running
from support.knowledge import settled_clock
from support.processes import BOUND

from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.files import cache
from asdlc_kb.files.reader import RawFile, read_file
from asdlc_kb.store import snapshot_follower
from asdlc_kb.store.mirror_set import MirroredSource, MirrorSet
from asdlc_kb.store.snapshot_follower import SnapshotFollower, follow_mirrors
from asdlc_kb.store.values import SourceRecord

RECORD = SourceRecord("articles", "articles", {}, "", 0)
SOURCE = MirroredSource("articles", "articles", {})


@dataclass(frozen=True)
class Update:
    """The number of a scan."""

    number: int
    is_incomplete: bool = False


class Library:
    """Records what is scanned and published; fails on demand."""

    def __init__(self, failures: int = 0, failed_publications: int = 0) -> None:
        self.scans = 0
        self.failures = failures
        self.failed_publications = failed_publications
        self.published: list[int] = []

    def scan(self) -> Update:
        """Return the number of the scan."""
        self.scans += 1
        if self.scans <= self.failures:
            raise ValueError("not readable")
        return Update(self.scans)

    def publish(self, update: Update) -> None:
        """Record an update."""
        if self.scans <= self.failed_publications:
            raise LookupError
        self.published.append(update.number)


class CountingMirrors(MirrorSet):
    """Counts how often the follower reads their state."""

    reads = 0
    polls = 0

    @property
    def sources(self) -> tuple[MirroredSource, ...]:
        """The sources, which are read to notice a change."""
        self.polls += 1
        return super().sources

    def find(self, name: str) -> MirroredSource | None:
        """Return a source by its name."""
        self.reads += 1
        return super().find(name)

    async def read_again(self, times: int = 10) -> None:
        """Wait until the follower has looked so often, and done what it does."""
        reads = self.reads + times
        async with asyncio.timeout(BOUND):
            while self.reads < reads:
                await asyncio.sleep(0)


@pytest.fixture
def mirrors(tmp_path: Path) -> CountingMirrors:
    """A set of mirrors with one snapshot."""
    mirrors = CountingMirrors(tmp_path)
    mirrors.set_snapshot(RECORD, 5)
    return mirrors


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the follower, which reads the state without a pause."""
    now = [100.0]
    monkeypatch.setattr(snapshot_follower, "monotonic", lambda: now[0])
    monkeypatch.setattr(snapshot_follower, "FOLLOW_SECONDS", 0.001)
    return now


async def wait_for(follower: SnapshotFollower, snapshot: int) -> None:
    """Wait until a follower serves a snapshot."""
    async with asyncio.timeout(BOUND):
        while follower.snapshot != snapshot:
            await asyncio.sleep(0)


async def follow(follower: SnapshotFollower, snapshot: int) -> None:
    """Run a follower until it serves a snapshot."""
    async with running(follower.run()):
        await wait_for(follower, snapshot)


async def test_all_libraries_of_a_source_are_scanned_for_each_snapshot(
    mirrors: MirrorSet,
) -> None:
    """Once for each, and published together."""
    libraries = Library(), Library()
    follower = SnapshotFollower(mirrors, SOURCE, libraries)
    for number in (5, 9):
        mirrors.set_snapshot(RECORD, number)
        await follow(follower, number)
    assert [each.published for each in libraries] == [[1, 2], [1, 2]]


@pytest.mark.parametrize("library", [Library(2), Library(failed_publications=2)])
async def test_a_failure_is_logged_once_and_repeated(
    mirrors: MirrorSet, library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    """The snapshot counts as served only when it is published."""
    await follow(SnapshotFollower(mirrors, SOURCE, [library]), 5)
    assert library.published == [3]
    lines = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert [each.getMessage() for each in lines] == ["content scan failed"]


async def test_the_pause_between_failures_grows(
    mirrors: CountingMirrors, clock: list[float]
) -> None:
    """A later snapshot does not wait for its end."""
    library = Library(failures=3)
    follower = SnapshotFollower(mirrors, SOURCE, [library])
    scans = []
    async with running(follow_mirrors(mirrors, [follower])):
        for seconds in (0.0, 0.001, 0.001, 0.001, 0.0):
            clock[0] += seconds
            await mirrors.read_again()
            scans.append(library.scans)
        mirrors.set_snapshot(RECORD, 6)
        await wait_for(follower, 6)
    assert scans == [1, 2, 2, 3, 3]
    assert (library.published, follower.snapshot) == ([4], 6)


async def test_a_mirror_that_moved_is_not_scanned(
    mirrors: CountingMirrors, clock: list[float]
) -> None:
    """Its libraries read the former folder: the content would not be the snapshot's."""
    library = Library()
    follower = SnapshotFollower(mirrors, SOURCE, [library])
    moved = SourceRecord("articles", "articles", {"label": "other"}, "", 0)
    async with running(follow_mirrors(mirrors, [follower])):
        await wait_for(follower, 5)
        mirrors.set_snapshot(moved, 6)
        await mirrors.read_again(2)
    assert (library.scans, follower.snapshot) == (1, 5)


async def test_a_repaired_mirror_is_scanned_again(mirrors: MirrorSet) -> None:
    """Its snapshot is the former one, but a scan may have missed what was lost."""
    library = Library()
    follower = SnapshotFollower(mirrors, SOURCE, [library])
    async with running(follow_mirrors(mirrors, [follower])):
        await wait_for(follower, 5)
        mirrors.set_snapshot(RECORD, None)
        mirrors.set_snapshot(RECORD, 5)
        async with asyncio.timeout(BOUND):
            while library.published != [1, 2]:
                await asyncio.sleep(0)


async def test_a_thousand_idle_sources_cost_what_one_does(
    mirrors: CountingMirrors, clock: list[float]
) -> None:
    """No follower looks for a snapshot until the state of the mirrors changes."""
    followers = [SnapshotFollower(mirrors, SOURCE, ()) for _ in range(1000)]
    async with running(follow_mirrors(mirrors, followers)), asyncio.timeout(BOUND):
        for follower in followers:
            await wait_for(follower, 5)
        await mirrors.read_again(0)
        polls, reads = mirrors.polls + 1, mirrors.reads
        while mirrors.polls < polls + 5:
            reads = mirrors.reads if mirrors.polls <= polls else reads
            await asyncio.sleep(0.001)
        assert mirrors.reads == reads
        mirrors.set_snapshot(RECORD, 6)
        for follower in followers:
            await wait_for(follower, 6)


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
    follower = SnapshotFollower(mirrors, mirrors.sources[0], [library])
    async with running(follower.run()), asyncio.timeout(BOUND):
        while not library.catalog.pages:
            await asyncio.sleep(0.01)
    assert (follower.snapshot, failures) == (1, [])
