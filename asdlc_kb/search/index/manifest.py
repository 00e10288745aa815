"""Manifest of an index on disk, which is opened only if it is intact.

The engine detects little damage: one flipped byte in a hundred, and an index without
its list of segments opens as an empty one. So the manifest has a checksum of every
file, and of itself.
"""

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

import msgspec

from asdlc_kb.exceptions import IndexCorrupt

MANIFEST: Final = "manifest.json"

NOT_AN_INDEX: Final = "it contains files that do not belong to a search index"
"""Why a folder is refused."""

DOCUMENTS: Final = ".documents"
"""Suffix of the file with most rows, which is named after its content."""

Row: TypeAlias = tuple[int, str, str]
"""Slot, digest and language tag of a document."""

_MAX_MANIFEST_BYTES: Final = 1 << 29
"""Bytes of a manifest that are read."""

_IMMUTABLE_FILE: Final = re.compile(r"[0-9a-f]{32}\.[a-z]+")
"""Files of a segment; those of its deletions have one more part in their name."""
_LOCK_FILES: Final = frozenset({".tantivy-writer.lock", ".tantivy-meta.lock"})


@dataclass(frozen=True, slots=True)
class Manifest:
    """The state of an index on disk."""

    version: tuple[str, ...]
    """Versions of schema, engine and policy."""
    number: int
    """Number of the current folders."""
    files: Mapping[str, str]
    """Checksums by path."""
    documents: Mapping[str, Row]
    """By key; with a base, those that differ from it."""
    following: int
    """The next free slot."""
    base: str = ""
    """Path of the file with the rows of the other documents; empty for none."""

    def to_json(self) -> bytes:
        """Serialize the manifest with its checksum."""
        data = msgspec.json.encode(self)
        return _make_head(data) + data[1:]

    def read_documents(self, root: Path) -> Iterator[tuple[str, Row]]:
        """Yield key and row of each document; raise IndexCorrupt or OSError.

        The file is decoded a line at a time, so that the memory of one is used for the
        next.
        """
        yield from self.documents.items()
        if not self.base:
            return
        if self.base not in self.files:
            raise IndexCorrupt("its manifest is malformed")
        data = read_file(root / self.base)
        if digest_bytes(data) != self.files[self.base]:
            raise IndexCorrupt("its files do not match their checksums")
        decode = msgspec.json.Decoder(dict[str, Row]).decode
        try:
            for line in BytesIO(data):
                for key, row in decode(line).items():
                    if key not in self.documents:
                        yield key, row
        except ValueError as error:
            raise IndexCorrupt("its list of documents is malformed") from error


def parse_manifest(data: bytes) -> Manifest:
    """Parse a manifest; raise IndexCorrupt if it is invalid."""
    content = b"{" + data[len(_make_head(b"")) :]
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (ValueError, RecursionError) as error:
        raise IndexCorrupt("its manifest is malformed") from error
    if not data.startswith(_make_head(content)):
        raise IndexCorrupt("its manifest does not match its checksum")
    return manifest


def _make_head(content: bytes) -> bytes:
    """Return what comes before the fields: their checksum."""
    return b'{"checksum":"%b",' % digest_bytes(content).encode()


def read_manifest(root: Path) -> bytes | None:
    """Read the manifest below a root; return None if there is none.

    Raises IndexCorrupt if it cannot be read, or is not a regular file.
    """
    try:
        return read_file(root / MANIFEST, _MAX_MANIFEST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise IndexCorrupt("its manifest cannot be read") from error


def read_file(path: Path, max_bytes: int = -1) -> bytes:
    """Read a regular file; raise IndexCorrupt if it is a pipe, link or device.

    O_NONBLOCK keeps the open of a pipe from blocking without a writer.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise IndexCorrupt(NOT_AN_INDEX) from error
        raise
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise IndexCorrupt(NOT_AN_INDEX)
        return file.read(min(status.st_size + 1, max_bytes))


def digest_bytes(data: bytes) -> str:
    """Return the checksum of some bytes, 32 digits."""
    return blake2b(data, digest_size=16).hexdigest()


def has_other_documents(root: Path, digests: Mapping[str, bytes]) -> bool:
    """Whether the manifest below a root names other documents, or cannot be parsed.

    `digests` are those of some documents by key; further ones are no difference.
    """
    try:
        data = read_manifest(root)
        if data is None:
            return False
        return any(
            digests.get(key) != bytes.fromhex(digest)
            for key, (_, digest, _) in parse_manifest(data).read_documents(root)
        )
    except (IndexCorrupt, OSError, ValueError):
        return True


def checksum_file(
    root: Path,
    folders: tuple[Path, ...],
    known: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Return the checksum of every file of some folders below a root.

    Immutable files with a `known` checksum are not read. Raises IndexCorrupt for
    entries that are not regular files.
    """
    checksums: dict[str, str] = {}
    for path in list_content(folders):
        name = path.relative_to(root).as_posix()
        digest = known.get(name) if _IMMUTABLE_FILE.fullmatch(path.name) else None
        checksums[name] = digest or digest_bytes(read_file(path))
    return checksums


def list_content(folders: Iterable[Path]) -> list[Path]:
    """Return the files of some folders except lock files."""
    files = chain.from_iterable(folder.iterdir() for folder in folders)
    return [path for path in files if path.name not in _LOCK_FILES]
