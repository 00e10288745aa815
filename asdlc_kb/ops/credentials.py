"""Files with credentials, and the access that other users of the machine have to them.

A file that decides which clients get in is refused if another user can change it: that
user could add a token, which the next reload would accept. Root and the user of this
process are trusted. A secret that all users can read is logged and used: Docker and
Kubernetes mount secrets with such a mode, in a container that has no other users.
"""

import logging
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import HostError

logger = logging.getLogger(__name__)

MAX_BYTES: Final = 1024 * 1024
"""Bytes of a file with credentials."""

_ROOT: Final = 0


@dataclass(frozen=True, slots=True)
class Exposure:
    """The access that other users have to a file."""

    path: Path
    reason: str
    advice: str
    can_change: bool
    """Whether they can change or replace the file; otherwise they can read it."""


def read_credentials(path: Path, *, is_secret: bool = False) -> bytes:
    """Return the bytes of a file with credentials.

    `is_secret`: reading the file is enough to misuse it, unlike digests of tokens and
    public keys. Raises HostError if other users can change it or it is too large, and
    OSError.
    """
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        exposure = _judge(path, status, os.geteuid(), is_secret=is_secret)
        if exposure is not None:
            refuse_exposed(exposure)
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise HostError(f"{path}: it is larger than {MAX_BYTES:,} bytes")
    return data


def refuse_exposed(exposure: Exposure) -> None:
    """Raise HostError if others can change the file; log that all can read it."""
    if exposure.can_change:
        raise HostError(f"{exposure.path}: {exposure.reason}: {exposure.advice}")
    logger.warning(
        exposure.reason,
        extra={"file": str(exposure.path), "advice": exposure.advice},
    )


def examine(path: Path, *, is_secret: bool, user: int | None = None) -> Exposure | None:
    """Return the access of users other than root and `user` (default: ours).

    Raises OSError.
    """
    user = os.geteuid() if user is None else user
    return _judge(path, path.stat(), user, is_secret=is_secret)


def _judge(
    path: Path, status: os.stat_result, user: int, *, is_secret: bool
) -> Exposure | None:
    """Return the most that other users can do to an open file."""
    mode = stat.S_IMODE(status.st_mode)
    if status.st_uid not in (_ROOT, user):
        said = f"user {status.st_uid} owns it, not root or the current user"
        return Exposure(path, said, f"chown {user} {path}", True)
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        said = f"other users can write it (mode {mode:04o})"
        return Exposure(path, said, f"chmod go-w {path}", True)
    # A pipe has no folder.
    if stat.S_ISREG(status.st_mode):
        folder = path.resolve().parent
        around = folder.stat()
        if around.st_uid not in (_ROOT, user):
            said = f"user {around.st_uid} owns its folder and can replace it"
            return Exposure(path, said, f"chown {user} {folder}", True)
        if around.st_mode & stat.S_IWOTH and not around.st_mode & stat.S_ISVTX:
            said = "all users can write its folder and replace it"
            return Exposure(path, said, f"chmod o-w {folder}", True)
    if is_secret and mode & stat.S_IROTH:
        said = f"all users can read a secret (mode {mode:04o})"
        return Exposure(path, said, f"chmod o-r {path}", False)
    return None
