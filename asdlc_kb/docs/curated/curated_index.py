"""The index of a tree for language models that its authors wrote, `llms.txt` (D-166).

- KB036 an index that is not used
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Final

from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.exclusions import Exclusions
from asdlc_kb.docs.generators.static_folders import find_static_folders
from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.clean_text import clean_text
from asdlc_kb.files.dependencies import (
    Dependency,
    DependencyCheck,
    are_unchanged,
    sign_file,
)
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import ChangedWhileRead, read_file

NAME: Final = "llms.txt"

MAX_CHARS: Final = 250_000
"""Characters of an index; a longer one is not used."""

_BEGINNING: Final = re.compile(r"\s*\# +\S")
"""How an index begins: with its title, as llmstxt.org requires."""


@dataclass(frozen=True, slots=True)
class CuratedIndex:
    """An index at one moment."""

    text: str = ""
    """Without invisible characters; empty if there is no index, or none that is used.
    """
    path: str = NAME
    """Where it is, relative to the root of the tree."""
    problems: tuple[Problem, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    """Every file that can be the index, as it was."""

    def is_current(self) -> bool:
        """Whether the files are as they were; costs one `stat` for each."""
        return DependencyCheck().are_current(self.dependencies)


class CuratedIndexFile:
    """The index of a tree on the disk, read again when it changes. Thread-safe.

    It is in the root of the tree, or in a folder whose files its generator publishes as
    they are. One that git ignores is made by a program, so it is left out; so is one
    that the configuration excludes.
    """

    def __init__(self, root: Path, configuration: TreeConfiguration) -> None:
        folders = (root, *find_static_folders(configuration))
        self._folders = tuple(dict.fromkeys(folders))
        self._exclusions = Exclusions(configuration)
        self._known: CuratedIndex | None = None
        self._lock = Lock()

    def read(self) -> CuratedIndex:
        """Return the index as it is now; blocks."""
        with self._lock:
            known = self._known
            if known is None or not are_unchanged(known.dependencies):
                known = self._known = self._read()
            return known

    def _read(self) -> CuratedIndex:
        # Signed before the files are read: a later change is noticed.
        dependencies = tuple(
            Dependency(str(path), sign_file(str(path))) for path in self._paths
        )
        found = [Path(path) for path, signature in dependencies if signature]
        if not found:
            return CuratedIndex(dependencies=dependencies)
        name = os.path.relpath(found[0], self._folders[0])
        text, problems = _read_text(found[0].parent, name)
        return CuratedIndex(text, name, problems, dependencies)

    @cached_property
    def _paths(self) -> Sequence[Path]:
        """Where the index may be, the first one first."""
        exclusions = self._exclusions
        return tuple(
            folder / NAME
            for folder in self._folders
            if not exclusions.is_ignored(str(folder / NAME))
            and not exclusions.make_file_filter(folder)(NAME)
        )


def _read_text(folder: Path, name: str) -> tuple[str, tuple[Problem, ...]]:
    """Return the text of an index, empty if it is not used, and its problems."""
    try:
        raw = read_file(folder, NAME, judge=_refuse_other)
    except UnreadableFile as error:
        return "", (_report(name, str(error)),)
    except (OSError, ChangedWhileRead):
        return "", (_report(name, "it cannot be read: make it readable"),)
    text, _, problems, _ = clean_text(name, raw.text)
    if len(text) > MAX_CHARS:
        message = f"it is longer than {MAX_CHARS:,} characters: shorten it"
        return "", (_report(name, message),)
    if not _BEGINNING.match(text):
        message = "it does not begin with a title: write '# Title' in its first line"
        return "", (_report(name, message),)
    return text, problems


def _refuse_other(path: str) -> UnreadableFile | None:
    """Return why a real path is not read: a link leads to a file of another name."""
    if path == NAME:
        return None
    return UnreadableFile("the link points to another file", "copy it")


def _report(path: str, reason: str) -> Problem:
    return Problem(path, 1, 1, "KB036", f"is not used: {reason}")
