"""Header blocks of responses, in the order of headers that Tornado sends."""

import time
from collections.abc import Mapping
from email.utils import formatdate
from functools import lru_cache
from typing import Final

from asdlc_kb.web.handler import COMMON_HEADERS

_CONTENT_TYPE: Final = "Content-Type"
_COMMON: Final = {
    "Server": COMMON_HEADERS["Server"],
    _CONTENT_TYPE: "",
    "Date": "%b",
    **COMMON_HEADERS,
    "X-Request-Id": "%b",
}
"""The headers of every response, as Tornado orders them."""


class ResponseHead:
    """A header block with places for the date, the request id and the length."""

    def __init__(self, fields: Mapping[str, str], status: str = "200 OK") -> None:
        """Add headers to those of every response, or replace them.

        A block without a Content-Type is that of a response without content, which has
        no length either.
        """
        self._has_length = _CONTENT_TYPE in fields
        given = {name: value.replace("%", "%%") for name, value in fields.items()}
        lines = _COMMON | given
        if self._has_length:
            lines["Content-Length"] = "%d"
        else:
            del lines[_CONTENT_TYPE]
        texts = (f"{name}: {value}" for name, value in lines.items())
        first = f"HTTP/1.1 {status}"
        self._template = "\r\n".join([first, *texts, "", ""]).encode("latin-1")

    def write(self, request_id: str, length: int) -> bytes:
        """Return the header block of one response, with the length of its content."""
        date, written_id = _write_date(int(time.time())), request_id.encode()
        if self._has_length:
            return self._template % (date, written_id, length)
        return self._template % (date, written_id)


@lru_cache(maxsize=1)
def _write_date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()
