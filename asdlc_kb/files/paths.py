"""Which names are served, and opening a file without leaving the root.

A link is followed when it stays inside the root and the caller's judge accepts the real
path that it leads to. That path is opened folder by folder without following links, so
a link that is swapped in between leads nowhere: what is opened is what was judged.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self, TypeAlias

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.unicode.counts import has_unseen

NameFilter: TypeAlias = Callable[[str], UnreadableFile | None]
"""Returns why a real path, relative to the root and free of links, is not served; None
if it is. It is asked before anything tells whether something is there."""

MAX_NAME_BYTES: Final = 200
"""Bytes of UTF-8 that a served name may have."""

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ROOT: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
"""The root may be a link: it is the operator's own choice."""
_FILE: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_STEPS: Final = frozenset({"", ".", ".."})
"""What stands for no name in a path."""
_PUNCTUATION: Final = frozenset("._-")
_BLANK: Final = frozenset(" ")
_SEPARATORS: Final = frozenset("/\\")
_USUAL = re.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*")
"""Most names: nothing more is to be checked of them."""


def is_name(name: str) -> bool:
    """Whether a folder or a file's stem may be served under this name.

    Letters and digits of any script with their marks, `.`, `_` and `-`, no leading dot
    or mark, NFC, at most `MAX_NAME_BYTES` bytes.
    """
    return _is_of(name, "LNM", _PUNCTUATION)


def is_free_name(name: str) -> bool:
    """Whether a file or folder of a documentation tree may be served under this name.

    As `is_name`, and with blanks, punctuation and symbols, the backslash excepted.
    """
    return _is_of(name, "LNMPS", _BLANK) and _SEPARATORS.isdisjoint(name)


def _is_of(name: str, kinds: str, others: frozenset[str]) -> bool:
    """Whether a name is of certain kinds of characters, and can be read and kept."""
    if len(name) <= MAX_NAME_BYTES and _USUAL.fullmatch(name):
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
        and not has_unseen(name)
        and unicodedata.is_normalized("NFC", name)
        and len(name.encode("utf-8", "surrogatepass")) <= MAX_NAME_BYTES
    )


class OpenFolder:
    """The folder of a root in which something was opened last, kept open for the next.

    It stays the folder that it was when it was opened, whatever takes its name since:
    to be used for one look, and closed.
    """

    def __init__(self, root: Path, judge: NameFilter | None = None) -> None:
        self._root = str(root)
        self._judge = judge
        self._parts: list[str] = []
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        """Open nothing yet."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the folder, if one is open."""
        self._leave()

    def open(self, relative: str) -> tuple[int, os.stat_result]:
        """Open a regular file below the root for reading; return it with its status.

        The descriptor is the caller's to close. Raises UnreadableFile when the file is
        not regular, a link leads out of the root or the judge refuses where the file
        really is, and OSError when it cannot be opened.
        """
        descriptor = self._open_without_links(relative)
        if descriptor is None:
            real_root = os.path.realpath(self._root)
            names = _follow_links(real_root, relative, self._judge)
            descriptor = _open_file(real_root, names)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableFile("not a regular file", "remove it or rename it")
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor, status

    @contextmanager
    def open_below(self, relative: str) -> Iterator[int]:
        """Open a folder on whose way there is no link, "." for the root, for listing.

        Yields its descriptor. Raises OSError.
        """
        *parts, name = relative.split("/")
        if relative == os.curdir:
            descriptor = os.open(self._root, _ROOT)
        else:
            descriptor = os.open(name, _FOLDER, dir_fd=self._enter(parts))
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _open_without_links(self, relative: str) -> int | None:
        """Open a file on whose way there is no link, so that it is inside; or None."""
        *parts, name = relative.split("/")
        if not _STEPS.isdisjoint((*parts, name)):
            return None
        if self._judge is not None and self._judge(relative) is not None:
            return None
        try:
            return os.open(name, _FILE, dir_fd=self._enter(parts))
        except OSError:
            return None

    def _enter(self, parts: list[str]) -> int:
        """Return the folder of these names, opened without following a link."""
        if self._descriptor is None or parts != self._parts:
            self._leave()
            self._descriptor = _open_folder(self._root, parts)
            self._parts = parts
        return self._descriptor

    def _leave(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


@contextmanager
def open_inside(
    root: Path, relative: str, judge: NameFilter | None = None
) -> Iterator[int]:
    """Open a regular file below `root` for reading; yield its descriptor.

    Raises what `OpenFolder.open` raises.
    """
    with OpenFolder(root, judge) as folder:
        descriptor, _ = folder.open(relative)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_folder(
    root: Path, relative: str, judge: NameFilter | None = None
) -> Iterator[int]:
    """Open a folder below `root`, "." for the root, for listing; yield its descriptor.

    Raises UnreadableFile when a link leads out of the root or the judge refuses where
    the folder really is, and OSError when it cannot be opened or is no folder.
    """
    parts = [] if relative == os.curdir else relative.split("/")
    descriptor = None
    if _STEPS.isdisjoint(parts) and not (judge and judge(relative)):
        with suppress(OSError):
            descriptor = _open_folder(str(root), parts)
    if descriptor is None:
        real_root = os.path.realpath(root)
        descriptor = _open_folder(real_root, _follow_links(real_root, relative, judge))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def refusal_reason(
    root: Path, relative: str, judge: NameFilter | None = None
) -> UnreadableFile | None:
    """Return why a link may not be followed, whatever is there or not."""
    try:
        real = os.path.realpath(os.path.join(root, relative))
        _locate(real, os.path.realpath(root), judge)
    except UnreadableFile as refused:
        return refused
    return None


def _open_file(real_root: str, names: list[str]) -> int:
    """Open a file below the real root by names of which none is a link."""
    *parts, name = names or [os.curdir]
    folder = _open_folder(real_root, parts)
    try:
        return os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _follow_links(real_root: str, relative: str, judge: NameFilter | None) -> list[str]:
    """Return the names from the root to where links lead, if that is served."""
    path = os.path.join(real_root, relative)
    try:
        real = os.path.realpath(path, strict=True)
    except OSError as error:
        # Whether something is there is said of what is served only.
        _locate(os.path.realpath(path), real_root, judge)
        if os.path.islink(path):
            raise UnreadableFile(
                "the link leads nowhere", "mend or remove it"
            ) from error
        raise
    inside = _locate(real, real_root, judge)
    return [] if inside == os.curdir else inside.split(os.sep)


def _locate(real_path: str, real_root: str, judge: NameFilter | None) -> str:
    """Return a real path relative to the root, if that is served."""
    inside = _relate(real_path, real_root)
    refused = judge(inside) if judge is not None else None
    if refused is not None:
        raise refused
    return inside


def _relate(real_path: str, real_root: str) -> str:
    """Return a path relative to the root; refuse one that is outside."""
    inside = os.path.relpath(real_path, real_root)
    if inside.split(os.sep, 1)[0] == os.pardir:
        raise UnreadableFile(
            "the link leads out of the folder", "copy the file instead"
        )
    return inside


def _open_folder(root: str, parts: list[str]) -> int:
    """Open a folder below the root, step by step, following no link."""
    folder = os.open(root, _ROOT)
    try:
        for part in parts:
            below = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
    except BaseException:
        os.close(folder)
        raise
    return folder
