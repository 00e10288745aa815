"""Integrity report of an index on disk, for operators.

Read-only and without a lock, because a server may be using the index.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.index_schema import index_identity
from asdlc_kb.search.index.manifest import (
    Manifest,
    Row,
    checksum_file,
    parse_manifest,
    read_manifest,
)
from asdlc_kb.search.policy import INDEX_POLICY, IndexPolicy

_MAX_ATTEMPTS: Final = 5
"""Attempts to read an index that changes meanwhile."""


@dataclass(frozen=True, slots=True)
class IntegrityReport:
    """The state of an index, compared with the current documents."""

    is_there: bool = False
    fault: str | None = None
    """Why it would be rebuilt: damaged, or of another version."""
    pages: int = 0
    size: int = 0
    """Bytes of its files."""
    added: int = 0
    changed: int = 0
    removed: int = 0

    @property
    def is_current(self) -> bool:
        """Whether it would be used without a change."""
        is_same = not (self.added or self.changed or self.removed)
        return self.is_there and self.fault is None and is_same


def inspect_index(
    root: Path, digests: Mapping[str, bytes], policy: IndexPolicy = INDEX_POLICY
) -> IntegrityReport:
    """Compare the index in a folder with documents of these digests."""
    try:
        for _ in range(_MAX_ATTEMPTS):
            before = read_manifest(root)
            if before is None:
                return IntegrityReport(added=len(digests))
            report = _compare(root, before, digests, policy)
            if read_manifest(root) == before:
                break
    except IndexCorrupt as fault:
        return IntegrityReport(is_there=True, fault=str(fault))
    return report


def _compare(
    root: Path, data: bytes, digests: Mapping[str, bytes], policy: IndexPolicy
) -> IntegrityReport:
    try:
        manifest = parse_manifest(data)
        size = _check(root, manifest)
        rows = _read_documents(root, manifest)
    except IndexCorrupt as fault:
        return IntegrityReport(is_there=True, fault=str(fault))
    known = {key: digest for key, (_, digest, _) in rows.items()}
    is_compatible = manifest.version == index_identity(policy)
    return IntegrityReport(
        is_there=True,
        fault=None if is_compatible else "it has another version",
        pages=len(known),
        size=size,
        added=len(digests.keys() - known.keys()),
        changed=sum(
            known[key] != digest.hex()
            for key, digest in digests.items()
            if key in known
        ),
        removed=len(known.keys() - digests.keys()),
    )


def _read_documents(root: Path, manifest: Manifest) -> Mapping[str, Row]:
    try:
        return manifest.read_documents(root)
    except OSError as error:
        raise IndexCorrupt("its files cannot be read") from error


def _check(root: Path, manifest: Manifest) -> int:
    """Return the size of an index; raise IndexCorrupt if its files changed."""
    try:
        checksums = checksum_file(root, manifest.parts(root))
        if checksums == manifest.files:
            return sum((root / path).stat().st_size for path in checksums)
    except OSError as error:
        raise IndexCorrupt("its files cannot be read") from error
    raise IndexCorrupt("its files do not match their checksums")
