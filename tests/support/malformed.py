"""Hundreds of malformed HTTP requests.

Where two parsers frame the same bytes differently, one request can hide in another.
"""

from collections.abc import Callable, Mapping

HOST = b"Host: localhost\r\nContent-Type: application/json\r\n"
HIDDEN = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
"""Answered with 200 if a request is taken to end before it."""


def line(text: bytes) -> bytes:
    """Return a request with this request line."""
    return text + b"\r\n" + HOST + b"Connection: close\r\n\r\n"


def field(text: bytes) -> bytes:
    """Return a request with this field in its header."""
    return line(b"GET /health HTTP/1.1\r\n" + text)


def sized(text: bytes) -> bytes:
    """Return a request with this field before a body of two bytes."""
    return b"POST /mcp HTTP/1.1\r\n" + HOST + text + b"\r\n\r\n{}" + HIDDEN


def coded(text: bytes, body: bytes = b"0\r\n\r\n") -> bytes:
    """Return a request with this field before a chunked body."""
    return b"POST /mcp HTTP/1.1\r\n" + HOST + text + b"\r\n\r\n" + body + HIDDEN


def cut(size: bytes, end: bytes = b"\r\n") -> bytes:
    """Return a request of one chunk with the given chunk-size line."""
    body = size + b"\r\n{}" + end + b"0\r\n\r\n"
    return coded(b"Transfer-Encoding: chunked", body)


PLACES: Mapping[str, Callable[[bytes], bytes]] = {
    "in the method": lambda b: line(b"GE" + b + b"T /health HTTP/1.1"),
    "in the target": lambda b: line(b"GET /he" + b + b"alth HTTP/1.1"),
    "in the version": lambda b: line(b"GET /health HTTP/1" + b + b".1"),
    "in a name": lambda b: field(b"X-" + b + b"A: b"),
    "in a value": lambda b: field(b"X-A: b" + b + b"c"),
    "before a colon": lambda b: field(b"X-A" + b + b": b"),
    "before a name": lambda b: field(b + b"X-A: b"),
    "before a length": lambda b: sized(b"Content-Length: " + b + b"2"),
    "after a length": lambda b: sized(b"Content-Length: 2" + b),
    "after the name of a length": lambda b: sized(b"Content-Length" + b + b": 2"),
    "before a coding": lambda b: coded(b"Transfer-Encoding: " + b + b"chunked"),
    "after a coding": lambda b: coded(b"Transfer-Encoding: chunked" + b),
    "after the name of a coding": lambda b: coded(
        b"Transfer-Encoding" + b + b": chunked"
    ),
    "before a chunk's size": lambda b: cut(b + b"2"),
    "after a chunk's size": lambda b: cut(b"2" + b),
    "at a chunk's end": lambda b: cut(b"2", b + b"\n"),
}
STRANGE = [*range(33), *b'"(),/:;<=>?@[\\]{}', 0x7F, 0x80, 0xE9, 0xFF]
"""Bytes that are not allowed in those places."""

ALMOST = {
    "no version": line(b"GET /health"),
    "an empty version": line(b"GET /health "),
    "version 0.9": line(b"GET /health HTTP/0.9"),
    "version 2.0": line(b"GET /health HTTP/2.0"),
    "version 1.10": line(b"GET /health HTTP/1.10"),
    "version 11.1": line(b"GET /health HTTP/11.1"),
    "a version in lower case": line(b"GET /health http/1.1"),
    "a version with a comma": line(b"GET /health HTTP/1,1"),
    "half a version": line(b"GET /health HTTP/1"),
    "a version of superscripts": line(b"GET /health HTTP/\xc2\xb9.1"),
    "something behind the version": line(b"GET /health HTTP/1.1 x"),
    "another protocol": line(b"GET /health ICY/1.1"),
    "two spaces": line(b"GET  /health HTTP/1.1"),
    "a tab": line(b"GET\t/health\tHTTP/1.1"),
    "no method": line(b"/health HTTP/1.1"),
    "a space first": line(b" GET /health HTTP/1.1"),
    "two lengths in two fields": sized(b"Content-Length: 2\r\nContent-Length: 3"),
    "two lengths in one field": sized(b"Content-Length: 2, 3"),
    "an octal length": sized(b"Content-Length: 0o2"),
    "an underscore in a length": sized(b"Content-Length: 1_0"),
    "a length and chunks": coded(b"Content-Length: 5\r\nTransfer-Encoding: chunked"),
    "chunks and a length": coded(b"Transfer-Encoding: chunked\r\nContent-Length: 5"),
    "identity and chunks": coded(b"Transfer-Encoding: identity, chunked"),
    "chunks and identity": coded(b"Transfer-Encoding: chunked, identity"),
    "chunks in two fields": coded(
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"
    ),
    "chunks with a parameter": coded(b"Transfer-Encoding: chunked; a=b"),
    "an empty coding": coded(b"Transfer-Encoding: "),
    "gzip and chunks": coded(b"Transfer-Encoding: gzip, chunked"),
    "a folded coding": coded(b"Transfer-Encoding:\r\n chunked"),
    "a folded length": sized(b"Content-Length:\r\n 2"),
    "a trailer": coded(
        b"Transfer-Encoding: chunked", b"0\r\nContent-Length: 9\r\n\r\n"
    ),
    "an extension": cut(b"2;a=b"),
    "a size of 0x2": cut(b"0x2"),
    "a size with an underscore": cut(b"0_2"),
    "a size too small": cut(b"1"),
    "a size too large": cut(b"3"),
    "a size beyond 64 bits": cut(b"1" + b"0" * 16),
    "a line feed alone after a size": coded(
        b"Transfer-Encoding: chunked", b"2\n{}\r\n0\r\n\r\n"
    ),
}
