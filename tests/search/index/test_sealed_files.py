"""Copies of the files of an index: content, location, permissions."""

import os
from pathlib import Path

import pytest

from asdlc_kb.search.index import sealed_files
from asdlc_kb.search.index.sealed_files import COPIES, copy_files, fits


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two files of an index and a lock."""
    folder = tmp_path / "pages-1"
    folder.mkdir()
    (folder / "meta.json").write_bytes(b"{}")
    (folder / "a.idx").write_bytes(b"terms")
    (folder / ".tantivy-writer.lock").touch()
    return folder


def test_copies_have_the_content_of_the_files_but_not_their_fate(folder: Path) -> None:
    """They are next to the folder until the block ends; locks are no content."""
    with copy_files(folder) as copies:
        assert copies == folder.with_name(COPIES + "pages-1")
        assert copies.stat().st_mode & 0o777 == 0o700
        os.truncate(folder / "a.idx", 0)
        found = {path.name: path.read_bytes() for path in copies.iterdir()}
        assert found == {"meta.json": b"{}", "a.idx": b"terms"}
    assert not copies.exists()


def test_copies_cannot_be_cut_short(folder: Path) -> None:
    """The kernel refuses it to every process."""
    with copy_files(folder) as copies, pytest.raises(PermissionError):
        os.truncate(copies / "a.idx", 0)


def test_copies_of_a_process_that_was_killed_are_replaced(folder: Path) -> None:
    """Links that lead nowhere are no obstacle."""
    leftover = folder.with_name(COPIES + folder.name)
    leftover.mkdir()
    (leftover / "a.idx").symlink_to("/proc/self/fd/999999")
    with copy_files(folder) as copies:
        assert (copies / "a.idx").read_bytes() == b"terms"


def test_large_indexes_are_not_copied(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is on all folders together."""
    monkeypatch.setattr(sealed_files, "MAX_BYTES", 14)
    assert fits((folder, folder))
    monkeypatch.setattr(sealed_files, "MAX_BYTES", 13)
    assert not fits((folder, folder))
