"""What an index on disk says of itself, so that it is opened only if it is true.

The engine notices few damages to its files: a flipped byte in a hundred is found, and
an index without its list of segments opens as an empty one. So every file has a
checksum here, and so has this statement itself.
"""

import errno
import json
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from asdlc_kb.exceptions import IndexCorrupt

MANIFEST: Final = "manifest.json"

STRANGE: Final = "it holds something that is no search index"
"""Why a folder is left alone."""

_MAX_MANIFEST_BYTES: Final = 1 << 29
"""Of a manifest: beyond, it is not ours."""

_SEAL: Final = "checksum"
_WRITTEN_ONCE: Final = re.compile(r"[0-9a-f]{32}\.[a-z]+")
"""Parts of a segment; its deletions have one more part in their name."""
_NO_CONTENT: Final = frozenset({".tantivy-writer.lock", ".tantivy-meta.lock"})


@dataclass(frozen=True, slots=True)
class Manifest:
    """The state of an index on disk."""

    version: tuple[str, ...]
    """Of the schema, the engine and the policy."""
    number: int
    """Which of the folders of this index are its present ones."""
    files: Mapping[str, str]
    """Checksums by path."""
    documents: Mapping[str, tuple[int, str]]
    """Slot and digest by key."""
    following: int
    """The next slot that is free."""

    def parts(self, root: Path) -> tuple[Path, Path]:
        """Return the folders of its pages and sections below a root."""
        return name_parts(root, self.number)

    def to_json(self) -> bytes:
        """Return the manifest as it is kept."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps({**fields, _SEAL: _seal(fields)}).encode()


def name_parts(root: Path, number: int) -> tuple[Path, Path]:
    """Return the folders of pages and sections of this number."""
    return root / f"pages-{number}", root / f"sections-{number}"


def parse_manifest(data: bytes) -> Manifest:
    """Return a manifest that was kept; raise IndexCorrupt if it is none."""
    try:
        fields = json.loads(data)
        seal = fields.pop(_SEAL)
        # Blanks and escapes are no values: the bytes have to be the same, too.
        is_same = json.dumps({**fields, _SEAL: seal}).encode() == data
        is_true = is_same and seal == _seal(fields)
        manifest = _read(fields)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise IndexCorrupt("its manifest cannot be understood") from error
    if not is_true:
        raise IndexCorrupt("its manifest is not as it was written")
    return manifest


def read_manifest(root: Path) -> bytes | None:
    """Return what is kept of a manifest below a root; None where there is nothing.

    Raises IndexCorrupt if it cannot be read, or is no file.
    """
    try:
        return read_file(root / MANIFEST, _MAX_MANIFEST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise IndexCorrupt("its manifest cannot be read") from error


def read_file(path: Path, most: int = -1) -> bytes:
    """Return the bytes of a file; raise IndexCorrupt if it is a pipe, link or such.

    To open a pipe otherwise would wait for somebody who writes.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise IndexCorrupt(STRANGE) from error
        raise
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise IndexCorrupt(STRANGE)
        return file.read(most)


def _seal(fields: Mapping[str, Any]) -> str:
    """Return the checksum of the other fields, in whatever order they are."""
    return _digest(json.dumps(fields, sort_keys=True).encode())


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _read(fields: Any) -> Manifest:
    return Manifest(
        tuple(str(part) for part in fields["version"]),
        int(fields["number"]),
        {str(path): str(digest) for path, digest in fields["files"].items()},
        {
            str(key): (int(slot), bytes.fromhex(digest).hex())
            for key, (slot, digest) in fields["documents"].items()
        },
        int(fields["following"]),
    )


def checksum_file(
    root: Path,
    folders: tuple[Path, ...],
    known: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Return the checksum of every file of some folders below a root.

    The `known` ones are not read: those of files that are written once. Raises
    IndexCorrupt if anything else is in them.
    """
    found: dict[str, str] = {}
    for path in list_content(folders):
        name = path.relative_to(root).as_posix()
        digest = known.get(name) if _WRITTEN_ONCE.fullmatch(path.name) else None
        found[name] = digest or _digest(read_file(path))
    return found


def list_content(folders: Iterable[Path]) -> list[Path]:
    """Return the files of some folders that are part of an index: all but locks."""
    files = chain.from_iterable(folder.iterdir() for folder in folders)
    return [path for path in files if path.name not in _NO_CONTENT]
