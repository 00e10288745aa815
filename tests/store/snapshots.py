"""A source in memory that is written to the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from asdlc_kb.store.database import BoundedConnection
from asdlc_kb.store.snapshot_writer import SnapshotWriter
from asdlc_kb.store.values import FileRecord, SourceKind, SourceRecord

MTIME: Final = 1_700_000_000_123_456_789


def record(path: str, content: bytes, *, is_hidden: bool = False) -> FileRecord:
    """Return the record of a file."""
    digest = sha256(content).digest()
    return FileRecord(path, digest, len(content), MTIME, is_hidden)


@dataclass
class WrittenSource:
    """The files of a source, and the paths that the writer read."""

    connection: BoundedConnection
    name: str = "handbook"
    kind: SourceKind = "docs"
    owner: str = ""
    options: dict[str, str] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)

    def write(
        self, files: Mapping[str, bytes], hidden: Mapping[str, bytes] | None = None
    ) -> int:
        """Write a snapshot; return its number."""
        hidden = hidden or {}
        records = [record(path, content) for path, content in files.items()]
        records += [record(p, data, is_hidden=True) for p, data in hidden.items()]
        contents = {**files, **hidden}
        self.reads.clear()

        def read(path: str) -> bytes:
            self.reads.append(path)
            return contents[path]

        self.writer = SnapshotWriter(self.connection)
        source = SourceRecord(self.name, self.kind, self.options, self.owner, 0)
        self.result = self.writer.write(source, records, read)
        return self.result.number
