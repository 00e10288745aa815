"""The files of a content root: `<root>/<folder>/<name>.md`, as the disk has them now.

Names that are not served are reported, temporary and dot names are passed over, and of
two names that differ only in case or normal form the first is served.
"""

import os
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.paths import is_name, refusal_reason
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature

SUFFIX: Final = ".md"

MAX_FILES: Final = 100_000
"""Files of one root; more are not served."""

REMEMBERED: Final = 4_096
"""Folders whose names are not judged again while they stay the same."""

_OPEN: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(slots=True)
class Listing:
    """What one look at a root found."""

    files: dict[str, Signature] = field(default_factory=dict)
    """By path relative to the root, in path order."""
    folders: dict[str, Signature] = field(default_factory=dict)
    """By path relative to the root, "" for the root: as they were before they were
    listed."""
    problems: list[Problem] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    """What exists but cannot be looked at: files, and folders with a slash at the end,
    whose files are not gone."""


@dataclass(frozen=True, slots=True)
class NameRule:
    """Which of the names found in a folder are served."""

    accepts: Callable[[str], bool]
    advice: str
    """What to do about a name that is not."""


COPY: Final = "copy the file instead"
"""What to do about a link that is not followed."""

WORDS: Final = "use letters, digits, '.', '_', '-'"

_FOLDERS: Final = NameRule(is_name, WORDS)
_FILES: Final = NameRule(lambda name: is_name(name.removesuffix(SUFFIX)), WORDS)


def list_files(root: Path) -> Listing:
    """List the Markdown files one folder below `root`.

    Raises OSError when the root itself cannot be listed.
    """
    listing = Listing()
    listing.folders[""] = Signature.of(os.stat(root))
    with os.scandir(root) as entries:
        found = [entry.name for entry in entries if _is_folder(entry)]
    for folder in usable_names(found, _FOLDERS, listing):
        try:
            status = os.stat(root / folder)
            if stat.S_ISDIR(status.st_mode):
                _list_folder(root, folder, Signature.of(status), listing)
        except OSError as error:
            if os.path.lexists(root / folder):
                report_unlisted(folder, error, listing)
    return listing


def check_article_path(path: str) -> UnreadableFile | None:
    """Refuse the real path of an article that is hidden or no Markdown."""
    refused = check_folder(path)
    if refused is None and not path.endswith(SUFFIX):
        refused = UnreadableFile("the link leads to no Markdown file", COPY)
    return refused


def check_folder(path: str) -> UnreadableFile | None:
    """Refuse the real path of a folder that is hidden, or lies in one that is.

    A mounted ConfigMap swaps its files with folders of two leading dots: those are not.
    """
    if any(p.startswith(".") and not p.startswith("..") for p in _split(path)):
        return UnreadableFile("the link leads to a hidden file or folder", COPY)
    return None


def _split(path: str) -> Sequence[str]:
    return () if path == os.curdir else path.split(os.sep)


def report_unlisted(folder: str, error: OSError, listing: Listing) -> None:
    """Note a folder that exists but cannot be listed: its files are not gone."""
    listing.unreadable.append(f"{folder}/")
    advice = "check its permissions, or where the link leads"
    message = f"cannot be listed ({error.strerror}): {advice}"
    listing.problems.append(Problem(folder, 1, 1, "KB001", message))


def _list_folder(
    root: Path, folder: str, signature: Signature, listing: Listing
) -> None:
    refused = refusal_reason(root, folder, check_folder)
    if refused is not None:
        listing.problems.append(Problem(folder, 1, 1, "KB001", str(refused)))
        return
    listing.folders[folder] = signature
    found = [name for name in os.listdir(root / folder) if _is_file(name)]
    descriptor = os.open(root / folder, _OPEN)
    try:
        for name in usable_names(found, _FILES, listing, f"{folder}/"):
            if len(listing.files) >= MAX_FILES:
                report_too_many(folder, MAX_FILES, listing)
                return
            path = f"{folder}/{name}"
            found_at = find_signature(name, path, listing, within=descriptor)
            if found_at is not None:
                listing.files[path] = found_at
    finally:
        os.close(descriptor)


def report_too_many(folder: str, most: int, listing: Listing) -> None:
    """Note that a root has more files than are served."""
    message = f"more than {most:,} files: the rest is not served"
    listing.problems.append(Problem(folder, 1, 1, "KB001", message))


def usable_names(
    found: Iterable[str], naming: NameRule, listing: Listing, prefix: str = ""
) -> Sequence[str]:
    """Return the usable ones of the names in a folder, in path order."""
    served, problems = _judge(tuple(sorted(found)), naming, prefix)
    listing.problems.extend(problems)
    return served


@lru_cache(REMEMBERED)
def _judge(
    names: tuple[str, ...], naming: NameRule, prefix: str
) -> tuple[Sequence[str], Sequence[Problem]]:
    """Return which of all names in a folder are served, and what is wrong with them."""
    served: list[str] = []
    problems: list[Problem] = []
    twins = _find_twins(names)
    for name in names:
        is_served = naming.accepts(name)
        shown = f"{prefix}{name if is_served else ascii(name)[1:-1]}"
        same = twins.get(name, ())
        if same:
            other = ascii(next(twin for twin in same if twin != name))[1:-1]
            message = f"differs from {other} only in case or accents: rename one"
            problems.append(Problem(shown, 1, 1, "KB003", message))
        if not is_served:
            message = f"the name is not served: {naming.advice}"
            problems.append(Problem(shown, 1, 1, "KB002", message))
        elif not same or name == next(filter(naming.accepts, same)):
            served.append(name)
    return tuple(served), tuple(problems)


def _find_twins(names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the names that differ from others in case or accents, and those."""
    if len({_fold(name) for name in names}) == len(names):
        return {}
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[_fold(name)].append(name)
    return {name: group for group in groups.values() for name in group if group[1:]}


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of the root is meant to be served; links may lead to folders."""
    return not (entry.name.startswith(".") or entry.is_file(follow_symlinks=False))


def _is_file(name: str) -> bool:
    """Whether what has this name in a folder is meant to be served."""
    return name.endswith(SUFFIX) and not name.startswith(".")


def find_signature(
    where: str, path: str, listing: Listing, *, within: int | None = None
) -> Signature | None:
    """Return the signature of a file or of what it links to; None without one.

    `where` it is may be told from `within` an open folder: that is the quickest.
    """
    try:
        return Signature.of(os.stat(where, dir_fd=within))
    except OSError:
        try:
            return Signature.of(os.lstat(where, dir_fd=within))
        except FileNotFoundError:
            return None
        except OSError as error:
            listing.unreadable.append(path)
            message = f"cannot be read ({error.strerror}): check its permissions"
            listing.problems.append(Problem(path, 1, 1, "KB001", message))
            return None


def _fold(name: str) -> str:
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
