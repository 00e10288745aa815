"""The access log: one line per request, for all transports.

Requests are queued. A thread formats and writes them in batches, several times a
second: a line costs a request next to nothing, and an unread stderr blocks no request.
"""

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TextIO, TypeAlias

from asdlc_kb.ops.logs.access_lines import (
    AnyRecord,
    Fields,
    RepeatedFields,
    RepeatedRecord,
    format_lines,
)
from asdlc_kb.ops.logs.log_throttle import MAX_LINES_PER_SECOND, LogThrottle

PAUSE_SECONDS: Final = 0.1
"""Interval between two writes. Without requests the writer sleeps."""

CLOSE_SECONDS: Final = 1.0
"""Time limit for writing the queued lines at the end."""

MAX_WAITING: Final = 50_000
"""Maximum number of queued lines; further ones are counted instead."""

EntryKind: TypeAlias = tuple[int | None, int | str | None]
"""The status of a rejected request, and its error code if there is one."""

FormatLines: TypeAlias = Callable[[Iterable[AnyRecord | RepeatedRecord]], str]
"""Returns the lines of a batch of records."""

RecordObserver: TypeAlias = Callable[[Sequence[AnyRecord | RepeatedRecord]], None]

logger = logging.getLogger(__name__)

_LOGGER: Final = logging.getLogger("asdlc_kb.access")


class AccessLog:
    """Records requests, and writes them to the stream passed to `open`."""

    def __init__(self, logger: logging.Logger = _LOGGER) -> None:
        self._logger = logger
        self._stream: TextIO | None = None
        self._format: FormatLines = format_lines
        self._writer: threading.Thread | None = None
        self._queue: list[AnyRecord | RepeatedRecord] = []
        self._dropped = 0
        """Lines dropped because the queue was full, since the start."""
        self._unwritten = 0
        """Lines that an error of the stream lost, such as a full disk."""
        self._lost_reported = 0
        self._is_closed = threading.Event()
        self._has_work = threading.Event()
        """Set if the writer may have lines to write."""
        self._write_lock = threading.Lock()
        self.observer: RecordObserver = _ignore
        """Receives all records that are logged, in batches and in the thread that
        writes them, after they were written."""
        self._reported: set[tuple[str, str]] = set()
        """Events and types of the unexpected errors that were logged."""
        self._throttle: LogThrottle[EntryKind] = LogThrottle(MAX_LINES_PER_SECOND, 1.0)

    @property
    def is_enabled(self) -> bool:
        """Whether requests are logged at all."""
        return self._logger.isEnabledFor(logging.INFO)

    @property
    def lost(self) -> int:
        """Lines that were not written, since the start."""
        return self._dropped + self._unwritten

    def should_record(self, kind: EntryKind | None) -> bool:
        """Whether the line of a request is written; call `record` only then.

        `kind` is that of a rejected request, of which there may be floods, or None.
        Suppressed lines are counted, and reported in a summary line.
        """
        if not self.is_enabled:
            return False
        if kind is None or self._stream is None:
            return True
        number = self._throttle.count(kind)
        if number > 1:
            # First report those suppressed before it.
            self._append(_summary_line(kind, number - 1))
        elif not number:
            self._has_work.set()
        return number > 0

    def record(self, fields: Fields) -> None:
        """Log a request; fields that are None are omitted."""
        if not self.is_enabled:
            return
        if self._stream is None:
            self._logger.info("request", extra=dict(fields))
            self._observe([(time.time(), fields)])
        else:
            self._append((time.time(), fields))

    def record_repeated(
        self,
        request_id: str,
        seconds: float,
        fields: RepeatedFields,
        *,
        size: int | None = None,
        found: int | None = None,
    ) -> None:
        """Log a request whose other fields were encoded before.

        `size` and `found` are the bytes and the total of its result, if it has them.

        Call it only if `should_record` allows it. The id is a valid one: of
        `make_request_id`, or of a trusted proxy.
        """
        if self._stream is None:
            record = fields.with_request(request_id, seconds, size, found)
            self._logger.info("request", extra=record)
            self._observe([(time.time(), record)])
        else:
            self._append((time.time(), request_id, seconds, size, found, fields))

    def open(self, stream: TextIO, format_lines: FormatLines = format_lines) -> None:
        """Write to a stream from now on, until `close` or the end of the process."""
        self.close()
        self._stream, self._format = stream, format_lines
        self._is_closed = threading.Event()
        self._writer = threading.Thread(
            target=self._run_writer,
            args=(self._is_closed,),
            name="access-log",
            daemon=True,
        )
        self._writer.start()
        atexit.register(self.close)

    def close(self) -> None:
        """Write the queued lines, and pass further requests to the logger.

        Takes `CLOSE_SECONDS` at most: the stream may have no reader any more.
        """
        atexit.unregister(self.close)
        self._is_closed.set()
        self._has_work.set()
        if self._writer is not None:
            self._writer.join(CLOSE_SECONDS)
        self._stream = self._writer = None

    def flush(self, *, is_last: bool = False) -> None:
        """Write the queued lines, and summaries of suppressed ones.

        Those that cannot be written, as on a full disk, are counted and lost.
        """
        with self._write_lock:
            # Concurrent calls of `record` append to the same list.
            queue = self._queue[:]
            del self._queue[: len(queue)]
            suppressed = self._throttle.collect(is_last=is_last)
            queue += [_summary_line(kind, number) for kind, number in suppressed]
            number = len(queue)
            if lost := self.lost - self._lost_reported:
                queue.append((time.time(), {"lines_lost": lost}))
            if queue and self._stream is not None:
                try:
                    written = _write(self._format(queue), self._stream)
                finally:
                    self._observe(queue)
                if written == len(queue):
                    self._lost_reported += lost
                else:
                    self._unwritten += number - written

    def _append(self, record: AnyRecord | RepeatedRecord) -> None:
        """Queue a record, and wake the writer for the first one."""
        queue = self._queue
        if len(queue) >= MAX_WAITING:
            self._dropped += 1
            return
        queue.append(record)
        if len(queue) == 1:
            self._has_work.set()

    def _run_writer(self, is_closed: threading.Event) -> None:
        while not is_closed.is_set():
            self._has_work.wait()
            self._has_work.clear()
            is_closed.wait(PAUSE_SECONDS)
            self._try_flush()
            if self._queue or self._throttle.is_counting:
                self._has_work.set()
        self._try_flush(is_last=True)

    def _try_flush(self, *, is_last: bool = False) -> None:
        """Write the queued lines; log an unexpected error."""
        try:
            self.flush(is_last=is_last)
        except Exception as error:
            self._report("access log failed", error)

    def _observe(self, records: Sequence[AnyRecord | RepeatedRecord]) -> None:
        try:
            self.observer(records)
        except Exception as error:
            self._report("observer of the access log failed", error)

    def _report(self, event: str, error: Exception) -> None:
        """Log an unexpected error, once for each type."""
        failure = event, type(error).__name__
        if failure not in self._reported:
            self._reported.add(failure)
            logger.error(event, extra={"error": failure[1]})


def _ignore(records: Sequence[AnyRecord | RepeatedRecord]) -> None:
    """Do nothing with records."""


def _summary_line(kind: EntryKind, number: int) -> AnyRecord:
    """Return a summary line of suppressed requests, timestamped now."""
    status, code = kind
    summary = {"status": status, "code": code, "number": number}
    return time.time(), {"event": "requests not logged", **summary}


def _write(text: str, stream: TextIO) -> int:
    """Write to a stream, bypassing the buffer of a file; return the lines written.

    The buffer has a lock, and a thread that waits for it could not even exit.
    """
    rest = text.encode(stream.encoding or "ascii", "backslashreplace")
    lines = rest.count(b"\n")
    try:
        try:
            descriptor = stream.fileno()
        except (OSError, AttributeError):
            stream.write(text)
            stream.flush()
            return lines
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except (OSError, ValueError):
        # The disk is full, or the stream is closed.
        return lines - rest.count(b"\n")
    return lines
