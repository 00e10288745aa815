"""Writer of snapshots: one transaction for a source's changes, all or nothing.

Only contents that the store does not have are read and sent. Writers of one source wait
for each other; those of different sources never do.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from time import monotonic, sleep
from typing import Any, Final, TypeAlias

from psycopg.types.json import Jsonb

from asdlc_kb.exceptions import (
    OperationalError,
    StoreMisconfigured,
    StoreUnavailable,
)
from asdlc_kb.store import statements
from asdlc_kb.store.database import BoundedConnection, translated_errors
from asdlc_kb.store.schema import require_schema
from asdlc_kb.store.source_rows import read_sources
from asdlc_kb.store.values import (
    FileRecord,
    SourceRecord,
    check_conflicts,
    check_path,
    check_source_name,
    check_texts,
    split_into_batches,
)

logger = logging.getLogger(__name__)

MAX_SNAPSHOTS: Final = 1_000
"""Snapshots of a source from which readers get a difference; older ones read all."""

MAX_LOCK_SECONDS: Final = 600.0
"""Time to wait for another writer of a source."""

_LOCK_PAUSE_SECONDS: Final = 0.2

_BATCH_ROWS: Final = 2_000
_BATCH_BYTES: Final = 4 * 1024 * 1024
"""Rows and bytes of one statement."""

ReportProgress: TypeAlias = Callable[[int, int], None]
"""Called with the number of files sent and of those to send."""


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The snapshot of a write, and what changed for readers."""

    number: int
    written: int
    """Files that are new or changed."""
    removed: int
    """Files that are hidden or deleted now."""
    bytes_sent: int
    """Those of hidden files included."""


@dataclass
class _Difference:
    """A source's files compared with the stored ones."""

    written: list[FileRecord] = field(default_factory=list)
    hidden: list[FileRecord] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unhidden: list[str] = field(default_factory=list)
    """Paths that are no longer among the hidden ones."""
    released: set[bytes] = field(default_factory=set)
    """Digests that may no longer be needed."""


class SnapshotWriter:
    """Writes sources over one connection."""

    def __init__(
        self,
        connection: BoundedConnection,
        report: Callable[[str], None] = logger.warning,
    ) -> None:
        """Call `report` if a write has to wait for another one.

        Raises StoreMisconfigured for a schema of another version.
        """
        require_schema(connection)
        self._connection = connection
        self._report = report

    def list_sources(self) -> tuple[SourceRecord, ...]:
        """Return all sources, by name."""
        with translated_errors(self._connection.address):
            return read_sources(self._connection)

    def check(self, sources: Iterable[SourceRecord]) -> None:
        """Raise StoreMisconfigured for a source that `write` would refuse.

        Also for names that differ by case from stored ones: a server serves neither.
        """
        stored = self.list_sources()
        for source in sources:
            for found in stored:
                if found.name.casefold() != source.name.casefold():
                    continue
                if found.name != source.name:
                    raise StoreMisconfigured(
                        f"the store has a source '{found.name}': '{source.name}' "
                        "differs by case only, choose another name or remove that one"
                    )
                _require_same(source, found.kind, found.owner)

    def write(
        self,
        source: SourceRecord,
        files: Iterable[FileRecord],
        read: Callable[[str], bytes],
        progress: ReportProgress | None = None,
        kept: Set[str] = frozenset(),
    ) -> WriteResult:
        """Make these the files of a source; leave those in `kept` as they are stored.

        The number of its snapshot stays if nothing visible changed. A source without an
        owner gets the one that is given. Raises ValueError for an invalid name or path,
        or one of a file and a folder, StoreMisconfigured for a source of another owner
        or kind, and OperationalError for a file whose content is no longer that of its
        digest.
        """
        check_source_name(source.name)
        check_texts((source.owner, *source.options, *source.options.values()))
        records = _index_by_path(files)
        with self._transaction(source.name):
            self.check([source])
            source_id, is_changed = self._put_source(source)
            stored = self._read_stored(source_id)
            left = {path: stored.pop(path) for path in stored.keys() & kept}
            visible = {path for path, (_, is_hidden) in left.items() if not is_hidden}
            visible.update(path for path, it in records.items() if not it.is_hidden)
            check_conflicts(visible)
            difference = _compare(records, stored)
            bytes_sent = self._send_contents(source_id, difference, read, progress)
            is_changed = is_changed or bool(difference.written or difference.removed)
            number = self._next_number(source_id, is_changed)
            self._put_files(source_id, difference, number)
            if is_changed:
                self._publish(source.name, source_id, number)
        return WriteResult(
            number, len(difference.written), len(difference.removed), bytes_sent
        )

    def remove(self, name: str) -> bool:
        """Delete a source with its files; False if there is none."""
        with self._transaction(name):
            if self._find(name) is None:
                return False
            self._execute(statements.DELETE_SOURCE, name)
            self._execute(statements.NOTIFY, f"{name}:0")
        return True

    def rebuild(self, name: str) -> bool:
        """Have every reader compare all files; False if there is no such source."""
        with self._transaction(name):
            source_id = self._find(name)
            if source_id is None:
                return False
            self._execute(statements.DELETE_SNAPSHOTS, source_id)
            self._execute(statements.DELETE_REMOVALS, source_id)
            self._publish(name, source_id, self._next_number(source_id, True))
        return True

    def set_owner(self, name: str, owner: str) -> bool:
        """Set the team that may write a source; False if there is no such source."""
        with self._transaction(name):
            source_id = self._find(name)
            if source_id is None:
                return False
            self._execute(statements.SET_OWNER, owner, source_id)
            self._publish(name, source_id, self._next_number(source_id, True))
        return True

    @contextmanager
    def _transaction(self, name: str) -> Iterator[None]:
        """Hold the lock of a source's writer until the block is committed.

        Names that differ by case share one, so that only one of them gets a source.
        """
        connection = self._connection
        with translated_errors(connection.address), connection.transaction():
            self._lock(name)
            yield

    def _lock(self, name: str) -> None:
        """Wait for the writer that has the lock, however long its statements take."""
        end = monotonic() + MAX_LOCK_SECONDS
        is_reported = False
        while not self._execute(statements.TRY_LOCK_SOURCE, name.casefold())[0][0]:
            if not is_reported:
                self._report(f"another command writes the source '{name}': waiting")
                is_reported = True
            if monotonic() > end:
                raise StoreUnavailable(
                    f"another command has been writing the source '{name}' for "
                    f"{MAX_LOCK_SECONDS / 60:.0f} minutes: try again later"
                )
            sleep(_LOCK_PAUSE_SECONDS)

    def _execute(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        cursor = self._connection.execute(statement.encode(), values, binary=True)
        return cursor.fetchall() if cursor.description else []

    def _find(self, name: str) -> int | None:
        rows = self._execute(statements.FIND_SOURCE, name)
        return rows[0][0] if rows else None

    def _put_source(self, source: SourceRecord) -> tuple[int, bool]:
        """Create or change the row of a source; return its id, and whether it did."""
        options = dict(source.options)
        rows = self._execute(statements.READ_SOURCE, source.name)
        if not rows:
            row = (source.name, source.kind, Jsonb(options), source.owner)
            return self._execute(statements.INSERT_SOURCE, *row)[0][0], True
        source_id, old_options, old_owner = rows[0]
        is_changed = (options, source.owner) != (old_options, old_owner)
        if is_changed:
            values = (Jsonb(options), source.owner, source_id)
            self._execute(statements.UPDATE_SOURCE, *values)
        return source_id, is_changed

    def _read_stored(self, source_id: int) -> dict[str, tuple[bytes, bool]]:
        """Return the digest of each stored file, and whether it is hidden."""
        rows = self._execute(statements.READ_FILES, source_id, source_id)
        return {path: (digest, is_hidden) for path, digest, is_hidden in rows}

    def _send_contents(
        self,
        source_id: int,
        difference: _Difference,
        read: Callable[[str], bytes],
        progress: ReportProgress | None,
    ) -> int:
        """Store the contents that are missing, and hidden files; return the bytes."""
        missing = self._find_missing(source_id, difference.written)
        rows = ((record, True) for record in missing)
        hidden = ((record, False) for record in difference.hidden)
        total = len(missing) + len(difference.hidden)
        batch: list[tuple[FileRecord, bool, bytes]] = []
        sent = waiting = 0
        for done, (record, is_visible) in enumerate(chain(rows, hidden), 1):
            content = read(record.path)
            if sha256(content).digest() != record.digest:
                raise OperationalError(
                    f"{record.path} changed while it was read: run this again"
                )
            batch.append((record, is_visible, content))
            waiting += len(content)
            if waiting >= _BATCH_BYTES or len(batch) >= _BATCH_ROWS or done == total:
                with self._connection.transferring(waiting):
                    self._send_batch(source_id, batch)
                batch, sent, waiting = [], sent + waiting, 0
            if progress is not None:
                progress(done, total)
        return sent

    def _find_missing(
        self, source_id: int, records: list[FileRecord]
    ) -> list[FileRecord]:
        """Return one file for each content that the store does not have."""
        by_digest = {record.digest: record for record in records}
        for digests in split_into_batches(tuple(by_digest), _BATCH_ROWS):
            known = self._execute(statements.FIND_BLOBS, source_id, digests)
            for (digest,) in known:
                del by_digest[digest]
        return list(by_digest.values())

    def _send_batch(
        self, source_id: int, batch: list[tuple[FileRecord, bool, bytes]]
    ) -> None:
        blobs = [(r.digest, content) for r, is_visible, content in batch if is_visible]
        if blobs:
            self._execute(statements.PUT_BLOBS, source_id, *_columns(blobs))
        hidden = [
            (r.path, r.digest, r.size, r.mtime_ns, content)
            for r, is_visible, content in batch
            if not is_visible
        ]
        if hidden:
            self._execute(statements.PUT_HIDDEN, source_id, *_columns(hidden))

    def _put_files(self, source_id: int, difference: _Difference, number: int) -> None:
        """Store the difference, except contents and hidden files."""
        for records in split_into_batches(difference.written, _BATCH_ROWS):
            rows = [(r.path, r.digest, r.size, r.mtime_ns) for r in records]
            paths, *others = _columns(rows)
            self._execute(statements.PUT_FILES, source_id, number, paths, *others)
            self._execute(statements.FORGET_REMOVALS, source_id, paths)
        for paths in split_into_batches(difference.removed, _BATCH_ROWS):
            self._execute(statements.DELETE_FILES, source_id, paths)
            self._execute(statements.PUT_REMOVALS, source_id, number, paths)
        for paths in split_into_batches(difference.unhidden, _BATCH_ROWS):
            self._execute(statements.DELETE_HIDDEN, source_id, paths)
        for digests in split_into_batches(difference.released, _BATCH_ROWS):
            self._execute(statements.DELETE_BLOBS, source_id, digests)

    def _next_number(self, source_id: int, is_changed: bool) -> int:
        """Return the number of the snapshot that is being written (D-247)."""
        statement = statements.NEXT_NUMBER if is_changed else statements.NUMBER
        return int(self._execute(statement, source_id)[0][0])

    def _publish(self, name: str, source_id: int, number: int) -> None:
        """Record the snapshot, and notify readers when it is committed."""
        self._execute(statements.SET_SNAPSHOT, number, source_id)
        self._execute(statements.PUT_SNAPSHOT, source_id, number)
        self._execute(statements.PRUNE_SNAPSHOTS, source_id, source_id, MAX_SNAPSHOTS)
        self._execute(statements.PRUNE_REMOVALS, source_id, source_id)
        self._execute(statements.NOTIFY, f"{name}:{number}")


def _require_same(source: SourceRecord, kind: str, owner: str) -> None:
    """Raise StoreMisconfigured unless a stored source has this kind and owner."""
    if owner and source.owner != owner:
        given = f"not to {source.owner}" if source.owner else "and no owner is given"
        raise StoreMisconfigured(
            f"the source '{source.name}' belongs to {owner}, {given}"
        )
    if kind != source.kind:
        raise StoreMisconfigured(
            f"the source '{source.name}' has {kind}, not {source.kind}: use "
            "another name, or remove it first"
        )


def _index_by_path(files: Iterable[FileRecord]) -> dict[str, FileRecord]:
    """Return the files by path; raise ValueError for an invalid or repeated one."""
    records: dict[str, FileRecord] = {}
    for record in files:
        check_path(record.path)
        if records.setdefault(record.path, record) is not record:
            raise ValueError(f"the path {record.path!r} is given twice")
    return records


def _compare(
    records: dict[str, FileRecord], stored: dict[str, tuple[bytes, bool]]
) -> _Difference:
    """Return what has to be stored; other times alone are no change (D-248)."""
    difference = _Difference()
    for path, record in records.items():
        if stored.get(path) != (record.digest, record.is_hidden):
            rows = difference.hidden if record.is_hidden else difference.written
            rows.append(record)
    for path, (digest, was_hidden) in stored.items():
        new = records.get(path)
        is_moved = new is None or new.is_hidden != was_hidden
        if is_moved:
            (difference.unhidden if was_hidden else difference.removed).append(path)
        if not was_hidden and (is_moved or (new is not None and new.digest != digest)):
            difference.released.add(digest)
    return difference


def _columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    """Return the columns of rows, as arrays for `unnest`."""
    return [list(column) for column in zip(*rows, strict=True)]
