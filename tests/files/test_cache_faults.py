"""Disk faults: what cannot be reached is not reported as deleted."""

import os
from pathlib import Path
from typing import Any

import pytest
from support.cache import TextCache
from support.files import (
    one_descriptor_left,
    ordinary_user,
    save_in_place,
    save_over,
)


def cache_at(root: Path, **options: Any) -> TextCache:
    """Return a cache that has scanned two files in two folders."""
    save_in_place(root / "a" / "x.md", "x")
    save_in_place(root / "b" / "y.md", "y")
    cache = TextCache(root, **options)
    cache.scan()
    cache.parses()
    return cache


BOTH = {"a/x.md": "x", "b/y.md": "y"}


def test_a_missing_root_keeps_serving_for_the_grace_and_then_is_empty(
    tmp_path: Path,
) -> None:
    """D-069: a missing root is a fault, not a deletion, for 60 s."""
    root = tmp_path / "content"
    cache = cache_at(root)
    root.rename(tmp_path / "away")
    assert cache.scan().is_incomplete
    assert cache.values == BOTH
    assert cache.snapshot.is_missing
    assert cache.faults == [
        ".:1:1: KB001 the content folder cannot be listed: No such file or directory"
    ]
    cache.timer.now += 59.9
    cache.scan()
    assert cache.values == BOTH
    cache.timer.now += 0.1
    cache.scan()
    assert cache.values == {}
    assert cache.snapshot.is_missing and cache.snapshot.was_seen


def test_a_root_that_comes_back_is_served_again(tmp_path: Path) -> None:
    """Back within the grace period nothing is parsed; then the period restarts."""
    root, away = tmp_path / "content", tmp_path / "away"
    cache = cache_at(root)
    for _ in range(2):
        root.rename(away)
        cache.scan()
        cache.timer.now += 59
        cache.scan()
        assert cache.values == BOTH
        away.rename(root)
        cache.scan()
        assert not cache.snapshot.is_missing
        assert cache.faults == []
    assert cache.parses() == []
    root.rename(away)
    cache.scan()
    cache.timer.now += 60
    cache.scan()
    assert cache.values == {}
    away.rename(root)
    cache.scan()
    assert cache.values == BOTH
    assert sorted(cache.parses()) == ["a/x.md", "b/y.md"]


def test_refresh_does_not_call_a_file_of_a_missing_root_gone(tmp_path: Path) -> None:
    """A request for one article while the root is away gets the last good version."""
    root = tmp_path / "content"
    cache = cache_at(root)
    root.rename(tmp_path / "away")
    assert cache.refresh("a/x.md").generation == 1
    assert cache.values == BOTH


def test_a_root_that_is_missing_at_the_start_may_appear(tmp_path: Path) -> None:
    """D-130: not seen until it existed once."""
    cache = TextCache(tmp_path / "content")
    cache.scan()
    assert (cache.snapshot.was_seen, cache.snapshot.is_missing) == (False, True)
    save_in_place(tmp_path / "content" / "a" / "x.md", "x")
    cache.scan()
    assert (cache.snapshot.was_seen, cache.snapshot.is_missing) == (True, False)
    assert cache.values == {"a/x.md": "x"}


def test_a_root_that_is_a_file_is_missing(tmp_path: Path) -> None:
    """Anything else in the folder's place is reported with the reason."""
    cache = TextCache(save_in_place(tmp_path / "content", "text"))
    cache.scan()
    assert cache.faults == [
        ".:1:1: KB001 the content folder cannot be listed: Not a directory"
    ]


def test_a_root_link_that_is_swapped_shows_the_new_set_in_one_look(
    tmp_path: Path,
) -> None:
    """D-065: all or nothing, although mtimes and sizes are equal."""
    for release, text in (("1", "old"), ("2", "new")):
        for name in ("x", "y", "z"):
            path = save_in_place(tmp_path / release / "a" / f"{name}.md", text)
            os.utime(path, (1, 1))
    (tmp_path / "current").symlink_to("1")
    cache = TextCache(tmp_path / "current")
    cache.scan()
    assert set(cache.values.values()) == {"old"}
    (tmp_path / "next").symlink_to("2")
    (tmp_path / "next").rename(tmp_path / "current")
    cache.scan()
    assert set(cache.values.values()) == {"new"}
    assert cache.snapshot.generation == 2


@pytest.mark.parametrize("target", ["nowhere", "b", "x" * 300])
def test_a_folder_replaced_by_a_broken_link_keeps_its_articles(
    tmp_path: Path, target: str
) -> None:
    """An unreachable folder is not an empty one."""
    cache = cache_at(tmp_path / "content")
    folder = cache.root / "b"
    folder.rename(tmp_path / "away")
    folder.symlink_to(target)
    for _ in range(2):
        cache.scan()
        assert cache.refresh("b/y.md").generation == 2
        assert cache.values == BOTH
        assert [p.path for p in cache.snapshot.all_problems()] == ["b"]
    folder.unlink()
    cache.scan()
    assert cache.values == {"a/x.md": "x"}
    assert cache.faults == []


def test_a_folder_without_permission_keeps_its_articles() -> None:
    """EACCES keeps the last good version; the other folder is updated."""
    with ordinary_user() as root:
        cache = cache_at(root)
        (root / "b").chmod(0)
        save_over(root / "a" / "x.md", "x two")
        assert cache.scan().is_incomplete
        cache.refresh("b/y.md")
        (root / "b").chmod(0o700)
        assert cache.values == {"a/x.md": "x two", "b/y.md": "y"}
        assert [p.path for p in cache.snapshot.all_problems()] == ["b"]
        assert not cache.scan().is_incomplete
        assert cache.faults == []


def test_a_file_without_permission_keeps_its_version_and_is_retried() -> None:
    """EACCES on a file: last good version, reported, retried."""
    with ordinary_user() as root:
        cache = cache_at(root)
        path = save_over(root / "a" / "x.md", "x two")
        path.chmod(0)
        new = save_in_place(root / "a" / "z.md", "z")
        new.chmod(0)
        assert cache.scan().is_incomplete
        assert cache.values == {**BOTH, "a/z.md": None}
        assert cache.faults == [
            f"a/{name}.md:1:1: KB001 cannot be read (Permission denied): "
            "check its permissions"
            for name in ("x", "z")
        ]
        generation = cache.snapshot.generation
        assert cache.scan().is_incomplete
        assert cache.snapshot.generation == generation
        path.chmod(0o600)
        new.chmod(0o600)
        assert not cache.scan().is_incomplete
        assert cache.values == {"a/x.md": "x two", "b/y.md": "y", "a/z.md": "z"}
        assert cache.faults == []


def test_a_file_that_could_not_be_read_is_read_again_though_it_is_the_same(
    tmp_path: Path,
) -> None:
    """The fault was not the file's: out of descriptors, or an error of the disk."""
    cache = cache_at(tmp_path)
    save_over(tmp_path / "a" / "x.md", "x two")
    with one_descriptor_left():
        cache.scan()
    assert cache.values == BOTH
    (fault,) = cache.faults
    assert fault.startswith("a/x.md:1:1: KB001 cannot be read (Too many open files)")
    cache.scan()
    assert cache.values == {**BOTH, "a/x.md": "x two"}
    assert cache.faults == []


def spoil(path: Path, kind: str) -> None:
    """Replace a file by one that cannot be served."""
    path.unlink()
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "zero":
            path.symlink_to("/dev/zero")
        case "outside":
            path.symlink_to(save_in_place(path.parents[2] / "secret.md", "secret"))
        case "sparse":
            with open(path, "wb") as file:
                file.truncate(20 * 1024**3)
        case "binary":
            path.write_bytes(b"\xff\xfe\0")


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("fifo", "not a regular file: remove it or rename it"),
        ("folder", "not a regular file: remove it or rename it"),
        ("zero", "the link points outside the folder: copy the file instead"),
        ("outside", "the link points outside the folder: copy the file instead"),
        (
            "sparse",
            "21,474,836,480 bytes is too large: split it: "
            "the maximum is 2,097,152 bytes",
        ),
        ("binary", "not UTF-8 at byte 0: save it as UTF-8"),
    ],
)
def test_a_file_that_becomes_unservable_keeps_its_last_good_version(
    tmp_path: Path, kind: str, fault: str
) -> None:
    """D-061: refused, reported, last good version kept, the others served."""
    cache = cache_at(tmp_path / "content")
    spoil(cache.root / "a" / "x.md", kind)
    save_over(cache.root / "b" / "y.md", "y two")
    cache.scan()
    assert cache.values == {"a/x.md": "x", "b/y.md": "y two"}
    assert cache.faults == [f"a/x.md:1:1: KB001 {fault}"]
    assert cache.scan().changed == {}
    assert cache.parses() == ["b/y.md"]


def test_an_unservable_file_that_returns_is_served_again(tmp_path: Path) -> None:
    """The fault ends with its cause, although the text is the former one."""
    cache = cache_at(tmp_path / "content")
    path = cache.root / "a" / "x.md"
    spoil(path, "fifo")
    cache.scan()
    path.unlink()
    save_in_place(path, "x")
    cache.scan()
    assert cache.values == BOTH
    assert cache.faults == []
