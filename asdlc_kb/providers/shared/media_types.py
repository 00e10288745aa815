"""Media types by file name.

A fixed table: the operating system's tables differ between machines.
"""

from typing import Final

FOLDER: Final = "inode/directory"
"""The media type of a listable folder (SEP-2640)."""

JSON: Final = "application/json"
MARKDOWN: Final = "text/markdown"
TEXT: Final = "text/plain"
BYTES: Final = "application/octet-stream"

_BY_ENDING: Final = {
    "css": "text/css",
    "csv": "text/csv",
    "gif": "image/gif",
    "gz": "application/gzip",
    "htm": "text/html",
    "html": "text/html",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript",
    "json": "application/json",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "mdc": "text/markdown",
    "mdx": "text/markdown",
    "mjs": "text/javascript",
    "pdf": "application/pdf",
    "png": "image/png",
    "py": "text/x-python",
    "sh": "application/x-sh",
    "svg": "image/svg+xml",
    "toml": "application/toml",
    "txt": "text/plain",
    "wasm": "application/wasm",
    "wav": "audio/wav",
    "webp": "image/webp",
    "woff2": "font/woff2",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "zip": "application/zip",
}


def find_media_type(name: str) -> str | None:
    """Return the media type for a file name, or None if unknown."""
    return _BY_ENDING.get(name.rpartition(".")[2].lower()) if "." in name else None
