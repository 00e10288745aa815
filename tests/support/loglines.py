"""Log output: lines of JSON, captured while a test runs."""

import io
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from asdlc_kb.ops.logs.structured import JsonFormatter


class LogLines:
    """The lines of one logger since the capture began."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.is_written = threading.Event()
        """Set once there is a line."""

    @property
    def text(self) -> str:
        """The raw output."""
        return self.stream.getvalue()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Each line, parsed as JSON."""
        return [json.loads(line) for line in self.text.split("\n") if line]


class _Writer(logging.StreamHandler[io.StringIO]):
    def __init__(self, lines: LogLines) -> None:
        super().__init__(lines.stream)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        super().emit(record)
        self._lines.is_written.set()


@contextmanager
def captured(name: str = "asdlc_kb.access") -> Iterator[LogLines]:
    """Capture the lines of a logger; by default, those of requests."""
    lines = LogLines()
    handler = _Writer(lines)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger(name or None)
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
