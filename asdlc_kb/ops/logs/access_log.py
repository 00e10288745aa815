"""The access log: one line for each request, whichever door it came through.

Requests are noted at once and written together, some times a second, in a thread: a
line costs the request next to nothing, and a stderr that nobody reads holds up nobody.
"""

import atexit
import datetime
import json
import logging
import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, TextIO, TypeAlias

import msgspec

from asdlc_kb.ops.logs.log_throttle import MAX_LINES_PER_SECOND, LogThrottle

PAUSE_SECONDS: Final = 0.1
"""A line is written after so long."""

CLOSE_SECONDS: Final = 1.0
"""Lines that wait at the end are written by then, or never."""

MAX_WAITING: Final = 50_000
"""Lines that may wait; those beyond are counted instead."""

Fields: TypeAlias = Mapping[str, Any]

EntryKind: TypeAlias = tuple[int | None, int | str | None]
"""What refusals have in common: their status, and their code if they have one."""

_encode = msgspec.json.Encoder().encode


class AccessLog:
    """Notes requests; writes them to the stream it was opened on."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._stream: TextIO | None = None
        self._writer: threading.Thread | None = None
        self._waiting: list[tuple[float, Fields]] = []
        self._lost = 0
        """Lines that did not fit, since the start."""
        self._lost_told = 0
        self._is_closed = threading.Event()
        self._writing = threading.Lock()
        self._sampler: LogThrottle[EntryKind] = LogThrottle(MAX_LINES_PER_SECOND, 1.0)

    @property
    def is_enabled(self) -> bool:
        """Whether requests are logged at all."""
        return self._logger.isEnabledFor(logging.INFO)

    @property
    def lost(self) -> int:
        """Lines that did not fit, since the start."""
        return self._lost

    def takes(self, kind: EntryKind | None) -> bool:
        """Whether the line of a request is written: it is noted only then.

        A kind is that of a refusal, of which many may come at once; None is none. What
        is not written is counted, and told of in a line of its own.
        """
        if not self.is_enabled:
            return False
        if kind is None or self._stream is None:
            return True
        number = self._sampler.count(kind)
        if number > 1:
            # Others that were not collected yet came before it.
            self._waiting.append(_summary_line(kind, number - 1))
        return number > 0

    def note(self, fields: Fields) -> None:
        """Log a request; fields that are None are left out of its line."""
        if not self.is_enabled:
            return
        if self._stream is None:
            self._logger.info("request", extra=dict(fields))
        elif len(self._waiting) < MAX_WAITING:
            self._waiting.append((time.time(), fields))
        else:
            self._lost += 1

    def open(self, stream: TextIO) -> None:
        """Write to a stream from now on, until the process ends."""
        self.close()
        self._stream = stream
        self._is_closed = threading.Event()
        self._writer = threading.Thread(
            target=self._keep_writing,
            args=(self._is_closed,),
            name="access-log",
            daemon=True,
        )
        self._writer.start()
        atexit.register(self.close)

    def close(self) -> None:
        """Write what waits, and leave further requests to the logger.

        Takes `CLOSE_SECONDS` at most: nobody may be there to read any more.
        """
        atexit.unregister(self.close)
        self._is_closed.set()
        if self._writer is not None:
            self._writer.join(CLOSE_SECONDS)
        self._stream = self._writer = None

    def flush(self, *, is_last: bool = False) -> None:
        """Write what waits, and what was not written of refusals."""
        with self._writing:
            # Whoever notes meanwhile adds to the same list, behind these.
            waiting = self._waiting[:]
            del self._waiting[: len(waiting)]
            if lost := self._lost - self._lost_told:
                self._lost_told += lost
                waiting.append((time.time(), {"lines_lost": lost}))
            untold = self._sampler.collect(is_last=is_last)
            waiting += [_summary_line(kind, number) for kind, number in untold]
            if waiting and self._stream is not None:
                _write("".join(_line(*noted) for noted in waiting), self._stream)

    def _keep_writing(self, is_closed: threading.Event) -> None:
        while not is_closed.wait(PAUSE_SECONDS):
            # A full disk may have room again.
            with suppress(OSError, ValueError):
                self.flush()
        with suppress(OSError, ValueError):
            self.flush(is_last=True)


def _summary_line(kind: EntryKind, number: int) -> tuple[float, Fields]:
    """Return the line that stands for many, as of now."""
    status, code = kind
    told = {"status": status, "code": code, "number": number}
    return time.time(), {"event": "requests not logged", **told}


def _write(text: str, stream: TextIO) -> None:
    """Write to a stream, past its buffer if it is a file's.

    The buffer has a lock, and whoever waits for it could not even exit.
    """
    try:
        descriptor = stream.fileno()
    except (OSError, AttributeError):
        stream.write(text)
        stream.flush()
        return
    data = text.encode("ascii")
    while data:
        data = data[os.write(descriptor, data) :]


def _line(when: float, fields: Fields) -> str:
    """Return a line of JSON in printable ASCII."""
    told = {name: value for name, value in fields.items() if value is not None}
    row = {"time": _format_timestamp(when), "level": "info", "event": "request", **told}
    try:
        text = _encode(row).decode()
    except (TypeError, ValueError, OverflowError):
        text = ""
    if not (text and text.isascii() and text.isprintable()):
        text = json.dumps(row, default=str)
    return f"{text}\n"


def _format_timestamp(when: float) -> str:
    second = int(when)
    return f"{_format_second(second)}.{int((when - second) * 1000):03}+00:00"


@lru_cache(maxsize=2)
def _format_second(second: int) -> str:
    return datetime.datetime.fromtimestamp(second, datetime.UTC).isoformat()[:19]


access: Final = AccessLog(logging.getLogger("asdlc_kb.access"))
"""The one of this process."""
