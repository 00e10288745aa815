"""Writes one file at once: it is the old one or the new one, never half.

A link is followed to the file it leads to, and that is replaced beside itself: the link
stays. What the file was is kept next to it as `*.bak`. What a process leaves that is
killed while it writes goes with the next write.
"""

import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.signature import Signature

MAX_BYTES: Final = 16 * 1024 * 1024
"""Bytes of a file that may be replaced."""

BACKUP: Final = ".bak"
"""How the name of the former file ends."""

_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ADVICE: Final = {
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room: the quota is used up",
    errno.EROFS: "its file system is read-only",
}
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS})
"""How a file system without hard links refuses one."""
_PRIVATE: Final = 0o600
_USUAL: Final = 0o666
"""The mode of a new file, which the umask narrows."""


@dataclass(frozen=True, slots=True)
class Original:
    """A file as it was when it was read."""

    path: Path
    """Where links lead."""
    data: bytes | None
    """None where there is no file yet."""
    signature: Signature | None
    mode: int

    @property
    def text(self) -> str:
        """What it says, with a byte order mark; empty where there is no file."""
        return (self.data or b"").decode()


def read_original(path: Path) -> Original:
    """Read a file that is to be replaced, or note that there is none.

    Raises UnreadableFile for what may not be replaced: no regular file, another user's,
    too large, not UTF-8, a link that leads nowhere.
    """
    real = Path(os.path.realpath(path))
    try:
        descriptor = os.open(real, _READ)
    except FileNotFoundError:
        if path.is_symlink():
            raise UnreadableFile(
                "the link leads nowhere", "mend or remove it"
            ) from None
        return Original(real, None, None, _USUAL)
    except OSError as error:
        raise _refuse(error) from None
    try:
        status = os.fstat(descriptor)
        _refuse_strange(status)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES)
    finally:
        os.close(descriptor)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 at byte {error.start:,}"
        raise UnreadableFile(reason, "save it as UTF-8") from None
    return Original(real, data, Signature.of(status), stat.S_IMODE(status.st_mode))


def replace(original: Original, text: str) -> Path | None:
    """Write a text in the place of the original; return where that is kept, if it was.

    Raises UnreadableFile if the file is another one by now, or cannot be written.
    """
    path = original.path
    backup = None
    try:
        with _folder_made(path.parent):
            _refuse_changed(original)
            if original.data is not None:
                backup = path.with_name(path.name + BACKUP)
                _put(backup, original.data, original.mode)
            _put(path, text.encode(), None if backup is None else original.mode)
    except OSError as error:
        raise _refuse(error) from None
    return backup


def create(path: Path, text: str) -> None:
    """Write a new file, whole or not at all; its folder is made if need be.

    Raises FileExistsError if there is one, and UnreadableFile if it cannot be written.
    """
    try:
        with (
            _folder_made(path.parent),
            _written_beside(path, text.encode(), None) as new,
        ):
            try:
                os.link(new, path)
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                _move_to_free(new, path)
    except FileExistsError:
        raise
    except OSError as error:
        raise _refuse(error) from None


def _move_to_free(new: Path, path: Path) -> None:
    """Move a file to where none is."""
    if os.path.lexists(path):
        raise FileExistsError(path)
    os.replace(new, path)


def move_aside(original: Original) -> Path | None:
    """Make the file its own backup, so that it is gone; return where it is kept.

    Raises UnreadableFile as `replace` does.
    """
    if original.data is None:
        return None
    backup = original.path.with_name(original.path.name + BACKUP)
    try:
        _refuse_changed(original)
        os.replace(original.path, backup)
    except OSError as error:
        raise _refuse(error) from None
    return backup


@contextmanager
def _folder_made(folder: Path) -> Iterator[None]:
    """Make a folder where there is none; take it away again if the block fails."""
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with suppress(OSError):
            for each in made:
                each.rmdir()
        raise


def _put(path: Path, data: bytes, mode: int | None) -> None:
    """Write a file beside its place and move it there; without a mode, a usual one."""
    with _written_beside(path, data, mode) as new:
        os.replace(new, path)


@contextmanager
def _written_beside(path: Path, data: bytes, mode: int | None) -> Iterator[Path]:
    """Yield a temporary file with this data beside a path, to be moved or linked."""
    _sweep(path)
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    first = _USUAL if mode is None else _PRIVATE
    try:
        with open(os.open(new, _CREATE, first), "wb") as file:
            # The lock lasts as long as this process: see `_sweep`.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.write(data)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
            yield new
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


def _sweep(path: Path) -> None:
    """Delete the temporary files of processes that were killed writing this file."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.new")
    for name in filter(pattern.fullmatch, os.listdir(path.parent)):
        left = path.with_name(name)
        with suppress(OSError), open(os.open(left, _READ), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()


def _refuse_strange(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFile("it is not a regular file", "remove or rename it")
    if status.st_uid != os.geteuid():
        raise UnreadableFile("it belongs to another user", "run this as that user")
    if status.st_size > MAX_BYTES:
        reason = f"{status.st_size:,} bytes is too large"
        raise UnreadableFile(reason, f"{MAX_BYTES:,} bytes is the most")


def _refuse_changed(original: Original) -> None:
    """Raise UnreadableFile if somebody wrote the file since it was read."""
    try:
        found = Signature.of(os.stat(original.path, follow_symlinks=False))
    except FileNotFoundError:
        found = None
    if found != original.signature:
        raise UnreadableFile("it was changed meanwhile", "try again")


def _refuse(error: OSError) -> UnreadableFile:
    reason = error.strerror or "an error of the system"
    advice = _ADVICE.get(error.errno or 0, "see its permissions")
    return UnreadableFile(f"the system refuses it ({reason})", advice)
