"""Mirror of a source: a folder with its visible files, changed one snapshot at a time.

An update first collects new contents in a folder of its own, then writes the plan, then
moves the files. A crash before the plan leaves the former snapshot, one after it is
completed by the next start, without the database. An update is not applied if another
one was meanwhile, and all files are compared if one is lost. The database is input:
paths and digests are checked, and a snapshot that no folder can hold is refused whole.
"""

import os
import shutil
from collections.abc import Callable, Generator
from contextlib import (
    AbstractContextManager,
    closing,
    nullcontext,
    suppress,
)
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import msgspec

from asdlc_kb.exceptions import OperationalError, StoreUnavailable
from asdlc_kb.store.mirror_paths import (
    disk_errors,
    list_files,
    refuse_impossible_paths,
)
from asdlc_kb.store.snapshot_reader import OpenSnapshot, SnapshotReader
from asdlc_kb.store.values import FileRecord
from asdlc_kb.trusted_files import refuse_untrusted

_MAX_SYNCED: Final = 100
"""Files that are written through to the disk one by one; more are by one `sync`."""

_PRIVATE: Final = 0o700
"""The mode of folders."""


class _Plan(msgspec.Struct, frozen=True):
    """What turns one snapshot into the next; can be executed again after a crash."""

    number: int
    removed: list[str]
    collected: str
    """The folder in `incoming` with the new files."""
    moved: list[tuple[str, str, bytes]]
    """Their names there, their paths and digests."""


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
        """The snapshot in the folder; None if it has no whole one."""
        with disk_errors(folder):
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
        unless files cannot be moved: then the next update completes it.
        """
        with disk_errors(self._folder):
            self._complete()
            base = self._read_number()
            self.number = base if self.has_all_files() else None
            with self._reader.snapshot(self._source, self.number or 0) as snapshot:
                number = snapshot.changes.number
                plan = self._collect(snapshot) if number != self.number else None
            with applying():
                if plan is not None:
                    self._apply(plan, base)
        return number

    def has_all_files(self) -> bool:
        """Whether the folder has as many files as after its last update.

        A program that cleans a cache deletes the oldest ones.
        """
        state = self._read_state()
        return state is not None and state[1] == _count_files(self._folder)

    def _apply(self, plan: _Plan, base: int | None) -> None:
        """Execute a plan, unless the folder has another snapshot than `base` by now."""
        if self._read_number() == base and not self._plan.exists():
            _write(self._plan, msgspec.json.encode(plan))
            self._complete()
        if self.number != plan.number:
            raise OperationalError(
                f"the mirror in {self._folder} was changed during its update"
            )

    def _read_number(self) -> int | None:
        state = self._read_state()
        return state[0] if state is not None and self._folder.is_dir() else None

    def _read_state(self) -> tuple[int, int] | None:
        """Return the snapshot of the last update, and its number of files."""
        try:
            source, number, files = msgspec.json.decode(
                self._state.read_bytes(), type=tuple[str, int | None, int]
            )
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None
        return None if source != self._source or number is None else (number, files)

    def _collect(self, snapshot: OpenSnapshot) -> _Plan:
        """Write new contents into the folder `incoming`; return the plan.

        After a failure, the folder is deleted: the disk may be full of it.
        """
        try:
            return self._collect_all(snapshot)
        except BaseException:
            shutil.rmtree(self._incoming, ignore_errors=True)
            raise

    def _collect_all(self, snapshot: OpenSnapshot) -> _Plan:
        changes = snapshot.changes
        shutil.rmtree(self._incoming, ignore_errors=True)
        self._incoming.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
        collected = Path(mkdtemp(dir=self._incoming))
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
        with closing(self._read_contents(snapshot, different)) as contents:
            for number, (record, content) in enumerate(contents):
                name = str(number)
                _write_file(collected / name, content, record.mtime_ns)
                moved.append((name, record.path, record.digest))
        _write_through([collected / name for name, _, _ in moved])
        return _Plan(changes.number, sorted(removed), collected.name, moved)

    def _read_contents(
        self, snapshot: OpenSnapshot, records: list[FileRecord]
    ) -> Generator[tuple[FileRecord, bytes], None, None]:
        """Yield each file with its checked content."""
        by_digest: dict[bytes, list[FileRecord]] = {}
        for record in records:
            by_digest.setdefault(record.digest, []).append(record)
        for digest, content in snapshot.blobs(records):
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
        """Execute the plan, if there is one, and record its number.

        If a file of it is lost, the folder has no whole snapshot.
        """
        try:
            plan = msgspec.json.decode(self._plan.read_bytes(), type=_Plan)
        except FileNotFoundError:
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
        for path in plan.removed:
            self._remove(path)
        collected = self._incoming / plan.collected
        is_whole = True
        for name, path, digest in plan.moved:
            if not self._move(collected / name, path):
                is_whole = is_whole and _has_digest(self._folder / path, digest)
        self.number = plan.number if is_whole else None
        state = self._source, self.number, _count_files(self._folder)
        _write(self._state, msgspec.json.encode(state))
        self._plan.unlink()
        shutil.rmtree(self._incoming, ignore_errors=True)

    def _move(self, collected: Path, path: str) -> bool:
        """Move a collected file to its path; False if there is none."""
        if not collected.exists():
            return False
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            # Only empty folders are left in it.
            shutil.rmtree(target)
        os.replace(collected, target)
        return True

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


def _refuse_untrusted_folder(folder: Path) -> None:
    """Raise OperationalError for a folder into which another user can write."""
    with suppress(FileNotFoundError):
        state = os.lstat(folder)
        try:
            refuse_untrusted(state)
        except OperationalError as error:
            raise OperationalError(f"the mirror in {folder}: {error}") from None


def _count_files(folder: Path) -> int:
    return sum(1 for _ in list_files(folder))


def _is_equal(folder: Path, record: FileRecord) -> bool:
    """Whether the folder has a file as it is recorded."""
    path = folder / record.path
    try:
        status = os.lstat(path)
    except OSError:
        return False
    recorded = record.size, record.mtime_ns
    is_alike = (status.st_size, status.st_mtime_ns) == recorded
    return is_alike and _has_digest(path, record.digest)


def _has_digest(path: Path, digest: bytes) -> bool:
    """Whether there is a readable file with this SHA-256."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").digest() == digest
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


def _write(path: Path, content: bytes) -> None:
    """Replace a file in one step."""
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
