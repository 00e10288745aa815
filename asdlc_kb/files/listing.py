"""The result of listing a root, and the rules that hold for every layout of one.

Unservable names are reported, and of two names that differ only in case or
normalization form the first is served.
"""

import os
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.problem import Problem, describe_denial, describe_unreadable
from asdlc_kb.files.seen_entries import SeenEntries
from asdlc_kb.files.signature import Signature

MAX_CACHED_FOLDERS: Final = 4_096
"""Folders of which it is cached that all names are served."""

COPY_ADVICE: Final = "copy the file instead"
"""How to fix a link that is not followed."""

_FAULTLESS: Final = set[int]()
"""Hashes of the names in the cached folders."""


@dataclass(frozen=True, slots=True)
class NameRule:
    """A rule for the names in a folder that are served."""

    accepts: Callable[[str], bool]
    advice: str
    """How to fix a rejected name."""


@dataclass(slots=True)
class Listing:
    """The files and folders of a root, and what is wrong with them."""

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

    def report(self, path: str, message: str, denial: str = "") -> None:
        """Record why a file or folder is not served."""
        self.problems.append(Problem(path, 1, 1, "KB001", message, denial))

    def report_unlisted(self, folder: str, error: OSError) -> None:
        """Record an unlistable folder, so that its files do not count as deleted."""
        self.unreadable.append(f"{folder}/")
        advice = "check its permissions, or the target of the link"
        message = f"cannot be listed ({error.strerror}): {advice}"
        self.report(folder, message, describe_denial(error))

    def report_too_many(self, folder: str, max_files: int) -> None:
        """Record that the root exceeds the limit of served files."""
        self.seen.max_files = max_files
        self.report(folder, self.seen.note)

    def select_names(
        self, names: Iterable[str], rule: NameRule, prefix: str = ""
    ) -> Sequence[str]:
        """Return the names of a folder that are served, in path order."""
        found = tuple(sorted(names))
        # The hash has a secret seed, so other names cannot have that of these.
        key = hash((found, rule))
        if key in _FAULTLESS:
            return found
        served, problems = _check_names(found, rule, prefix)
        self.problems.extend(problems)
        if served == found:
            if len(_FAULTLESS) >= MAX_CACHED_FOLDERS:
                _FAULTLESS.clear()
            _FAULTLESS.add(key)
        return served

    def find_signature(
        self, location: str, path: str, *, within: int | None = None
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
                self.unreadable.append(path)
                self.problems.append(describe_unreadable(path, error))
                return None


def check_folder(path: str) -> UnreadableFile | None:
    """Return why the real path of a folder is refused: it or a parent is hidden.

    Folders with two leading dots, as of a mounted Kubernetes ConfigMap, are not hidden.
    """
    names = () if path == os.curdir else path.split(os.sep)
    if any(name.startswith(".") and not name.startswith("..") for name in names):
        return UnreadableFile("the link points to a hidden file or folder", COPY_ADVICE)
    return None


def _check_names(
    names: tuple[str, ...], rule: NameRule, prefix: str
) -> tuple[Sequence[str], Sequence[Problem]]:
    """Return the served names of a folder, and the problems of its names."""
    served: list[str] = []
    problems: list[Problem] = []
    collisions = _find_collisions(names)
    for name in names:
        is_served = rule.accepts(name)
        shown = f"{prefix}{name if is_served else ascii(name)[1:-1]}"
        group = collisions.get(name, ())
        if group:
            other = ascii(next(n for n in group if n != name))[1:-1]
            message = f"differs from {other} only in case or accents: rename one"
            problems.append(Problem(shown, 1, 1, "KB003", message))
        if not is_served:
            message = f"the name is not served: {rule.advice}"
            problems.append(Problem(shown, 1, 1, "KB002", message))
        elif not group or name == next(filter(rule.accepts, group)):
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


def _fold(name: str) -> str:
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
