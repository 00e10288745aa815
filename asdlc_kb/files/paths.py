"""Which names are served, and opening a file without leaving the root.

A link is followed when it stays inside the root. The path it leads to is opened folder
by folder without following links, so a link that is swapped in between leads nowhere.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import FileRefused

LONGEST_NAME: Final = 200
"""Bytes of UTF-8 that a served name may have."""

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_PUNCTUATION: Final = frozenset("._-")
_NEVER: Final = frozenset("/\\")
_USUAL = re.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*")
"""Most names: nothing more is to be checked of them."""
_INVISIBLE = re.compile("[\u034f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks that no reader sees: joiners and variation selectors."""


def is_name(name: str) -> bool:
    """Whether a folder or a file's stem may be served under this name.

    Letters and digits of any script with their marks, `.`, `_` and `-`, no leading dot
    or mark, NFC, at most `LONGEST_NAME` bytes.
    """
    if len(name) <= LONGEST_NAME and _USUAL.fullmatch(name):
        return True
    kinds = [unicodedata.category(character)[0] for character in name]
    return (
        bool(name)
        and name[0] != "."
        and kinds[0] != "M"
        and all(
            kind in "LNM" or character in _PUNCTUATION
            for kind, character in zip(kinds, name, strict=True)
        )
        and _is_readable(name)
    )


def is_free_name(name: str) -> bool:
    """Whether a file or folder of a documentation tree may be served under this name.

    As `is_name`, and with blanks, punctuation and symbols, the backslash excepted.
    """
    if len(name) <= LONGEST_NAME and _USUAL.fullmatch(name):
        return True
    kinds = [unicodedata.category(character)[0] for character in name]
    return (
        bool(name)
        and name[0] != "."
        and kinds[0] != "M"
        and all(
            kind in "LNMPS" or character == " "
            for kind, character in zip(kinds, name, strict=True)
        )
        and _NEVER.isdisjoint(name)
        and _is_readable(name)
    )


def _is_readable(name: str) -> bool:
    """Whether a name is in normal form, without invisible marks, and not too long."""
    return (
        not _INVISIBLE.search(name)
        and unicodedata.is_normalized("NFC", name)
        and len(name.encode("utf-8", "surrogatepass")) <= LONGEST_NAME
    )


@contextmanager
def open_inside(root: Path, relative: str) -> Iterator[int]:
    """Open a regular file below `root` for reading; yield its descriptor.

    Raises FileRefused when the file is not regular or a link leads out of the root,
    and OSError when it cannot be opened.
    """
    descriptor = _open(root, relative, _FILE)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileRefused("not a regular file", "remove it or rename it")
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_folder(root: Path, relative: str) -> Iterator[int]:
    """Open a folder below `root`, "." for the root; yield its descriptor.

    Raises FileRefused when a link leads out of the root, and OSError when it cannot be
    opened or is no folder.
    """
    descriptor = _open(root, relative, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open(root: Path, relative: str, flags: int) -> int:
    descriptor = _open_without_links(root, relative, flags)
    if descriptor is None:
        descriptor = _open_behind_links(os.path.realpath(root), relative, flags)
    return descriptor


def _open_without_links(root: Path, relative: str, flags: int) -> int | None:
    """Open what has no link on its way, so that it is inside; else None."""
    parts = relative.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        return None
    try:
        return _open_below(str(root), parts, flags)
    except OSError:
        return None


def _open_behind_links(real_root: str, relative: str, flags: int) -> int:
    """Open what links lead to, if that is inside the root."""
    try:
        real_path = os.path.realpath(os.path.join(real_root, relative), strict=True)
    except OSError as error:
        if os.path.islink(os.path.join(real_root, relative)):
            raise FileRefused("the link leads nowhere", "mend or remove it") from error
        raise
    inside = os.path.relpath(real_path, real_root)
    if inside.split(os.sep, 1)[0] == os.pardir:
        raise FileRefused("the link leads out of the folder", "copy the file instead")
    return _open_below(real_root, inside.split(os.sep), flags)


def _open_below(root: str, parts: list[str], flags: int) -> int:
    folder = os.open(root, _FOLDER)
    try:
        for part in parts[:-1]:
            below = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        return os.open(parts[-1], flags, dir_fd=folder)
    finally:
        os.close(folder)
