"""Tree scan of a project for nested rules, AGENTS.md and CLAUDE.md.

The only walk through a whole project, so it reads names alone. It is breadth first:
a limit cuts off the deepest folders. Links to folders are not followed, since their
targets are found under their real paths, nor is a link that replaces a folder during
the walk. Hidden folders, installed packages and folders marked as generated are
skipped.
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
"""Depth of folders."""

MAX_FOLDERS: Final = 5_000
"""Folders listed per scan."""

MAX_ENTRIES: Final = 200_000
"""Names examined per scan."""

GUIDES: Final = ("AGENTS.md", "CLAUDE.md")
"""Guide files of a folder, the tool-neutral one first."""

RULE_HOLDERS: Final = (".cursor", ".claude")
"""Folders that may contain rules, in order of precedence."""


@dataclass(slots=True)
class Nested:
    """The result of a scan: paths relative to the root, upper folders first."""

    guides: list[str] = field(default_factory=list)
    holders: list[str] = field(default_factory=list)
    """Folders that may contain a `rules` folder."""
    problems: list[Problem] = field(default_factory=list)


class NestedFolder(NamedTuple):
    """The relevant entries of one folder."""

    entries: int
    folders: tuple[str, ...]
    """Subfolders to walk."""
    guides: tuple[str, ...]
    holders: tuple[str, ...]
    is_generated: bool
    """Whether it has a marker file of generated folders."""


ScanMemory: TypeAlias = dict[str, tuple[Signature, NestedFolder]]
"""Listed folders by path, with their signatures. A folder's signature changes with its
names."""


def find_nested(
    root: Path, memory: ScanMemory | None = None, *, now: float | None = None
) -> Nested:
    """Walk a project; a folder that cannot be listed is a problem.

    With a memory, list only folders that changed since the previous walk.
    """
    with OpenFolder(root) as folder:
        return _NestedWalk(
            root, folder, memory, time.time() if now is None else now
        ).run()


class _NestedWalk:
    """A single walk, folder by folder."""

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
        """Walk within the limits and return the result."""
        while self._waiting:
            path, depth = self._waiting.popleft()
            self._folders += 1
            if self._folders > MAX_FOLDERS:
                self._report(path, f"more than {MAX_FOLDERS:,} folders: the rest are")
                break
            try:
                self._visit(path, depth)
            except (FileNotFoundError, NotADirectoryError) as error:
                if not path:
                    self._report_error(path, error)
            except OSError as error:
                self._report_error(path, error)
            if self._entries_left <= 0:
                self._report(path, f"{MAX_ENTRIES:,} files or more: the rest are")
                break
        if self._memory is not None:
            self._memory.clear()
            self._memory.update(self._seen)
        return self._found

    def _visit(self, path: str, depth: int) -> None:
        folder = self._list(path)
        self._entries_left -= folder.entries
        if path and folder.is_generated:
            return
        above = f"{path}/" if path else ""
        result = self._found
        result.guides.extend(above + name for name in folder.guides)
        result.holders.extend(above + name for name in folder.holders)
        if depth < MAX_DEPTH:
            self._waiting.extend((above + name, depth + 1) for name in folder.folders)
        elif folder.folders:
            self._report(path, f"folders more than {MAX_DEPTH} deep are")

    def _list(self, path: str) -> NestedFolder:
        """List a folder, or return its entries from the memory if unchanged."""
        if self._memory is not None and path in self._memory:
            cached = self._memory[path]
            # A different folder behind a link has a different signature.
            if cached[0] == Signature.of(os.stat(f"{self._root}/{path}")):
                self._seen[path] = cached
                return cached[1]
        with self._folder.open_below(path or os.curdir) as descriptor:
            signature = Signature.of(os.fstat(descriptor))
            folder = _scan(descriptor, self._entries_left)
        if self._memory is not None and not signature.is_racy(self._now):
            self._seen[path] = signature, folder
        return folder

    def _report(self, path: str, what: str) -> None:
        message = f"{what} not searched for rules and AGENTS.md"
        self._found.problems.append(Problem(path or ".", 1, 1, "KB001", message))

    def _report_error(self, path: str, error: OSError) -> None:
        message = f"cannot be listed ({error.strerror}): check its permissions"
        self._found.problems.append(Problem(path or ".", 1, 1, "KB001", message))


def _is_walked(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder to walk: not hidden, linked or installed."""
    try:
        is_folder = entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
    name = entry.name
    is_own = is_folder and name[0] != "." and name not in INSTALLED
    return is_own and is_free_name(name)


def _scan(descriptor: int, max_entries: int) -> NestedFolder:
    folders: list[str] = []
    names: set[str] = set()
    with os.scandir(descriptor) as entries:
        for entry in islice(entries, max_entries):
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
