"""Reader of snapshots: each in one transaction, from a replica that has it.

A replica is used if its history has the snapshot that the primary states. One that
failed is left out for a while: the next attempt reads from another server.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final, Self

from psycopg import IsolationLevel

from asdlc_kb.exceptions import StoreMisconfigured, StoreUnavailable
from asdlc_kb.store.database import (
    BoundedConnection,
    StoreAddress,
    connect,
    translated_errors,
)
from asdlc_kb.store.schema import require_schema
from asdlc_kb.store.source_rows import read_sources
from asdlc_kb.store.values import (
    FileRecord,
    SnapshotChanges,
    SourceRecord,
)

NUMBERS: Final = "SELECT name, snapshot FROM asdlc_kb.visible_sources"

_FIND: Final = (
    "SELECT source_id, snapshot FROM asdlc_kb.visible_sources WHERE name = %s"
)
_HAS_SNAPSHOT: Final = (
    "SELECT FROM asdlc_kb.visible_snapshots JOIN asdlc_kb.visible_sources"
    " USING (source_id) WHERE name = %s AND number = %s"
)
_FILES: Final = (
    "SELECT path, digest, size, mtime_ns FROM asdlc_kb.visible_files"
    " WHERE source_id = %s AND changed_in > %s ORDER BY path"
)
_REMOVALS: Final = (
    "SELECT path FROM asdlc_kb.visible_removals"
    " WHERE source_id = %s AND snapshot > %s ORDER BY path"
)
_BLOBS: Final = (
    "SELECT digest, content FROM asdlc_kb.visible_blobs"
    " WHERE source_id = %s AND digest = ANY(%s)"
)
_BATCH_CONTENTS: Final = 1_000
_BATCH_BYTES: Final = 4 * 1024 * 1024
"""Contents and bytes asked for at once; a larger content is alone."""

RETRY_SECONDS: Final = 30.0
"""Time for which a replica that failed is left out."""


@dataclass
class OpenSnapshot:
    """A snapshot of a source, while its transaction is open."""

    changes: SnapshotChanges
    connection: BoundedConnection
    source_id: int

    def blobs(self, files: Iterable[FileRecord]) -> Iterator[tuple[bytes, bytes]]:
        """Yield digests and contents of files; one that it lacks is left out."""
        sizes = {file.digest: file.size for file in files}
        for digests in _split_by_size(sizes):
            size = sum(sizes[digest] for digest in digests)
            with (
                translated_errors(self.connection.address),
                self.connection.transferring(size),
            ):
                values = self.source_id, digests
                rows = self.connection.execute(_BLOBS, values, binary=True)
            yield from rows


class SnapshotReader:
    """Reads sources; for one thread at a time."""

    def __init__(self, address: StoreAddress) -> None:
        self._address = address
        self._connections: dict[str, BoundedConnection] = {}
        self._left_out: dict[str, float] = {}
        """Servers that failed, and until when they are left out, by `monotonic`."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close all connections."""
        self.close()

    def close(self) -> None:
        """Close all connections."""
        while self._connections:
            _, connection = self._connections.popitem()
            connection.close()

    def sources(self) -> tuple[SourceRecord, ...]:
        """Return all sources, as the primary states them."""
        connection = self._connect(self._address.primary)
        with translated_errors(connection.address):
            return read_sources(connection)

    @contextmanager
    def snapshot(self, source: str, since: int) -> Iterator[OpenSnapshot]:
        """Open a transaction with the current snapshot of a source.

        Its changes are what readers of the snapshot `since` have to change; 0 is none.
        Raises StoreMisconfigured if there is no such source.
        """
        connection = self._choose_server(source)
        try:
            with translated_errors(connection.address), connection.transaction():
                yield _open_snapshot(connection, source, since)
        except StoreUnavailable:
            self._leave_out(connection.address)
            raise

    def _choose_server(self, source: str) -> BoundedConnection:
        """Return a connection to a replica with the primary's snapshot, or to it."""
        primary = self._connect(self._address.primary)
        now = monotonic()
        replicas = [
            address
            for address in self._address.replicas
            if self._left_out.get(address, now) <= now
        ]
        if replicas:
            with translated_errors(primary.address):
                row = primary.execute(_FIND, (source,)).fetchone()
            needed = None if row is None else row[1]
            for address in replicas:
                try:
                    replica = self._connect(address)
                    with translated_errors(address):
                        found = replica.execute(_HAS_SNAPSHOT, (source, needed))
                        if found.fetchone() is not None:
                            return replica
                except (StoreUnavailable, StoreMisconfigured):
                    self._leave_out(address)
        return primary

    def _leave_out(self, address: str) -> None:
        self._left_out[address] = monotonic() + RETRY_SECONDS

    def _connect(self, address: str) -> BoundedConnection:
        """Return an open connection; one that was lost meanwhile is replaced."""
        connection = self._connections.get(address)
        if connection is not None:
            if connection.is_usable():
                return connection
            self._connections.pop(address).close()
        connection = connect(address)
        try:
            require_schema(connection)
            connection.isolation_level = IsolationLevel.REPEATABLE_READ
            connection.read_only = True
        except BaseException:
            connection.close()
            raise
        self._connections[address] = connection
        return connection


def _open_snapshot(
    connection: BoundedConnection, source: str, since: int
) -> OpenSnapshot:
    """Read the changes of the current snapshot, in the open transaction."""
    row = connection.execute(_FIND, (source,)).fetchone()
    if row is None:
        raise StoreMisconfigured(f"the store has no source '{source}'")
    source_id, number = row
    found = connection.execute(_HAS_SNAPSHOT, (source, since))
    is_whole = found.fetchone() is None
    values = (source_id, 0 if is_whole else since)
    rows = connection.execute(_FILES, values, binary=True).fetchall()
    removed = () if is_whole else connection.execute(_REMOVALS, values).fetchall()
    changes = SnapshotChanges(
        source,
        number,
        is_whole,
        tuple(FileRecord(*row) for row in rows),
        tuple(path for (path,) in removed),
    )
    return OpenSnapshot(changes, connection, source_id)


def _split_by_size(sizes: Mapping[bytes, int]) -> Iterator[list[bytes]]:
    """Yield digests of contents that are read together."""
    batch: list[bytes] = []
    waiting = 0
    for digest, size in sizes.items():
        if batch and (waiting + size > _BATCH_BYTES or len(batch) == _BATCH_CONTENTS):
            yield batch
            batch, waiting = [], 0
        batch.append(digest)
        waiting += size
    if batch:
        yield batch
