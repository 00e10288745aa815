"""Tests of read leases: whether a file is open for writing."""

import mmap
import os
import signal
import threading
from pathlib import Path

import pytest
from support.files import ordinary_user

from asdlc_kb.files import lease
from asdlc_kb.files.lease import is_open_for_writing


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of this user."""
    path = tmp_path / "x.md"
    path.write_text("text")
    return path


def ask(path: Path) -> bool | None:
    """Return the state of a file."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return is_open_for_writing(descriptor)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("flags", [os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND])
def test_a_file_is_open_until_its_last_writer_closes_it(path: Path, flags: int) -> None:
    """Whatever it was opened for, if that includes writing (fcntl(2))."""
    assert ask(path) is False
    first, second = os.open(path, flags), os.open(path, flags)
    assert ask(path) is True
    os.close(first)
    assert ask(path) is True
    os.close(second)
    assert ask(path) is False


def test_a_reader_is_no_writer(path: Path) -> None:
    """Pagers, backups and this server read."""
    with path.open():
        assert ask(path) is False


def test_a_memory_map_is_a_writer(path: Path) -> None:
    """It writes without a descriptor."""
    with path.open("r+b") as file:
        mapped = mmap.mmap(file.fileno(), 4)
    assert ask(path) is True
    mapped.close()
    assert ask(path) is False


def test_the_lease_is_given_back_and_no_signal_ends_the_process(path: Path) -> None:
    """A writer that opens the file meanwhile waits for it, and goes on."""
    assert signal.getsignal(signal.SIGURG) in (signal.SIG_DFL, None)
    opened = threading.Event()

    def write() -> None:
        for _ in range(20_000):
            os.close(os.open(path, os.O_WRONLY))
        opened.set()

    writer = threading.Thread(target=write)
    writer.start()
    asked = 0
    while not opened.is_set():
        assert ask(path) in (True, False)
        asked += 1
    writer.join()
    assert asked > 0


def test_a_file_of_another_user_says_nothing(path: Path) -> None:
    """Only the owner and processes with CAP_LEASE may take a lease."""
    os.chown(path, 12345, -1)
    path.chmod(0o644)
    for folder in (path.parent, path.parent.parent):
        folder.chmod(0o755)
    descriptor = os.open(path, os.O_RDONLY)
    with ordinary_user():
        assert is_open_for_writing(descriptor) is None
    os.close(descriptor)


def test_a_file_that_other_systems_write_says_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lease is local: on NFS it reveals nothing about other clients."""
    monkeypatch.setattr(lease, "is_remote", lambda filesystem: True)
    lease._is_remote.cache_clear()
    assert ask(path) is None
    lease._is_remote.cache_clear()
