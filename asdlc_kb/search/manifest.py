"""What an index on disk says of itself, so that it is opened only if it is true.

The engine notices few damages to its files: a flipped byte in a hundred is found, and
an index without its list of segments opens as an empty one. So every file has a
checksum here.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from asdlc_kb.exceptions import IndexFault

MANIFEST: Final = "manifest.json"

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
    dead: int
    """How many states of documents are deleted, yet in the files."""

    def parts(self, root: Path) -> tuple[Path, Path]:
        """Return the folders of its pages and sections below a root."""
        return name_parts(root, self.number)

    def to_json(self) -> bytes:
        """Return the manifest as it is kept."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps(fields).encode()


def name_parts(root: Path, number: int) -> tuple[Path, Path]:
    """Return the folders of pages and sections of this number."""
    return root / f"pages-{number}", root / f"sections-{number}"


def parse_manifest(data: bytes) -> Manifest:
    """Return a manifest that was kept; raise IndexFault if it is none."""
    try:
        return _read(json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise IndexFault("its manifest cannot be understood") from error


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
        int(fields["dead"]),
    )


def checksum(root: Path, folders: tuple[Path, ...]) -> dict[str, str]:
    """Return the checksum of every file of some folders below a root."""
    found: dict[str, str] = {}
    for folder in folders:
        for path in folder.iterdir():
            if path.name not in _NO_CONTENT:
                digest = blake2b(path.read_bytes(), digest_size=16).hexdigest()
                found[path.relative_to(root).as_posix()] = digest
    return found
