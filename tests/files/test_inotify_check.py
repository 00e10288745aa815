"""Tests of whether kernel events arrive: limits, and file systems without events."""

from pathlib import Path

import pytest

from asdlc_kb.files import inotify_check
from asdlc_kb.files.inotify_check import find_limit, find_watch_obstacle
from asdlc_kb.files.watcher import find_folders


def test_a_system_without_a_limit(tmp_path: Path) -> None:
    """macOS has none."""
    assert find_limit(tmp_path / "gone") is None
    (tmp_path / "limit").write_text("8192\n")
    assert find_limit(tmp_path / "limit") == 8192


def test_a_folder_of_this_machine_has_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A watch of it and of its content can be armed."""
    monkeypatch.setattr(inotify_check, "find_filesystem_type", lambda root: "ext4")
    (tmp_path / "concepts").mkdir()
    assert find_watch_obstacle(tmp_path, find_folders) is None


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "9p", "fuse.sshfs", "fuse"])
def test_changes_made_elsewhere_are_not_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The kernel only reports changes by its own programs."""
    monkeypatch.setattr(inotify_check, "find_filesystem_type", lambda root: kind)
    told = f"changes made elsewhere on {kind} cause no events here"
    assert find_watch_obstacle(tmp_path, find_folders) == told


def test_a_watch_that_cannot_be_armed_is_an_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Out of watches, or a folder that is gone."""
    monkeypatch.setattr(inotify_check, "find_filesystem_type", lambda root: None)
    gone = tmp_path / "gone"
    assert find_watch_obstacle(gone, find_folders) == "there is no folder to watch"
    refused = find_watch_obstacle(tmp_path, lambda root: {str(gone): (0, 0)})
    assert refused is not None
    assert refused.startswith("1 folders cannot be watched (")
