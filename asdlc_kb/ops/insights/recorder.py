"""Counts what the running server logs, and saves the counts if that is configured.

The writer of the access log passes each batch in its own thread. A file is written in
another thread: a slow or full disk delays neither requests nor the log.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from asdlc_kb.ops.insights.daily_counts import DailyCounts
from asdlc_kb.ops.insights.report import MAX_DAYS
from asdlc_kb.ops.insights.request_counts import RequestCounts, find_day
from asdlc_kb.ops.logs.access_lines import AnyRecord, RepeatedRecord

SAVE_SECONDS: Final = 1.0
"""Interval between two writes to a file."""

RETRY_SECONDS: Final = 30.0
"""Interval between two attempts to write to a file that cannot be written."""

EXPIRE_SECONDS: Final = 3600.0
"""Interval between two checks for counts to delete."""

CLOSE_SECONDS: Final = 1.0
"""Time limit for the last write."""

logger = logging.getLogger(__name__)


class CountStore(Protocol):
    """Counts of all processes of a server. Blocks; raises OSError if it fails."""

    def add(self, counts: DailyCounts) -> None:
        """Add counts: all of them, or none."""

    def read(self, first_day: str) -> DailyCounts:
        """Return the counts since a day."""

    def expire(self, first_day: str, first_text_day: str) -> None:
        """Delete the counts before a day, and texts before another one."""


class InsightsRecorder:
    """The counts of one process, and those in its store."""

    def __init__(
        self,
        store: CountStore | None = None,
        *,
        query_days: int = MAX_DAYS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Count in memory, or in a store. Queries are deleted after `query_days`."""
        self.query_days = query_days
        self._store = store
        self._clock = clock
        self._counts = DailyCounts()
        """All counts, or those that are not in the store yet."""
        self._requests = RequestCounts()
        self._lock = threading.Lock()
        """Held for moments."""
        self._store_lock = threading.Lock()
        """Held while the store is used."""
        self._has_work = threading.Event()
        self._is_closed = threading.Event()
        self._writer: threading.Thread | None = None
        self._has_failed = False
        self._today = ""
        """The day of the latest request."""

    def record(self, records: Sequence[AnyRecord | RepeatedRecord]) -> None:
        """Count requests as they are logged."""
        with self._lock:
            self._requests.record(records, self._counts)
        self._has_work.set()
        if records and (today := find_day(records[-1])) != self._today:
            self._today = today
            if self._store is None:
                self._expire()

    def read(self, first_day: str) -> DailyCounts:
        """Return the counts since a day. Blocks while the store is read."""
        self._expire()
        if self._store is not None:
            self.save()
        selected = DailyCounts(max_bytes=None)
        with self._store_lock:
            if self._store is not None and not self._has_failed:
                selected.merge(self._store.read(first_day))
            with self._lock:
                self._requests.move_to(self._counts)
                selected.merge(self._counts)
        selected.expire(first_day, first_day)
        return selected

    def save(self) -> bool:
        """Move the counts to the store; return False if that fails. Blocks.

        A failure is logged once. The counts stay, within their limit.
        """
        if self._store is None:
            return True
        with self._store_lock:
            with self._lock:
                self._requests.move_to(self._counts)
                counts, self._counts = self._counts, DailyCounts()
            try:
                if counts:
                    self._store.add(counts)
            except Exception as error:
                with self._lock:
                    counts.merge(self._counts)
                    self._counts = counts
                self._report(error)
                return False
            self._has_failed = False
            return True

    def open(self) -> None:
        """Save counts in a thread from now on, and delete old ones, until `close`."""
        if self._store is None:
            return
        self._writer = threading.Thread(
            target=self._run_writer, name="insights", daemon=True
        )
        self._writer.start()

    def close(self) -> None:
        """Save the counts. Takes `CLOSE_SECONDS` at most."""
        self._is_closed.set()
        self._has_work.set()
        if self._writer is not None:
            self._writer.join(CLOSE_SECONDS)

    def _run_writer(self) -> None:
        while not self._is_closed.is_set():
            self._expire()
            self._has_work.wait(EXPIRE_SECONDS)
            self._is_closed.wait(SAVE_SECONDS)
            self._has_work.clear()
            if not self.save():
                self._is_closed.wait(RETRY_SECONDS)
        self.save()

    def _expire(self) -> None:
        today = datetime.fromtimestamp(self._clock(), UTC).date()
        first_day, first_text_day = (
            (today - timedelta(days=days)).isoformat()
            for days in (MAX_DAYS, self.query_days)
        )
        with self._lock:
            self._requests.move_to(self._counts)
            self._counts.expire(first_day, first_text_day)
        if self._store is not None:
            with self._store_lock:
                try:
                    self._store.expire(first_day, first_text_day)
                except Exception as error:
                    self._report(error)

    def _report(self, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            # Other messages may have a part of a query.
            reason = str(error) if isinstance(error, OSError) else type(error).__name__
            logger.error("insights cannot be saved", extra={"reason": reason})
