"""File system types of paths, from the kernel's mount table."""

import re
from pathlib import Path
from typing import Final

_MOUNTS: Final = Path("/proc/self/mountinfo")
_REMOTE: Final = re.compile(
    r"nfs\d?|cifs|smb\w*|9p|afs|ceph|fuse(?:\..*)?|vboxsf|prl_fs|virtiofs|lustre|gpfs"
)
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")


def is_remote(kind: str | None) -> bool:
    """Whether files of a type may be written by other systems.

    This kernel has no events, leases or locks of such writes.
    """
    return kind is not None and _REMOTE.fullmatch(kind) is not None


def find_kind(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """Return the type of the file system a path is on; None without a mount table."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    real = path.resolve()
    best: tuple[int, str] | None = None
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.partition(" ")[0]
        if len(fields) < 5:
            continue
        point = Path(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4]))
        # Of two mounts on one point the later one counts.
        if real.is_relative_to(point) and (not best or len(point.parts) >= best[0]):
            best = len(point.parts), kind
    return best[1] if best else None
