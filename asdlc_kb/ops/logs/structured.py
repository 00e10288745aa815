"""Structured logs: one JSON object a line on stderr, whatever is in the fields.

Everything outside printable ASCII is escaped, so no file name, header or argument can
forge a line or move a terminal's cursor. Neither queries nor article text are logged.
"""

import datetime
import json
import logging
import sys
from typing import Any, Final, TextIO

from asdlc_kb.ops.logs.access_log import access
from asdlc_kb.ops.logs.request_context import describe_current

_STANDARD: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message"}


class JsonFormatter(logging.Formatter):
    """Writes a record as one line of JSON: its `extra`, and whose request it was."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        when = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
        extra = {
            name: value
            for name, value in record.__dict__.items()
            if name not in _STANDARD and value is not None
        }
        line: dict[str, Any] = {
            "time": when.isoformat(timespec="milliseconds"),
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
    """Write no line that is less important from now on."""
    logging.getLogger().setLevel(level.upper())


def configure(
    level: str, stream: TextIO | None = None, *, is_parent: bool = False
) -> None:
    """Send every log of the process to `stream`, by default stderr.

    A parent of others answers no requests, and must have no thread that logs them.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    set_level(level)
    if not is_parent:
        access.open(handler.stream)
    # Tornado's own line a request says less than ours.
    logging.getLogger("tornado.access").setLevel(logging.CRITICAL)
