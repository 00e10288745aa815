"""The files of a content root: `<root>/<folder>/<name>.md`, as the disk has them now.

Names that are not served are reported, temporary and dot names are passed over, and of
two names that differ only in case or normal form the first is served.
"""

import os
import unicodedata
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
        path = root / folder
        if not path.is_dir():
            continue
        if not _is_inside(root, path):
            message = "the link leads out of the folder: copy the files instead"
            listing.problems.append(Problem(folder, 1, 1, "KB001", message))
            continue
        try:
            _list_folder(root, folder, listing)
        except OSError as error:
            listing.unreadable.append(f"{folder}/")
            message = f"cannot be listed ({error.strerror}): check its permissions"
            listing.problems.append(Problem(folder, 1, 1, "KB001", message))
    return listing


def _list_folder(root: Path, folder: str, listing: Listing) -> None:
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
    seen: dict[str, str] = {}
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        name = entry.name
        if name.startswith(".") or not name.endswith(suffix):
            continue
        stem = name.removesuffix(suffix)
        shown = ascii(name)[1:-1]
        if not is_name(stem):
            if suffix or entry.is_dir():
                message = "the name is not served: use letters, digits, '.', '_', '-'"
                listing.problems.append(
                    Problem(f"{prefix}{shown}", 1, 1, "KB002", message)
                )
            continue
        twin = seen.setdefault(_fold(stem), name)
        if twin != name:
            message = f"differs from {twin} only in case: rename one"
            listing.problems.append(Problem(f"{prefix}{name}", 1, 1, "KB003", message))
            message = f"differs from {name} only in case: rename one"
            listing.problems.append(Problem(f"{prefix}{twin}", 1, 1, "KB003", message))
            continue
        yield name, _signature(entry) if suffix else None


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
