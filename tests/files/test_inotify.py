"""Tests of write events: files that were written and not closed since."""

import ctypes
import errno
import os
import sys
from pathlib import Path

import pytest
from support.files import Clock, save_in_place

from asdlc_kb.files import inotify
from asdlc_kb.files.inotify import MAX_CLOSED_SECONDS, WriteEvents


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file."""
    (tmp_path / "x.md").write_text("text")
    return tmp_path


def watching(*folders: Path, timer: Clock | None = None) -> WriteEvents:
    """Return events of these folders."""
    events = WriteEvents(timer or Clock())
    events.watch(map(str, folders))
    return events


def test_a_file_is_open_from_its_first_write_to_its_close(folder: Path) -> None:
    """A file that was not written is not known; opening alone is no event."""
    events = watching(folder)
    assert events.is_open(str(folder), "x.md") is None
    with (folder / "x.md").open("r+") as file:
        assert events.is_open(str(folder), "x.md") is None
        file.write("more")
        file.flush()
        assert events.is_open(str(folder), "x.md") is True
        assert events.is_open(str(folder), "other.md") is None
    assert events.is_open(str(folder), "x.md") is False


def test_a_file_that_is_truncated_is_being_written(folder: Path) -> None:
    """Most editors begin with it."""
    events = watching(folder)
    with (folder / "x.md").open("w"):
        assert events.is_open(str(folder), "x.md") is True
    assert events.is_open(str(folder), "x.md") is False


def test_a_rename_takes_along_what_is_known(folder: Path) -> None:
    """A file that is renamed before it is closed is still being written."""
    events = watching(folder)
    with (folder / "new.tmp").open("w") as file:
        file.write("half")
        file.flush()
        (folder / "new.tmp").rename(folder / "x.md")
        assert events.is_open(str(folder), "x.md") is True
        assert events.is_open(str(folder), "new.tmp") is None
        file.write("whole")
    assert events.is_open(str(folder), "x.md") is False


def test_a_deleted_file_is_forgotten(folder: Path) -> None:
    """Another file may have its name later."""
    events = watching(folder)
    with (folder / "x.md").open("w"):
        (folder / "x.md").unlink()
        assert events.is_open(str(folder), "x.md") is None


def test_a_close_is_forgotten_after_a_while(folder: Path) -> None:
    """The time since the change is sufficient then."""
    timer = Clock()
    events = watching(folder, timer=timer)
    (folder / "x.md").write_text("new")
    assert events.is_open(str(folder), "x.md") is False
    timer.now += MAX_CLOSED_SECONDS + 1
    assert events.is_open(str(folder), "x.md") is None


def test_another_folder_of_the_same_path_is_watched_anew(folder: Path) -> None:
    """A swapped category keeps its name."""
    inner = folder / "inner"
    save_in_place(inner / "x.md", "text")
    events = watching(inner)
    with (inner / "x.md").open("w"):
        assert events.is_open(str(inner), "x.md") is True
        inner.rename(folder / "away")
        save_in_place(inner / "x.md", "text")
        events.watch([str(inner), str(folder / "none")])
        assert events.is_open(str(inner), "x.md") is None
    with (inner / "x.md").open("w"):
        assert events.is_open(str(inner), "x.md") is True
    (inner / "x.md").unlink()
    inner.rmdir()
    assert events.is_open(str(inner), "x.md") is None


def test_too_many_events_are_forgotten(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel drops events beyond its queue, and memory is bounded."""
    events = watching(folder)
    monkeypatch.setattr(inotify, "MAX_FILES", 2)
    with (folder / "x.md").open("w"):
        assert events.is_open(str(folder), "x.md") is True
        for number in range(2):
            (folder / f"{number}.md").write_text("x")
        assert events.is_open(str(folder), "x.md") is None
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with (folder / "x.md").open("w"):
        for number in range(limit + 1):
            os.truncate(folder / f"{number % 2}.md", number % 3)
        assert events.is_open(str(folder), "x.md") is None


def test_a_kernel_without_instances_left_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The caller goes on without events."""

    class Library:
        def inotify_init1(self, flags: int) -> int:
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda name, use_errno: Library())
    monkeypatch.setattr(ctypes, "get_errno", lambda: errno.EMFILE)
    with pytest.raises(OSError, match="Too many open files"):
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
    events.watch([str(folder), str(inner)])
    timer.now += 1
    ages = [events.find_age(str(each)) for each in (folder, inner, folder / "none")]
    assert ages == [6, 1, 0]
    monkeypatch.setattr(inotify, "MAX_FILES", 0)
    (folder / "x.md").write_text("new")
    assert events.is_open(str(folder), "x.md") is None
    assert events.find_age(str(folder)) == 0
    (inner / "x.md").unlink()
    inner.rmdir()
    assert events.is_open(str(inner), "x.md") is None
    assert events.find_age(str(inner)) == 0
