"""Identity of a content root, to notice that it was replaced or is missing."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class RootIdentity(NamedTuple):
    """Identity of a root: its real path, and the folder at that path."""

    path: str = ""
    device: int = 0
    inode: int = 0

    @classmethod
    def of(cls, root: Path) -> "RootIdentity":
        """Return the identity of a root; only the path if there is no folder."""
        path = os.path.realpath(root)
        try:
            status = os.stat(path)
        except OSError:
            return cls(path)
        return cls(path, status.st_dev, status.st_ino)


class RootHistory:
    """Whether a root was there at each scan, and since when it is missing."""

    def __init__(self, missing_grace: float, timer: Callable[[], float]) -> None:
        """Let a missing root count as deleted after `missing_grace` seconds."""
        self._missing_grace = missing_grace
        self._timer = timer
        self._populated: RootIdentity | None = None
        self._missing_since: float | None = None

    def add(self, identity: RootIdentity, *, has_files: bool) -> None:
        """Record a root that was listed.

        Raises FileNotFoundError if an empty folder has replaced one with files: an
        unmounted file system leaves an empty mount point, while an emptied folder keeps
        its identity.
        """
        if has_files:
            self._populated = identity
        elif self._populated not in (None, identity):
            reason = "it is empty and not the folder that was read before"
            raise FileNotFoundError(errno.ENOENT, reason)
        self._missing_since = None

    def is_expired(self, error: OSError) -> bool:
        """Record a failed listing; return whether the grace has expired.

        It never does for a root that exists but cannot be listed.
        """
        now = self._timer()
        is_gone = isinstance(error, (FileNotFoundError, NotADirectoryError))
        if self._missing_since is None or not is_gone:
            self._missing_since = now
        return is_gone and now - self._missing_since >= self._missing_grace
