"""Counts in an SQLite file, shared by the processes of a server.

Only its owner may read the file. What is deleted is overwritten. A damaged file is
renamed and replaced by an empty one. A file of another program is not touched.
"""

import fcntl
import io
import logging
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

from asdlc_kb.ops.insights.daily_counts import TEXTS, DailyCounts

T = TypeVar("T")

APPLICATION: Final = 0x6B62696E
"""The `application_id` of our files."""

_MAGIC: Final = b"SQLite format 3\0"
_APPLICATION_BYTES: Final = slice(68, 72)
"""The beginning of a file of SQLite, and where it has its `application_id`."""

VERSION: Final = 1
"""The version of the table, as `user_version`."""

DAMAGED_SUFFIX: Final = ".damaged"
"""Suffix of a damaged file; an older one of ours is replaced."""

BUSY_SECONDS: Final = 2.0
"""Time limit for other processes to end their transaction."""

_TABLE: Final = """
CREATE TABLE daily_counts (
    day TEXT NOT NULL,
    measure TEXT NOT NULL,
    label TEXT NOT NULL,
    detail TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (day, measure, label, detail)
) WITHOUT ROWID
"""

_ADD: Final = """
INSERT INTO daily_counts VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET number = number + excluded.number
"""

_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

logger = logging.getLogger(__name__)


class ForeignFile(OSError):
    """Raised for a file of another program."""


def require_own_file(path: Path) -> None:
    """Raise ForeignFile for a file of another program; it may be missing.

    Not for a file that this process writes: its locks would be
    released. Raises OSError for a file that cannot be read.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(FileNotFoundError):
        _check_own(os.open(path, flags), path)


def _check_own(descriptor: int, path: Path) -> int:
    """Return the inode of a file that is empty or has our `application_id`; close it.

    Raises ForeignFile for others, unless they have only zeros, as after a crash of the
    machine.
    """
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ForeignFile(f"{path}: not used: it is no file")
        start = os.read(descriptor, _APPLICATION_BYTES.stop)
        application = int.from_bytes(start[_APPLICATION_BYTES])
        if not start.startswith(_MAGIC) or application != APPLICATION:
            while start:
                if any(start):
                    reason = "it was written by another program"
                    raise ForeignFile(f"{path}: not used: {reason}")
                start = os.read(descriptor, io.DEFAULT_BUFFER_SIZE)
        return status.st_ino
    finally:
        os.close(descriptor)


class InsightsFile:
    """Counts in a file, which each operation opens. Raises OSError if one fails."""

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._path = path
        self._busy_seconds = busy_seconds

    def add(self, counts: DailyCounts) -> None:
        """Add counts: all of them, or none."""
        rows = list(counts)
        self._run(lambda connection: connection.executemany(_ADD, rows))

    def read(self, first_day: str) -> DailyCounts:
        """Return the counts since a day."""
        counts = DailyCounts(max_bytes=None)
        query = "SELECT * FROM daily_counts WHERE day >= ?"

        def select(
            connection: sqlite3.Connection,
        ) -> list[tuple[str, str, str, str, int]]:
            return connection.execute(query, (first_day,)).fetchall()

        for row in self._run(select):
            counts.add(*row)
        return counts

    def expire(self, first_day: str, first_text_day: str) -> None:
        """Delete the counts before a day, and texts before another one.

        A damaged file has texts too: it is deleted when it is that old.
        """

        def delete(connection: sqlite3.Connection) -> None:
            query = "DELETE FROM daily_counts WHERE day < ?"
            connection.execute(query, (first_day,))
            rows = [(first_text_day, measure.value) for measure in TEXTS]
            connection.executemany(f"{query} AND measure = ?", rows)

        self._run(delete)
        damaged = self._beside(DAMAGED_SUFFIX)
        with suppress(FileNotFoundError, ForeignFile):
            renamed = datetime.fromtimestamp(damaged.stat().st_mtime, UTC)
            if renamed.date().isoformat() < first_text_day:
                require_own_file(damaged)
                damaged.unlink()

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of work in one transaction, in a new file if needed."""
        for is_last in (False, True):
            inode = self._create()
            try:
                with self._begin() as connection:
                    return work(connection)
            except sqlite3.Error as error:
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                if is_last or code not in _DAMAGED:
                    raise OSError(f"{self._path}: {error}") from None
                self._set_aside(inode)
        raise AssertionError

    @contextmanager
    def _begin(self) -> Iterator[sqlite3.Connection]:
        with closing(
            sqlite3.connect(
                self._path, timeout=self._busy_seconds, isolation_level=None
            )
        ) as connection:
            execute = connection.execute
            execute("PRAGMA secure_delete = ON")
            execute("PRAGMA synchronous = NORMAL")
            execute("BEGIN IMMEDIATE")
            self._prepare(connection)
            yield connection
            execute("COMMIT")

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Create the table in an empty file; raise OSError for another one."""
        execute = connection.execute
        (application,) = execute("PRAGMA application_id").fetchone()
        (version,) = execute("PRAGMA user_version").fetchone()
        (tables,) = execute("SELECT count(*) FROM sqlite_master").fetchone()
        if (application, version, tables) == (0, 0, 0):
            execute(_TABLE)
            execute(f"PRAGMA application_id = {APPLICATION}")
            execute(f"PRAGMA user_version = {VERSION}")
        elif (application, version) != (APPLICATION, VERSION):
            reason = "it was written by another program, or by a newer version"
            raise OSError(f"{self._path}: not used: {reason}")

    def _create(self) -> int:
        """Create the file if it does not exist; return its inode.

        Raises ForeignFile for a file of another program.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        return _check_own(os.open(self._path, flags, 0o600), self._path)

    def _set_aside(self, inode: int) -> None:
        """Rename a damaged file, unless another process has replaced it."""
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            if self._path.stat().st_ino != inode:
                return
            damaged = self._beside(DAMAGED_SUFFIX)
            require_own_file(damaged)
            # A journal would be applied to the new file.
            for suffix in ("-journal", "-wal", "-shm"):
                self._beside(suffix).unlink(missing_ok=True)
            # Its texts expire, counted from today.
            os.utime(self._path)
            self._path.replace(damaged)
        finally:
            os.close(folder)
        logger.error("insights file is damaged", extra={"renamed_to": str(damaged)})

    def _beside(self, suffix: str) -> Path:
        return self._path.with_name(f"{self._path.name}{suffix}")
