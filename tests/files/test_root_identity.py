"""Identity of a content root."""

from pathlib import Path

import pytest
from support.files import Clock

from asdlc_kb.files.root_identity import RootHistory, RootIdentity


def test_a_replaced_folder_has_another_identity(tmp_path: Path) -> None:
    """Also under the same name, and by a link."""
    root, link = tmp_path / "a", tmp_path / "link"
    root.mkdir()
    link.symlink_to(root)
    known = RootIdentity.of(root)
    assert RootIdentity.of(link) == known
    root.rename(tmp_path / "b")
    assert RootIdentity.of(root) == RootIdentity(known.path)
    root.mkdir()
    assert RootIdentity.of(root) != known


def test_a_missing_root_expires_after_the_grace(tmp_path: Path) -> None:
    """Not one that exists but cannot be listed; a listing starts again."""
    timer = Clock()
    history = RootHistory(60.0, timer)
    assert not history.is_expired(FileNotFoundError())
    timer.now = 59.0
    assert not history.is_expired(NotADirectoryError())
    timer.now = 60.0
    assert history.is_expired(FileNotFoundError())
    assert not history.is_expired(PermissionError())
    history.add(RootIdentity.of(tmp_path), has_files=True)
    assert not history.is_expired(FileNotFoundError())


def test_an_empty_folder_in_the_place_of_a_full_one_is_a_missing_root(
    tmp_path: Path,
) -> None:
    """An emptied folder keeps its identity."""
    history = RootHistory(60.0, Clock())
    before, other = tmp_path / "before", tmp_path / "other"
    before.mkdir()
    other.mkdir()
    history.add(RootIdentity.of(before), has_files=True)
    history.add(RootIdentity.of(before), has_files=False)
    with pytest.raises(FileNotFoundError, match="not the folder that was read"):
        history.add(RootIdentity.of(other), has_files=False)
