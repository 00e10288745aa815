"""Check whether the kernel reports changes below a folder.

Without events the periodic scan still finds changes: later, and at some cost.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from asdlc_kb.files.folder_events import try_watch
from asdlc_kb.files.mounts import find_filesystem_type, is_remote
from asdlc_kb.files.watcher import Folders

_LIMIT: Final = Path("/proc/sys/fs/inotify/max_user_watches")


def find_watch_obstacle(root: Path, find: Callable[[Path], Folders]) -> str | None:
    """Return why changes below a folder may not be reported; None without a reason.

    Arms the watch of a server for a moment.
    """
    filesystem = find_filesystem_type(root)
    if is_remote(filesystem):
        return f"changes made elsewhere on {filesystem} cause no events here"
    folders = find(root)
    if not folders:
        return "there is no folder to watch"
    try:
        try_watch(folders)
    except OSError as error:
        reason = error.strerror or "the kernel refuses a watch"
        return f"{len(folders)} folders cannot be watched ({reason})"
    return None


def find_limit(limit: Path = _LIMIT) -> int | None:
    """Return the limit of watches per user; None on systems without one."""
    try:
        return int(limit.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
