"""Mirror of a source: a folder with its visible files, changed one snapshot at a time.

An update first collects new contents in a folder of its own, then writes the plan, then
moves the files. A crash before the plan leaves the former snapshot, one after it is
completed by the next start, without the database. The database is input: paths and
digests are checked, and a snapshot that no folder can hold is refused whole.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import OperationalError, StoreUnavailable
from asdlc_kb.store.mirror_paths import list_files, refuse_impossible_paths
from asdlc_kb.store.snapshot_reader import SnapshotReader
from asdlc_kb.store.values import FileRecord, SnapshotChanges
from asdlc_kb.trusted_files import refuse_untrusted

_MAX_SYNCED: Final = 100
"""Files that are written through to the disk one by one; more are by one `sync`."""

_PRIVATE: Final = 0o700
"""The mode of folders."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What turns one snapshot into the next; can be executed again after a crash."""

    number: int
    removed: list[str]
    moved: list[tuple[str, str]]
    """Names of collected files, and their paths."""


class SourceMirror:
    """The folder of one source; only this object changes it."""

    def __init__(self, folder: Path, source: str, reader: SnapshotReader) -> None:
        """Complete an interrupted update. Raises OperationalError if that fails."""
        self._folder = folder
        self._source = source
        self._reader = reader
        self._incoming = folder.with_name(f"{folder.name}.incoming")
        self._plan = folder.with_name(f"{folder.name}.plan.json")
        self._state = folder.with_name(f"{folder.name}.snapshot.json")
        self.number: int | None = None
        """The snapshot in the folder; None before the first is whole."""
        with _disk_errors(folder):
            _refuse_untrusted_folder(folder)
            self._complete()
            self.number = self._read_number()

    def update(
        self, applying: Callable[[], AbstractContextManager[object]] = nullcontext
    ) -> int:
        """Apply the source's current snapshot; return its number.

        The folder changes only while the result of `applying` is entered, after
        everything was read from the store.

        Raises StoreUnavailable, StoreMisconfigured, and OperationalError for a snapshot
        or a disk that cannot be used. The folder has one whole snapshot afterwards,
        unless the disk fails while files are moved: then the next update completes it.
        """
        with _disk_errors(self._folder):
            self._complete()
            changes = self._reader.changes(self._source, self.number or 0)
            is_new = changes.number != self.number
            plan = self._collect(changes) if is_new else None
            with applying():
                if plan is not None:
                    _write_json(self._plan, [plan.number, plan.removed, plan.moved])
                    self._complete()
        return changes.number

    def _read_number(self) -> int | None:
        try:
            source, number = json.loads(self._state.read_bytes())
        except (OSError, ValueError):
            return None
        is_valid = source == self._source and isinstance(number, int)
        return number if is_valid and self._folder.is_dir() else None

    def _collect(self, changes: SnapshotChanges) -> _Plan:
        """Write new contents into the folder `incoming`; return the plan."""
        shutil.rmtree(self._incoming, ignore_errors=True)
        self._incoming.mkdir(parents=True, mode=_PRIVATE)
        has_cases = not self._incoming.with_name(
            self._incoming.name.swapcase()
        ).exists()
        wanted = {record.path for record in changes.files}
        removed = set(changes.removed)
        if changes.is_whole:
            removed = set(list_files(self._folder)) - wanted
        refuse_impossible_paths(self._folder, wanted, removed, has_cases=has_cases)
        different = [
            record for record in changes.files if not _is_equal(self._folder, record)
        ]
        moved = []
        for number, (record, content) in enumerate(self._read_contents(different)):
            name = str(number)
            _write_file(self._incoming / name, content, record.mtime_ns)
            moved.append((name, record.path))
        _write_through([self._incoming / name for name, _ in moved])
        return _Plan(changes.number, sorted(removed), moved)

    def _read_contents(
        self, records: list[FileRecord]
    ) -> Iterator[tuple[FileRecord, bytes]]:
        """Yield each file with its checked content."""
        by_digest: dict[bytes, list[FileRecord]] = {}
        for record in records:
            by_digest.setdefault(record.digest, []).append(record)
        for digest, content in self._reader.blobs(tuple(by_digest)):
            if sha256(content).digest() != digest:
                raise OperationalError(
                    f"the store has a damaged content in source '{self._source}': "
                    "restore it, or remove the source and ingest it again"
                )
            for record in by_digest.pop(digest, ()):
                yield record, content
        if by_digest:
            raise StoreUnavailable(
                f"the store lacks contents of source '{self._source}': try again"
            )

    def _complete(self) -> None:
        """Execute the plan, if there is one, and record its number."""
        try:
            number, removed, moved = json.loads(self._plan.read_bytes())
        except FileNotFoundError:
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
        for path in removed:
            self._remove(path)
        for name, path in moved:
            self._move(name, path)
        _write_json(self._state, [self._source, number])
        self.number = number
        self._plan.unlink()
        shutil.rmtree(self._incoming, ignore_errors=True)

    def _move(self, name: str, path: str) -> None:
        """Move a collected file to its path, unless that happened before a crash."""
        collected, target = self._incoming / name, self._folder / path
        if collected.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.is_dir():
                # Only empty folders are left in it.
                shutil.rmtree(target)
            os.replace(collected, target)

    def _remove(self, path: str) -> None:
        """Delete a file, and the folders that are empty then."""
        target = self._folder / path
        with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            target.unlink()
        for folder in target.parents:
            if folder == self._folder:
                break
            try:
                folder.rmdir()
            except OSError:
                break


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Raise OperationalError for errors of the disk, without names of files."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or "a system error"
        raise OperationalError(
            f"the mirror in {folder} cannot be written: {reason}"
        ) from None


def _refuse_untrusted_folder(folder: Path) -> None:
    """Raise OperationalError for a folder into which another user can write."""
    with suppress(FileNotFoundError):
        state = os.lstat(folder)
        try:
            refuse_untrusted(state)
        except OperationalError as error:
            raise OperationalError(f"the mirror in {folder}: {error}") from None


def _is_equal(folder: Path, record: FileRecord) -> bool:
    """Whether the folder has a file as it is recorded."""
    path = folder / record.path
    try:
        status = os.lstat(path)
        if (status.st_size, status.st_mtime_ns) != (record.size, record.mtime_ns):
            return False
        with path.open("rb") as file:
            return file_digest(file, "sha256").digest() == record.digest
    except OSError:
        return False


def _write_file(path: Path, content: bytes, mtime_ns: int) -> None:
    path.write_bytes(content)
    os.utime(path, ns=(mtime_ns, mtime_ns))


def _write_through(paths: list[Path]) -> None:
    """Have the disk hold files before their plan."""
    if len(paths) > _MAX_SYNCED:
        os.sync()
        return
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())


def _write_json(path: Path, value: object) -> None:
    """Replace a file in one step."""
    new = path.with_name(f"{path.name}.new")
    with new.open("w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
