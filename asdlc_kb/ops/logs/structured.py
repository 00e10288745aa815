"""Logs on stderr: one JSON object per line, or text for people.

In JSON everything outside printable ASCII is escaped, so no file name, header or
argument can forge a line or move a terminal's cursor. Neither queries nor article text
are logged.
"""

import datetime
import json
import logging
import sys
from typing import Any, Literal, TextIO, TypeAlias

from asdlc_kb.ops.logs.access_lines import format_lines
from asdlc_kb.ops.logs.access_log import AccessLog
from asdlc_kb.ops.logs.request_context import list_fields

LogForm: TypeAlias = Literal["json", "text", "colored text"]
"""How lines are written."""


class JsonFormatter(logging.Formatter):
    """Formats a record as a line of JSON: its `extra` and the request's context."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        timestamp = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
        line: dict[str, Any] = {
            "time": timestamp.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **list_fields(record),
        }
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
    form: LogForm = "json",
    stream: TextIO | None = None,
) -> None:
    """Send all logs of the process to `stream`, by default stderr.

    An access log starts a writer thread, which a process that forks must not have.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    formatter: logging.Formatter = JsonFormatter()
    format_access = format_lines
    if form != "json":
        from asdlc_kb.ops.logs.text_lines import TextFormatter

        formatter = text = TextFormatter(has_colors=form == "colored text")
        format_access = text.format_lines
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    set_level(level)
    if access_log is not None:
        access_log.open(handler.stream, format_access)
    # The access log replaces Tornado's request lines.
    logging.getLogger("tornado.access").setLevel(logging.CRITICAL)
