"""Temporary folders of a process, which the next one deletes if it was killed.

The process locks a file in its folder. Forked processes hold the lock too, so that the
folder is deleted only when none of them lives. A folder without such a file is not
touched, whatever its name.
"""

import fcntl
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Final

PREFIX: Final = "asdlc-kb-"
"""Prefix of the names of such folders."""

_LOCK: Final = ".in-use"
"""Name of the file that is locked."""

_MAX_ATTEMPTS: Final = 10
"""Folders made until one is locked before another process deletes it."""


class TemporaryFolder:
    """A new folder, which only its user may read."""

    def __init__(self, parent: Path | None = None) -> None:
        """Make a folder, by default where temporary ones are; delete abandoned ones.

        Raises OSError if that is impossible.
        """
        parent = parent or Path(gettempdir())
        _delete_abandoned(parent)
        self._process = os.getpid()
        for _ in range(_MAX_ATTEMPTS):
            self.path = Path(mkdtemp(prefix=PREFIX, dir=parent))
            try:
                self._lock = _lock(self.path, os.O_CREAT)
            except (BlockingIOError, FileNotFoundError):
                continue
            except OSError:
                shutil.rmtree(self.path, ignore_errors=True)
                raise
            return
        raise BlockingIOError(f"{parent}: new folders are deleted")

    def delete(self) -> None:
        """Delete the folder, but not in a forked process."""
        if os.getpid() == self._process:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)


def _delete_abandoned(parent: Path) -> None:
    """Delete the folders that no process has in use; those of other users stay."""
    with suppress(OSError), os.scandir(parent) as entries:
        found = [entry.path for entry in entries if entry.name.startswith(PREFIX)]
        for path in found:
            with suppress(OSError):
                status = os.lstat(path)
                if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
                    lock = _lock(Path(path))
                    shutil.rmtree(path, ignore_errors=True)
                    os.close(lock)


def _lock(folder: Path, flags: int = 0) -> int:
    """Return the descriptor of the locked file of a folder.

    Raises FileNotFoundError if there is none, BlockingIOError if another process has
    locked it, and other OSErrors.
    """
    flags |= os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(folder / _LOCK, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # It may have been deleted before it was locked.
        os.stat(folder / _LOCK)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
