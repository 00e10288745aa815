"""Files of a project that patterns of a tool's settings match.

The search begins in the folders that the patterns name without wildcards, and goes no
deeper than they do. As elsewhere, installed packages, folders marked as generated and
hidden folders other than those of tools are skipped, and links to folders are not
followed below these. It reads names alone, within limits for all patterns together.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.folder_walk import (
    FOLDER,
    ListedFolder,
    join_below,
    walk_folders,
)
from asdlc_kb.files.paths import open_folder
from asdlc_kb.files.tree_names import INSTALLED, MARKS
from asdlc_kb.project.artifact_names import is_artifact_name, is_folder_name
from asdlc_kb.project.glob_patterns import Matcher, expand_braces, find_ending
from asdlc_kb.project.link_targets import check_private, is_tool_folder

MAX_DEPTH: Final = 12
"""Depth of folders that `**` stands for."""

MAX_FOLDERS: Final = 5_000
"""Folders listed per search."""

MAX_ENTRIES: Final = 50_000
"""Names examined per search."""

MAX_PATTERNS: Final = 100
"""Patterns per search, after their braces are expanded."""

MAX_STEPS: Final = 300_000
"""Steps of matching per search."""

_WILDCARDS: Final = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class PatternFiles:
    """The result of a search."""

    paths: Mapping[str, Sequence[str]]
    """The files of each pattern, in path order."""
    is_complete: bool
    """Whether there was no more than the limits allow."""


def find_pattern_files(
    root: Path, patterns: Sequence[str], suffixes: Sequence[str]
) -> PatternFiles:
    """Return the files with these suffixes that patterns match, from the root."""
    expanded = [(named, one) for named in patterns for one in expand_braces(named)]
    by_place: dict[_Place, list[tuple[str, str, str]]] = {}
    for named, one in expanded[:MAX_PATTERNS]:
        here = by_place.setdefault(_Place.of(one), [])
        here.append((named, one, find_ending(one)))
    paths: dict[str, set[str]] = {named: set() for named in patterns}
    search, matcher = _Search(root, tuple(suffixes)), Matcher(MAX_STEPS)
    for place, here in by_place.items():
        for path in takewhile(lambda _: not matcher.is_exhausted, search.walk(place)):
            for named, one, ending in here:
                if path.endswith(ending) and matcher.matches(one, path, False):
                    paths[named].add(path)
    is_complete = search.is_complete and not matcher.is_exhausted
    return PatternFiles(
        {named: sorted(found) for named, found in paths.items()},
        is_complete and len(expanded) <= MAX_PATTERNS,
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where files may match a pattern."""

    top: str
    max_depth: int
    """Of folders, from the top."""

    @classmethod
    def of(cls, pattern: str) -> "_Place":
        """Return the place of a pattern without braces."""
        names = [name for name in pattern.split("/") if name not in ("", ".")]
        fixed = [*takewhile(_WILDCARDS.isdisjoint, names[:-1])]
        below = names[len(fixed) : -1]
        return cls("/".join(fixed), MAX_DEPTH if "**" in below else len(below))


class _Search:
    """A search in several folders."""

    def __init__(self, root: Path, suffixes: tuple[str, ...]) -> None:
        self.is_complete = True
        self._root = root
        self._suffixes = suffixes
        self._folders_left = MAX_FOLDERS
        self._entries_left = MAX_ENTRIES

    def walk(self, place: _Place) -> Iterator[str]:
        """Yield the paths of the files in a place."""
        for path, folder in walk_folders(
            self._list,
            self._stop,
            top=place.top,
            max_depth=place.max_depth,
            max_folders=self._folders_left,
        ):
            self._folders_left -= 1
            yield from (join_below(path, name) for name in folder.files)
            if self._entries_left <= 0:
                self.is_complete = False
                return

    def _list(self, path: str) -> ListedFolder[str] | None:
        """List a folder; return None if it is generated, private or not readable."""
        judge = check_private if path else None
        try:
            with (
                open_folder(self._root, path or os.curdir, judge) as descriptor,
                os.scandir(descriptor) as entries,
            ):
                listed = [
                    (entry.name, entry.is_dir(follow_symlinks=False))
                    for entry in islice(entries, self._entries_left)
                ]
        except (OSError, UnreadableFile):
            return None
        self._entries_left -= len(listed)
        if path and not MARKS.isdisjoint(name for name, _ in listed):
            return None
        return ListedFolder.of(self._classify(listed))

    def _classify(
        self, listed: Collection[tuple[str, bool]]
    ) -> Iterator[tuple[str, str, str]]:
        """Yield the folders to search, and the files that may match."""
        for name, is_folder in sorted(listed):
            if is_folder and name not in INSTALLED:
                if is_tool_folder(name) or is_folder_name(name):
                    yield name, FOLDER, name
            elif not is_folder and name.endswith(self._suffixes):
                if is_artifact_name(name):
                    yield name, "file", name

    def _stop(self, path: str, folder: ListedFolder[str] | None) -> None:
        self.is_complete &= folder is not None
