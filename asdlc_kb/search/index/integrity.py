"""Integrity report of an index on disk, for operators.

Read-only and without a lock, because a server may be using the index.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.directory import IndexFolder
from asdlc_kb.search.index.index_schema import index_identity
from asdlc_kb.search.index.manifest import read_manifest
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
            report = _compare(IndexFolder(root), digests, policy)
            if read_manifest(root) == before:
                break
    except IndexCorrupt as fault:
        return IntegrityReport(is_there=True, fault=str(fault))
    return report


def _compare(
    folder: IndexFolder, digests: Mapping[str, bytes], policy: IndexPolicy
) -> IntegrityReport:
    try:
        manifest = folder.read()
        if manifest is None:
            return IntegrityReport(added=len(digests))
        rows = folder.read_documents(manifest)
        known = {key: digest for key, (_, digest, _) in rows}
    except IndexCorrupt as fault:
        return IntegrityReport(is_there=True, fault=str(fault))
    is_compatible = manifest.version == index_identity(policy)
    return IntegrityReport(
        is_there=True,
        fault=None if is_compatible else "it has another version",
        pages=len(known),
        size=folder.size,
        added=len(digests.keys() - known.keys()),
        changed=sum(
            known[key] != digest.hex()
            for key, digest in digests.items()
            if key in known
        ),
        removed=len(known.keys() - digests.keys()),
    )
