"""Structured logs: one JSON object per line on stderr, whatever the fields contain.

Everything outside printable ASCII is escaped, so no file name, header or argument can
forge a line or move a terminal's cursor. Neither queries nor article text are logged.
"""

import datetime
import json
import logging
import sys
from typing import Any, Final, TextIO

from asdlc_kb.ops.logs.access_log import AccessLog
from asdlc_kb.ops.logs.request_context import describe_current

_STANDARD: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message"}


class JsonFormatter(logging.Formatter):
    """Formats a record as a line of JSON: its `extra` and the request's context."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        timestamp = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
        extra = {
            name: value
            for name, value in record.__dict__.items()
            if name not in _STANDARD and value is not None
        }
        line: dict[str, Any] = {
            "time": timestamp.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **extra,
        }
        for name, value in describe_current().items():
            line.setdefault(name, value)
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def set_level(level: str) -> None:
    """Set the minimum level of log lines."""
    logging.getLogger().setLevel(level.upper())


def configure(
    level: str,
    access_log: AccessLog | None = None,
    *,
    stream: TextIO | None = None,
) -> None:
    """Send all logs of the process to `stream`, by default stderr.

    An access log starts a writer thread, which a process that forks must not have.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    set_level(level)
    if access_log is not None:
        access_log.open(handler.stream)
    # The access log replaces Tornado's request lines.
    logging.getLogger("tornado.access").setLevel(logging.CRITICAL)
