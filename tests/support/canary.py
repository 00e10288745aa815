"""The canary: text of hidden articles that must never leave the server.

The scan is installed at the sockets, pipes and logs of the whole test run. It finds the
text as it is, and in the forms in which it could leave: percent, base64, JSON escapes,
gzip, brotli.
"""

import base64
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress

import brotli

CANARY = "canary-7q4x9"

_ESCAPE = re.compile(rb"\\u00([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})")
_GZIP = re.compile(rb"\x1f\x8b\x08")
_BROTLI = re.compile(rb"(?i)\r\ncontent-encoding: br\r\n(?:[^\r\n]+\r\n)*\r\n")
"""The head of a response with brotli; its compressed data has no magic number."""
_KEPT = 4096


class CanaryLeak(AssertionError):
    """Raised when canary text leaves the server."""


def _base64_forms() -> Iterator[bytes]:
    """Yield the base64 of the canary at each of its three alignments, trimmed."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + CANARY.encode())
        yield encoded[4 if shift else 0 : -4]


_FORMS = (CANARY.encode(), *_base64_forms())


def find(data: bytes) -> bytes | None:
    """Return the form of the canary in `data`, or None."""
    plain = data
    # The search for an escape takes longer than all others, and most data has none.
    if b"%" in data or rb"\u00" in data:
        plain = _ESCAPE.sub(
            lambda match: bytes.fromhex((match[1] or match[2]).decode()), data
        )
    folded = plain.lower()
    for form in _FORMS:
        if form.lower() in folded:
            return form
    return next(filter(None, map(find, _decompress(data))), None)


def _decompress(data: bytes) -> Iterator[bytes]:
    """Yield the text of all compressed data that begins in `data`."""
    for start in _GZIP.finditer(data):
        unpacked = zlib.decompressobj(wbits=31)
        with suppress(zlib.error):
            yield unpacked.decompress(data[start.start() :], 16 * 1024 * 1024)
    for head in _BROTLI.finditer(data):
        with suppress(brotli.error):
            yield brotli.Decompressor().process(data[head.end() :])


class Scanner:
    """Scans all output of a test run, each channel as a stream of bytes."""

    def __init__(self) -> None:
        self.scanned = 0
        self.leaks: list[str] = []
        self._tails: dict[object, bytes] = {}

    def scan(self, data: bytes, channel: object) -> None:
        """Record a leak if canary text is in `data`, or spans it and the data before.

        `channel` is the source: data of two channels is not joined.
        """
        self.scanned += len(data)
        joined = self._tails.get(channel, b"") + data
        self._tails[channel] = joined[-_KEPT:]
        form = find(joined)
        if form is not None:
            self._tails[channel] = b""
            self.leaks.append(f"{form!r} at {channel}")

    def close(self, channel: object) -> None:
        """Forget a channel that ended."""
        self._tails.pop(channel, None)

    def collect(self) -> list[str]:
        """Return the leaks since the last call, and forget them."""
        leaks, self.leaks = self.leaks, []
        return leaks
