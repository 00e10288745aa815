"""Index directory: ownership, locking and cleanup of the folder of an index.

Only files of the index are ever deleted: a folder with any other entry is refused, as
is one of another user. One process holds its lock at a time. `read_only_directory`
reads an index that cannot be written.
"""

import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import IndexCorrupt, OperationalError
from asdlc_kb.search.index.manifest import (
    MANIFEST,
    NOT_AN_INDEX,
    Manifest,
    Row,
    checksum_file,
    list_content,
    parse_manifest,
    read_manifest,
)
from asdlc_kb.search.index.sealed_files import COPIES
from asdlc_kb.search.index.segments import delete_folder

VECTORS: Final = "vectors"
"""The file of the vectors of sections, which `search.semantic` reads and writes."""
NEW_VECTORS: Final = "vectors.new"
"""Its name while it is written."""

_NEW: Final = "manifest.json.new"
IN_USE: Final = (
    "another process uses it; a running server keeps its index up to date by itself"
)
"""The reason why an index cannot be changed while another process has its lock."""

_LOCK: Final = "lock"
_FILES: Final = (MANIFEST, _NEW, _LOCK, VECTORS, NEW_VECTORS)
_PART: Final = re.compile(rf"(?:{COPIES})?(?:pages|sections)-([0-9]{{1,9}})")
_FILE: Final = re.compile(
    r"[0-9a-f]{32}(?:\.[0-9a-z_]+)+|meta\.json|\.managed\.json|\.tmp\w+"
    r"|\.tantivy-(?:writer|meta)\.lock"
)


def drop_index(root: Path) -> bool:
    """Delete the index in a folder; return whether there was one.

    A missing folder is not an error. Raises OperationalError if the folder cannot be
    used.
    """
    with suppress(OSError):
        # Without access `IndexDirectory` fails. `Path.exists` is False then (3.14).
        try:
            root.stat()
        except FileNotFoundError:
            return False
    folder = IndexDirectory(root)
    try:
        was_there = any(name != _LOCK for name in os.listdir(root))
        folder.sweep(None)
    finally:
        folder.close()
    return was_there


class NotWritable(OperationalError):
    """Raised when a folder cannot be written, though it may have an index to read."""


class IndexFolder:
    """An index in a folder, whose files are verified when they are read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.size = 0
        """Bytes of the files, without the manifest, when last read."""
        self._number = 0
        self._states: Mapping[str, tuple[int, ...]] = {}
        """State of each file, with the manifest, when last read or written."""

    def parts(self, number: int) -> tuple[Path, Path]:
        """Return the folders of pages and sections of this number."""
        return self.root / f"pages-{number}", self.root / f"sections-{number}"

    def read(self) -> Manifest | None:
        """Return the manifest after verifying all files; None if there is none.

        Raises IndexCorrupt if a file differs.
        """
        data = read_manifest(self.root)
        if data is None:
            return None
        manifest = parse_manifest(data)
        try:
            states = self._read_states(manifest.number)
            checksums = checksum_file(self.root, self.parts(manifest.number))
        except OSError as error:
            raise IndexCorrupt("its files cannot be read") from error
        if checksums != manifest.files:
            raise IndexCorrupt("its files do not match their checksums")
        self._number, self._states = manifest.number, states
        self.size = sum(size for size, *_ in states.values()) - len(data)
        return manifest

    def read_documents(self, manifest: Manifest) -> Iterator[tuple[str, Row]]:
        """Yield key and row of each document of a manifest; raise IndexCorrupt."""
        try:
            yield from manifest.read_documents(self.root)
        except OSError as error:
            raise IndexCorrupt("its files cannot be read") from error

    def check(self) -> None:
        """Raise IndexCorrupt if another program changed files since `read` or `write`.

        Costs one `stat` a file: nothing is read. Permissions and names may change.
        """
        if not self._states:
            return
        try:
            is_unchanged = self._read_states(self._number) == self._states
        except OSError:
            is_unchanged = False
        if not is_unchanged:
            raise IndexCorrupt("another program changed or deleted its files")

    def _read_states(self, number: int) -> dict[str, tuple[int, ...]]:
        """Return size, mtime, inode and device of each file."""
        states: dict[str, tuple[int, ...]] = {}
        for path in (self.root / MANIFEST, *list_content(self.parts(number))):
            state = path.lstat()
            states[str(path)] = (
                *(state.st_size, state.st_mtime_ns),
                *(state.st_ino, state.st_dev),
            )
        return states


class IndexDirectory(IndexFolder):
    """A folder locked by this process."""

    def __init__(self, root: Path) -> None:
        """Create the folder if missing, and lock it.

        Raises OperationalError; NotWritable if its files might still be read.
        """
        super().__init__(root)
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._refuse_other_owner()
            refuse_foreign_entries(root)
            root.chmod(0o700)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            self._lock = os.open(root / _LOCK, flags, 0o600)
        except OSError as error:
            raise NotWritable(f"it cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise OperationalError(IN_USE) from error

    def close(self) -> None:
        """Release the lock.

        Explicitly: a child that another thread is just starting still has a duplicate
        of the descriptor, and closing one of both releases nothing.
        """
        if self._lock >= 0:
            fcntl.flock(self._lock, fcntl.LOCK_UN)
            os.close(self._lock)
            self._lock = -1

    def make_parts(self, number: int) -> tuple[Path, Path]:
        """Create the folders of a number, empty."""
        for part in self.parts(number):
            delete_folder(part)
            part.mkdir(mode=0o700)
        return self.parts(number)

    def free_number(self) -> int:
        """Return an unused folder number."""
        matches = (_PART.fullmatch(name) for name in os.listdir(self.root))
        return max((int(match[1]) for match in matches if match), default=0) + 1

    def write(self, manifest: Manifest) -> None:
        """Replace the manifest atomically; then delete folders of other numbers."""
        new = self.root / _NEW
        new.write_bytes(manifest.to_json())
        os.replace(new, self.root / MANIFEST)
        self.sweep(manifest.number)
        self._number, self._states = manifest.number, self._read_states(manifest.number)

    def sweep(self, number: int | None) -> None:
        """Delete all parts except those of a number; without one, the manifest too."""
        if number is None:
            for name in (MANIFEST, VECTORS, NEW_VECTORS):
                (self.root / name).unlink(missing_ok=True)
            self._states = {}
        for name in os.listdir(self.root):
            match = _PART.fullmatch(name)
            if match and int(match[1]) != number:
                delete_folder(self.root / name)

    def _refuse_other_owner(self) -> None:
        if self.root.stat().st_uid != os.geteuid():
            raise NotWritable("it belongs to another user")


def refuse_foreign_entries(root: Path) -> None:
    """Raise OperationalError for any entry of a folder that is not part of an index."""
    with os.scandir(root) as iterator:
        entries = list(iterator)
    for entry in entries:
        is_part = _PART.fullmatch(entry.name) is not None
        is_index_entry = is_part or entry.name in _FILES
        if not is_index_entry or not (is_part or _is_file(entry)):
            raise OperationalError(NOT_AN_INDEX)
        if is_part and not _is_part(entry):
            raise OperationalError(NOT_AN_INDEX)


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a regular file, not a link, pipe or device."""
    return entry.is_file(follow_symlinks=False)


def _is_part(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder with only files of the engine.

    A folder of copies, left by a killed process, has links instead.
    """
    if not entry.is_dir(follow_symlinks=False):
        return False
    has_links = entry.name.startswith(COPIES)
    with os.scandir(entry.path) as children:
        return all(
            _FILE.fullmatch(child.name)
            and (_is_file(child) or (has_links and child.is_symlink()))
            for child in children
        )
