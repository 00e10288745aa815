"""Checks of a cache: what changed without a scan of all files."""

import os
from pathlib import Path

import pytest
from support.cache import TextCache
from support.files import save_in_place, save_over
from support.watching import cache_at

from asdlc_kb.files import cache as module


@pytest.fixture
def cache(tmp_path: Path) -> TextCache:
    """A cache that has scanned one file."""
    return cache_at(tmp_path)


def check(cache: TextCache, *, is_announced: bool = True) -> bool:
    """Check and publish; return whether the check sufficed."""
    scan = cache.cache.check(is_announced=is_announced)
    if scan is not None:
        cache.publish(scan)
    return scan is not None


def test_a_check_of_unchanged_folders_reads_no_file(
    cache: TextCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is a file listed, nor the signature of one read."""
    before = cache.snapshot

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file was listed or read")

    cache.parses()
    monkeypatch.setattr(cache.cache, "_list_files", refuse)
    monkeypatch.setattr(module, "read_file", refuse)
    assert check(cache, is_announced=False)
    assert cache.snapshot is before


def test_a_refreshed_file_leaves_nothing_to_scan(cache: TextCache) -> None:
    """The event of a save names the file, and announces its folder's change."""
    save_over(cache.root / "a" / "x.md", "two")
    cache.refresh("a/x.md")
    assert cache.parses()[-1:] == ["a/x.md"]
    assert check(cache)
    assert check(cache, is_announced=False)
    assert cache.values == {"a/x.md": "two"}
    assert cache.parses() == []


def test_another_file_takes_a_scan(cache: TextCache) -> None:
    """Its name is new."""
    save_in_place(cache.root / "a" / "y.md", "two")
    assert not check(cache)
    cache.scan()
    assert check(cache, is_announced=False)
    assert set(cache.values) == {"a/x.md", "a/y.md"}


def test_a_file_that_was_read_too_soon_is_read_once_more(cache: TextCache) -> None:
    """D-064: a change within the same tick of the clock leaves the signature equal."""
    path = save_over(cache.root / "a" / "x.md", "two")
    cache.clock.pass_after(path, 1.0)
    cache.refresh("a/x.md")
    assert cache.snapshot.unsure == {"a/x.md"}
    status = os.stat(path)
    path.write_text("six")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    cache.clock.pass_after(path, 10.0)
    assert check(cache)
    assert cache.values == {"a/x.md": "six"}
    assert cache.snapshot.unsure == frozenset()


def test_a_missing_root_takes_a_scan(cache: TextCache) -> None:
    """It decides when its content counts as deleted."""
    cache.root.rename(cache.root.parent / "away")
    assert not check(cache)
    cache.scan()
    assert not check(cache)


def test_another_root_takes_a_scan(tmp_path: Path) -> None:
    """A link to it was switched: no event comes from there."""
    for release in ("one", "two"):
        save_in_place(tmp_path / release / "a" / "x.md", release)
    link = tmp_path / "current"
    link.symlink_to("one")
    cache = TextCache(link)
    cache.scan()
    assert check(cache, is_announced=False)
    (tmp_path / "next").symlink_to("two")
    (tmp_path / "next").rename(link)
    assert not check(cache, is_announced=False)


def test_an_unfinished_file_takes_scans(cache: TextCache) -> None:
    """D-067: until it is finished."""
    path = cache.root / "a" / "x.md"
    with path.open("a") as file:
        file.write("half")
        file.flush()
        cache.clock.pass_after(path, 0.0)
        cache.scan()
        assert not check(cache)
    cache.clock.pass_after(path, 3600.0)
    cache.scan()
    assert check(cache)
    assert cache.values == {"a/x.md": "onehalf"}
