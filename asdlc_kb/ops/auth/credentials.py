"""Credential files, and permission checks on them.

A file that grants access is rejected if another user can change it: that user could
add a token, which the next reload would accept. Root and the user of this process are
trusted. A world-readable secret is accepted with a warning: Docker and Kubernetes
mount secrets with such a mode, in a container that has no other users.

Users that can write a folder or own a link on the path can replace the file, so each is
checked as the file is. A sticky bit protects the files of other users, and a group is
trusted that is named like root or the user and has no other members.
"""

import errno
import grp
import logging
import os
import pwd
import select
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from asdlc_kb.exceptions import OperationalError

logger = logging.getLogger(__name__)

MAX_BYTES: Final = 1024 * 1024
"""Maximum size of a credential file."""

MAX_PIPE_SECONDS: Final = 1.0
"""Maximum wait for data of a pipe."""

MAX_LINKS: Final = 40
"""Maximum number of links on the path of a file; Linux follows as many."""

_ROOT: Final = 0


class Exposure(msgspec.Struct, frozen=True):
    """Access of other users to a credential file."""

    path: Path
    reason: str
    advice: str
    can_change: bool
    """Whether they can change or replace the file; otherwise they can read it."""


def read_credentials(path: Path, *, is_secret: bool = False) -> bytes:
    """Return the bytes of a credential file.

    `is_secret`: reading the file is enough to misuse it, unlike digests of tokens and
    public keys. Raises OperationalError if other users can change it, it is too large
    or a pipe without data, and OSError.
    """
    # O_NONBLOCK: opening a pipe would wait for a writer, without a bound.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        exposure = _check_file(path, status, os.geteuid(), is_secret=is_secret)
        if exposure is not None:
            require_private(exposure)
        if stat.S_ISREG(status.st_mode):
            data = file.read(MAX_BYTES + 1)
        else:
            data = _read_pipe(path, file.fileno())
    if len(data) > MAX_BYTES:
        raise OperationalError(f"{path}: it is larger than {MAX_BYTES:,} bytes")
    return data


def _read_pipe(path: Path, descriptor: int) -> bytes:
    """Return the data of a pipe; raise OperationalError if there is none."""
    data = b""
    while select.select([descriptor], [], [], MAX_PIPE_SECONDS)[0]:
        chunk = os.read(descriptor, MAX_BYTES)
        data += chunk
        if not chunk or len(data) > MAX_BYTES:
            break
    if not data:
        reason = "nothing can be read from it, and it is not a regular file"
        raise OperationalError(
            f"{path}: {reason}: use a file that a reload can read again"
        )
    return data


def require_private(exposure: Exposure) -> None:
    """Raise OperationalError if others can change the file; else log a warning."""
    if exposure.can_change:
        raise OperationalError(f"{exposure.path}: {exposure.reason}: {exposure.advice}")
    logger.warning(
        exposure.reason,
        extra={"file": str(exposure.path), "advice": exposure.advice},
    )


def find_exposure(
    path: Path, *, is_secret: bool, user: int | None = None
) -> Exposure | None:
    """Return the access of users other than root and `user` (default: current).

    Raises OSError.
    """
    user = os.geteuid() if user is None else user
    return _check_file(path, path.stat(), user, is_secret=is_secret)


def _check_file(
    path: Path, status: os.stat_result, user: int, *, is_secret: bool
) -> Exposure | None:
    """Return the most severe exposure of an open file to other users."""
    mode = stat.S_IMODE(status.st_mode)
    if status.st_uid not in (_ROOT, user):
        reason = f"user {status.st_uid} owns it, not root or the current user"
        return Exposure(path, reason, f"chown {user} {path}", True)
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        reason = f"other users can write it (mode {mode:04o})"
        return Exposure(path, reason, f"chmod go-w {path}", True)
    # A pipe, and an unlinked file, cannot be replaced.
    if stat.S_ISREG(status.st_mode) and status.st_nlink:
        exposures = (
            _check_component(path, *component, user) for component in _walk_path(path)
        )
        if (exposure := next(filter(None, exposures), None)) is not None:
            return exposure
    if is_secret and mode & stat.S_IROTH:
        reason = f"all users can read a secret (mode {mode:04o})"
        return Exposure(path, reason, f"chmod o-r {path}", False)
    return None


def _check_component(
    path: Path, component: Path, status: os.stat_result, user: int
) -> Exposure | None:
    """Return the exposure of a file by a folder or link on its path."""
    if status.st_uid not in (_ROOT, user):
        reason = f"user {status.st_uid} owns {component} on its path and can replace it"
        return Exposure(path, reason, f"chown -h {user} {component}", True)
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode) or mode & stat.S_ISVTX:
        return None
    is_shared = mode & stat.S_IWGRP and not _is_private(status.st_gid, user)
    if mode & stat.S_IWOTH or is_shared:
        reason = f"other users can write {component} (mode {mode:04o}) and replace it"
        return Exposure(path, reason, f"chmod go-w {component}", True)
    return None


def _is_private(group: int, user: int) -> bool:
    """Whether a group has no members but root and `user`, by the system's databases."""
    try:
        entry = grp.getgrgid(group)
        trusted = {pwd.getpwuid(_ROOT).pw_name, pwd.getpwuid(user).pw_name}
    except KeyError:
        return False
    return entry.gr_name in trusted and trusted.issuperset(entry.gr_mem)


def _walk_path(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield each folder and link that the kernel resolves on a file's path.

    Raises OSError.
    """
    remaining = list(reversed(path.absolute().parts))
    current = Path("/")
    links = 0
    while remaining:
        part = remaining.pop()
        component = current.parent if part == ".." else current / part
        status = component.lstat()
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            remaining += reversed(component.readlink().parts)
        else:
            current = component
        if not stat.S_ISREG(status.st_mode):
            yield component, status
