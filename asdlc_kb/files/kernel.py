"""Whether the kernel tells of changes below a folder, and if not, why.

Without its events a change is still seen, by the sweep: later, and at some cost.
"""

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from watchfiles import watch

from asdlc_kb.files.watcher import Folders

_MOUNTS: Final = Path("/proc/self/mountinfo")
_LIMIT: Final = Path("/proc/sys/fs/inotify/max_user_watches")
_SILENT: Final = re.compile(
    r"nfs\d?|cifs|smb\w*|9p|afs|ceph|fuse(?:\..*)?|vboxsf|prl_fs|virtiofs|lustre|gpfs"
)
"""File systems whose files others may change without this kernel's knowledge."""
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")


def find_obstacle(root: Path, find: Callable[[Path], Folders]) -> str | None:
    """Return why changes below a folder may go untold; None if nothing speaks for it.

    The watch that a server would have is armed for a moment.
    """
    kind = find_kind(root)
    if kind is not None and _SILENT.fullmatch(kind):
        return f"changes made elsewhere on {kind} cause no events here"
    folders = find(root)
    if not folders:
        return "there is no folder to watch"
    ended = threading.Event()
    ended.set()
    try:
        armed = watch(
            *folders,
            stop_event=ended,
            force_polling=False,
            recursive=False,
            ignore_permission_denied=False,
        )
        next(armed, None)
    except OSError as error:
        reason = error.strerror or "the kernel refuses a watch"
        return f"{len(folders)} folders cannot be watched ({reason})"
    return None


def find_kind(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """Return what kind of file system a path is on; None where nobody tells."""
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


def find_limit(limit: Path = _LIMIT) -> int | None:
    """Return how many folders one user may watch; None where there is no such limit."""
    try:
        return int(limit.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
