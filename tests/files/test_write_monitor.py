"""Tests of the unfinished files of a root, and of the signs that one is finished."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.files import Clock, save_in_place, save_over

from asdlc_kb.files import write_monitor as module
from asdlc_kb.files.signature import UNWATCHED_SECONDS, Signature
from asdlc_kb.files.write_monitor import MAX_WRITE_SECONDS, WriteMonitor

PATH = "a/x.md"


class Monitored:
    """A monitor over a folder with one file, and its clocks."""

    def __init__(self, root: Path, *, uses_kernel_state: bool = True) -> None:
        self.path = save_in_place(root / PATH, "one")
        self.clock, self.timer = Clock(), Clock()
        self.known = Signature.at(self.path)
        self.monitor = WriteMonitor(
            root,
            uses_kernel_state=uses_kernel_state,
            clock=self.clock,
            timer=self.timer,
        )

    def ask(self, seconds: float = 0.0) -> bool:
        """Return whether the file is finished, so many seconds after its change."""
        self.clock.pass_after(self.path, seconds)
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            found = Signature.of(os.fstat(descriptor))
            return self.monitor.is_finished(PATH, descriptor, found, self.known)
        finally:
            os.close(descriptor)


@pytest.fixture
def monitored(tmp_path: Path) -> Monitored:
    """A file of this user, so that leases are permitted."""
    return Monitored(tmp_path)


@contextmanager
def no_leases(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make every file another user's, for which no lease is permitted."""
    with monkeypatch.context() as patch:
        patch.setattr(module, "is_open_for_writing", lambda descriptor: None)
        yield


def test_a_closed_file_is_finished_at_once(monitored: Monitored) -> None:
    """The kernel reports that no process has it open for writing."""
    save_in_place(monitored.path, "two")
    assert monitored.ask(0.0)


def test_an_open_file_is_unfinished_however_long_it_rests(monitored: Monitored) -> None:
    """D-067: a stopped writer keeps the last version for hours."""
    with monitored.path.open("w"):
        assert not monitored.ask(3600.0)
    assert monitored.ask(0.0)


def test_without_leases_events_say_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first file on: only then is it known that leases are unavailable."""
    with no_leases(monkeypatch):
        it = Monitored(tmp_path)
        it.monitor.watch(["", "a"])
        assert it.ask(3600.0)
        with it.path.open("w") as file:
            file.write("half")
            file.flush()
            assert not it.ask(3600.0)
        # The event of a write comes shortly after the write.
        assert not it.ask(0.01)
        assert it.ask(0.03)


def test_with_leases_no_events_are_asked_for(monitored: Monitored) -> None:
    """They cost watches, of which a user has a limited number."""
    assert monitored.ask()
    monitored.monitor.watch(["a"])
    assert monitored.monitor._events is None


@pytest.mark.parametrize("uses_kernel_state", [True, False])
def test_without_either_a_file_must_be_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uses_kernel_state: bool
) -> None:
    """D-067: 100 ms, or 20 ms for a file that was renamed over a known one."""
    monkeypatch.setattr(sys, "platform", "darwin")
    with no_leases(monkeypatch):
        it = Monitored(tmp_path, uses_kernel_state=uses_kernel_state)
        save_in_place(it.path, "two!")
        assert not it.ask(0.09)
        assert it.ask(0.11)
        save_over(it.path, "three")
        assert it.ask(0.03)


def test_a_kernel_without_instances_left_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settling time still counts, and each scan tries again."""

    def refuse(timer: Clock) -> None:
        raise OSError("no instances")

    monkeypatch.setattr(module, "share_write_events", refuse)
    with no_leases(monkeypatch):
        it = Monitored(tmp_path)
        assert it.ask(3600.0)
        it.monitor.watch(["a"])
        assert it.ask(3600.0)


def test_a_file_that_is_written_for_long_is_reported(monitored: Monitored) -> None:
    """An operator sees why an old version is served; a scan finds its end."""
    monitor, signature = monitored.monitor, monitored.known
    monitor.record(PATH, signature)
    assert (monitor.paths, monitor.is_unsettled) == ((PATH,), True)
    monitored.timer.now += MAX_WRITE_SECONDS / 2
    monitor.record(PATH, replace(signature, size=99))
    assert monitor.find_problems() == []
    monitored.timer.now += MAX_WRITE_SECONDS / 2
    (problem,) = monitor.find_problems()
    found = (problem.path, problem.code, monitor.is_unsettled)
    assert found == (PATH, "KB004", True)
    assert problem.message.startswith("still open for writing after 10 s")
    monitored.timer.now += MAX_WRITE_SECONDS
    assert not monitor.is_unsettled
    monitor.discard([PATH])
    assert (monitor.paths, monitor.find_problems(0.0)) == ((), [])


def test_what_changed_before_its_folder_was_watched_must_rest_for_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its writer may have it open, and pause; the known version needs no wait."""
    with no_leases(monkeypatch):
        it = Monitored(tmp_path)
        it.monitor.watch(["", "a"])
        assert it.ask(0.5)
        save_in_place(it.path, "two!")
        it.path.rename(tmp_path / "other.md")
        save_over(it.path, "three")
        it.known = replace(it.known, size=0)
        it.monitor.watch([""])
        for known in (it.known, replace(it.known, inode=0)):
            it.known = known
            assert not it.ask(UNWATCHED_SECONDS - 0.1)
            assert it.ask(UNWATCHED_SECONDS)


def test_a_root_that_leads_to_another_folder_was_finished_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link is swapped once its target folder is complete."""
    root = tmp_path / "current"
    for name in ("one", "two"):
        save_in_place(tmp_path / name / PATH, name)
    root.symlink_to("one")
    with no_leases(monkeypatch):
        it = Monitored(root)
        it.monitor.watch(["", "a"])
        it.known = replace(it.known, size=0)
        assert not it.ask(0.2)
        root.unlink()
        root.symlink_to("two")
        it.monitor.watch(["", "a"])
        assert it.ask(0.09)
        it.timer.now += 1
        assert it.ask(2.0)
