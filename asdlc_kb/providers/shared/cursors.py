"""Pagination cursors of tools: an offset, and a fingerprint of the request.

Opaque to clients. A malformed cursor, or one for other arguments or content that
changed since, is rejected with that reason.
"""

import base64
import binascii
import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Final, TypeAlias

from msgspec import UnsetType

from asdlc_kb.mcp.protocol.errors import ToolFailure

MAX_CURSOR_CHARS: Final = 100

Fingerprint: TypeAlias = str | Callable[[int], str]
"""A fingerprint of the request, or a function that returns the one for an offset."""

_MAX_OFFSET: Final = 10**9
_FORM = re.compile(r"(\d{1,9})\.([0-9a-f]{16})")


def cursor_fingerprint(*parts: str) -> str:
    """Return a digest of the request and of the content it refers to."""
    # With their lengths, so that no other parts make the same text.
    text = f"{','.join(map(str, map(len, parts)))}:{''.join(parts)}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def write_cursor(offset: int, fingerprint: Fingerprint) -> str:
    """Return the cursor for the position after `offset` characters or items."""
    text = f"{offset}.{_resolve(fingerprint, offset)}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(
    cursor: str | UnsetType, fingerprint: Fingerprint, total: int = _MAX_OFFSET
) -> int:
    """Return the offset of a cursor, 0 without one; raise ToolFailure if invalid."""
    if isinstance(cursor, UnsetType):
        return 0
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    match = _FORM.fullmatch(text)
    if match is None:
        raise _reject("not a cursor of this tool")
    offset = int(match[1])
    if match[2] != _resolve(fingerprint, offset) or not 0 < offset < total:
        raise _reject("it belongs to other arguments, or the content changed since")
    return offset


def _resolve(fingerprint: Fingerprint, offset: int) -> str:
    return fingerprint if isinstance(fingerprint, str) else fingerprint(offset)


def _reject(reason: str) -> ToolFailure:
    message = f"Invalid cursor: {reason}. Ask again without it"
    return ToolFailure(message, {"field": "cursor", "error": reason})
