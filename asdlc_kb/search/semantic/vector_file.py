"""The file of vectors in the folder of an index: digests and vectors, no text.

It has a checksum. A file that is damaged, or of another model or version, is not used:
the vectors are then computed again.
"""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.directory import NEW_VECTORS, VECTORS
from asdlc_kb.search.index.index_schema import VERSION
from asdlc_kb.search.index.manifest import digest_bytes, read_file
from asdlc_kb.search.semantic.section_vectors import PageVectors

_FORMAT: Final = b"asdlc-kb vectors 1\n"
_CHECKSUM_CHARS: Final = 32
_LENGTH_BYTES: Final = 8
_TEXT_VERSION: Final = "1"
"""Incremented whenever other text of a section is embedded."""
_MAX_BYTES: Final = 1 << 30
"""Bytes of a file that are read."""


class _Header(msgspec.Struct, frozen=True):
    """What the vectors are of."""

    identity: tuple[str, ...]
    """The versions of the model, the format and the text that is embedded."""
    dimensions: int
    pages: tuple[tuple[str, int], ...]
    """Digest of the content and number of sections of each page."""


class VectorReport(msgspec.Struct, frozen=True):
    """What of an index has vectors of the current model."""

    pages: int = 0
    sections: int = 0


_decode: Final = msgspec.json.Decoder(_Header).decode


def make_identity(model: str) -> tuple[str, ...]:
    """Return the versions that vectors depend on, with that of a model."""
    return model, _TEXT_VERSION, str(VERSION)


def inspect_vectors(folder: Path, model: str) -> VectorReport:
    """Return the numbers of pages and sections in the file of a folder."""
    try:
        pages = read_vectors(folder, make_identity(model))
    except IndexCorrupt:
        return VectorReport()
    return VectorReport(len(pages), sum(map(len, pages.values())))


def read_vectors(folder: Path, identity: tuple[str, ...]) -> dict[bytes, PageVectors]:
    """Return the vectors of a folder by the digest of the page.

    Empty if there are none of this identity. Raises IndexCorrupt for a damaged file.
    """
    try:
        data = read_file(folder / VECTORS, _MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise IndexCorrupt("its vectors cannot be read") from error
    if not data.startswith(_FORMAT):
        raise IndexCorrupt("its vectors have another format")
    start = len(_FORMAT) + _CHECKSUM_CHARS
    checksum, data = data[len(_FORMAT) : start], data[start:]
    if checksum != digest_bytes(data).encode():
        raise IndexCorrupt("its vectors do not match their checksum")
    length = int.from_bytes(data[:_LENGTH_BYTES], "little")
    try:
        header = _decode(data[_LENGTH_BYTES : _LENGTH_BYTES + length])
        if header.identity != identity:
            return {}
        return _cut(header, data[_LENGTH_BYTES + length :])
    except ValueError as error:
        raise IndexCorrupt("its vectors are malformed") from error


def write_vectors(
    folder: Path,
    identity: tuple[str, ...],
    dimensions: int,
    pages: Collection[PageVectors],
) -> None:
    """Replace the vectors of a folder; raise OSError if it cannot be written."""
    rows = tuple((page.digest.hex(), len(page)) for page in pages)
    header = msgspec.json.encode(_Header(identity, dimensions, rows))
    data = b"".join(
        (
            *(len(header).to_bytes(_LENGTH_BYTES, "little"), header),
            *(page.scales.astype("<f4").tobytes() for page in pages),
            *(page.codes.tobytes() for page in pages),
        )
    )
    new = folder / NEW_VECTORS
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(new, flags, 0o600), "wb") as file:
            file.write(_FORMAT + digest_bytes(data).encode())
            file.write(data)
        os.replace(new, folder / VECTORS)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def _cut(header: _Header, data: bytes) -> dict[bytes, PageVectors]:
    """Return the rows of each page; raise ValueError if their number differs."""
    count = sum(size for _, size in header.pages)
    scale_bytes = 4 * count
    scales = np.frombuffer(data[:scale_bytes], "<f4").astype(np.float32)
    flat = np.frombuffer(data[scale_bytes:], np.int8)
    codes = flat.reshape(count, header.dimensions)
    pages: dict[bytes, PageVectors] = {}
    start = 0
    for digest, size in header.pages:
        rows = slice(start, start + size)
        key = bytes.fromhex(digest)
        pages[key] = PageVectors(key, codes[rows], scales[rows])
        start += size
    return pages
