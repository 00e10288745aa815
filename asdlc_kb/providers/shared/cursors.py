"""Pagination cursors of tools: an offset, and a fingerprint of the request.

Opaque to clients. A malformed cursor, or one for other arguments or content that
changed since, is rejected with that reason.
"""

import base64
import binascii
import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from asdlc_kb.mcp.protocol.errors import ToolFailure

MAX_CURSOR_CHARS: Final = 100

_FORM = re.compile(r"(\d{1,9})\.([0-9a-f]{16})")


def cursor_fingerprint(*parts: str) -> str:
    """Return a digest of the request and of the content it refers to."""
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:%b" % (len(data), data))
    return digest.hexdigest()


def write_cursor(offset: int, fingerprint: str) -> str:
    """Return the cursor for the position after `offset` characters or items."""
    return (
        base64.urlsafe_b64encode(f"{offset}.{fingerprint}".encode())
        .decode()
        .rstrip("=")
    )


def read_cursor(
    cursor: str, fingerprint: str | Callable[[int], str], total: int
) -> int:
    """Return the offset of a cursor; raise ToolFailure for an invalid one.

    The fingerprint may depend on the offset.
    """
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    match = _FORM.fullmatch(text)
    if match is None:
        raise _refuse("not a cursor of this tool")
    offset = int(match[1])
    expected = fingerprint if isinstance(fingerprint, str) else fingerprint(offset)
    if match[2] != expected or not 0 < offset < total:
        raise _refuse("it belongs to other arguments, or the content changed since")
    return offset


def _refuse(reason: str) -> ToolFailure:
    message = f"Invalid cursor: {reason}. Ask again without it"
    return ToolFailure(message, {"field": "cursor", "error": reason})
