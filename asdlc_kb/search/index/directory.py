"""The folder in which an index is kept: whose it is, who may write, what is in it.

Nothing is ever deleted here that is not the index's own: a folder that holds anything
else is refused, and so is one of another user. One process has it at a time.
"""

import fcntl
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import IndexCorrupt, OperationalError
from asdlc_kb.search.index.manifest import (
    MANIFEST,
    STRANGE,
    Manifest,
    checksum_file,
    list_content,
    name_parts,
    parse_manifest,
    read_manifest,
)
from asdlc_kb.search.index.sealed_files import COPIES

_NEW: Final = "manifest.json.new"
_LOCK: Final = "lock"
_PART: Final = re.compile(rf"(?:{COPIES})?(?:pages|sections)-([0-9]{{1,9}})")
_FILE: Final = re.compile(
    r"[0-9a-f]{32}(?:\.[0-9a-z_]+)+|meta\.json|\.managed\.json|\.tmp\w+"
    r"|\.tantivy-(?:writer|meta)\.lock"
)


def drop_index(root: Path) -> bool:
    """Delete the index in a folder; return whether there was one.

    Nothing happens where there is no folder. Raises OperationalError if it cannot be
    had.
    """
    if not root.exists():
        return False
    folder = IndexDirectory(root)
    try:
        was_there = any(name != _LOCK for name in os.listdir(root))
        folder.sweep(None)
    finally:
        folder.close()
    return was_there


class IndexDirectory:
    """A folder that this process has to itself."""

    def __init__(self, root: Path) -> None:
        """Lock the folder, made if missing; raise OperationalError if that fails."""
        self.root = root
        self._number = 0
        self._states: Mapping[str, tuple[int, ...]] = {}
        """Of the files as they were last read or written, with the manifest's."""
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._refuse_another_owner()
            self._refuse_strangers()
            root.chmod(0o700)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            self._lock = os.open(root / _LOCK, flags, 0o600)
        except OSError as error:
            raise OperationalError(f"it cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise OperationalError("another process uses it") from error

    def close(self) -> None:
        """Let the folder go."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def parts(self, number: int) -> tuple[Path, Path]:
        """Return the folders of pages and sections of this number."""
        return name_parts(self.root, number)

    def make_parts(self, number: int) -> tuple[Path, Path]:
        """Make these folders, empty."""
        for part in self.parts(number):
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(mode=0o700)
        return self.parts(number)

    def free_number(self) -> int:
        """Return a number that no folder has."""
        matches = (_PART.fullmatch(name) for name in os.listdir(self.root))
        return max((int(match[1]) for match in matches if match), default=0) + 1

    def read(self) -> Manifest | None:
        """Return the manifest if the files are as it says; None if there is none.

        Raises IndexCorrupt if they are not.
        """
        data = read_manifest(self.root)
        if data is None:
            return None
        manifest = parse_manifest(data)
        try:
            states = self._find_states(manifest.number)
            found = checksum_file(self.root, self.parts(manifest.number))
        except OSError as error:
            raise IndexCorrupt("its files cannot be read") from error
        if found != manifest.files:
            raise IndexCorrupt("its files are not as they were written")
        self._number, self._states = manifest.number, states
        return manifest

    def write(self, manifest: Manifest) -> None:
        """Replace the manifest at once; then drop what is not its own any more."""
        new = self.root / _NEW
        new.write_bytes(manifest.to_json())
        os.replace(new, self.root / MANIFEST)
        self.sweep(manifest.number)
        self._number, self._states = manifest.number, self._find_states(manifest.number)

    def check(self) -> None:
        """Raise IndexCorrupt if another program changed files since `read` or `write`.

        It costs one `stat` a file: nothing is read. Permissions and names may change.
        """
        if not self._states:
            return
        try:
            is_same = self._find_states(self._number) == self._states
        except OSError:
            is_same = False
        if not is_same:
            raise IndexCorrupt("another program changed or deleted its files")

    def _find_states(self, number: int) -> dict[str, tuple[int, ...]]:
        """Return size, time of change, inode and device of each file."""
        found: dict[str, tuple[int, ...]] = {}
        for path in (self.root / MANIFEST, *list_content(self.parts(number))):
            state = path.lstat()
            found[str(path)] = (
                *(state.st_size, state.st_mtime_ns),
                *(state.st_ino, state.st_dev),
            )
        return found

    def sweep(self, number: int | None) -> None:
        """Delete all parts but those of a number, and without one the manifest too."""
        if number is None:
            (self.root / MANIFEST).unlink(missing_ok=True)
            self._states = {}
        for name in os.listdir(self.root):
            match = _PART.fullmatch(name)
            if match and int(match[1]) != number:
                shutil.rmtree(self.root / name)

    def _refuse_another_owner(self) -> None:
        if self.root.stat().st_uid != os.geteuid():
            raise OperationalError("it belongs to another user")

    def _refuse_strangers(self) -> None:
        """Raise OperationalError if there is anything that no index has put there."""
        with os.scandir(self.root) as found:
            entries = list(found)
        for entry in entries:
            is_part = _PART.fullmatch(entry.name) is not None
            is_ours = is_part or entry.name in (MANIFEST, _NEW, _LOCK)
            if not is_ours or not (is_part or _is_file(entry)):
                raise OperationalError(STRANGE)
            if is_part and not _is_part(entry):
                raise OperationalError(STRANGE)


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether this is a file itself: no link, no pipe, no device."""
    return entry.is_file(follow_symlinks=False)


def _is_part(entry: os.DirEntry[str]) -> bool:
    """Whether this is a folder in which only files of the engine are.

    One of copies, which a process that was killed left, holds links to them.
    """
    if not entry.is_dir(follow_symlinks=False):
        return False
    has_links = entry.name.startswith(COPIES)
    with os.scandir(entry.path) as found:
        return all(
            _FILE.fullmatch(each.name)
            and (_is_file(each) or (has_links and each.is_symlink()))
            for each in found
        )
