"""The root of a content cache: swapped by a link, or impossible to list."""

import os
from pathlib import Path

from support.cache import TextCache
from support.files import ordinary_user, save_in_place

from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.snapshot import ParseResult

OLD = {"a/x.md": "x1", "a/y.md": "y1"}
NEW = {"a/x.md": "x2", "a/y.md": "y2", "a/z.md": "z2"}


def releases(folder: Path) -> Path:
    """Make two releases of a root; return a link to the first."""
    for version, files in (("v1", OLD), ("v2", NEW)):
        for path, text in files.items():
            save_in_place(folder / version / path, text)
    link = folder / "current"
    link.symlink_to("v1")
    return link


def swap(link: Path) -> None:
    """Point the link to the second release, atomically."""
    following = link.with_name("next")
    following.symlink_to("v2")
    os.rename(following, link)


class SwappedMeanwhile(TextCache):
    """A cache with a root that is swapped while its first new file is parsed."""

    is_armed = False

    def _parse(self, raw: RawFile) -> ParseResult[str]:
        if self.is_armed:
            self.is_armed = False
            swap(self.root)
        return super()._parse(raw)


def test_a_swapped_root_is_taken_whole(tmp_path: Path) -> None:
    """D-065: a link to releases: all of the old one or all of the new one."""
    cache = TextCache(releases(tmp_path))
    cache.scan()
    swap(cache.root)
    cache.refresh("a/x.md")
    assert cache.values == OLD
    cache.scan()
    assert cache.values == NEW


def test_a_look_during_a_swap_is_thrown_away(tmp_path: Path) -> None:
    """D-065: half of one release and half of another is never published."""
    cache = SwappedMeanwhile(releases(tmp_path))
    cache.scan()
    save_in_place(tmp_path / "v1" / "a/x.md", "x1 again")
    save_in_place(tmp_path / "v1" / "a/y.md", "y1 again")
    cache.is_armed = True
    assert cache.scan().is_unsettled
    assert cache.values == OLD
    assert not cache.scan().is_unsettled
    assert cache.values == NEW


def test_a_root_that_cannot_be_listed_keeps_serving(tmp_path: Path) -> None:
    """D-069: a transient fault is no deletion, however long it lasts."""
    root = tmp_path / "content"
    save_in_place(root / "a" / "x.md", "x")
    cache = TextCache(root)
    cache.scan()
    root.chmod(0)
    with ordinary_user():
        cache.scan()
        cache.timer.now += 1_000
        cache.scan()
    root.chmod(0o755)
    assert cache.values == {"a/x.md": "x"}
    assert cache.snapshot.is_missing
    cache.scan()
    assert not cache.snapshot.is_missing


def test_an_empty_folder_in_the_roots_place_is_a_missing_root(tmp_path: Path) -> None:
    """D-069: the folder that an unmounted file system leaves is no deletion."""
    root, away, bare = (tmp_path / name for name in ("content", "away", "bare"))
    save_in_place(root / "a" / "x.md", "x")
    bare.mkdir()
    cache = TextCache(root)
    cache.scan()
    root.rename(away)
    bare.rename(root)
    for seconds, values in ((0, {"a/x.md": "x"}), (59.9, {"a/x.md": "x"}), (0.1, {})):
        cache.timer.now += seconds
        cache.scan()
        assert cache.values == values
        assert cache.snapshot.is_missing
        assert cache.faults == [
            ".:1:1: KB001 the content folder cannot be listed: "
            "it is empty and not the folder that was read before"
        ]
    save_in_place(root / "a" / "y.md", "y")
    cache.scan()
    assert cache.values == {"a/y.md": "y"}
    assert cache.faults == []


def test_a_root_that_was_emptied_is_empty(tmp_path: Path) -> None:
    """It is the same folder: its files were deleted."""
    path = save_in_place(tmp_path / "a" / "x.md", "x")
    cache = TextCache(tmp_path)
    cache.scan()
    path.unlink()
    path.parent.rmdir()
    cache.scan()
    assert (cache.values, cache.faults) == ({}, [])


def test_a_root_that_is_replaced_is_taken_whole(tmp_path: Path) -> None:
    """D-065: by a rename or a mount, without a link: all of the old or the new."""
    root = tmp_path / "content"
    releases(tmp_path)
    (tmp_path / "v1").rename(root)
    cache = TextCache(root)
    cache.scan()
    root.rename(tmp_path / "v1")
    (tmp_path / "v2").rename(root)
    cache.refresh("a/x.md")
    assert cache.values == OLD
    cache.scan()
    assert cache.values == NEW


class WrittenMeanwhile(TextCache):
    """A cache in which reading the first file begins a write to another one."""

    other: Path | None = None

    def _parse(self, raw: RawFile) -> ParseResult[str]:
        if self.other is not None:
            save_in_place(self.other, "half of")
            self.other = None
        return super()._parse(raw)


def test_a_write_that_begins_after_the_listing_is_not_read(tmp_path: Path) -> None:
    """D-067: found settled, then truncated and half written: never torn."""
    root = tmp_path / "content"
    first = save_in_place(root / "a" / "x.md", "x1")
    second = save_in_place(root / "a" / "y.md", "y1")
    cache = WrittenMeanwhile(root)
    cache.scan()
    save_in_place(first, "x2")
    save_in_place(second, "y2")
    cache.other = second
    assert cache.scan().is_unsettled
    assert cache.values == {"a/x.md": "x2", "a/y.md": "y1"}


def test_a_save_that_vanishes_before_it_rests_is_not_read(tmp_path: Path) -> None:
    """D-067: renamed over, then deleted at once: the last good one stays."""
    path = save_in_place(tmp_path / "content" / "a" / "x.md", "x1")
    cache = TextCache(tmp_path / "content")
    cache.scan()
    path.unlink()
    save_in_place(path, "x2")
    read = cache.cache.check_file("a/x.md")
    assert read is not None
    path.unlink()
    cache.publish(read())
    assert cache.values == {"a/x.md": "x1"}
    cache.scan()
    assert cache.values == {}
