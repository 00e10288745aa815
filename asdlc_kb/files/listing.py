"""The files of a content root: `<root>/<folder>/<name>.md`, as the disk has them now.

Names that are not served are reported, temporary and dot names are passed over, and of
two names that differ only in case or normal form the first is served.
"""

import os
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from asdlc_kb.files.paths import is_name
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature

SUFFIX: Final = ".md"

MOST_FILES: Final = 100_000
"""Files of one root; more are not served."""


@dataclass(slots=True)
class Listing:
    """What one look at a root found."""

    files: dict[str, Signature] = field(default_factory=dict)
    """By path relative to the root, in path order."""
    problems: list[Problem] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    """Folders that exist but could not be listed: their files are not gone."""


def list_files(root: Path) -> Listing:
    """List the Markdown files one folder below `root`.

    Raises OSError when the root itself cannot be listed.
    """
    listing = Listing()
    for folder, _ in _served(root, "", listing):
        try:
            if stat.S_ISDIR(os.stat(root / folder).st_mode):
                _list_folder(root, folder, listing)
        except OSError as error:
            if not os.path.lexists(root / folder):
                continue
            listing.unreadable.append(f"{folder}/")
            advice = "check its permissions, or where the link leads"
            message = f"cannot be listed ({error.strerror}): {advice}"
            listing.problems.append(Problem(folder, 1, 1, "KB001", message))
    return listing


def _list_folder(root: Path, folder: str, listing: Listing) -> None:
    if not _is_inside(root, root / folder):
        message = "the link leads out of the folder: copy the files instead"
        listing.problems.append(Problem(folder, 1, 1, "KB001", message))
        return
    for name, status in _served(root / folder, SUFFIX, listing, f"{folder}/"):
        if len(listing.files) >= MOST_FILES:
            message = f"more than {MOST_FILES:,} files: the rest is not served"
            listing.problems.append(Problem(folder, 1, 1, "KB001", message))
            return
        if status is not None:
            listing.files[f"{folder}/{name}"] = status


def _served(
    folder: Path, suffix: str, listing: Listing, prefix: str = ""
) -> Iterator[tuple[str, Signature | None]]:
    """Yield (name, signature) of entries with a usable name, in path order."""
    with os.scandir(folder) as entries:
        found = sorted(
            (entry for entry in entries if _is_candidate(entry, suffix)),
            key=lambda entry: entry.name,
        )
    twins: defaultdict[str, list[str]] = defaultdict(list)
    for entry in found:
        twins[_fold(entry.name)].append(entry.name)
    for entry in found:
        name = entry.name
        is_served = is_name(name.removesuffix(suffix))
        shown = f"{prefix}{name if is_served else ascii(name)[1:-1]}"
        same = twins[_fold(name)]
        if len(same) > 1:
            other = ascii(next(twin for twin in same if twin != name))[1:-1]
            message = f"differs from {other} only in case or accents: rename one"
            listing.problems.append(Problem(shown, 1, 1, "KB003", message))
        if not is_served:
            message = "the name is not served: use letters, digits, '.', '_', '-'"
            listing.problems.append(Problem(shown, 1, 1, "KB002", message))
        elif name == next(t for t in same if is_name(t.removesuffix(suffix))):
            yield name, _signature(entry) if suffix else None


def _is_candidate(entry: os.DirEntry[str], suffix: str) -> bool:
    """Whether an entry is meant to be served: files need a suffix, folders none."""
    if entry.name.startswith(".") or not entry.name.endswith(suffix):
        return False
    return bool(suffix) or not entry.is_file(follow_symlinks=False)


def _signature(entry: os.DirEntry[str]) -> Signature | None:
    """Return the signature of an entry or of what it links to; None if vanished."""
    try:
        return Signature.of(entry.stat())
    except OSError:
        try:
            return Signature.of(entry.stat(follow_symlinks=False))
        except OSError:
            return None


def _is_inside(root: Path, path: Path) -> bool:
    real_root = os.path.realpath(root)
    return os.path.commonpath([real_root, os.path.realpath(path)]) == real_root


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
