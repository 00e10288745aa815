"""Header blocks of plain requests: bytes in, a parsed head or None out.

A block is taken only if every recipient reads it alike: lines end with CRLF, names and
values have no odd octets, no header occurs twice, and the length of the body is stated
once. Any other block is Tornado's, which rejects it or reads it.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

MAX_HEAD_BYTES: Final = 8 * 1024
"""Largest header block that is parsed here, in bytes."""

MAX_BODY_BYTES: Final = 64 * 1024
"""Largest body of a request that is answered here, in bytes."""

BLOCK_END: Final = b"\r\n\r\n"

_START: Final = re.compile(rb"(GET|HEAD|POST) (/[!-~]*) HTTP/1\.1")
_FIELD: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~]*)")
_LENGTH: Final = re.compile(r"[0-9]{1,5}")

_UNUSUAL: Final = frozenset({"Origin", "Expect", "Transfer-Encoding", "Upgrade"})
"""Headers of requests that are not plain."""

_UNIQUE: Final = frozenset({"Traceparent", "Tracestate", "X-Request-Id"})
"""Headers with another value in each request."""


class RequestHead(NamedTuple):
    """The head of a plain request."""

    method: str
    target: str
    """Path and query, as sent."""
    fields: Mapping[str, str]
    """Header values by name in Tornado's canonical form."""
    length: int
    """Bytes of the body."""

    @property
    def may_repeat(self) -> bool:
        """Whether another request may have the same header block."""
        return _UNIQUE.isdisjoint(self.fields)


def parse_head(block: bytes) -> RequestHead | None:
    """Parse a header block without its empty line; None if it is not plain."""
    first, *lines = block.split(b"\r\n")
    start = _START.fullmatch(first)
    if start is None:
        return None
    fields: dict[str, str] = {}
    for line in lines:
        field = _FIELD.fullmatch(line)
        if field is None:
            return None
        name = "-".join(map(str.capitalize, field[1].decode().split("-")))
        if name in fields:
            return None
        fields[name] = field[2].decode().strip(" \t")
    method = start[1].decode()
    length = _read_length(method, fields)
    is_kept = fields.get("Connection", "keep-alive").lower() == "keep-alive"
    if length is None or not is_kept or not _UNUSUAL.isdisjoint(fields):
        return None
    return RequestHead(method, start[2].decode(), fields, length)


def _read_length(method: str, fields: Mapping[str, str]) -> int | None:
    """Return the length of the body; None if it is missing or too large."""
    stated = fields.get("Content-Length")
    if method != "POST":
        return 0 if stated is None else None
    if stated is None or _LENGTH.fullmatch(stated) is None:
        return None
    return int(stated) if int(stated) <= MAX_BODY_BYTES else None
