"""Whether the kernel tells of changes below a folder, and if not, why.

Without its events a change is still seen, by the sweep: later, and at some cost.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from watchfiles import watch

from asdlc_kb.files.mounts import find_kind, is_remote
from asdlc_kb.files.watcher import Folders

_LIMIT: Final = Path("/proc/sys/fs/inotify/max_user_watches")


def find_watch_obstacle(root: Path, find: Callable[[Path], Folders]) -> str | None:
    """Return why changes below a folder may go untold; None if nothing speaks for it.

    The watch that a server would have is armed for a moment.
    """
    kind = find_kind(root)
    if is_remote(kind):
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


def find_limit(limit: Path = _LIMIT) -> int | None:
    """Return how many folders one user may watch; None where there is no such limit."""
    try:
        return int(limit.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
