"""Media types, kinds and size limits of served attachments, by suffix.

A suffix that is not listed is not served. No listed type is one that a browser executes
in a page of the site: HTML, scripts, style sheets and XML are absent, and SVG is sent
with a policy that disables scripts.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

MAX_PICTURE_BYTES: Final = 10 * 1024 * 1024
"""Bytes of a picture; a larger one is not served."""

MAX_DOWNLOAD_BYTES: Final = 50 * 1024 * 1024
"""Bytes of a video or another file; a larger one is not served."""

SVG: Final = "image/svg+xml"
PDF: Final = "application/pdf"


class AttachmentKind(Enum):
    """How a page shows an attachment."""

    PICTURE = "picture"
    VIDEO = "video"
    DOWNLOAD = "download"


class FileType(NamedTuple):
    """The type of an attachment."""

    media_type: str
    """The Content-Type."""
    kind: AttachmentKind

    @property
    def max_bytes(self) -> int:
        """Bytes of the largest file that is served."""
        is_picture = self.kind is AttachmentKind.PICTURE
        return MAX_PICTURE_BYTES if is_picture else MAX_DOWNLOAD_BYTES

    @property
    def is_inline(self) -> bool:
        """Whether a browser shows the file instead of saving it."""
        return self.kind is not AttachmentKind.DOWNLOAD or self.media_type == PDF


_PICTURES: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "svg": SVG,
}
_VIDEOS: Final = {"mp4": "video/mp4", "webm": "video/webm"}
_DOWNLOADS: Final = {
    "pdf": PDF,
    "zip": "application/zip",
    "gz": "application/gzip",
    "tgz": "application/gzip",
    "tar": "application/x-tar",
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
    "txt": "text/plain; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "epub": "application/epub+zip",
}

FILE_TYPES: Final[Mapping[str, FileType]] = {
    suffix: FileType(media_type, kind)
    for kind, types in (
        (AttachmentKind.PICTURE, _PICTURES),
        (AttachmentKind.VIDEO, _VIDEOS),
        (AttachmentKind.DOWNLOAD, _DOWNLOADS),
    )
    for suffix, media_type in types.items()
}
"""The types that are served, by suffix in lower case, without the dot."""


def find_type(name: str) -> FileType | None:
    """Return the type of a file by its suffix, in any case; None if not served."""
    stem, dot, suffix = name.rpartition("/")[2].rpartition(".")
    return FILE_TYPES.get(suffix.lower()) if stem and dot else None
