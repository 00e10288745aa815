"""Mirrors: one snapshot at a time, whatever ends the process."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from store import scripted_reader
from store.scripted_reader import FIRST, MAX_CALLS, SECOND, ScriptedReader
from store.snapshots import MTIME, record
from support.processes import BOUND

from asdlc_kb.exceptions import OperationalError, StoreUnavailable
from asdlc_kb.store.mirror import SourceMirror
from asdlc_kb.store.mirror_paths import list_files


@pytest.fixture
def reader() -> ScriptedReader:
    """A store without snapshots."""
    return ScriptedReader()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that does not exist yet."""
    return tmp_path / "cache" / "files"


def read_all(folder: Path) -> dict[str, bytes]:
    """Return all files."""
    return {path: (folder / path).read_bytes() for path in list_files(folder)}


def test_a_mirror_has_the_files_of_a_snapshot(
    reader: ScriptedReader, folder: Path
) -> None:
    """With their times, and nothing else in their folders."""
    assert SourceMirror(folder, "s", reader).number is None
    reader.put(FIRST)
    mirrored = SourceMirror(folder, "s", reader)
    assert mirrored.update() == mirrored.number == 1
    assert read_all(folder) == FIRST
    assert (folder / "a.md").stat().st_mtime_ns == MTIME
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    reader.put(SECOND)
    assert mirrored.update() == 2
    assert read_all(folder) == SECOND
    assert not (folder / "b").is_dir()
    assert sorted(os.listdir(folder.parent)) == ["files", "files.snapshot.json"]


def test_only_what_changed_is_read(reader: ScriptedReader, folder: Path) -> None:
    """Also by a mirror that was opened again, and without a known snapshot."""
    reader.put(FIRST)
    SourceMirror(folder, "s", reader).update()
    reader.read.clear()
    again = SourceMirror(folder, "s", reader)
    assert again.number == again.update() == 1
    assert reader.read == []
    reader.put({**FIRST, "new": b"n"})
    del reader.snapshots[1]
    (folder / "left-over").touch()
    assert again.update() == 2
    assert reader.read == [record("new", b"n").digest]
    assert read_all(folder) == {**FIRST, "new": b"n"}


def test_a_changed_file_of_equal_size_is_noticed(
    reader: ScriptedReader, folder: Path
) -> None:
    """A comparison of all files reads them."""
    reader.put(FIRST)
    SourceMirror(folder, "s", reader).update()
    (folder / "a.md").write_bytes(b"X")
    os.utime(folder / "a.md", ns=(MTIME, MTIME))
    (folder.parent / "files.snapshot.json").unlink()
    SourceMirror(folder, "s", reader).update()
    assert read_all(folder) == FIRST


def test_a_mirror_of_another_source_is_compared(
    reader: ScriptedReader, folder: Path
) -> None:
    """Its number means nothing here."""
    reader.put(FIRST)
    SourceMirror(folder, "s", reader).update()
    other = SourceMirror(folder, "t", reader)
    assert other.number is None
    assert other.update() == 1


@pytest.mark.parametrize("fault", ["damaged", "missing", "path"])
def test_a_wrong_snapshot_is_refused_whole(
    reader: ScriptedReader, folder: Path, fault: str
) -> None:
    """The former one stays, on disk and in number."""
    reader.put(FIRST)
    mirrored = SourceMirror(folder, "s", reader)
    mirrored.update()
    reader.put({"new": b"n", "../x" if fault == "path" else "x": b"y"})
    error: type[Exception] = OperationalError
    if fault == "damaged":
        reader.contents[record("", b"y").digest] = b"z"
    elif fault == "missing":
        del reader.contents[record("", b"y").digest]
        error = StoreUnavailable
    with pytest.raises(error, match="the store"):
        mirrored.update()
    assert read_all(folder) == FIRST
    assert not folder.with_name("files.incoming").exists()
    assert mirrored.number == SourceMirror(folder, "s", reader).number == 1
    reader.put(SECOND)
    assert mirrored.update() == 3
    assert read_all(folder) == SECOND


def test_a_full_disk_leaves_the_former_snapshot(
    reader: ScriptedReader, folder: Path, tmp_path: Path
) -> None:
    """The error says what is wrong, no file is left, and the next update succeeds."""
    reader.put(FIRST)
    mirrored = SourceMirror(folder, "s", reader)
    mirrored.update()
    done = run_update("full", folder)
    printed = done.stdout.decode()
    assert printed == f"the mirror in {folder} cannot be written: File too large\n"
    assert read_all(folder) == FIRST
    assert not folder.with_name("files.incoming").exists()
    reader.put(SECOND)
    assert mirrored.update() == 2
    assert read_all(folder) == SECOND


def test_a_folder_of_another_user_is_refused(
    reader: ScriptedReader, folder: Path
) -> None:
    """D-165: what is served comes from this user."""
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    with pytest.raises(OperationalError, match="other users can write"):
        SourceMirror(folder, "s", reader)


@pytest.mark.parametrize("number", range(MAX_CALLS + 1))
def test_a_killed_update_leaves_one_whole_snapshot(
    reader: ScriptedReader, folder: Path, number: int
) -> None:
    """Whichever call of the system was its last one; no database is needed then."""
    reader.put(FIRST)
    SourceMirror(folder, "s", reader).update()
    done = run_update(str(number), folder)
    ends = {0: (-signal.SIGKILL,), MAX_CALLS: (0,)}
    assert done.returncode in ends.get(number, (0, -signal.SIGKILL)), done.stderr
    opened = SourceMirror(folder, "s", ScriptedReader())
    assert opened.number == 2 or (opened.number == 1 and done.returncode)
    assert read_all(folder) == (FIRST if opened.number == 1 else SECOND)
    reader.put(SECOND)
    assert SourceMirror(folder, "s", reader).update() == 2
    assert read_all(folder) == SECOND


def test_an_update_of_another_process_is_not_overwritten(
    reader: ScriptedReader, folder: Path
) -> None:
    """Files that both collected differ, so the later one would mix snapshots."""
    reader.put({"a": b"a0", "b": b"b0"})
    SourceMirror(folder, "s", reader).update()
    newest = {"a": b"a2", "b": b"b0", "c": b"c2"}

    @contextmanager
    def overtaken() -> Iterator[None]:
        reader.put(newest)
        SourceMirror(folder, "s", reader).update()
        yield

    reader.put({"a": b"a0", "b": b"b1"})
    mirrored = SourceMirror(folder, "s", reader)
    with pytest.raises(OperationalError, match="changed during its update"):
        mirrored.update(overtaken)
    assert read_all(folder) == newest
    assert mirrored.update() == 3
    assert read_all(folder) == newest


@pytest.mark.parametrize("lost", ["", "1"])
def test_a_lost_file_leaves_no_whole_snapshot(
    reader: ScriptedReader, folder: Path, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All new files, or one: the next update compares all."""
    reader.put(FIRST)
    mirrored = SourceMirror(folder, "s", reader)
    mirrored.update()
    reader.put(SECOND)
    replace = os.replace

    def fail(source: Path, target: Path) -> None:
        if target == folder / "a.md":
            raise OSError
        replace(source, target)

    with monkeypatch.context() as broken:
        broken.setattr(os, "replace", fail)
        with pytest.raises(OperationalError, match="cannot be written"):
            mirrored.update()
    (collected,) = (folder.parent / "files.incoming").iterdir()
    (collected / lost).unlink() if lost else shutil.rmtree(collected)
    again = SourceMirror(folder, "s", reader)
    assert again.number is None
    assert SourceMirror(folder, "s", reader).number is None
    assert again.update() == 2
    assert read_all(folder) == SECOND


def run_update(fault: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Have a process update a mirror from the first to the second snapshot."""
    return subprocess.run(
        [sys.executable, scripted_reader.__file__, fault, folder],
        capture_output=True,
        timeout=BOUND,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
