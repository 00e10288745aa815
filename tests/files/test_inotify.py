"""Tests of write events: files that were written and not closed since."""

import ctypes
import errno
import gc
import os
import sys
from pathlib import Path
from typing import Final

import pytest
from support.files import Clock, count_inotify_instances, save_in_place

from asdlc_kb.files import inotify
from asdlc_kb.files.inotify import (
    MAX_CLOSED_SECONDS,
    WriteEvents,
    share_write_events,
)


class User:
    """Something that watches folders."""


USER: Final = User()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file."""
    (tmp_path / "x.md").write_text("text")
    return tmp_path


def watching(*folders: Path, timer: Clock | None = None) -> WriteEvents:
    """Return events of these folders."""
    events = WriteEvents(timer or Clock())
    events.watch(USER, map(str, folders))
    return events


def test_a_file_is_open_from_its_first_write_to_its_close(folder: Path) -> None:
    """A file that was not written is not known; opening alone is no event."""
    events = watching(folder)
    assert events.is_open(USER, str(folder), "x.md") is None
    with (folder / "x.md").open("r+") as file:
        assert events.is_open(USER, str(folder), "x.md") is None
        file.write("more")
        file.flush()
        assert events.is_open(USER, str(folder), "x.md") is True
        assert events.is_open(USER, str(folder), "other.md") is None
    assert events.is_open(USER, str(folder), "x.md") is False


def test_a_file_that_is_truncated_is_being_written(folder: Path) -> None:
    """Most editors begin with it."""
    events = watching(folder)
    with (folder / "x.md").open("w"):
        assert events.is_open(USER, str(folder), "x.md") is True
    assert events.is_open(USER, str(folder), "x.md") is False


def test_a_rename_takes_along_what_is_known(folder: Path) -> None:
    """A file that is renamed before it is closed is still being written."""
    events = watching(folder)
    with (folder / "new.tmp").open("w") as file:
        file.write("half")
        file.flush()
        (folder / "new.tmp").rename(folder / "x.md")
        assert events.is_open(USER, str(folder), "x.md") is True
        assert events.is_open(USER, str(folder), "new.tmp") is None
        file.write("whole")
    assert events.is_open(USER, str(folder), "x.md") is False


def test_a_deleted_file_is_forgotten(folder: Path) -> None:
    """Another file may have its name later."""
    events = watching(folder)
    with (folder / "x.md").open("w"):
        (folder / "x.md").unlink()
        assert events.is_open(USER, str(folder), "x.md") is None


def test_a_close_is_forgotten_after_a_while(folder: Path) -> None:
    """The time since the change is sufficient then."""
    timer = Clock()
    events = watching(folder, timer=timer)
    (folder / "x.md").write_text("new")
    assert events.is_open(USER, str(folder), "x.md") is False
    timer.now += MAX_CLOSED_SECONDS + 1
    assert events.is_open(USER, str(folder), "x.md") is None


def test_another_folder_of_the_same_path_is_watched_anew(folder: Path) -> None:
    """A swapped category keeps its name."""
    inner = folder / "inner"
    save_in_place(inner / "x.md", "text")
    events = watching(inner)
    with (inner / "x.md").open("w"):
        assert events.is_open(USER, str(inner), "x.md") is True
        inner.rename(folder / "away")
        save_in_place(inner / "x.md", "text")
        events.watch(USER, [str(inner), str(folder / "none")])
        assert events.is_open(USER, str(inner), "x.md") is None
    with (inner / "x.md").open("w"):
        assert events.is_open(USER, str(inner), "x.md") is True
    (inner / "x.md").unlink()
    inner.rmdir()
    assert events.is_open(USER, str(inner), "x.md") is None


def test_too_many_events_are_forgotten(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel drops events beyond its queue, and memory is bounded."""
    events = watching(folder)
    monkeypatch.setattr(inotify, "MAX_FILES", 2)
    with (folder / "x.md").open("w"):
        assert events.is_open(USER, str(folder), "x.md") is True
        for number in range(2):
            (folder / f"{number}.md").write_text("x")
        assert events.is_open(USER, str(folder), "x.md") is None
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with (folder / "x.md").open("w"):
        for number in range(limit + 1):
            os.truncate(folder / f"{number % 2}.md", number % 3)
        assert events.is_open(USER, str(folder), "x.md") is None


def test_a_kernel_without_instances_left_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The caller goes on without events."""

    class Library:
        def inotify_init1(self, flags: int) -> int:
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda name, use_errno: Library())
    monkeypatch.setattr(ctypes, "get_errno", lambda: errno.EMFILE)
    with pytest.raises(OSError, match=r"fs\.inotify\.max_user_instances"):
        WriteEvents()
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(OSError, match="no inotify"):
        WriteEvents()


def test_it_is_known_since_when_no_event_of_a_folder_was_missed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the watch on; from when events were dropped; never without a watch."""
    timer = Clock()
    inner = save_in_place(folder / "inner/x.md", "text").parent
    events = watching(folder, timer=timer)
    timer.now += 5
    events.watch(USER, [str(folder), str(inner)])
    timer.now += 1
    ages = [
        events.find_age(USER, str(each)) for each in (folder, inner, folder / "none")
    ]
    assert ages == [6, 1, 0]
    monkeypatch.setattr(inotify, "MAX_FILES", 0)
    (folder / "x.md").write_text("new")
    assert events.is_open(USER, str(folder), "x.md") is None
    assert events.find_age(USER, str(folder)) == 0
    (inner / "x.md").unlink()
    inner.rmdir()
    assert events.is_open(USER, str(inner), "x.md") is None
    assert events.find_age(USER, str(inner)) == 0


def test_all_roots_share_an_instance(tmp_path: Path) -> None:
    """A user has 128; folders of several roots may be the same."""
    timer, before = Clock(), count_inotify_instances()
    first, second = User(), User()
    path = save_in_place(tmp_path / "both" / "x.md", "text")
    shared, own = str(path.parent), str(save_in_place(tmp_path / "b/y.md", "").parent)
    events = share_write_events(timer)
    assert share_write_events(timer) is events
    assert share_write_events(Clock()) is not events
    gc.collect()
    assert count_inotify_instances() == before + 1
    events.watch(first, [shared])
    events.watch(second, [shared, own])
    with path.open("a"):
        os.truncate(path, 1)
        assert events.is_open(first, shared, "x.md") is True
        assert events.is_open(first, own, "y.md") is None
        del first
        gc.collect()
        events.watch(second, [shared])
        assert events.is_open(second, shared, "x.md") is True
    with (tmp_path / "b" / "y.md").open("w"):
        assert events.is_open(second, own, "y.md") is None
    del events
    gc.collect()
    assert count_inotify_instances() == before
