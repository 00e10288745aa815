"""Mirrors of all sources of a store in one folder, shared by processes of one machine.

The file `state.json`, which is replaced in one step, names the sources and the snapshot
that each mirror has; it has none while one is being written. One process writes at a
time, under an exclusive lock of the source; scans hold the lock shared, so none sees
half a snapshot. The kernel releases the locks of a process that dies.
"""

import fcntl
import os
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from asdlc_kb.exceptions import OperationalError, StoreUnavailable
from asdlc_kb.store.mirror_paths import disk_errors
from asdlc_kb.store.values import SourceKind, SourceRecord, check_path

_STATE: Final = "state.json"
_CONTACT: Final = "contact"
"""Its modification time is that of the last contact to the store."""
_CURRENT: Final = "current"
"""Its modification time is when the mirrors last had what the store has."""
_WRITER: Final = "writer.lock"


class MirroredSource(msgspec.Struct, frozen=True):
    """A source, and the snapshot of its mirror."""

    name: str
    kind: SourceKind
    options: Mapping[str, str]
    snapshot: int | None = None
    """None while the mirror has no whole snapshot."""
    writes: int = 0
    """How often the mirror was written, also to repair one snapshot."""

    def is_same_source(self, other: "MirroredSource") -> bool:
        """Whether both are served alike, whatever their snapshots."""
        return (self.name, self.kind, self.options) == (
            *(other.name, other.kind, other.options),
        )


MirroredSources = tuple[MirroredSource, ...]


class MirrorSet:
    """The mirrors in one folder, which belongs to this user."""

    def __init__(self, folder: Path, chosen: Collection[str] = ()) -> None:
        """Create the folder if it is missing; raise OperationalError.

        It is for mirrors of the chosen sources, by name; of all if none is chosen.
        """
        self.chosen = frozenset(chosen)
        self._folder = folder
        self._known: tuple[tuple[int, int], Mapping[str, MirroredSource]] | None = None
        """Inode and mtime of the file that was read, and its sources by name."""
        self._claim: int | None = None
        try:
            self._make_folder()
        except OSError as error:
            raise OperationalError(
                f"cannot write the mirror {folder}: {error.strerror}; choose another "
                "--cache-dir"
            ) from None

    @property
    def sources(self) -> MirroredSources:
        """The sources as of the last finished step; costs one `stat`.

        Empty if there is no mirror, or its state cannot be read.
        """
        return tuple(self._by_name.values())

    @property
    def _by_name(self) -> Mapping[str, MirroredSource]:
        path = self._folder / _STATE
        # Another thread may replace it meanwhile.
        known = self._known
        try:
            status = path.stat()
            version = status.st_ino, status.st_mtime_ns
            if known is None or known[0] != version:
                read = msgspec.json.decode(path.read_bytes(), type=MirroredSources)
                self._known = known = version, {each.name: each for each in read}
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}
        return known[1]

    @property
    def is_whole(self) -> bool:
        """Whether there are sources, each with a snapshot."""
        sources = self.sources
        return bool(sources) and all(each.snapshot is not None for each in sources)

    def includes(self, name: str) -> bool:
        """Whether the set is to have a mirror of the source of a name."""
        return not self.chosen or name in self.chosen

    def describe(self) -> object:
        """Return what is equal while the same sources are served alike."""
        return [(each.name, each.kind, each.options) for each in self.sources]

    def find(self, name: str) -> MirroredSource | None:
        """Return a source by its name; None if there is none."""
        return self._by_name.get(name)

    def has_snapshot(self, name: str) -> bool:
        """Whether there is a source with this name, and its mirror is whole."""
        source = self.find(name)
        return source is not None and source.snapshot is not None

    def locate(self, source: MirroredSource | SourceRecord) -> Path:
        """Return the folder with the files of a source.

        Its last names are those of the folder that was ingested, because titles and
        edit links may come from them. Each such label has a folder of its own, so that
        `writing` can delete former ones. Raises OperationalError for an unusable name.
        """
        label = source.options.get("label") or source.name.replace("/", "-")
        try:
            check_path(label)
        except ValueError as error:
            raise OperationalError(f"source '{source.name}': {error}") from None
        return self._own_folder(source.name) / _key(label) / label

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Keep the mirror of a source as it is; blocks while it is being written.

        Raises StoreUnavailable if it has no whole snapshot.
        """
        with self._locked(name, fcntl.LOCK_SH):
            if not self.has_snapshot(name):
                raise StoreUnavailable(f"the mirror of source '{name}' is incomplete")
            yield

    @contextmanager
    def writing(self, record: SourceRecord) -> Iterator[Path]:
        """Yield the folder of a source to write; scans wait meanwhile.

        The source has no snapshot until `set_snapshot`, also if this process dies. Once
        it has one, folders for other options of it are deleted.
        """
        with self._locked(record.name, fcntl.LOCK_EX):
            folder = self.locate(record)
            self.set_snapshot(record, None)
            with disk_errors(self._folder):
                folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            yield folder
            if self.has_snapshot(record.name):
                for each in self._own_folder(record.name).iterdir():
                    if each not in folder.parents:
                        shutil.rmtree(each, ignore_errors=True)

    def set_snapshot(self, record: SourceRecord, snapshot: int | None) -> None:
        """Record the snapshot in the folder of a source, its kind and options."""
        sources = dict(self._by_name)
        former = sources.get(record.name)
        writes = (former.writes if former else 0) + (snapshot is not None)
        options = dict(record.options)
        sources[record.name] = MirroredSource(
            record.name, record.kind, options, snapshot, writes
        )
        self._write(sources.values())

    def remove(self, name: str) -> None:
        """Delete the mirror of a source."""
        with self._locked(name, fcntl.LOCK_EX):
            self._write(each for each in self.sources if each.name != name)
            shutil.rmtree(self._own_folder(name), ignore_errors=True)

    def record_contact(self, *, is_current: bool) -> None:
        """Record that the store was reached now; whether the mirrors have all of it.

        Raises OperationalError, as all that writes.
        """
        with disk_errors(self._folder):
            for name in (_CONTACT, _CURRENT) if is_current else (_CONTACT,):
                (self._folder / name).touch(mode=0o600)

    @property
    def contact_age(self) -> float | None:
        """Seconds since the store was reached; None if it never was.

        After a clock was set back, by how much, until the store is reached again.
        """
        age = self._read_age(_CONTACT)
        return None if age is None else abs(age)

    @property
    def content_age(self) -> float | None:
        """Seconds since the mirrors had all of the store; None if they never had."""
        age = self._read_age(_CURRENT)
        return None if age is None else max(0.0, age)

    def _read_age(self, name: str) -> float | None:
        try:
            touched = (self._folder / name).stat().st_mtime
        except OSError:
            return None
        return time.time() - touched

    def claim(self) -> bool:
        """Become the process that writes, unless another one is.

        A claim of a folder that was deleted since is lost.
        """
        if self._claim is not None and not self._is_claimed(self._claim):
            self.release()
        if self._claim is None:
            descriptor = self._open(_WRITER)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                return False
            self._claim = descriptor
        return True

    def release(self) -> None:
        """Let another process write."""
        if self._claim is not None:
            # Explicitly: a child that is just starting may have a duplicate.
            fcntl.flock(self._claim, fcntl.LOCK_UN)
            os.close(self._claim)
            self._claim = None

    def _is_claimed(self, descriptor: int) -> bool:
        """Whether the lock of the writer is still the file that is open."""
        try:
            status = os.stat(self._folder / _WRITER)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return os.path.samestat(status, os.fstat(descriptor))

    @contextmanager
    def _locked(self, name: str, kind: int) -> Iterator[None]:
        descriptor = self._open(f"{_key(name)}.lock")
        try:
            with disk_errors(self._folder):
                fcntl.flock(descriptor, kind)
            yield
        finally:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)

    def _open(self, name: str) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with disk_errors(self._folder):
            # It may have been deleted since the start.
            self._make_folder()
            return os.open(self._folder / name, flags, 0o600)

    def _make_folder(self) -> None:
        """Create the folder if it is missing; raise OSError and OperationalError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._folder.stat().st_uid != os.geteuid():
            raise OperationalError(
                f"{self._folder} belongs to another user: choose another --cache-dir"
            )

    def _own_folder(self, name: str) -> Path:
        return self._folder / _key(name)

    def _write(self, sources: Iterable[MirroredSource]) -> None:
        ordered = sorted(sources, key=lambda each: each.name)
        state, new = self._folder / _STATE, self._folder / f"{_STATE}.new"
        changed = time.time_ns()
        with disk_errors(self._folder):
            with suppress(FileNotFoundError):
                # Later than the former one, which may be of the same tick of the clock.
                changed = max(changed, state.stat().st_mtime_ns + 1)
            with new.open("wb") as file:
                file.write(msgspec.json.encode(ordered))
                file.flush()
                os.utime(file.fileno(), ns=(changed, changed))
                os.fsync(file.fileno())
            os.replace(new, state)


def _key(name: str) -> str:
    return blake2b(name.encode(), digest_size=8).hexdigest()
