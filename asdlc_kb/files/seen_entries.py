"""The entries that a listing saw, to notice another one without listing again.

A check costs one `stat` for each folder and link, and reads only folders with another
one. Files that are never listed are ignored, so a save through a temporary file
changes nothing.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from asdlc_kb.files.signature import Signature

_TICK_SECONDS: Final = 0.02
"""Seconds within which two changes can leave the same signature: kernel clocks tick
every 10 ms at most."""


@dataclass(slots=True)
class SeenEntries:
    """The entries of the listed folders, and the targets of their links."""

    is_listed: Callable[[str], bool] = bool
    """Whether a file of this name can matter; folders and links always do."""
    names: dict[str, int] = field(default_factory=dict)
    """A hash of the names and kinds in each folder, by its path from the root."""
    links: dict[str, Signature | None] = field(default_factory=dict)
    """Signatures of the targets, by the location of the link; None for no target."""
    max_files: int = 0
    """The limit of files, if there are more; otherwise 0."""

    @property
    def note(self) -> str:
        """That some files are not served, for the operator; empty if all are."""
        if not self.max_files:
            return ""
        files = f"{self.max_files:,} of more files are served"
        return f"{files}: raise max_files to serve the rest"

    def add(
        self, folder: str, location: str | Path, entries: Iterable[os.DirEntry[str]]
    ) -> None:
        """Record the entries of a folder, which is at a location on the disk."""
        listed = [entry for entry in entries if self.counts(entry)]
        self.names[folder] = _hash_names(listed)
        for entry in listed:
            if entry.is_symlink():
                link = os.path.join(location, entry.name)
                self.links[link] = _sign(link)

    def counts(self, entry: os.DirEntry[str]) -> bool:
        """Whether a listing depends on an entry.

        Hidden ones do not count, except with two dots as in a Kubernetes ConfigMap.
        """
        if entry.name.startswith(".") and not entry.name.startswith(".."):
            return False
        return self.is_listed(entry.name) or not entry.is_file(follow_symlinks=False)


def find_changed_folders(
    root: Path,
    folders: Mapping[str, Signature | None],
    seen: SeenEntries,
    *,
    is_announced: bool,
) -> Mapping[str, Signature] | None:
    """Return the folders with a new signature and the same entries.

    None if other entries than before exist, if a link leads elsewhere, or if a folder
    changed and no event announced it: then its files may have changed as well.
    """
    changed: dict[str, Signature] = {}
    top = str(root)
    try:
        for folder, known in folders.items():
            location = f"{top}/{folder}" if folder else top
            signature = Signature.of(os.stat(location))
            if signature == known:
                continue
            if known and not (is_announced and known.is_same_file(signature)):
                return None
            with os.scandir(location) as entries:
                names = _hash_names(filter(seen.counts, entries))
            if names != seen.names.get(folder):
                return None
            changed[folder] = signature
    except OSError:
        return None
    is_same = all(_sign(link) == known for link, known in seen.links.items())
    return changed if is_same else None


def trust_signatures(
    folders: Mapping[str, Signature], started: float, now: float
) -> Mapping[str, Signature | None]:
    """Replace folder signatures by None where a later change may leave them equal.

    They were read after `started`. A future ctime is from another clock.
    """
    return {
        path: None
        if started - _TICK_SECONDS < signature.ctime_ns / 1e9 <= now
        else signature
        for path, signature in folders.items()
    }


def _hash_names(entries: Iterable[os.DirEntry[str]]) -> int:
    return hash(
        frozenset(
            (entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink())
            for entry in entries
        )
    )


def _sign(link: str) -> Signature | None:
    """Return the signature of a link's target; of a folder, its identity only."""
    try:
        status = os.stat(link)
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return Signature(0, 0, 0, status.st_ino, status.st_dev)
    return Signature.of(status)
