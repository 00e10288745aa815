"""Complete HTTP error responses to connections without a readable request."""

import json
from http import HTTPStatus
from typing import Final

TORNADO_BAD_REQUEST: Final = b"HTTP/1.1 400 Bad Request\r\n\r\n"
"""Tornado's response to a malformed request, before it closes."""


def write_rejection(status: int, reason: str, *headers: bytes) -> bytes:
    """Return an error response with a JSON body and `Connection: close`."""
    body = json.dumps({"error": reason}).encode()
    return b"\r\n".join(
        (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode(),
            b"Server: asdlc-kb",
            b"Content-Type: application/json",
            b"Content-Length: %d" % len(body),
            b"Cache-Control: no-store",
            *headers,
            b"Connection: close",
            b"",
            body,
        )
    )


BAD_REQUEST: Final = write_rejection(400, "the request is not well-formed HTTP")
URI_TOO_LONG: Final = write_rejection(
    414, "the address is too long: send a shorter one"
)
HEADER_TOO_LARGE: Final = write_rejection(
    431,
    "the header is too large: send fewer or shorter fields",
)
