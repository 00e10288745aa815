"""Log lines for people: time, level, event and the fields that matter, in local time.

Imported only if they are asked for. Whatever is not printable is escaped, so no file
name, header or argument can forge a line or move a terminal's cursor.
"""

import datetime
import logging
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from asdlc_kb.ops.logs.access_lines import (
    AnyRecord,
    Fields,
    RepeatedRecord,
)
from asdlc_kb.ops.logs.request_context import list_fields

_OMITTED: Final = frozenset(
    {"transport", "request_id", "trace", "version", "bytes", "event", "level"}
)
"""Fields of requests that only programs read; JSON has them."""

_SHOWN: Final = frozenset({"verb", "path", "status", "method", "tool", "ms", "found"})
"""Fields of requests that are shown without their names, and the number of results."""

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1"})
"""Addresses of clients that are not shown."""

_BLOCKS: Final = ("stack", "traceback")
"""Fields of several lines, which are shown below."""

_RESET: Final = "\x1b[0m"
_FAINT: Final = "\x1b[2m"
_STRONG: Final = "\x1b[1m"
_GREEN: Final = "\x1b[32m"
_YELLOW: Final = "\x1b[33m"
_RED: Final = "\x1b[31m"
_LEVELS: Final[Mapping[str, str]] = {
    "debug": _FAINT,
    "info": _GREEN,
    "warning": _YELLOW,
    "error": _RED,
    "critical": _RED,
}
_MAX_KINDS: Final = 256
"""Kinds of requests with a constant text that is kept."""


class TextFormatter(logging.Formatter):
    """Formats records of loggers and of the access log."""

    def __init__(self, *, has_colors: bool) -> None:
        super().__init__()
        self._has_colors = has_colors
        self._split = lru_cache(_MAX_KINDS)(
            lambda repeated: self._split_fields(repeated.fields)
        )

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, and further ones if it has a stack."""
        fields = list_fields(record)
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        when = self._format_time(int(record.created * 1000))
        event, level = record.getMessage(), record.levelname.lower()
        blocks = [str(fields.pop(name)) for name in _BLOCKS if name in fields]
        lines = [line for block in blocks for line in block.splitlines()]
        head = f"{when} {self._format_level(level)} {self._format_event(event, fields)}"
        return "\n".join([head, *(f"    {_clean(line)}" for line in lines)])

    def format_lines(self, records: Iterable[AnyRecord | RepeatedRecord]) -> str:
        """Return the lines of requests."""
        lines: list[str] = []
        info = self._format_level("info")
        written_ms, when = -1, ""
        for record in records:
            # Of a batch many are of the same millisecond.
            if (ms := int(record[0] * 1000)) != written_ms:
                written_ms, when = ms, self._format_time(ms)
            if len(record) == 2:
                fields = dict(record[1])
                event = str(fields.pop("event", "request"))
                lines.append(f"{when} {info} {self._format_event(event, fields)}\n")
            else:
                status, call, rest = self._split(record[5])
                request = _format_request(status, record[2] * 1000, call, record[4])
                lines.append(f"{when} {info} {request}{rest}\n")
        return "".join(lines)

    def _format_event(self, event: str, fields: Fields) -> str:
        if event == "request" and "ms" in fields:
            status, call, rest = self._split_fields(fields)
            found = fields.get("found")
            return f"{_format_request(status, fields['ms'], call, found)}{rest}"
        pairs = "".join(f" {pair}" for pair in _list_pairs(fields, frozenset()))
        return f"{self._paint(_clean(event), _STRONG)}{pairs and ' '}{pairs}"

    def _split_fields(self, fields: Fields) -> tuple[str, str, str]:
        """Return the status, what was requested, and the further fields of a request.

        They are equal for all requests of a kind.
        """
        status = fields.get("status")
        verb_path = (fields.get(name) for name in ("verb", "path"))
        address = " ".join(_clean(each) for each in verb_path if each)
        named = (fields.get(name) for name in ("method", "tool"))
        call = " ".join(_clean(each) for each in named if each)
        words = [word for word in (address, self._paint(call, _STRONG)) if word]
        is_local = fields.get("address") in _LOOPBACK
        omitted = _OMITTED | _SHOWN | ({"address"} if is_local else set())
        rest = "".join(f" {pair}" for pair in _list_pairs(fields, omitted))
        shown = self._paint(
            f"{'-' if status is None else status:3}", _find_color(status)
        )
        return shown, "  ".join(words), rest and f" {self._paint(rest, _FAINT)}"

    def _format_level(self, level: str) -> str:
        return self._paint(f"{level:7}", _LEVELS.get(level, ""))

    def _format_time(self, ms: int) -> str:
        return self._paint(f"{_format_second(ms // 1000)}.{ms % 1000:03}", _FAINT)

    def _paint(self, text: str, code: str) -> str:
        return f"{code}{text}{_RESET}" if self._has_colors and code and text else text


def _format_request(status: str, ms: float, call: str, found: int | None) -> str:
    results = "" if found is None else f"  {found:,} found"
    return f"{status} {ms:8.2f} ms  {call}{results}"


@lru_cache(maxsize=2)
def _format_second(second: int) -> str:
    local = datetime.datetime.fromtimestamp(second, datetime.UTC).astimezone()
    return local.strftime("%H:%M:%S")


def _find_color(status: object) -> str:
    if not isinstance(status, int):
        return ""
    return _GREEN if status < 400 else _YELLOW if status < 500 else _RED


def _list_pairs(fields: Fields, omitted: frozenset[str]) -> Iterator[str]:
    """Yield `name=value` of each field; a value with blanks is quoted."""
    for name, value in fields.items():
        if value is not None and name not in omitted:
            text = _clean(value)
            is_plain = text and not any(each in text for each in " '=")
            yield f"{_clean(name)}={text if is_plain else repr(text)}"


def _clean(value: Any) -> str:
    """Return a value as printable text in one line."""
    text = value if isinstance(value, str) else str(value)
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii")
        for each in text
    )
