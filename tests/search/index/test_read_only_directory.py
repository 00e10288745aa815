"""Indexes that are read where they cannot be written: accepted owners and modes."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from asdlc_kb import trusted_files
from asdlc_kb.exceptions import IndexCorrupt, OperationalError
from asdlc_kb.search.index.directory import IndexDirectory
from asdlc_kb.search.index.manifest import Manifest, checksum_file
from asdlc_kb.search.index.read_only_directory import ReadOnlyDirectory


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with an index that everyone may read."""
    folder = IndexDirectory(tmp_path / "index")
    parts = folder.make_parts(1)
    for part in parts:
        (part / "meta.json").write_text("{}")
        (part / "meta.json").chmod(0o644)
        part.chmod(0o755)
    folder.write(Manifest(("1",), 1, checksum_file(folder.root, parts), {}, 1))
    folder.close()
    (folder.root / "manifest.json").chmod(0o644)
    folder.root.chmod(0o755)
    return folder.root


def test_an_index_is_read_without_a_lock_or_a_trace(root: Path) -> None:
    """Even while another process has it."""
    owner = IndexDirectory(root)
    states = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    folder = ReadOnlyDirectory(root)
    manifest = folder.read()
    folder.check()
    assert manifest is not None and manifest.number == 1
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == states
    owner.close()


@pytest.mark.parametrize("name", [".", "pages-1", "pages-1/meta.json", "manifest.json"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_an_index_that_others_can_write_is_refused(
    root: Path, name: str, mode: int
) -> None:
    """D-165: results show its texts. Each folder and file counts."""
    (root / name).chmod((root / name).stat().st_mode | mode)
    with pytest.raises(OperationalError, match="other users can write to it"):
        ReadOnlyDirectory(root)


def test_modes_within_a_private_folder_do_not_matter(root: Path) -> None:
    """Others cannot reach the files, as with a umask of 002."""
    (root / "manifest.json").chmod(0o664)
    root.chmod(0o700)
    assert ReadOnlyDirectory(root).read() is not None


def test_an_index_of_another_user_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-165: of a user that is neither root nor that of the server."""
    user = os.geteuid()
    monkeypatch.setattr(trusted_files, "_ROOT_USER", user + 1)
    monkeypatch.setattr(os, "geteuid", lambda: user + 2)
    with pytest.raises(OperationalError, match="it belongs to another user"):
        ReadOnlyDirectory(root)
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.raises(OperationalError, match="it belongs to another user"):
        ReadOnlyDirectory(root)
    monkeypatch.setattr(trusted_files, "_ROOT_USER", user)
    assert ReadOnlyDirectory(root).read() is not None


def test_a_file_of_another_user_in_it_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a private folder, too: it may have been opened for writing before."""
    lstat = os.lstat

    def lstat_of_other_user(path: str | Path) -> os.stat_result:
        state = lstat(path)
        if not str(path).endswith("meta.json"):
            return state
        return os.stat_result((*state[:4], state.st_uid + 12_345, *state[5:10]))

    monkeypatch.setattr(os, "lstat", lstat_of_other_user)
    for mode in (0o755, 0o700):
        root.chmod(mode)
        with pytest.raises(OperationalError, match="it belongs to another user"):
            ReadOnlyDirectory(root)


def test_a_link_or_a_file_of_another_program_is_refused(
    root: Path, tmp_path: Path
) -> None:
    """As in a folder that is written."""
    (tmp_path / "link").symlink_to(root)
    with pytest.raises(OperationalError):
        ReadOnlyDirectory(tmp_path / "link")
    (root / "notes.md").write_text("mine")
    with pytest.raises(OperationalError, match="not belong to a search index"):
        ReadOnlyDirectory(root)
    with pytest.raises(OperationalError, match="it cannot be read: No such file"):
        ReadOnlyDirectory(tmp_path / "missing")


def test_a_file_that_changes_while_it_is_read_is_a_fault(root: Path) -> None:
    """Before: its checksum differs. After: its state."""
    changes: list[Callable[[Path], object]] = [
        lambda path: path.write_text("{ }"),
        Path.unlink,
        lambda path: shutil.copy(root / "manifest.json", path),
    ]
    for change in changes:
        folder = ReadOnlyDirectory(root)
        assert folder.read() is not None
        kept = (root / "pages-1" / "meta.json").read_bytes()
        change(root / "pages-1" / "meta.json")
        with pytest.raises(IndexCorrupt, match="another program"):
            folder.check()
        with pytest.raises(IndexCorrupt):
            folder.read()
        (root / "pages-1" / "meta.json").write_bytes(kept)
