"""Tests of the types of file systems."""

from pathlib import Path

import pytest

from asdlc_kb.files.mounts import find_filesystem_type, is_remote

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
def test_the_nearest_and_last_mount_counts(
    tmp_path: Path, path: str, kind: str
) -> None:
    """As the kernel's table has them, blanks escaped."""
    table = tmp_path / "mountinfo"
    table.write_text(MOUNTS)
    assert find_filesystem_type(Path(path), table) == kind


def test_a_system_without_a_mount_table(tmp_path: Path) -> None:
    """macOS has none."""
    assert find_filesystem_type(tmp_path, tmp_path / "gone") is None


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("ext4", False), (None, False), ("nfs4", True), ("fuse.sshfs", True)],
)
def test_file_systems_that_other_systems_write_to(
    kind: str | None, expected: bool
) -> None:
    """The kernel cannot report writers of other systems."""
    assert is_remote(kind) is expected
