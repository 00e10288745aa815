"""Cursors of tools: how far an answer came, and what it was an answer to.

Opaque to clients. A cursor that was made up, or that belongs to another question or to
content that changed since, is told so.
"""

import base64
import binascii
import re
from hashlib import blake2b
from typing import Final

from asdlc_kb.mcp.errors import ToolFailure

LONGEST_CURSOR: Final = 100

_FORM = re.compile(r"(\d{1,9})\.([0-9a-f]{16})")


def make_mark(*parts: str) -> str:
    """Return what stands for a question and what it is asked of."""
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:%b" % (len(data), data))
    return digest.hexdigest()


def write_cursor(offset: int, mark: str) -> str:
    """Return the cursor of what follows after `offset` characters or items."""
    return base64.urlsafe_b64encode(f"{offset}.{mark}".encode()).decode().rstrip("=")


def read_cursor(cursor: str, mark: str, total: int) -> int:
    """Return how far an answer came; raise ToolFailure for any other cursor."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    match = _FORM.fullmatch(text)
    if match is None:
        raise _refuse("not a cursor of this tool")
    if match[2] != mark or not 0 < int(match[1]) < total:
        raise _refuse("it belongs to other arguments, or the content changed since")
    return int(match[1])


def _refuse(reason: str) -> ToolFailure:
    message = f"Invalid cursor: {reason}. Ask again without it"
    return ToolFailure(message, {"field": "cursor", "error": reason})
