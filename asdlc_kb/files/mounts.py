"""File system types of paths, from the kernel's mount table."""

import re
from pathlib import Path
from typing import Final

_MOUNTS: Final = Path("/proc/self/mountinfo")
_REMOTE: Final = re.compile(
    r"nfs\d?|cifs|smb\w*|9p|afs|ceph|fuse(?:\..*)?|vboxsf|prl_fs|virtiofs|lustre|gpfs"
)
_LOCAL: Final = re.compile(
    r"ext[234]|xfs|btrfs|zfs|tmpfs|ramfs|f2fs|jfs|bcachefs|reiserfs|nilfs2"
)
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")


def is_remote(filesystem: str | None) -> bool:
    """Whether a type is a network or shared file system.

    The local kernel has no events, leases or locks for remote writes.
    """
    return filesystem is not None and _REMOTE.fullmatch(filesystem) is not None


def is_local(filesystem: str | None) -> bool:
    """Whether every change on a type of file system goes through this kernel."""
    return filesystem is not None and _LOCAL.fullmatch(filesystem) is not None


def is_overlay(filesystem: str | None) -> bool:
    """Whether a type shows folders of others, which may change behind it."""
    return filesystem == "overlay"


def find_filesystem_type(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """Return the file system type of a path; None without a mount table."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    # Of one with a slash at its end, a mount point is a prefix.
    real_path = f"{path.resolve()}/"
    best: tuple[int, str] | None = None
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, filesystem = before.split(), after.partition(" ")[0]
        if len(fields) < 5:
            continue
        mount_point = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4])
        # Of two mounts on one mount point the later one counts.
        if real_path.startswith(f"{mount_point.rstrip('/')}/") and (
            not best or len(mount_point) >= best[0]
        ):
            best = len(mount_point), filesystem
    return best[1] if best else None
