"""Tests of whether the kernel tells of changes: its limits, and who keeps silent."""

from pathlib import Path

import pytest

from asdlc_kb.files import kernel
from asdlc_kb.files.kernel import find_kind, find_limit, find_obstacle
from asdlc_kb.files.watcher import find_folders

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:20 / /proc rw - proc proc rw
24 22 0:30 /x /data rw shared:2 master:1 - nfs4 server:/x rw
25 24 0:31 / /data/a\\040b rw - fuse.sshfs host: rw
26 22 0:32 / /again rw - ext4 /dev/sdb rw
27 22 0:33 / /again rw - 9p share rw
a broken line
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/kb", "ext4"),
        ("/data/kb", "nfs4"),
        ("/database", "ext4"),
        ("/data/a b/kb", "fuse.sshfs"),
        ("/again", "9p"),
    ],
)
def test_the_nearest_and_last_mount_counts(tmp_path, path: str, kind: str) -> None:
    """As the kernel's table has them, blanks escaped."""
    table = tmp_path / "mountinfo"
    table.write_text(MOUNTS)
    assert find_kind(Path(path), table) == kind


def test_a_system_without_such_a_table_tells_nothing(tmp_path: Path) -> None:
    """macOS has none, nor a limit of that kind."""
    assert find_kind(tmp_path, tmp_path / "gone") is None
    assert find_limit(tmp_path / "gone") is None
    (tmp_path / "limit").write_text("8192\n")
    assert find_limit(tmp_path / "limit") == 8192


def test_a_folder_of_this_machine_has_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A watch of it and of what is in it can be armed."""
    monkeypatch.setattr(kernel, "find_kind", lambda root: "ext4")
    (tmp_path / "concepts").mkdir()
    assert find_obstacle(tmp_path, find_folders) is None


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "9p", "fuse.sshfs", "fuse"])
def test_changes_made_elsewhere_are_not_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The kernel only knows what its own programs do."""
    monkeypatch.setattr(kernel, "find_kind", lambda root: kind)
    told = f"changes made elsewhere on {kind} cause no events here"
    assert find_obstacle(tmp_path, find_folders) == told


def test_a_watch_that_cannot_be_armed_is_an_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Out of watches, or a folder that is gone."""
    monkeypatch.setattr(kernel, "find_kind", lambda root: None)
    gone = tmp_path / "gone"
    assert find_obstacle(gone, find_folders) == "there is no folder to watch"
    refused = find_obstacle(tmp_path, lambda root: {str(gone): (0, 0)})
    assert refused is not None
    assert refused.startswith("1 folders cannot be watched (")
