"""Folders of tests written into a store, as an ingester does."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from support.canary import CANARY

from asdlc_kb.store.database import StoreAddress, connect
from asdlc_kb.store.schema import migrate
from asdlc_kb.store.snapshot_reader import SnapshotReader
from asdlc_kb.store.snapshot_writer import SnapshotWriter
from asdlc_kb.store.values import FileRecord, SourceKind, SourceRecord

NO_OPTIONS: Final[Mapping[str, str]] = {}


VISIBLE: Final = "concepts/links-to-hidden.md"
"""The visible article that names a hidden one."""


def _is_hidden(path: str, content: bytes) -> bool:
    has_dot = any(part.startswith(".") for part in path.split("/"))
    is_marked = CANARY in path or CANARY.encode() in content
    return path != VISIBLE and (has_dot or is_marked)


class Ingester:
    """Writes folders into one database; texts with a canary are hidden."""

    def __init__(self, url: str) -> None:
        """Create the schema."""
        self.url = url
        with connect(url) as connection:
            migrate(connection)

    def write(
        self,
        folder: Path,
        name: str = "articles",
        kind: SourceKind = "articles",
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> int:
        """Make the files of a folder those of a source; return its snapshot."""
        label = {"label": f"{folder.parent.name}/{folder.name}"}
        source = SourceRecord(name, kind, {**label, **options}, "", 0)
        contents = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }
        files = [
            FileRecord(
                path,
                sha256(content).digest(),
                len(content),
                (folder / path).stat().st_mtime_ns,
                is_hidden=_is_hidden(path, content),
            )
            for path, content in contents.items()
        ]
        with connect(self.url) as connection:
            writer = SnapshotWriter(connection)
            return writer.write(source, files, contents.__getitem__).number

    def remove(self, name: str) -> None:
        """Remove a source."""
        with connect(self.url) as connection:
            SnapshotWriter(connection).remove(name)


def read_visible(address: str, source: str) -> dict[str, bytes]:
    """Return the files of a source that a reader gets."""
    with (
        SnapshotReader(StoreAddress(address)) as reader,
        reader.snapshot(source, 0) as snapshot,
    ):
        files = snapshot.changes.files
        blobs = dict(snapshot.blobs(files))
    return {file.path: blobs[file.digest] for file in files}
