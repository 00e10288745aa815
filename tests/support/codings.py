"""Content codings as clients undo them."""

import gzip

import brotli


def decompress(body: bytes, coding: str | None) -> bytes:
    """Return the plain bytes of a body with a Content-Encoding, or without one."""
    match coding:
        case "gzip":
            return gzip.decompress(body)
        case "br":
            return bytes(brotli.decompress(body))
        case None | "":
            return body
    raise AssertionError(coding)
