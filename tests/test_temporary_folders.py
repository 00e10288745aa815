"""Temporary folders: private, deleted at the end, or else by the next process."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import pytest

from asdlc_kb import temporary_folders
from asdlc_kb.temporary_folders import PREFIX, TemporaryFolder

BOUND = 30
SCRIPT = """
import os, sys
from pathlib import Path
from asdlc_kb.temporary_folders import TemporaryFolder
folder = TemporaryFolder(Path(sys.argv[1]))
(folder.path / "queries").write_text("secret")
if os.fork():
    print(folder.path, flush=True)
    os.wait()
else:
    sys.stdin.read()
    folder.delete()
"""


def test_it_is_private_and_deleted_at_the_end(tmp_path: Path) -> None:
    """With all that is in it."""
    folder = TemporaryFolder(tmp_path)
    assert folder.path.parent == tmp_path
    assert folder.path.stat().st_mode & 0o777 == 0o700
    (folder.path / "file").write_text("x")
    folder.delete()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_killed_process_is_deleted_when_its_children_have_ended(
    tmp_path: Path,
) -> None:
    """Workers live a moment longer, and do not delete it themselves."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        path = Path(running.stdout.readline().strip())
        running.send_signal(signal.SIGKILL)
        running.wait(BOUND)
        TemporaryFolder(tmp_path).delete()
        assert (path / "queries").read_text() == "secret"
        running.stdin.close()
        # The end of its output is the end of the child.
        assert running.stdout.read() == ""
    # It closes the output before the lock: wait for that.
    with open(path / temporary_folders._LOCK) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
    folder = TemporaryFolder(tmp_path)
    assert list(tmp_path.iterdir()) == [folder.path]


def test_other_folders_are_not_touched(tmp_path: Path) -> None:
    """Those in use, those of others by their name, and what is no folder."""
    used = TemporaryFolder(tmp_path)
    kept = [tmp_path / f"{PREFIX}{name}" for name in ("main", "file", "link")]
    kept[0].mkdir()
    kept[1].touch()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / temporary_folders._LOCK).touch()
    kept[2].symlink_to(elsewhere)
    folder = TemporaryFolder(tmp_path)
    assert {*tmp_path.iterdir()} == {used.path, folder.path, elsewhere, *kept}
    assert list(elsewhere.iterdir()) == [elsewhere / temporary_folders._LOCK]


def test_a_folder_that_another_process_deletes_at_once_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a file before it is locked, and may look abandoned."""
    made: list[Path] = []

    def make(prefix: str, dir: Path) -> str:
        path = Path(mkdtemp(prefix=prefix, dir=dir))
        made.append(path)
        return str(path)

    def lock(descriptor: int, operation: int) -> None:
        if len(made) == 1:
            os.unlink(made[0] / temporary_folders._LOCK)
            made[0].rmdir()
        flock(descriptor, operation)

    flock = fcntl.flock
    monkeypatch.setattr(temporary_folders, "mkdtemp", make)
    monkeypatch.setattr(fcntl, "flock", lock)
    folder = TemporaryFolder(tmp_path)
    assert len(made) == 2
    assert list(tmp_path.iterdir()) == [folder.path] == made[1:]


def test_a_parent_that_cannot_have_one_is_an_error(tmp_path: Path) -> None:
    """Of the system, for its caller to report."""
    with pytest.raises(OSError, match="No such file"):
        TemporaryFolder(tmp_path / "missing")
