"""The names of all files of a project, and the patterns of those that Git ignores.

For checks only: a walk takes longer than a request may. Version control, installed
packages and folders marked as generated are skipped, and links to folders are not
followed.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from pathspec import GitIgnoreSpec

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.folder_walk import (
    FOLDER,
    ListedFolder,
    join_below,
    walk_folders,
)
from asdlc_kb.files.paths import OpenFolder
from asdlc_kb.files.reader import ChangedWhileRead, read_file
from asdlc_kb.files.tree_names import INSTALLED, MARKS
from asdlc_kb.project.registry import Project

MAX_DEPTH: Final = 24
"""Depth of folders."""

MAX_FOLDERS: Final = 20_000
"""Folders listed."""

MAX_FILES: Final = 200_000
"""Names examined."""

_VERSION_CONTROL: Final = frozenset({".git", ".hg", ".jj", ".svn"})


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """The paths of a project's files, relative and with slashes, upper ones first."""

    paths: Sequence[str]
    is_complete: bool
    """Whether there are no more than the limits allow."""


def list_project_files(root: Path) -> ProjectFiles:
    """Return the files of a project; none for a folder that cannot be listed."""
    with OpenFolder(root) as folder:
        return _FileWalk(folder).run()


def read_ignored(project: Project) -> GitIgnoreSpec:
    """Return the patterns of files that Git ignores; none if they are not readable."""
    try:
        lines = read_file(project.root, ".gitignore").text.splitlines()
        return GitIgnoreSpec.from_lines(lines)
    except (OSError, UnreadableFile, ChangedWhileRead, ValueError, re.error):
        return GitIgnoreSpec([])


class _FileWalk:
    """A single walk."""

    def __init__(self, folder: OpenFolder) -> None:
        self._folder = folder
        self._left = MAX_FILES
        self._is_complete = True

    def run(self) -> ProjectFiles:
        """Walk within the limits and return the files."""
        paths: list[str] = []
        for path, folder in walk_folders(
            self._list,
            self._stop,
            max_depth=MAX_DEPTH,
            max_folders=MAX_FOLDERS,
        ):
            paths.extend(join_below(path, name) for name in folder.files)
            if self._left <= 0:
                self._is_complete = False
                break
        return ProjectFiles(paths, self._is_complete)

    def _list(self, path: str) -> ListedFolder[str] | None:
        """List a folder; return None if it is generated or cannot be listed."""
        try:
            with (
                self._folder.open_below(path or os.curdir) as descriptor,
                os.scandir(descriptor) as entries,
            ):
                listed = [
                    (entry.name, entry.is_dir(follow_symlinks=False))
                    for entry in islice(entries, self._left)
                ]
        except OSError:
            return None
        self._left -= len(listed)
        if path and not MARKS.isdisjoint(name for name, _ in listed):
            return None
        return ListedFolder.of(
            (name, FOLDER if is_folder else "file", name)
            for name, is_folder in sorted(listed)
            if not is_folder or name not in INSTALLED | _VERSION_CONTROL
        )

    def _stop(self, path: str, folder: ListedFolder[str] | None) -> None:
        self._is_complete = False
