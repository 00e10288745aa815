"""Sending of attachments: headers by type, conditional requests, ranges, streaming.

Whatever a file contains, no browser executes it in a page of the site (D-148): its type
is the listed one (`nosniff`), its policy forbids scripts, and what is no picture, video
or PDF is saved and not shown.
"""

import asyncio
import re
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Final, NamedTuple
from urllib.parse import quote

from tornado.iostream import StreamClosedError

from asdlc_kb.attachments.file_types import PDF, SVG, AttachmentKind
from asdlc_kb.attachments.store import Attachment
from asdlc_kb.exceptions import AttachmentGone
from asdlc_kb.web.handler import BaseHandler

_FRAME: Final = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_SANDBOX: Final = f"default-src 'none'; sandbox; {_FRAME}"
_POLICIES: Final = {
    SVG: f"default-src 'none'; style-src 'unsafe-inline'; sandbox; {_FRAME}",
    # Browsers do not show a PDF in a sandbox. Its own scripts run in their viewer.
    PDF: f"default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; {_FRAME}",
}
_VIDEO_POLICY: Final = f"default-src 'none'; media-src 'self'; {_FRAME}"
_RANGE: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class ByteRange(NamedTuple):
    """Bytes from `start` to before `end`."""

    start: int
    end: int


class UnsatisfiableRange(ValueError):
    """Raised for a range that begins behind the end of a file."""


def read_range(header: str, size: int) -> ByteRange | None:
    """Return the range of a Range header (RFC 9110, section 14.1.2).

    None for several ranges, for what is no range, and for an empty file: they may be
    ignored. Raises UnsatisfiableRange.
    """
    match = _RANGE.fullmatch(header.strip().lower())
    if match is None or not (match[1] or match[2]) or not size:
        return None
    if match[1]:
        start = int(match[1])
        end = min(int(match[2]) + 1, size) if match[2] else size
        if match[2] and int(match[2]) < start:
            return None
    else:
        start, end = max(0, size - int(match[2])), size
    if start >= end:
        raise UnsatisfiableRange(header)
    return ByteRange(start, end)


async def send_attachment(handler: BaseHandler, attachment: Attachment) -> None:
    """Send a file, a range of it, or 304; raise AttachmentGone."""
    requested = handler.request.headers
    etag, size = attachment.etag, attachment.size
    span = ByteRange(0, size)
    status = 200
    if requested.get("If-Range", etag) == etag:
        try:
            if found := read_range(requested.get("Range", ""), size):
                span, status = found, 206
        except UnsatisfiableRange:
            handler.set_header("Content-Range", f"bytes */{size}")
            handler.reject(416, "Range Not Satisfiable")
            return
    with closing(attachment.read(*span)) as pieces:
        # What cannot be read is known before anything is sent.
        first = await asyncio.to_thread(next, pieces, b"")
        _set_headers(handler, attachment)
        if handler.check_etag_header():
            handler.set_status(304)
            handler.finish()
            return
        handler.set_status(status)
        if status == 206:
            content_range = f"bytes {span.start}-{span.end - 1}/{size}"
            handler.set_header("Content-Range", content_range)
        handler.set_header("Content-Length", str(span.end - span.start))
        if handler.request.method != "HEAD":
            await _stream(handler, first, pieces)
        handler.finish()


def _set_headers(handler: BaseHandler, attachment: Attachment) -> None:
    media_type, kind = attachment.type
    is_video = kind is AttachmentKind.VIDEO
    policy = _VIDEO_POLICY if is_video else _POLICIES.get(media_type, _SANDBOX)
    handler.set_header("Content-Type", media_type)
    handler.set_header("Content-Security-Policy", policy)
    handler.set_header("ETag", attachment.etag)
    handler.set_header("Accept-Ranges", "bytes")
    if not attachment.type.is_inline:
        name = quote(attachment.name.rpartition("/")[2], safe="")
        disposition = f"attachment; filename*=UTF-8''{name}"
        handler.set_header("Content-Disposition", disposition)


async def _stream(handler: BaseHandler, part: bytes, pieces: Iterator[bytes]) -> None:
    """Send parts as fast as the peer reads; reading blocks no other request."""
    with suppress(StreamClosedError):
        try:
            while part:
                handler.write(part)
                await handler.flush()
                part = await asyncio.to_thread(next, pieces, b"")
        except AttachmentGone:
            # The rest is of another version: the peer sees an incomplete response.
            handler.abort()
