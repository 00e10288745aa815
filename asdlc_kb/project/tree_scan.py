"""Tree scan of a project for guides and the hidden folders of tools.

The only walk through a whole project, so it reads names alone. It is breadth first:
a limit cuts off the deepest folders. Links to folders are not followed, since their
targets are found under their real paths, nor is a link that replaces a folder during
the walk. Hidden folders, installed packages and folders marked as generated are
skipped.
"""

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from asdlc_kb.files.folder_walk import ListedFolder, join_below, walk_folders
from asdlc_kb.files.paths import OpenFolder
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.tree_names import INSTALLED, MARKS
from asdlc_kb.project.artifact_names import is_folder_name
from asdlc_kb.project.instruction_places import GUIDES
from asdlc_kb.project.link_targets import TOOL_FOLDERS
from asdlc_kb.project.locations import PLUGIN_HOLDER
from asdlc_kb.project.tool_settings import GuideSettings, read_guide_settings

NAMES: Final = (*GUIDES, *TOOL_FOLDERS, PLUGIN_HOLDER)
"""The names that are looked up in each folder."""

MAX_DEPTH: Final = 12
"""Depth of folders."""

MAX_FOLDERS: Final = 5_000
"""Folders listed per scan."""

MAX_ENTRIES: Final = 200_000
"""Names examined per scan."""


@dataclass(slots=True)
class Nested:
    """The result of a scan: paths relative to the root, upper folders first."""

    settings: GuideSettings = field(default_factory=GuideSettings)
    guides: list[str] = field(default_factory=list)
    holders: list[str] = field(default_factory=list)
    """Hidden folders of tools."""
    plugins: list[str] = field(default_factory=list)
    """Folders that have a folder for a plugin's manifest; empty for the root."""
    problems: list[Problem] = field(default_factory=list)
    folders: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The folders of the project: device and inode."""

    def add(self, folder: str, names: Iterable[str]) -> None:
        """Add the relevant names in a folder."""
        for name in names:
            if name == PLUGIN_HOLDER:
                self.plugins.append(folder)
            else:
                is_guide = name in GUIDES or name in self.settings.names
                paths = self.guides if is_guide else self.holders
                paths.append(join_below(folder, name))


@dataclass(frozen=True, slots=True)
class NestedFolder(ListedFolder[str]):
    """The relevant entries of one folder: those with a name that is looked up."""

    entries: int = 0
    """Number of all entries."""
    is_generated: bool = False
    """Whether it has a marker file of generated folders."""
    looked_up: tuple[str, ...] = NAMES
    """The names that were looked up."""


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
        settings = read_guide_settings(root)
        self._result = Nested(settings, problems=[*settings.problems])
        self._names = tuple(dict.fromkeys((*NAMES, *settings.names)))
        self._entries_left = MAX_ENTRIES

    def run(self) -> Nested:
        """Walk within the limits and return the result."""
        result = self._result
        for path, folder in walk_folders(
            self._visit,
            self._report_limit,
            max_depth=MAX_DEPTH,
            max_folders=MAX_FOLDERS,
        ):
            result.add(path, folder.files)
            if self._entries_left <= 0:
                self._report(path, f"{MAX_ENTRIES:,} files or more: the rest are")
                break
        if self._memory is not None:
            self._memory.clear()
            self._memory.update(self._seen)
        return result

    def _visit(self, path: str) -> NestedFolder | None:
        """List a folder; return None if it is generated or cannot be listed."""
        try:
            folder, identity = self._list(path)
        except OSError as error:
            if not path or not isinstance(
                error, FileNotFoundError | NotADirectoryError
            ):
                message = f"cannot be listed ({error.strerror}): check its permissions"
                self._add_problem(path, message)
            return None
        self._entries_left -= folder.entries
        if path and folder.is_generated:
            return None
        self._result.folders[path] = identity
        return folder

    def _list(self, path: str) -> tuple[NestedFolder, tuple[int, int]]:
        """List a folder, or return its entries from the memory if unchanged."""
        if self._memory is not None and path in self._memory:
            cached = self._memory[path]
            # A different folder behind a link has a different signature.
            is_same = cached[1].looked_up == self._names
            if is_same and cached[0] == Signature.of(os.stat(f"{self._root}/{path}")):
                self._seen[path] = cached
                return cached[1], (cached[0].device, cached[0].inode)
        with self._folder.open_below(path or os.curdir) as descriptor:
            signature = Signature.of(os.fstat(descriptor))
            folder = _scan(descriptor, self._names, self._entries_left)
        # A file in a subfolder comes without a change of this folder.
        is_kept = not any("/" in name for name in self._result.settings.names)
        if self._memory is not None and is_kept and not signature.is_racy(self._now):
            self._seen[path] = signature, folder
        return folder, (signature.device, signature.inode)

    def _report_limit(self, path: str, folder: NestedFolder | None) -> None:
        if folder is None:
            self._report(path, f"more than {MAX_FOLDERS:,} folders: the rest are")
        else:
            self._report(path, f"folders more than {MAX_DEPTH} deep are")

    def _report(self, path: str, what: str) -> None:
        self._add_problem(path, f"{what} not searched for rules and AGENTS.md")

    def _add_problem(self, path: str, message: str) -> None:
        self._result.problems.append(Problem(path or ".", 1, 1, "KB001", message))


def _is_walked(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder to walk: not hidden, linked or installed."""
    try:
        is_folder = entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
    name = entry.name
    is_own = is_folder and name[0] != "." and name not in INSTALLED
    return is_own and is_folder_name(name)


def has_entry(descriptor: int, name: str) -> bool:
    """Whether a folder has a file or link of a name, or one at a path below."""
    try:
        os.lstat(name, dir_fd=descriptor)
    except OSError:
        return False
    return True


def _scan(
    descriptor: int, looked_up: tuple[str, ...], max_entries: int
) -> NestedFolder:
    folders: list[str] = []
    names: set[str] = set()
    with os.scandir(descriptor) as entries:
        for entry in islice(entries, max_entries):
            names.add(entry.name)
            if _is_walked(entry):
                folders.append(entry.name)
    return NestedFolder(
        tuple(
            name
            for name in looked_up
            if name in names or ("/" in name and has_entry(descriptor, name))
        ),
        tuple(sorted(folders)),
        entries=len(names),
        is_generated=not MARKS.isdisjoint(names),
        looked_up=looked_up,
    )
