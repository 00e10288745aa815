"""Cursors of tools: how far an answer came, and what it was an answer to.

Opaque to clients. A cursor that was made up, or that belongs to another question or to
content that changed since, is told so.
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
    """Return what stands for a question and what it is asked of."""
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:%b" % (len(data), data))
    return digest.hexdigest()


def write_cursor(offset: int, mark: str) -> str:
    """Return the cursor of what follows after `offset` characters or items."""
    return base64.urlsafe_b64encode(f"{offset}.{mark}".encode()).decode().rstrip("=")


def read_cursor(cursor: str, mark: str | Callable[[int], str], total: int) -> int:
    """Return how far an answer came; raise ToolFailure for any other cursor.

    A mark may depend on how far that is.
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
    expected = mark if isinstance(mark, str) else mark(offset)
    if match[2] != expected or not 0 < offset < total:
        raise _refuse("it belongs to other arguments, or the content changed since")
    return offset


def _refuse(reason: str) -> ToolFailure:
    message = f"Invalid cursor: {reason}. Ask again without it"
    return ToolFailure(message, {"field": "cursor", "error": reason})
