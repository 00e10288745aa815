"""Listing of the articles of a content root: `<root>/<folder>/<name>.md`.

Unservable names are reported, temporary and dot names are skipped, and of two names
that differ only in case or normalization form the first is served.
"""

import os
import stat
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.paths import is_name, refusal_reason
from asdlc_kb.files.problem import Problem, describe_denial, describe_unreadable
from asdlc_kb.files.seen_entries import SeenEntries
from asdlc_kb.files.signature import Signature

SUFFIX: Final = ".md"

MAX_CACHED_FOLDERS: Final = 4_096
"""Folders of which it is cached that all names are served."""

_FAULTLESS: Final = set[int]()
"""Hashes of the names in these folders."""

_OPEN: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(slots=True)
class Listing:
    """The result of listing a root."""

    files: dict[str, Signature] = field(default_factory=dict)
    """By path relative to the root, in path order."""
    folders: dict[str, Signature] = field(default_factory=dict)
    """By path relative to the root, "" for the root; taken before the folder was
    listed."""
    links: dict[str, str] = field(default_factory=dict)
    """Links that are other names of a listed file or folder: its path by theirs."""
    problems: list[Problem] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    """Paths that exist but cannot be read, folders with a trailing slash: their files
    do not count as deleted."""
    revision: int = 0
    """Of the rules by which files are parsed: a file parsed by others is parsed
    again."""
    seen: SeenEntries = field(default_factory=SeenEntries)
    """What a check compares with the disk."""


@dataclass(frozen=True, slots=True)
class NameRule:
    """A rule for the names in a folder that are served."""

    accepts: Callable[[str], bool]
    advice: str
    """How to fix a rejected name."""


COPY_ADVICE: Final = "copy the file instead"
"""How to fix a link that is not followed."""

NAME_ADVICE: Final = "use letters, digits, '.', '_', '-'"

_FOLDERS: Final = NameRule(is_name, NAME_ADVICE)
_FILES: Final = NameRule(lambda name: is_name(name.removesuffix(SUFFIX)), NAME_ADVICE)


def list_files(root: Path, max_files: int = sys.maxsize) -> Listing:
    """List the Markdown files one folder below `root`, up to a number of them.

    Raises OSError if the root itself cannot be listed.
    """
    listing = Listing(seen=SeenEntries(_is_file))
    listing.folders[""] = Signature.of(os.stat(root))
    with os.scandir(root) as entries:
        children = list(entries)
    listing.seen.add("", root, children)
    names = [entry.name for entry in children if _is_folder(entry)]
    for folder in usable_names(names, _FOLDERS, listing):
        try:
            status = os.stat(root / folder)
            if stat.S_ISDIR(status.st_mode):
                _list_folder(root, folder, Signature.of(status), listing, max_files)
        except OSError as error:
            if os.path.lexists(root / folder):
                report_unlisted(folder, error, listing)
    return listing


def check_article_path(path: str) -> UnreadableFile | None:
    """Return why the real path of an article is refused: hidden or not Markdown."""
    refusal = check_folder(path)
    if refusal is None and not path.endswith(SUFFIX):
        refusal = UnreadableFile(
            "the link does not point to a Markdown file", COPY_ADVICE
        )
    return refusal


def check_folder(path: str) -> UnreadableFile | None:
    """Return why the real path of a folder is refused: it or a parent is hidden.

    Folders with two leading dots, as of a mounted Kubernetes ConfigMap, are not hidden.
    """
    names = () if path == os.curdir else path.split(os.sep)
    if any(name.startswith(".") and not name.startswith("..") for name in names):
        return UnreadableFile("the link points to a hidden file or folder", COPY_ADVICE)
    return None


def report_unlisted(folder: str, error: OSError, listing: Listing) -> None:
    """Record an unlistable folder, so that its files do not count as deleted."""
    listing.unreadable.append(f"{folder}/")
    advice = "check its permissions, or the target of the link"
    message = f"cannot be listed ({error.strerror}): {advice}"
    denial = describe_denial(error)
    listing.problems.append(Problem(folder, 1, 1, "KB001", message, denial))


def _list_folder(
    root: Path, folder: str, signature: Signature, listing: Listing, max_files: int
) -> None:
    refusal = refusal_reason(root, folder, check_folder)
    if refusal is not None:
        listing.problems.append(Problem(folder, 1, 1, "KB001", str(refusal)))
        return
    listing.folders[folder] = signature
    with os.scandir(root / folder) as entries:
        children = list(entries)
    listing.seen.add(folder, root / folder, children)
    names = [entry.name for entry in children if _is_file(entry.name)]
    descriptor = os.open(root / folder, _OPEN)
    try:
        for name in usable_names(names, _FILES, listing, f"{folder}/"):
            if len(listing.files) >= max_files:
                report_too_many(folder, max_files, listing)
                return
            path = f"{folder}/{name}"
            file_signature = find_signature(name, path, listing, within=descriptor)
            if file_signature is not None:
                listing.files[path] = file_signature
    finally:
        os.close(descriptor)


def report_too_many(folder: str, max_files: int, listing: Listing) -> None:
    """Record that a root exceeds the limit of served files."""
    listing.seen.max_files = max_files
    message = listing.seen.note
    listing.problems.append(Problem(folder, 1, 1, "KB001", message))


def usable_names(
    names: Iterable[str], naming: NameRule, listing: Listing, prefix: str = ""
) -> Sequence[str]:
    """Return the names of a folder that are served, in path order."""
    found = tuple(sorted(names))
    # The hash has a secret seed, so other names cannot have that of these.
    key = hash((found, naming))
    if key in _FAULTLESS:
        return found
    served, problems = _check_names(found, naming, prefix)
    listing.problems.extend(problems)
    if served == found:
        if len(_FAULTLESS) >= MAX_CACHED_FOLDERS:
            _FAULTLESS.clear()
        _FAULTLESS.add(key)
    return served


def _check_names(
    names: tuple[str, ...], naming: NameRule, prefix: str
) -> tuple[Sequence[str], Sequence[Problem]]:
    """Return the served names of a folder, and the problems of its names."""
    served: list[str] = []
    problems: list[Problem] = []
    collisions = _find_collisions(names)
    for name in names:
        is_served = naming.accepts(name)
        shown = f"{prefix}{name if is_served else ascii(name)[1:-1]}"
        group = collisions.get(name, ())
        if group:
            other = ascii(next(n for n in group if n != name))[1:-1]
            message = f"differs from {other} only in case or accents: rename one"
            problems.append(Problem(shown, 1, 1, "KB003", message))
        if not is_served:
            message = f"the name is not served: {naming.advice}"
            problems.append(Problem(shown, 1, 1, "KB002", message))
        elif not group or name == next(filter(naming.accepts, group)):
            served.append(name)
    return tuple(served), tuple(problems)


def _find_collisions(names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return, by name, the names equal to it but for case or normalization form."""
    if len({_fold(name) for name in names}) == len(names):
        return {}
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[_fold(name)].append(name)
    return {name: group for group in groups.values() for name in group if group[1:]}


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of the root may be a served folder; links are candidates."""
    return not (entry.name.startswith(".") or entry.is_file(follow_symlinks=False))


def _is_file(name: str) -> bool:
    """Whether an entry of this name in a folder is a candidate."""
    return name.endswith(SUFFIX) and not name.startswith(".")


def find_signature(
    location: str, path: str, listing: Listing, *, within: int | None = None
) -> Signature | None:
    """Return the signature of a file or of its link target; None if it is missing.

    A `location` relative to the open folder `within` is the fastest.
    """
    try:
        return Signature.of(os.stat(location, dir_fd=within))
    except OSError:
        try:
            return Signature.of(os.lstat(location, dir_fd=within))
        except FileNotFoundError:
            return None
        except OSError as error:
            listing.unreadable.append(path)
            listing.problems.append(describe_unreadable(path, error))
            return None


def _fold(name: str) -> str:
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
