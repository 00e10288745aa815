"""What lies in folders of the project itself: nested rules, AGENTS.md and CLAUDE.md.

The only walk through a whole project, so it looks at names alone. It goes through the
upper folders first: what a limit cuts off lies deepest. Links to folders are not
followed, since what they lead to is found where it is, nor is a link that takes a
folder's place meanwhile. Hidden folders, installed packages and what says of itself
that a program made it are passed over.
"""

import os
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.files.paths import OpenFolder, is_free_name
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.tree_listing import INSTALLED, MARKS

MAX_DEPTH: Final = 12
"""Folders below one another."""

MAX_FOLDERS: Final = 5_000
"""Folders that are looked into."""

MAX_ENTRIES: Final = 200_000
"""Names that are looked at."""

GUIDES: Final = ("AGENTS.md", "CLAUDE.md")
"""Files that say how to work in their folder, the one that is everybody's first."""

RULE_HOLDERS: Final = (".cursor", ".claude")
"""Folders that may hold rules, in their order of precedence."""


@dataclass(slots=True)
class Nested:
    """What was found: paths relative to the root, upper folders first."""

    guides: list[str] = field(default_factory=list)
    holders: list[str] = field(default_factory=list)
    """Folders of which each may have one called `rules`."""
    problems: list[Problem] = field(default_factory=list)


class NestedFolder(NamedTuple):
    """What one folder has."""

    entries: int
    folders: tuple[str, ...]
    """Those that are walked through."""
    guides: tuple[str, ...]
    holders: tuple[str, ...]
    is_made: bool
    """Whether it says that a program made it."""


ScanMemory: TypeAlias = dict[str, tuple[Signature, NestedFolder]]
"""Folders by path, and as what they were found so. A folder whose names change is
another one by its signature."""


def find_nested(
    root: Path, memory: ScanMemory | None = None, *, now: float | None = None
) -> Nested:
    """Walk through a project; what cannot be listed is a problem.

    With a memory, only folders that changed since the walk before are listed.
    """
    with OpenFolder(root) as folder:
        return _NestedWalk(
            root, folder, memory, time.time() if now is None else now
        ).run()


class _NestedWalk:
    """One walk, folder by folder."""

    def __init__(
        self, root: Path, folder: OpenFolder, memory: ScanMemory | None, now: float
    ) -> None:
        self._root = root
        self._folder = folder
        self._memory = memory
        self._now = now
        self._seen: ScanMemory = {}
        self._found = Nested()
        self._waiting = deque([("", 0)])
        self._folders = 0
        self._entries_left = MAX_ENTRIES

    def run(self) -> Nested:
        """Return what the walk finds within its limits."""
        while self._waiting:
            path, depth = self._waiting.popleft()
            self._folders += 1
            if self._folders > MAX_FOLDERS:
                self._report(path, f"more than {MAX_FOLDERS:,} folders: the rest is")
                break
            try:
                self._look_into(path, depth)
            except (FileNotFoundError, NotADirectoryError) as error:
                if not path:
                    self._fail(path, error)
            except OSError as error:
                self._fail(path, error)
            if self._entries_left <= 0:
                self._report(path, f"{MAX_ENTRIES:,} files or more: the rest is")
                break
        if self._memory is not None:
            self._memory.clear()
            self._memory.update(self._seen)
        return self._found

    def _look_into(self, path: str, depth: int) -> None:
        folder = self._list(path)
        self._entries_left -= folder.entries
        if path and folder.is_made:
            return
        above = f"{path}/" if path else ""
        found = self._found
        found.guides.extend(above + name for name in folder.guides)
        found.holders.extend(above + name for name in folder.holders)
        if depth < MAX_DEPTH:
            self._waiting.extend((above + name, depth + 1) for name in folder.folders)
        elif folder.folders:
            self._report(path, f"folders more than {MAX_DEPTH} deep are")

    def _list(self, path: str) -> NestedFolder:
        """Return what a folder has, from the memory if it is the same as then."""
        if self._memory is not None and path in self._memory:
            kept = self._memory[path]
            # Of another folder behind a link, this would be another signature.
            if kept[0] == Signature.of(os.stat(f"{self._root}/{path}")):
                self._seen[path] = kept
                return kept[1]
        with self._folder.open_below(path or os.curdir) as descriptor:
            signature = Signature.of(os.fstat(descriptor))
            folder = _scan(descriptor, self._entries_left)
        if self._memory is not None and not signature.is_racy(self._now):
            self._seen[path] = signature, folder
        return folder

    def _report(self, path: str, what: str) -> None:
        message = f"{what} not searched for rules and AGENTS.md"
        self._found.problems.append(Problem(path or ".", 1, 1, "KB001", message))

    def _fail(self, path: str, error: OSError) -> None:
        message = f"cannot be listed ({error.strerror}): check its permissions"
        self._found.problems.append(Problem(path or ".", 1, 1, "KB001", message))


def _is_walked(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder of the project's own."""
    try:
        is_folder = entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
    name = entry.name
    is_own = is_folder and name[0] != "." and name not in INSTALLED
    return is_own and is_free_name(name)


def _scan(descriptor: int, most: int) -> NestedFolder:
    folders: list[str] = []
    names: set[str] = set()
    with os.scandir(descriptor) as entries:
        for entry in islice(entries, most):
            names.add(entry.name)
            if _is_walked(entry):
                folders.append(entry.name)
    return NestedFolder(
        len(names),
        tuple(sorted(folders)),
        tuple(name for name in GUIDES if name in names),
        tuple(name for name in RULE_HOLDERS if name in names),
        not MARKS.isdisjoint(names),
    )
