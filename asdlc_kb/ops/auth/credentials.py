"""Files with credentials, and the access that other users of the machine have to them.

A file that decides which clients get in is refused if another user can change it: that
user could add a token, which the next reload would accept. Root and the user of this
process are trusted. A secret that all users can read is logged and used: Docker and
Kubernetes mount secrets with such a mode, in a container that has no other users.

Whoever can write a folder or owns a link on the way to the file can replace the file:
each is judged as the file is. A sticky bit keeps other users from what is not theirs,
and a group is trusted that is named like root or the user and has no other members.
"""

import errno
import grp
import logging
import os
import pwd
import select
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import OperationalError

logger = logging.getLogger(__name__)

MAX_BYTES: Final = 1024 * 1024
"""Bytes of a file with credentials."""

MAX_PIPE_SECONDS: Final = 1.0
"""Seconds that a pipe is waited for."""

MAX_LINKS: Final = 40
"""Links on the way to a file, as many as Linux follows."""

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
    public keys. Raises OperationalError if other users can change it, it is too large
    or a pipe that has nothing to read, and OSError.
    """
    # To open a pipe otherwise would wait for a writer, without a bound.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        exposure = _judge(path, status, os.geteuid(), is_secret=is_secret)
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
    """Return what is written to a pipe; raise OperationalError if that is nothing."""
    data = b""
    while select.select([descriptor], [], [], MAX_PIPE_SECONDS)[0]:
        chunk = os.read(descriptor, MAX_BYTES)
        data += chunk
        if not chunk or len(data) > MAX_BYTES:
            break
    if not data:
        said = "nothing can be read from it, which is no regular file"
        raise OperationalError(
            f"{path}: {said}: name a file, which a reload can read again"
        )
    return data


def require_private(exposure: Exposure) -> None:
    """Raise OperationalError if others may write the file; log if all may read it."""
    if exposure.can_change:
        raise OperationalError(f"{exposure.path}: {exposure.reason}: {exposure.advice}")
    logger.warning(
        exposure.reason,
        extra={"file": str(exposure.path), "advice": exposure.advice},
    )


def find_exposure(
    path: Path, *, is_secret: bool, user: int | None = None
) -> Exposure | None:
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
    # A pipe, and a file without a name, cannot be replaced.
    if stat.S_ISREG(status.st_mode) and status.st_nlink:
        exposures = (_judge_step(path, *step, user) for step in _walk(path))
        if (found := next(filter(None, exposures), None)) is not None:
            return found
    if is_secret and mode & stat.S_IROTH:
        said = f"all users can read a secret (mode {mode:04o})"
        return Exposure(path, said, f"chmod o-r {path}", False)
    return None


def _judge_step(
    path: Path, step: Path, status: os.stat_result, user: int
) -> Exposure | None:
    """Return whether other users can replace a file by a folder or link to it."""
    if status.st_uid not in (_ROOT, user):
        said = f"user {status.st_uid} owns {step} on its path and can replace it"
        return Exposure(path, said, f"chown -h {user} {step}", True)
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode) or mode & stat.S_ISVTX:
        return None
    is_shared = mode & stat.S_IWGRP and not _is_private(status.st_gid, user)
    if mode & stat.S_IWOTH or is_shared:
        said = f"other users can write {step} (mode {mode:04o}) and replace it"
        return Exposure(path, said, f"chmod go-w {step}", True)
    return None


def _is_private(group: int, user: int) -> bool:
    """Whether only root or a user is in a group, as far as the system's files say."""
    try:
        entry = grp.getgrgid(group)
        trusted = {pwd.getpwuid(_ROOT).pw_name, pwd.getpwuid(user).pw_name}
    except KeyError:
        return False
    return entry.gr_name in trusted and trusted.issuperset(entry.gr_mem)


def _walk(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield each folder and link that the kernel passes on its way to a file.

    Raises OSError.
    """
    waiting = list(reversed(path.absolute().parts))
    here = Path("/")
    links = 0
    while waiting:
        part = waiting.pop()
        step = here.parent if part == ".." else here / part
        status = step.lstat()
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            waiting += reversed(step.readlink().parts)
        else:
            here = step
        if not stat.S_ISREG(status.st_mode):
            yield step, status
