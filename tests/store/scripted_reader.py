"""A reader of snapshots without a database; as a program, an update that fails."""

import os
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from store.snapshots import MTIME, record

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.store.database import StoreAddress
from asdlc_kb.store.mirror import SourceMirror
from asdlc_kb.store.snapshot_reader import OpenSnapshot, SnapshotReader
from asdlc_kb.store.values import FileRecord, SnapshotChanges

FIRST: Final = {"a.md": b"1", "b/c.md": b"2", "b/d/e.md": b"2", "f": b""}
SECOND: Final = {"a.md": b"3", "b": b"4", "f/g/h": b"5", "i": b""}

MAX_CALLS: Final = 40
"""More calls of the system than an update from the first to the second makes."""

_CHANGING: Final = ("fsync", "mkdir", "replace", "rmdir", "unlink", "utime")


class ScriptedReader(SnapshotReader):
    """A reader of files in memory, without a database."""

    def __init__(self) -> None:
        super().__init__(StoreAddress("postgresql://"))
        self.snapshots: dict[int, dict[str, bytes]] = {0: {}}
        self.contents: dict[bytes, bytes] = {}
        self.read: list[bytes] = []
        self.mtime_ns = MTIME

    def put(self, files: dict[str, bytes]) -> int:
        """Add a snapshot; return its number."""
        number = max(self.snapshots) + 1
        self.snapshots[number] = files
        self.contents |= {sha256(data).digest(): data for data in files.values()}
        return number

    @contextmanager
    def snapshot(self, source: str, since: int) -> Iterator[OpenSnapshot]:
        """Yield the last snapshot, with the difference to a former one."""
        number = max(self.snapshots)
        files, former = self.snapshots[number], self.snapshots.get(since, {})
        is_whole = since == 0 or since not in self.snapshots
        changed = tuple(
            FileRecord(path, record(path, data).digest, len(data), self.mtime_ns)
            for path, data in files.items()
            if former.get(path) != data
        )
        removed = () if is_whole else tuple(former.keys() - files.keys())
        changes = SnapshotChanges(source, number, is_whole, changed, removed)
        yield ScriptedSnapshot(changes, self)


class ScriptedSnapshot(OpenSnapshot):
    """A snapshot in memory."""

    def __init__(self, changes: SnapshotChanges, reader: ScriptedReader) -> None:
        self.changes = changes
        self.reader = reader

    def blobs(self, files: Iterable[FileRecord]) -> Iterator[tuple[bytes, bytes]]:
        """Yield the contents that there are."""
        for digest in dict.fromkeys(file.digest for file in files):
            self.reader.read.append(digest)
            if digest in self.reader.contents:
                yield digest, self.reader.contents[digest]


def update(fault: str, folder: Path) -> None:
    """Update a mirror; be killed before a call of the system, or fill the disk."""
    reader = ScriptedReader()
    reader.put(FIRST)
    mirrored = SourceMirror(folder, "s", reader)
    if fault == "full":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        reader.put({"big": bytes(100_000)})
    else:
        reader.put(SECOND)
        _kill_at_call(int(fault))
    try:
        mirrored.update()
    except OperationalError as error:
        print(error)


def _kill_at_call(number: int) -> None:
    """Kill this process before the call of the system with this number."""
    calls = iter(range(number))

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*values: Any, **options: Any) -> Any:
            if next(calls, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*values, **options)

        return call

    for name in _CHANGING:
        setattr(os, name, wrap(getattr(os, name)))


if __name__ == "__main__":
    update(sys.argv[1], Path(sys.argv[2]))
