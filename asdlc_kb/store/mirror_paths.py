"""Paths of a mirror, and errors of its disk.

Paths come from the database. Those that a folder cannot hold together are refused
before anything is moved, which keeps an update from failing half way.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from unicodedata import normalize

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.store.values import check_path


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Raise OperationalError for errors of the disk, without names of files."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or "a system error"
        raise OperationalError(
            f"the mirror in {folder} cannot be written: {reason}"
        ) from None


def list_files(folder: Path) -> Iterator[str]:
    """Yield the relative paths of all files below a folder, links included."""
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        for name in (*names, *links):
            yield os.path.relpath(os.path.join(parent, name), folder)


def refuse_impossible_paths(
    folder: Path, wanted: set[str], removed: set[str], *, has_cases: bool
) -> None:
    """Raise OperationalError unless the folder can have the wanted files.

    `removed` are deleted first. Without `has_cases` the file system takes names that
    differ in case, or in their form of Unicode, for the same.
    """
    for path in (*wanted, *removed):
        try:
            check_path(path)
        except ValueError as error:
            raise OperationalError(f"the store has a wrong path: {error}") from None
    for path in wanted:
        _refuse_conflict(folder, path, wanted, removed)
    if not has_cases:
        _refuse_equal_names(wanted | (set(list_files(folder)) - removed))


def _refuse_conflict(
    folder: Path, path: str, wanted: set[str], removed: set[str]
) -> None:
    """Raise OperationalError if a path would be a file and a folder."""
    for parent in _folders_of(path):
        if parent in wanted or (parent not in removed and _is_file(folder / parent)):
            raise _conflict(path, parent)
    if _is_folder(folder / path):
        for inner in list_files(folder / path):
            if f"{path}/{inner}" not in removed:
                raise _conflict(f"{path}/{inner}", path)


def _refuse_equal_names(paths: set[str]) -> None:
    """Raise OperationalError for two spellings of one name."""
    spellings: dict[str, str] = {}
    for path in paths:
        for name in (path, *_folders_of(path)):
            key = normalize("NFC", normalize("NFC", name).casefold())
            if spellings.setdefault(key, name) != name:
                raise OperationalError(
                    f"this file system cannot hold both {name!r} and "
                    f"{spellings[key]!r}: use one that distinguishes them"
                )


def _folders_of(path: str) -> Iterator[str]:
    """Yield the folders above a path, without the root."""
    yield from (str(parent) for parent in PurePosixPath(path).parents[:-1])


def _conflict(path: str, parent: str) -> OperationalError:
    return OperationalError(
        f"the store has both a file {parent!r} and a file below it, {path!r}"
    )


def _is_file(path: Path) -> bool:
    mode = _mode(path)
    return bool(mode) and not stat.S_ISDIR(mode)


def _is_folder(path: Path) -> bool:
    return stat.S_ISDIR(_mode(path))


def _mode(path: Path) -> int:
    """Return the mode of a file, links not followed; 0 if there is none."""
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0
