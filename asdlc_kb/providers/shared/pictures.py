"""Pictures of a text as MCP image content, and one picture as a resource."""

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from asdlc_kb.attachments.file_types import AttachmentKind
from asdlc_kb.attachments.referenced_files import ReferencedFiles
from asdlc_kb.attachments.references import find_references
from asdlc_kb.attachments.store import Attachment
from asdlc_kb.exceptions import AttachmentGone
from asdlc_kb.mcp.protocol.model import BlobContents, ImageContent, ToolResult

MAX_PICTURES: Final = 4
"""Pictures in one result."""

MAX_PICTURE_BYTES: Final = 1_000_000
"""Bytes of all pictures in one result; base64 adds a third."""

MAX_BLOB_BYTES: Final = 4_000_000
"""Bytes of a picture that is read as a resource."""

MAX_NAMED: Final = 20
"""Pictures named in a note, of those sent and of those left out."""

MODEL_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Media types that models accept; SVG and AVIF are not among them."""


_SIGNATURES: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
)
"""The first bytes of a file of each of these types."""


@dataclass(frozen=True, slots=True)
class SentPictures:
    """Pictures of a text, as many as a result may have."""

    images: tuple[ImageContent, ...]
    notes: tuple[str, ...]
    """Sentences that name the pictures, and those left out."""

    def append_to(self, result: ToolResult) -> ToolResult:
        """Return a result with the pictures last."""
        return replace(result, content=(*result.content, *self.images))


def read_pictures(files: ReferencedFiles, text: str, source: str) -> SentPictures:
    """Return the pictures of a visible text, read from its file's path `source`.

    Blocks.
    """
    images: list[ImageContent] = []
    sent: list[str] = []
    left_out: list[str] = []
    room = MAX_PICTURE_BYTES
    for picture in _find_pictures(files, text, source):
        can_send = len(images) < MAX_PICTURES and picture.size <= room
        is_readable = can_send and picture.type.media_type in MODEL_TYPES
        data = _read(picture) if is_readable else None
        media_type = _recognize(data) if data is not None else ""
        if data is None or not media_type:
            left_out.append(picture.name)
            continue
        images.append(ImageContent(data=_encode(data), mime_type=media_type))
        sent.append(picture.name)
        room -= picture.size
    notes = []
    if sent:
        notes.append(f"Pictures, in order: {', '.join(sent)}.")
    if left_out:
        notes.append(
            f"Pictures not sent: {_list(left_out)}. At most {MAX_PICTURES} with "
            f"{MAX_PICTURE_BYTES:,} bytes together are, in PNG, JPEG, GIF or WebP."
        )
    return SentPictures(tuple(images), tuple(notes))


def read_blob(picture: Attachment, uri: str) -> BlobContents | None:
    """Return a picture as the contents of a resource; None if it is gone. Blocks."""
    data = _read(picture)
    if data is None:
        return None
    return BlobContents(uri=uri, blob=_encode(data), mime_type=picture.type.media_type)


def _find_pictures(
    files: ReferencedFiles, text: str, source: str
) -> Iterator[Attachment]:
    """Yield each picture to which a text refers once."""
    if not files.names:
        return
    seen: set[str] = set()
    for href in find_references(text):
        attachment = files.resolve(href, source)
        if attachment is None or attachment.name in seen:
            continue
        seen.add(attachment.name)
        if attachment.type.kind is AttachmentKind.PICTURE:
            yield attachment


def _recognize(data: bytes) -> str:
    """Return the media type that a file's first bytes state; empty for another one.

    Models refuse a whole request for a picture that is none, as a pointer of Git LFS
    is, or that is not of its stated type.
    """
    found = (kind for pattern, kind in _SIGNATURES if pattern.match(data))
    return next(found, "")


def _encode(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def _read(picture: Attachment) -> bytes | None:
    """Return the bytes of a picture; None if it has changed."""
    try:
        return b"".join(picture.read())
    except AttachmentGone:
        return None


def _list(names: list[str]) -> str:
    rest = len(names) - MAX_NAMED
    shown = ", ".join(names[:MAX_NAMED])
    return f"{shown} and {rest:,} more" if rest > 0 else shown
