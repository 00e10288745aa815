"""The log as it is written: lines of JSON, captured while a test acts."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from asdlc_kb.ops.logs import JsonFormatter


class LogLines:
    """What one logger wrote since the capture began."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        """Everything as it was written."""
        return self.stream.getvalue()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Each line, read as JSON."""
        return [json.loads(line) for line in self.text.split("\n") if line]


@contextmanager
def captured(name: str = "asdlc_kb.access") -> Iterator[LogLines]:
    """Capture the lines of a logger; by default, those of requests."""
    lines = LogLines()
    handler = logging.StreamHandler(lines.stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger(name or None)
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
