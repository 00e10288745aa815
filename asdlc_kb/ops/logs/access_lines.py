"""Access log lines: one JSON object per request, in printable ASCII.

A batch is formatted outside the event loop. The fields that repeat from call to call
are encoded once: then a line is three values between constant texts.
"""

import datetime
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

import msgspec

from asdlc_kb.ops.logs.request_context import drop_absent

Fields: TypeAlias = Mapping[str, Any]

_encode = msgspec.json.Encoder().encode

_HEADER: Final = {"level": "info", "event": "request"}


class RepeatedFields:
    """The fields that requests of one kind have in common, encoded once.

    All but the time, the request id, the duration, and the size and total of a result.
    """

    __slots__ = ("after_duration", "before_id", "fields", "transport")

    def __init__(self, transport: str, fields: Fields) -> None:
        self.transport = transport
        self.fields = fields
        before = access_record(transport, "", 0.0, {})
        for name in ("request_id", "ms", "bytes", "found"):
            del before[name]
        self.before_id = f'{_encode_ascii(_HEADER | before)[1:-1]},"request_id":"'
        present = _encode_ascii(drop_absent(fields))[1:]
        self.after_duration = present if present == "}" else f",{present}"

    def with_request(
        self, request_id: str, seconds: float, size: int | None, found: int | None
    ) -> dict[str, Any]:
        """Return the record of one of the requests."""
        fields = {"bytes": size, "found": found, **self.fields}
        return access_record(self.transport, request_id, seconds, fields)


AnyRecord: TypeAlias = tuple[float, Fields]
"""The Unix time and the fields of any request."""

RepeatedRecord: TypeAlias = tuple[
    float, str, float, int | None, int | None, RepeatedFields
]
"""Unix time, request id, duration in seconds, bytes and total of the result, if it has
them, and the other fields.

The id consists of letters, digits and `_.:-`.
"""


def access_record(
    transport: str, request_id: str, seconds: float, fields: Fields
) -> dict[str, Any]:
    """Return the fields of a request: those of every transport, then its own."""
    return {
        "transport": transport,
        "request_id": request_id,
        "ms": round(seconds * 1000, 2),
        # What differs between equal requests comes before what they have in common.
        "bytes": None,
        "found": None,
        **fields,
    }


def format_lines(records: Iterable[AnyRecord | RepeatedRecord]) -> str:
    """Return the lines of records; fields that are None are omitted."""
    lines: list[str] = []
    written_ms, text = -1, ""
    for record in records:
        # Of a batch many are of the same millisecond.
        if (ms := int(record[0] * 1000)) != written_ms:
            written_ms = ms
            text = f"{_format_second(ms // 1000)}.{ms % 1000:03}+00:00"
        if len(record) == 2:
            row = {"time": text, **_HEADER, **drop_absent(record[1])}
            lines.append(f"{_encode_ascii(row)}\n")
        else:
            _, request_id, seconds, size, found, same = record
            counted = "" if size is None else f',"bytes":{size}'
            if found is not None:
                counted += f',"found":{found}'
            lines.append(
                f'{{"time":"{text}",{same.before_id}{request_id}",'
                f'"ms":{round(seconds * 1000, 2)}{counted}{same.after_duration}\n'
            )
    return "".join(lines)


def _encode_ascii(row: Mapping[str, Any]) -> str:
    """Return JSON in printable ASCII, whatever the values are."""
    try:
        text = _encode(row).decode()
    except (TypeError, ValueError, OverflowError):
        text = ""
    if text and text.isascii() and text.isprintable():
        return text
    return json.dumps(row, default=str)


@lru_cache(maxsize=2)
def _format_second(second: int) -> str:
    return datetime.datetime.fromtimestamp(second, datetime.UTC).isoformat()[:19]
