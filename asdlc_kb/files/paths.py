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
_BLANK: Final = frozenset(" ")
_SEPARATORS: Final = frozenset("/\\")
_USUAL = re.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*")
"""Most names: nothing more is to be checked of them."""
_INVISIBLE = re.compile("[\u034f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks that no reader sees: joiners and variation selectors."""


def is_name(name: str) -> bool:
    """Whether a folder or a file's stem may be served under this name.

    Letters and digits of any script with their marks, `.`, `_` and `-`, no leading dot
    or mark, NFC, at most `LONGEST_NAME` bytes.
    """
    return _is_of(name, "LNM", _PUNCTUATION)


def is_free_name(name: str) -> bool:
    """Whether a file or folder of a documentation tree may be served under this name.

    As `is_name`, and with blanks, punctuation and symbols, the backslash excepted.
    """
    return _is_of(name, "LNMPS", _BLANK) and _SEPARATORS.isdisjoint(name)


def _is_of(name: str, kinds: str, others: frozenset[str]) -> bool:
    """Whether a name is of certain kinds of characters, and can be read and kept."""
    if len(name) <= LONGEST_NAME and _USUAL.fullmatch(name):
        return True
    found = [unicodedata.category(character)[0] for character in name]
    return (
        bool(name)
        and name[0] != "."
        and found[0] != "M"
        and all(
            kind in kinds or character in others
            for kind, character in zip(found, name, strict=True)
        )
        and not _INVISIBLE.search(name)
        and unicodedata.is_normalized("NFC", name)
        and len(name.encode("utf-8", "surrogatepass")) <= LONGEST_NAME
    )


@contextmanager
def open_inside(root: Path, relative: str) -> Iterator[int]:
    """Open a regular file below `root` for reading; yield its descriptor.

    Raises FileRefused when the file is not regular or a link leads out of the root,
    and OSError when it cannot be opened.
    """
    descriptor = _open_without_links(root, relative)
    if descriptor is None:
        descriptor = _open_behind_links(os.path.realpath(root), relative)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileRefused("not a regular file", "remove it or rename it")
        yield descriptor
    finally:
        os.close(descriptor)


def _open_without_links(root: Path, relative: str) -> int | None:
    """Open a file on whose way there is no link, so that it is inside; else None."""
    parts = relative.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        return None
    try:
        return _open_below(str(root), parts)
    except OSError:
        return None


def _open_behind_links(real_root: str, relative: str) -> int:
    """Open a file where its links lead, if that is inside the root."""
    try:
        real_path = os.path.realpath(os.path.join(real_root, relative), strict=True)
    except OSError as error:
        if os.path.islink(os.path.join(real_root, relative)):
            raise FileRefused("the link leads nowhere", "mend or remove it") from error
        raise
    inside = os.path.relpath(real_path, real_root)
    if inside.split(os.sep, 1)[0] == os.pardir:
        raise FileRefused("the link leads out of the folder", "copy the file instead")
    return _open_below(real_root, inside.split(os.sep))


def _open_below(root: str, parts: list[str]) -> int:
    folder = os.open(root, _FOLDER)
    try:
        for part in parts[:-1]:
            below = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        return os.open(parts[-1], _FILE, dir_fd=folder)
    finally:
        os.close(folder)
