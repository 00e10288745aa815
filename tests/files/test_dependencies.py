"""Files that a parsed file was made from, compared with the disk."""

import os
from pathlib import Path

from asdlc_kb.files.dependencies import Dependency, DependencyCheck, sign_file
from asdlc_kb.files.signature import RACY_SECONDS


def test_a_dependency_is_current_until_its_file_changes(tmp_path: Path) -> None:
    """A file that did not exist is current until it is created."""
    path, missing = tmp_path / "a", tmp_path / "b"
    path.write_text("x")
    known = [Dependency(str(p), sign_file(str(p))) for p in (path, missing)]
    assert known[1].signature is None
    assert DependencyCheck().are_current(known)
    missing.write_text("new")
    assert not DependencyCheck().are_current(known)
    missing.unlink()
    path.write_text("longer")
    assert not DependencyCheck().are_current(known)


def test_a_check_looks_at_each_file_once(tmp_path: Path) -> None:
    """Hundreds of pages may include the same file."""
    path = tmp_path / "a"
    path.write_text("x")
    known = Dependency(str(path), sign_file(str(path)))
    check = DependencyCheck()
    assert check.are_current([known])
    path.unlink()
    assert check.are_current([known, known])


def test_a_file_that_just_changed_may_change_unseen(tmp_path: Path) -> None:
    """What was made from it is made once more."""
    path = tmp_path / "a"
    path.write_text("x")
    known = Dependency(str(path), sign_file(str(path)))
    changed = os.stat(path).st_ctime
    assert known.is_racy(changed + RACY_SECONDS / 2)
    assert not known.is_racy(changed + RACY_SECONDS * 2)
    assert not Dependency(str(path), None).is_racy(changed)


def test_a_path_that_cannot_exist_has_no_signature() -> None:
    """A NUL is no error of the page that names it."""
    assert sign_file("/a\0b") is None
