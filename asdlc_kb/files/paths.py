"""Rules for served names, and opening files without leaving the root.

A link is followed if its real path is inside the root and the caller's filter accepts
it. That path is opened folder by folder without following links, so a link swapped in
meanwhile is refused: the file opened is the one that was checked.
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
if it is. Called before anything reveals whether the path exists."""

MAX_NAME_BYTES: Final = 200
"""UTF-8 bytes of a served name."""

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ROOT: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
"""The root may be a link: the operator chose it."""
_FILE: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_DOT_SEGMENTS: Final = frozenset({"", ".", ".."})
"""Path segments that are not names."""
_PUNCTUATION: Final = frozenset("._-")
_BLANK: Final = frozenset(" ")
_SEPARATORS: Final = frozenset("/\\")
_COMMON_NAME = re.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*")
"""Matches most names, which need no further check."""


def is_name(name: str) -> bool:
    """Whether a folder name or a file's stem may be served.

    Letters and digits of any script with their marks, `.`, `_` and `-`, no leading dot
    or mark, NFC, at most `MAX_NAME_BYTES` bytes.
    """
    return _has_only(name, "LNM", _PUNCTUATION)


def is_free_name(name: str, max_bytes: int = MAX_NAME_BYTES) -> bool:
    """Whether a name in a documentation tree may be served.

    As `is_name`, plus blanks, punctuation and symbols except the backslash.
    """
    is_allowed = _has_only(name, "LNMPS", _BLANK, max_bytes)
    return is_allowed and _SEPARATORS.isdisjoint(name)


def _has_only(
    name: str, kinds: str, others: frozenset[str], max_bytes: int = MAX_NAME_BYTES
) -> bool:
    """Whether a name has only allowed characters, and is visible and portable."""
    if len(name) <= max_bytes and _COMMON_NAME.fullmatch(name):
        return True
    categories = [unicodedata.category(character)[0] for character in name]
    return (
        bool(name)
        and name[0] != "."
        and categories[0] != "M"
        and all(
            category in kinds or character in others
            for category, character in zip(categories, name, strict=True)
        )
        and not has_unseen(name)
        and unicodedata.is_normalized("NFC", name)
        and len(name.encode("utf-8", "surrogatepass")) <= max_bytes
    )


class OpenFolder:
    """The folder of a root in which a file was opened last, kept open for the next.

    It stays the same folder even if its name is reused: use it for one scan, then
    close it.
    """

    def __init__(self, root: Path, judge: NameFilter | None = None) -> None:
        self._root = str(root)
        self._judge = judge
        self._parts: list[str] = []
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        """Return itself; folders are opened on demand."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the folder, if one is open."""
        self._close()

    def open(self, relative: str) -> tuple[int, os.stat_result]:
        """Open a regular file below the root for reading; return it with its status.

        The caller closes the descriptor. Raises UnreadableFile if the file is not
        regular, a link leads out of the root or the filter refuses the real path, and
        OSError if it cannot be opened.
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
        """Open a folder reached without links, "." for the root, for listing.

        Yields its descriptor. Raises OSError.
        """
        *parts, name = relative.split("/")
        if relative == os.curdir:
            descriptor = os.open(self._root, _ROOT)
        else:
            descriptor = os.open(name, _FOLDER, dir_fd=self._open_parent(parts))
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _open_without_links(self, relative: str) -> int | None:
        """Open a file reached without links, so inside the root; or return None."""
        *parts, name = relative.split("/")
        if not _DOT_SEGMENTS.isdisjoint((*parts, name)):
            return None
        if self._judge is not None and self._judge(relative) is not None:
            return None
        try:
            return os.open(name, _FILE, dir_fd=self._open_parent(parts))
        except OSError:
            return None

    def _open_parent(self, parts: list[str]) -> int:
        """Return the descriptor of a folder, opened without following links."""
        if self._descriptor is None or parts != self._parts:
            self._close()
            self._descriptor = _open_folder(self._root, parts)
            self._parts = parts
        return self._descriptor

    def _close(self) -> None:
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

    Raises UnreadableFile if a link leads out of the root or the filter refuses the real
    path, and OSError if it cannot be opened or is not a folder.
    """
    parts = [] if relative == os.curdir else relative.split("/")
    descriptor = None
    if _DOT_SEGMENTS.isdisjoint(parts) and not (judge and judge(relative)):
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
    """Return why a link may not be followed, whether or not its target exists."""
    try:
        real = os.path.realpath(os.path.join(root, relative))
        _check_inside(real, os.path.realpath(root), judge)
    except UnreadableFile as refusal:
        return refusal
    return None


def _open_file(real_root: str, names: list[str]) -> int:
    """Open a file below the real root without following links."""
    *parts, name = names or [os.curdir]
    folder = _open_folder(real_root, parts)
    try:
        return os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _follow_links(real_root: str, relative: str, judge: NameFilter | None) -> list[str]:
    """Resolve links; return the names below the root if the target is served."""
    path = os.path.join(real_root, relative)
    try:
        real = os.path.realpath(path, strict=True)
    except OSError as error:
        # Existence is only revealed for paths that are served.
        _check_inside(os.path.realpath(path), real_root, judge)
        if os.path.islink(path):
            raise UnreadableFile("the link is broken", "fix or remove it") from error
        raise
    inside = _check_inside(real, real_root, judge)
    return [] if inside == os.curdir else inside.split(os.sep)


def _check_inside(real_path: str, real_root: str, judge: NameFilter | None) -> str:
    """Return a real path relative to the root; raise UnreadableFile if refused."""
    inside = _relative_to_root(real_path, real_root)
    refusal = judge(inside) if judge is not None else None
    if refusal is not None:
        raise refusal
    return inside


def _relative_to_root(real_path: str, real_root: str) -> str:
    """Return a path relative to the root; raise UnreadableFile if it is outside."""
    inside = os.path.relpath(real_path, real_root)
    if inside.split(os.sep, 1)[0] == os.pardir:
        raise UnreadableFile(
            "the link points outside the folder", "copy the file instead"
        )
    return inside


def _open_folder(root: str, parts: list[str]) -> int:
    """Open a folder below the root name by name, without following links."""
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
