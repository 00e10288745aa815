"""The folder of an index: its owner, and what is deleted in it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.unusable import REFUSED_NAME

from asdlc_kb.exceptions import IndexCorrupt, OperationalError
from asdlc_kb.search.index.directory import IndexDirectory, drop_index
from asdlc_kb.search.index.manifest import Manifest, checksum_file


def fill(folder: IndexDirectory, number: int) -> Manifest:
    """Make parts with a file each, and return their manifest."""
    parts = folder.make_parts(number)
    for part in parts:
        (part / "meta.json").write_text("{}")
    return Manifest(("1",), number, checksum_file(folder.root, parts), {}, 1)


@pytest.fixture
def folder(tmp_path: Path) -> IndexDirectory:
    """A folder that was just locked."""
    return IndexDirectory(tmp_path / "deep" / "index")


def test_a_folder_is_made_for_its_owner(folder: IndexDirectory) -> None:
    """And is empty at first."""
    assert folder.root.stat().st_mode & 0o777 == 0o700
    assert folder.read() is None


def test_one_has_it_at_a_time(folder: IndexDirectory) -> None:
    """D-090: until it is released, however the process ends."""
    with pytest.raises(OperationalError, match="another process"):
        IndexDirectory(folder.root)
    folder.close()
    folder.close()
    IndexDirectory(folder.root).close()


def test_a_new_manifest_drops_the_parts_before(folder: IndexDirectory) -> None:
    """Numbers are not used again while any exist."""
    folder.write(fill(folder, 1))
    assert folder.free_number() == 2
    second = fill(folder, 2)
    assert folder.read() is not None
    folder.write(second)
    assert folder.read() == second
    names = sorted(path.name for path in folder.root.iterdir())
    assert names == ["lock", "manifest.json", "pages-2", "sections-2"]


def test_files_that_are_not_as_written_are_a_fault(folder: IndexDirectory) -> None:
    """Other content, one more, one less, or no folder at all."""
    folder.write(fill(folder, 1))
    meta = folder.parts(1)[0] / "meta.json"
    more = folder.parts(1)[1] / "more"

    def rewrite() -> None:
        more.unlink()
        meta.write_text("{} ")

    damages: list[Callable[[], object]] = [
        lambda: more.write_text(""),
        rewrite,
        meta.unlink,
        meta.parent.rmdir,
    ]
    for damage in damages:
        damage()
        with pytest.raises(IndexCorrupt):
            folder.read()


def test_sweeping_without_a_number_leaves_nothing_but_the_lock(
    folder: IndexDirectory,
) -> None:
    """For an index that is made again."""
    folder.write(fill(folder, 4))
    folder.sweep(None)
    assert [path.name for path in folder.root.iterdir()] == ["lock"]


@pytest.mark.parametrize("name", ["notes.md", "pages-x", "manifest.json/", "pages-1"])
def test_anything_else_in_it_is_a_refusal(tmp_path: Path, name: str) -> None:
    """A part that is a file and a manifest that is a folder, too."""
    path = tmp_path / name
    path.mkdir() if name.endswith("/") else path.write_text("mine")
    with pytest.raises(OperationalError, match="not belong to a search index"):
        IndexDirectory(tmp_path)
    assert path.exists()


@pytest.mark.parametrize("name", ["manifest.json", "lock", "pages-1/meta.json"])
def test_a_pipe_in_the_place_of_a_file_is_a_refusal(tmp_path: Path, name: str) -> None:
    """Opening it would wait for a writer."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(OperationalError, match="not belong to a search index"):
        IndexDirectory(tmp_path)


def test_a_link_to_a_folder_elsewhere_is_not_followed_when_deleting(
    tmp_path: Path,
) -> None:
    """A part that is a link was put there by hand."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "pages-1").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OperationalError, match="not belong to a search index"):
        IndexDirectory(tmp_path / "index")


def test_copies_that_a_killed_process_left_are_the_indexs_own(tmp_path: Path) -> None:
    """They are deleted; the targets of their links stay."""
    kept = tmp_path / "kept"
    kept.write_text("mine")
    leftover = tmp_path / "index" / "copies-of-pages-7"
    leftover.mkdir(parents=True)
    (leftover / "meta.json").symlink_to(kept)
    folder = IndexDirectory(tmp_path / "index")
    folder.sweep(None)
    folder.close()
    assert not leftover.exists()
    assert kept.read_text() == "mine"


def test_files_that_another_program_changed_are_a_fault(folder: IndexDirectory) -> None:
    """Truncated, replaced or deleted; permissions may change."""
    folder.check()
    folder.write(fill(folder, 1))
    meta = folder.parts(1)[0] / "meta.json"
    meta.chmod(0o600)
    folder.check()

    def rewrite() -> None:
        meta.write_text("{}")
        (folder.root / "manifest.json").unlink()

    damages: list[Callable[[], object]] = [
        lambda: os.truncate(meta, 1),
        rewrite,
        meta.unlink,
    ]
    for damage in damages:
        folder.write(fill(folder, 1))
        folder.check()
        damage()
        with pytest.raises(IndexCorrupt, match="another program"):
            folder.check()


def test_an_index_that_cannot_be_reached_is_not_reported_as_missing(
    tmp_path: Path,
) -> None:
    """A missing folder is no error."""
    assert not drop_index(tmp_path / "index")
    with pytest.raises(OperationalError, match="cannot be written: File name too long"):
        drop_index(tmp_path / REFUSED_NAME)
