"""A domain's catalog, updated from the disk, whatever the domain."""

import logging
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.cache import TextCache
from support.files import save_in_place, save_over

from asdlc_kb.files.live_library import LiveLibrary
from asdlc_kb.files.snapshot import Snapshot


class Words:
    """A catalog: the texts of a snapshot."""

    def __init__(self, snapshot: Snapshot[str]) -> None:
        self.snapshot = snapshot
        self.is_warm = False
        self.is_outdated = False

    @property
    def texts(self) -> list[str | None]:
        """The texts in path order."""
        return [entry.value for _, entry in sorted(self.snapshot.entries.items())]

    def updated(self, snapshot: Snapshot[str]) -> "Words":
        """Return the next catalog."""
        return Words(snapshot)

    def precompute(self) -> None:
        """Record the precomputation."""
        self.is_warm = True

    def count(self) -> Mapping[str, int]:
        """Return the number of texts."""
        return {"words": len(self.texts)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with one file."""
    save_in_place(tmp_path / "a" / "x.md", "one")
    return tmp_path


def kept(root: Path) -> LiveLibrary[str, Words]:
    """Return a loaded library of a root."""
    cache = TextCache(root).cache
    upkeep = LiveLibrary(cache, Words(cache.snapshot))
    upkeep.load()
    return upkeep


async def test_listeners_are_told_once_the_later_catalog_is_in_force(
    root: Path,
) -> None:
    """D-065: computed in the thread, notified once it can be read."""
    upkeep = kept(root)
    seen: list[object] = []

    def listen(before: Words, after: Words) -> Callable[[], None]:
        seen.append((before.texts, after.texts))
        return lambda: seen.append(upkeep.catalog is after)

    upkeep.listen(listen)
    save_over(root / "a" / "x.md", "two")
    update = upkeep.scan()
    assert seen == [(["one"], ["two"])]
    assert upkeep.catalog.texts == ["one"]
    assert update.catalog.is_warm
    upkeep.publish(update)
    assert seen[1:] == [True]
    upkeep.publish(upkeep.scan())
    assert len(seen) == 2


def test_listeners_are_added_and_removed_in_any_thread(root: Path) -> None:
    """None is lost, and none stays; as `listen` and removals meet after a reload."""
    upkeep = kept(root)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            removals = pool.map(
                upkeep.listen, (lambda *_: lambda: None for _ in range(500))
            )
            for _ in pool.map(lambda remove: remove(), removals):
                pass
            lasting = [
                pool.submit(upkeep.listen, lambda *_: lambda: None) for _ in range(500)
            ]
            for future in lasting[::2]:
                pool.submit(lambda added: added.result()(), future)
    finally:
        sys.setswitchinterval(switch)
    assert len(upkeep._listeners) == 250


async def test_a_late_look_does_not_undo_a_newer_one(root: Path) -> None:
    """Another snapshot was published meanwhile: the scan is merged again."""
    upkeep = kept(root)
    save_over(root / "a" / "x.md", "two")
    late = upkeep.scan()
    save_over(root / "a" / "x.md", "three")
    assert (await upkeep.refresh(["a/x.md"])).texts == ["three"]
    upkeep.publish(late)
    assert upkeep.catalog.texts == ["three"]


def test_a_change_is_logged_with_the_numbers_of_the_domain(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One line a change, without names of files."""
    with caplog.at_level(logging.INFO, "asdlc_kb"):
        kept(root)
    (record,) = caplog.records
    assert record.getMessage() == "content changed"
    assert (record.generation, record.words) == (1, 1)  # type: ignore[attr-defined]


def test_a_start_waits_for_a_writer_and_then_reports_its_file(root: Path) -> None:
    """Otherwise `check` would skip it and report no problem."""
    upkeep = LiveLibrary(cache := TextCache(root).cache, Words(cache.snapshot))
    with (root / "a" / "new.md").open("w") as file:
        file.write("half")
        file.flush()
        catalog = upkeep.load()
    assert catalog.texts == ["one"]
    (problem,) = catalog.snapshot.problems
    assert (problem.path, problem.code) == ("a/new.md", "KB004")
    assert "try again" in problem.message
    assert upkeep.load().texts == ["half", "one"]


async def test_what_changed_in_a_folder_is_looked_for_once(root: Path) -> None:
    """A name without an article costs one `stat` of its unchanged folder."""
    upkeep = kept(root)
    save_over(root / "a" / "new.md", "two")
    assert (await upkeep.refresh_folders(["a"])).texts == ["two", "one"]
    assert await upkeep.refresh_folders(["a", "none"]) is upkeep.catalog


async def test_unfinished_files_are_published_once_they_are_closed(root: Path) -> None:
    """Between two scans, like a scan."""
    upkeep = kept(root)
    with (root / "a" / "x.md").open("w") as file:
        file.write("two")
        file.flush()
        upkeep.publish(upkeep.scan())
        upkeep.publish(upkeep.scan_unfinished())
        assert upkeep.catalog.texts == ["one"]
    update = upkeep.scan_unfinished()
    assert update.catalog.is_warm
    upkeep.publish(update)
    assert upkeep.catalog.texts == ["two"]
