"""Reader of snapshots: each in one transaction, from a replica that has it.

A replica is used if its history has the snapshot that the primary states. While the
primary is unreachable, one that has the reader's own snapshot is.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final, Self

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
    split_into_batches,
)

NUMBERS: Final = "SELECT name, snapshot FROM asdlc_kb.visible_sources"

_BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_FIND: Final = (
    "SELECT source_id, snapshot FROM asdlc_kb.visible_sources WHERE name = %s"
)
_HAS_SNAPSHOT: Final = (
    "SELECT FROM asdlc_kb.visible_snapshots WHERE source_id = %s AND number = %s"
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
_DIGESTS: Final = 1_000
"""Contents asked for at once."""
_BLOBS_AT_ONCE: Final = 16
"""Contents in memory at once."""


class SnapshotReader:
    """Reads sources; for one thread at a time."""

    def __init__(self, address: StoreAddress) -> None:
        self._address = address
        self._connections: dict[str, BoundedConnection] = {}
        self._snapshot: tuple[BoundedConnection, int] | None = None
        """The connection with an open transaction, and the source's id."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close all connections."""
        self.close()

    def close(self) -> None:
        """End the transaction and close all connections."""
        self._snapshot = None
        while self._connections:
            _, connection = self._connections.popitem()
            connection.close()

    def numbers(self) -> Mapping[str, int]:
        """Return the current snapshot of each source, as the primary states it."""
        self._end_transaction()
        connection = self._connect(self._address.primary)
        with translated_errors(connection.address):
            return dict(connection.execute(NUMBERS).fetchall())

    def sources(self) -> tuple[SourceRecord, ...]:
        """Return all sources, as the primary states them."""
        self._end_transaction()
        connection = self._connect(self._address.primary)
        with translated_errors(connection.address):
            return read_sources(connection)

    def changes(self, source: str, since: int) -> SnapshotChanges:
        """Return what readers of the snapshot `since` have to change; 0 is none.

        The transaction stays open for `blobs`, until the next call of another method.
        Raises StoreMisconfigured if there is no such source.
        """
        self._end_transaction()
        needed = self._find_needed(source, since)
        for replica in self._address.replicas:
            with suppress(StoreUnavailable, StoreMisconfigured):
                found = self._begin(replica, source)
                if found is not None and self._has(needed):
                    return self._read_changes(source, since, *found)
        found = self._begin(self._address.primary, source)
        if found is None:
            raise StoreMisconfigured(f"the store has no source '{source}'")
        return self._read_changes(source, since, *found)

    def blobs(self, digests: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Yield digests and contents of files in the snapshot read last.

        One that the snapshot does not have is left out.
        """
        if self._snapshot is None:
            raise ValueError("no snapshot was read")
        connection, source_id = self._snapshot
        for some in split_into_batches(digests, _DIGESTS):
            with (
                translated_errors(connection.address),
                connection.cursor("blobs", binary=True) as cursor,
            ):
                cursor.itersize = _BLOBS_AT_ONCE
                yield from cursor.execute(_BLOBS, (source_id, some))

    def _find_needed(self, source: str, since: int) -> int:
        """Return the snapshot that a replica must have, 0 for any."""
        if not self._address.replicas:
            return 0
        try:
            connection = self._connect(self._address.primary)
            with translated_errors(connection.address):
                row = connection.execute(_FIND, (source,)).fetchone()
        except StoreUnavailable:
            return since
        return int(row[1]) if row else 0

    def _has(self, number: int) -> bool:
        """Whether the history of the open snapshot has a number; 0 stands for none."""
        if number == 0:
            return True
        assert self._snapshot is not None
        connection, source_id = self._snapshot
        with translated_errors(connection.address):
            cursor = connection.execute(_HAS_SNAPSHOT, (source_id, number))
            return cursor.fetchone() is not None

    def _begin(self, address: str, source: str) -> tuple[int, int] | None:
        """Begin a transaction on a server; return the source's id and snapshot."""
        self._end_transaction()
        connection = self._connect(address)
        with translated_errors(address):
            connection.execute(_BEGIN)
            row = connection.execute(_FIND, (source,)).fetchone()
        if row is None:
            return None
        self._snapshot = (connection, row[0])
        return row[0], row[1]

    def _read_changes(
        self, source: str, since: int, source_id: int, number: int
    ) -> SnapshotChanges:
        assert self._snapshot is not None
        connection, _ = self._snapshot
        with translated_errors(connection.address):
            is_whole = since == 0 or not self._has(since)
            after = 0 if is_whole else since
            values = (source_id, after)
            rows = connection.execute(_FILES, values, binary=True).fetchall()
            removed = connection.execute(_REMOVALS, values).fetchall()
        return SnapshotChanges(
            source,
            number,
            is_whole,
            tuple(FileRecord(*row) for row in rows),
            () if is_whole else tuple(path for (path,) in removed),
        )

    def _end_transaction(self) -> None:
        """End the transaction, and drop a connection that cannot."""
        self._snapshot = None
        for address, connection in [*self._connections.items()]:
            try:
                with translated_errors(address):
                    connection.rollback()
            except StoreUnavailable:
                connection.close()
                del self._connections[address]

    def _connect(self, address: str) -> BoundedConnection:
        """Return an open connection; one that was lost meanwhile is replaced."""
        connection = self._connections.get(address)
        if connection is not None:
            with suppress(StoreUnavailable), translated_errors(address):
                connection.execute("SELECT 1")
                return connection
            self._connections.pop(address).close()
        connection = connect(address)
        try:
            require_schema(connection)
        except BaseException:
            connection.close()
            raise
        self._connections[address] = connection
        return connection
