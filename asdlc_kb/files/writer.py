"""Atomic file writer: the file is the old one or the new one, never partial.

Links are resolved and their target is replaced in its own folder: the link stays. The
first former file is kept as `*.bak` in the same folder; later ones do not replace it.
Temporary files of a process killed while it wrote are deleted by the next write.
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
"""Bytes of a replaceable file."""

BACKUP: Final = ".bak"
"""Suffix of the name of the first former file."""

_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ADVICE: Final = {
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room: the quota is used up",
    errno.EROFS: "its file system is read-only",
}
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS})
"""Errors of file systems without hard links."""
_PRIVATE_MODE: Final = 0o600
_PRIVATE_FOLDER_MODE: Final = 0o700
_FOLDER_MODE: Final = 0o777
_DEFAULT_MODE: Final = 0o666
"""The mode of a new file, restricted by the umask."""


@dataclass(frozen=True, slots=True)
class Original:
    """The state of a file when it was read."""

    path: Path
    """The real path."""
    data: bytes | None
    """None if there is no file yet."""
    signature: Signature | None
    mode: int

    @property
    def text(self) -> str:
        """The text, with a byte order mark if any; empty without a file."""
        return (self.data or b"").decode()


def read_original(path: Path) -> Original:
    """Read a file that is to be replaced, or record that there is none.

    Raises UnreadableFile if it may not be replaced: not a regular file, another user's,
    too large, not UTF-8, a broken link.
    """
    real_path = Path(os.path.realpath(path))
    try:
        descriptor = os.open(real_path, _READ)
    except FileNotFoundError:
        if path.is_symlink():
            raise UnreadableFile("the link is broken", "fix or remove it") from None
        return Original(real_path, None, None, _DEFAULT_MODE)
    except OSError as error:
        raise _unwritable_error(error) from None
    try:
        status = os.fstat(descriptor)
        _refuse_unsuitable(status)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES)
    finally:
        os.close(descriptor)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 at byte {error.start:,}"
        raise UnreadableFile(reason, "save it as UTF-8") from None
    return Original(real_path, data, Signature.of(status), stat.S_IMODE(status.st_mode))


def replace(
    original: Original,
    text: str,
    *,
    has_backup: bool = True,
    is_private: bool = False,
) -> Path | None:
    """Replace the original; return the path of its backup, if one was made.

    If private, others cannot read a file or folder that is created; an existing one
    keeps its mode. Raises UnreadableFile if the file changed since it was read, or
    cannot be written.
    """
    path = original.path
    backup = None
    try:
        with _created_folder(path.parent, is_private=is_private):
            _refuse_changed(original)
            mode = _PRIVATE_MODE if is_private else None
            if original.data is not None:
                mode = original.mode
            is_first = original.data is not None and not _has_backup(path)
            if has_backup and is_first:
                backup = _backup_path(path)
                _write_atomically(backup, original.data or b"", original.mode)
            _write_atomically(path, text.encode(), mode)
    except OSError as error:
        raise _unwritable_error(error) from None
    return backup


def create(path: Path, text: str) -> None:
    """Create a file atomically, and its folder if missing.

    Raises FileExistsError if it exists, and UnreadableFile if it cannot be written.
    """
    try:
        with (
            _created_folder(path.parent),
            _temporary_file(path, text.encode(), None) as new,
        ):
            _move_to_unused(new, path)
    except FileExistsError:
        raise
    except OSError as error:
        raise _unwritable_error(error) from None


def rename(original: Original, name: str) -> None:
    """Give a file another name in its folder.

    Raises FileExistsError if another file has it, and UnreadableFile as `replace` does.
    """
    path = original.path.with_name(name)
    try:
        _refuse_changed(original)
        try:
            _move_to_unused(original.path, path)
        except FileExistsError:
            # Where case does not count, the file has both names already.
            if not _is_same(path, original):
                raise
            os.rename(original.path, path)
    except FileExistsError:
        raise
    except OSError as error:
        raise _unwritable_error(error) from None


def _is_same(path: Path, original: Original) -> bool:
    """Whether a path is another case of the name of a file."""
    is_case = path.name.lower() == original.path.name.lower()
    status = os.stat(path, follow_symlinks=False)
    return is_case and Signature.of(status) == original.signature


def _move_to_unused(new: Path, path: Path) -> None:
    """Move a file to an unused path; raise FileExistsError if it is taken."""
    try:
        os.link(new, path, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.replace(new, path)
    else:
        new.unlink()


def delete(original: Original) -> None:
    """Delete the original; raise UnreadableFile as `replace` does."""
    try:
        _refuse_changed(original)
        original.path.unlink()
    except OSError as error:
        raise _unwritable_error(error) from None


def move_aside(original: Original) -> Path | None:
    """Rename the file to its backup name; return that path, if a backup was made.

    If there is a backup already, the file is deleted. Raises UnreadableFile as
    `replace` does.
    """
    if original.data is None:
        return None
    backup = None
    try:
        _refuse_changed(original)
        if _has_backup(original.path):
            original.path.unlink()
        else:
            backup = _backup_path(original.path)
            os.replace(original.path, backup)
    except OSError as error:
        raise _unwritable_error(error) from None
    return backup


def _backup_path(path: Path) -> Path:
    return path.with_name(path.name + BACKUP)


def _has_backup(path: Path) -> bool:
    """Whether a regular file has the backup's name; a link is not followed."""
    backup = _backup_path(path)
    return backup.is_file() and not backup.is_symlink()


@contextmanager
def _created_folder(folder: Path, *, is_private: bool = False) -> Iterator[None]:
    """Create a folder and its parents if missing; remove them if the block fails."""
    created = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    mode = _PRIVATE_FOLDER_MODE if is_private else _FOLDER_MODE
    try:
        for parent in reversed(created):
            parent.mkdir(mode, exist_ok=True)
        yield
    except BaseException:
        with suppress(OSError):
            for parent in created:
                parent.rmdir()
        raise


def _write_atomically(path: Path, data: bytes, mode: int | None) -> None:
    """Write a temporary file and rename it to `path`; default mode if None."""
    with _temporary_file(path, data, mode) as new:
        os.replace(new, path)


@contextmanager
def _temporary_file(path: Path, data: bytes, mode: int | None) -> Iterator[Path]:
    """Yield a temporary file with this data in the folder of `path`."""
    _delete_stale(path)
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    first = _DEFAULT_MODE if mode is None else _PRIVATE_MODE
    try:
        with open(os.open(new, _CREATE, first), "wb") as file:
            # Held until the file is closed, at the latest by exit: see `_delete_stale`.
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


def _delete_stale(path: Path) -> None:
    """Delete temporary files of processes killed while writing this file."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.new")
    for name in filter(pattern.fullmatch, os.listdir(path.parent)):
        stale = path.with_name(name)
        with suppress(OSError), open(os.open(stale, _READ), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            stale.unlink()


def _refuse_unsuitable(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFile("it is not a regular file", "remove or rename it")
    if status.st_uid != os.geteuid():
        raise UnreadableFile("it belongs to another user", "run this as that user")
    if status.st_size > MAX_BYTES:
        reason = f"{status.st_size:,} bytes is too large"
        raise UnreadableFile(reason, f"the maximum is {MAX_BYTES:,} bytes")


def _refuse_changed(original: Original) -> None:
    """Raise UnreadableFile if the file changed since it was read."""
    try:
        signature = Signature.of(os.stat(original.path, follow_symlinks=False))
    except FileNotFoundError:
        signature = None
    if signature != original.signature:
        raise UnreadableFile("it has changed meanwhile", "try again")


def _unwritable_error(error: OSError) -> UnreadableFile:
    reason = error.strerror or "a system error"
    advice = _ADVICE.get(error.errno or 0, "check its permissions")
    return UnreadableFile(f"the system refused it ({reason})", advice)
