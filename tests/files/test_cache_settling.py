"""When a changed file is read: at once, once settled, or once more."""

import os
from pathlib import Path
from typing import Any

import pytest
from support.cache import TextCache
from support.files import save_in_place, save_over

from asdlc_kb.files import cache as module
from asdlc_kb.files.reader import ChangedWhileRead, RawFile, read_file
from asdlc_kb.files.write_monitor import MAX_WRITE_SECONDS

NOT_YET = 0.09
STILL = 0.11
SAFE = 2.1


@pytest.fixture
def cache(tmp_path: Path) -> TextCache:
    """A cache without kernel events that has scanned one file long ago."""
    save_in_place(tmp_path / "a" / "x.md", "one")
    cache = TextCache(tmp_path, uses_kernel_state=False)
    cache.scan()
    cache.parses()
    return cache


def test_an_in_place_write_is_read_once_it_was_still_for_100_ms(
    cache: TextCache,
) -> None:
    """D-067: the last good version stays until then."""
    path = save_in_place(cache.root / "a" / "x.md", "two")
    cache.clock.pass_after(path, NOT_YET)
    assert cache.scan().is_unsettled
    assert (cache.values, cache.parses()) == ({"a/x.md": "one"}, [])
    cache.clock.pass_after(path, STILL)
    assert not cache.scan().is_unsettled
    assert (cache.values, cache.parses()) == ({"a/x.md": "two"}, ["a/x.md"])


def test_a_new_file_is_read_once_it_was_still_for_100_ms(cache: TextCache) -> None:
    """D-067: a path never seen before may be half written."""
    path = save_in_place(cache.root / "a" / "y.md", "new")
    cache.clock.pass_after(path, NOT_YET)
    assert cache.scan().is_unsettled
    assert "a/y.md" not in cache.values
    cache.clock.pass_after(path, STILL)
    cache.scan()
    assert cache.values["a/y.md"] == "new"


def test_a_file_renamed_over_is_read_at_once(cache: TextCache) -> None:
    """D-067: a new inode under a known path is complete already."""
    path = save_over(cache.root / "a" / "x.md", "two")
    cache.clock.pass_after(path, 0.0)
    assert not cache.scan().is_unsettled
    assert cache.values == {"a/x.md": "two"}


def test_a_slow_writer_keeps_the_old_version_until_it_rests(cache: TextCache) -> None:
    """D-067: each further write restarts the wait."""
    path = cache.root / "a" / "x.md"
    for text in ("t", "tw", "two"):
        save_in_place(path, text)
        cache.clock.pass_after(path, NOT_YET)
        cache.scan()
        assert cache.values == {"a/x.md": "one"}
    cache.clock.pass_after(path, STILL)
    cache.scan()
    assert cache.values == {"a/x.md": "two"}
    assert cache.parses() == ["a/x.md"]


def test_restored_mtime_and_equal_size_are_noticed(cache: TextCache) -> None:
    """D-064: path and mtime alone would serve the old text for ever."""
    path = cache.root / "a" / "x.md"
    before = os.stat(path)
    save_in_place(path, "two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = os.stat(path)
    assert (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size)
    cache.scan()
    assert cache.values == {"a/x.md": "two"}


def test_a_file_server_with_another_clock_is_waited_for_by_ours(
    cache: TextCache,
) -> None:
    """Where ctime is ahead of our clock, 100 ms on our own timer are enough."""
    path = save_in_place(cache.root / "a" / "x.md", "two")
    cache.clock.pass_after(path, -3600)
    assert cache.scan().is_unsettled
    cache.timer.now += NOT_YET
    cache.scan()
    assert cache.values == {"a/x.md": "one"}
    save_in_place(path, "three")
    cache.clock.pass_after(path, -3600)
    cache.timer.now += NOT_YET
    cache.scan()
    assert cache.values == {"a/x.md": "one"}
    cache.timer.now += STILL
    cache.scan()
    assert cache.values == {"a/x.md": "three"}


def test_a_file_read_soon_after_its_change_is_read_once_more(cache: TextCache) -> None:
    """D-064: below 2 s a write may hide behind an equal key: the digest decides."""
    path = save_over(cache.root / "a" / "x.md", "two")
    cache.clock.pass_after(path, STILL)
    cache.scan()
    early = cache.snapshot.entries["a/x.md"]
    assert early.is_racy
    assert cache.parses() == ["a/x.md"]
    cache.clock.pass_after(path, SAFE)
    cache.scan()
    late = cache.snapshot.entries["a/x.md"]
    assert not late.is_racy
    assert cache.parses() == []
    assert cache.snapshot.generation == 2
    assert cache.scan().changed == {}


def test_a_change_behind_an_equal_key_is_found_by_the_second_read(
    cache: TextCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-064: a second write within one tick leaves the same signature."""
    path = save_over(cache.root / "a" / "x.md", "two")
    cache.clock.pass_after(path, STILL)

    def read_before_the_write(root: Path, name: str, **given: Any) -> RawFile:
        raw = read_file(root, name, **given)
        return RawFile(name, raw.signature, b"of the text before", "tw")

    with monkeypatch.context() as patch:
        patch.setattr(module, "read_file", read_before_the_write)
        cache.scan()
    assert cache.values == {"a/x.md": "tw"}
    cache.scan()
    assert cache.values == {"a/x.md": "two"}


def test_a_read_that_was_disturbed_is_made_again(
    cache: TextCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changes during the read keeps its last good version for now."""

    def disturbed(root: Path, name: str, **given: Any) -> RawFile:
        raise ChangedWhileRead(name)

    save_over(cache.root / "a" / "x.md", "two")
    with monkeypatch.context() as patch:
        patch.setattr(module, "read_file", disturbed)
        assert cache.scan().is_unsettled
        assert cache.refresh("a/x.md") is cache.snapshot
    assert cache.values == {"a/x.md": "one"}
    assert not cache.scan().is_unsettled
    assert cache.values == {"a/x.md": "two"}


def test_refresh_reads_an_atomic_save_at_once(cache: TextCache) -> None:
    """D-066: a read after a save is never stale, even before the watcher."""
    path = save_over(cache.root / "a" / "x.md", "two")
    cache.clock.pass_after(path, 0.0)
    assert cache.refresh("a/x.md").generation == 2
    assert cache.values == {"a/x.md": "two"}
    assert cache.parses() == ["a/x.md"]


def test_refresh_leaves_a_file_being_written_to_the_look(cache: TextCache) -> None:
    """D-067: in place and not settled: the last good version, no wait."""
    path = save_in_place(cache.root / "a" / "x.md", "two")
    cache.clock.pass_after(path, NOT_YET)
    assert cache.refresh("a/x.md").generation == 1
    assert cache.values == {"a/x.md": "one"}
    cache.clock.pass_after(path, STILL)
    assert cache.refresh("a/x.md").generation == 2


def test_refresh_of_an_unchanged_or_unknown_file_parses_nothing(
    cache: TextCache,
) -> None:
    """One `stat` and no more; a new file is found by the scan."""
    save_in_place(cache.root / "a" / "new.md", "new")
    for _ in range(1000):
        for path in ("a/x.md", "a/new.md", "a/none.md", "b/none.md", "a/x.md/y.md"):
            assert cache.refresh(path).generation == 1
    assert cache.parses() == []


def test_refresh_sees_that_a_file_was_deleted(cache: TextCache) -> None:
    """D-066: a deleted file is gone at once for a request that names it."""
    (cache.root / "a" / "x.md").unlink()
    assert cache.refresh("a/x.md").generation == 2
    assert cache.values == {}


@pytest.mark.parametrize("target", ["nowhere.md", "x.md"])
def test_refresh_keeps_a_file_that_became_a_broken_link(
    cache: TextCache, target: str
) -> None:
    """A dangling link is a fault, not a deletion, for refresh as for the scan."""
    path = cache.root / "a" / "x.md"
    link = path.with_name("link")
    link.symlink_to(target)
    link.rename(path)
    for _ in range(2):
        cache.refresh("a/x.md")
        assert cache.values == {"a/x.md": "one"}
        assert not cache.scan().is_unsettled
    assert cache.faults == ["a/x.md:1:1: KB001 the link is broken: fix or remove it"]


def test_a_file_that_is_open_keeps_its_last_version_and_is_reported(
    tmp_path: Path,
) -> None:
    """D-067: a stopped writer: the old version stays, and an operator can see why."""
    path = save_in_place(tmp_path / "a" / "x.md", "one")
    cache = TextCache(tmp_path)
    cache.scan()
    with path.open("w") as file, (tmp_path / "a" / "new.md").open("w") as new:
        for beginning in (file, new):
            beginning.write("tw")
            beginning.flush()
        assert cache.scan().is_unsettled
        cache.timer.now += MAX_WRITE_SECONDS + 1
        assert not cache.scan().is_unsettled
        assert cache.values == {"a/x.md": "one"}
        assert [fault.partition(":1:1: ")[::2] for fault in cache.faults] == [
            (
                name,
                "KB004 still open for writing after 10 s, so its last finished "
                "version counts: end the program that writes it",
            )
            for name in ("a/new.md", "a/x.md")
        ]
        generation = cache.snapshot.generation
        cache.timer.now += MAX_WRITE_SECONDS
        cache.scan()
        assert cache.snapshot.generation == generation
    cache.scan()
    assert (cache.values, cache.faults) == ({"a/x.md": "tw", "a/new.md": "tw"}, [])


def test_between_looks_only_unfinished_files_are_asked_for(tmp_path: Path) -> None:
    """A folder of 100,000 files is not listed again for one that is being written."""
    path = save_in_place(tmp_path / "a" / "x.md", "one")
    cache = TextCache(tmp_path)
    cache.scan()
    with path.open("w") as file, (tmp_path / "a" / "gone.md").open("w") as gone:
        for beginning in (file, gone):
            beginning.write("two")
            beginning.flush()
        cache.scan()
        look = cache.cache.scan_unfinished()
        assert (look.changed, look.is_unsettled, look.is_partial) == ({}, True, True)
    (tmp_path / "a" / "gone.md").unlink()
    save_in_place(tmp_path / "a" / "other.md", "not asked for")
    cache.publish(cache.cache.scan_unfinished())
    assert cache.values == {"a/x.md": "two"}
    assert cache.scan().changed.keys() == {"a/other.md"}
    with path.open("w"):
        cache.scan()
        tmp_path.rename(tmp_path.with_name(f"{tmp_path.name}-away"))
        cache.root.mkdir()
        look = cache.cache.scan_unfinished()
        assert (look.changed, look.is_unsettled) == ({}, True)


def test_a_folder_that_changed_just_when_it_was_listed_counts_as_changed(
    tmp_path: Path,
) -> None:
    """Two changes within a tick of the kernel's clock leave one signature."""
    path = save_in_place(tmp_path / "a" / "x.md", "one")
    cache = TextCache(tmp_path)
    folder = path.parent
    for seconds, is_trusted in ((0.01, False), (0.03, True), (-3600.0, True)):
        cache.clock.pass_after(folder, seconds)
        cache.scan()
        assert cache.cache.has_changed("a") is not is_trusted
        assert not cache.cache.has_changed("none")
    path.with_name("new.md").touch()
    assert cache.cache.has_changed("a")
    cache.scan()
    assert not cache.cache.has_changed("a")
    path.with_name("new.md").unlink()
    path.unlink()
    folder.rmdir()
    assert not cache.cache.has_changed("a")
