"""Change detection for a project, by file names and times alone.

A sweep stats every file that results may be read from, and opens none. Only when one of
them changed is the project read again, and once more two seconds later: a change within
one clock tick is invisible. The values read are not served; they are compared with the
previous ones, so that clients are notified of changes.
"""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from asdlc_kb.files.signature import Signature
from asdlc_kb.project.instruction_files import list_guides, list_rules
from asdlc_kb.project.instruction_places import GUIDES, RULES
from asdlc_kb.project.link_targets import TOOL_FOLDERS
from asdlc_kb.project.locations import COMMANDS, SKILLS, ArtifactFolder
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import FOLDER as SCHEMAS
from asdlc_kb.project.specs import FOLDER as SPECS
from asdlc_kb.project.tree_scan import ScanMemory, find_nested

T = TypeVar("T")

_TOPS: Final = frozenset(
    folder.partition("/")[0] for _, folder in (*COMMANDS, *SKILLS)
) | {SCHEMAS, SPECS}
"""Folders at the top of a project that may contain artifacts."""

_NAMES: Final = _TOPS | {
    *(*GUIDES, *TOOL_FOLDERS),
    *(places[0].path for places in RULES),
}
"""The relevant names at the top of a project; changes of others are ignored."""


@dataclass(frozen=True, slots=True)
class _Scan:
    """The files that results may be read from, and their folders."""

    signatures: Mapping[str, Signature]
    folders: Mapping[str, tuple[int, int]]


class ProjectWatch(Generic[T]):
    """Scans one project repeatedly; one scan at a time."""

    def __init__(
        self,
        project: Project,
        read: Callable[[ProjectScanner], T],
        home: Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.project = project
        self._read = read
        self._home = home
        self._clock = clock
        self._memory: ScanMemory = {}
        self._signatures: Mapping[str, Signature] | None = None
        """Of the last scan, unless a file had just changed."""
        self._fresh: _Scan | None = None
        """A sweep made for the watched folders, not yet used by a scan."""
        self._watched: Mapping[str, tuple[int, int]] = {}
        self._value: T | None = None

    def scan(self) -> T:
        """Scan the project and return its value. Blocks."""
        scan, self._fresh = self._fresh or self._sweep(), None
        if self._value is None or self._signatures != scan.signatures:
            self._value = self._read(ProjectScanner(self.project, self._home))
        now = self._clock()
        is_racy = any(file.is_racy(now) for file in scan.signatures.values())
        self._signatures = None if is_racy else scan.signatures
        return self._value

    def find(self, root: Path) -> Mapping[str, tuple[int, int]]:
        """Return the folders to watch: those with artifacts, and the top. Blocks.

        While they stay the same, the next scan need not sweep again: they are
        watched already, so a change in between is reported.
        """
        scan = self._sweep()
        self._fresh = scan if scan.folders == self._watched else None
        self._watched = scan.folders
        return scan.folders

    def concerns(self, path: str) -> bool:
        """Whether a change of this path, in a watched folder, may affect results."""
        folder, _, name = path.rpartition("/")
        return name in _NAMES if folder == str(self.project.root) else name[:1] != "."

    def _sweep(self) -> _Scan:
        nested = find_nested(self.project.root, self._memory, now=self._clock())
        scanner = ProjectScanner(self.project, self._home, nested)
        signatures = {}
        for path in self._find_files(scanner):
            signature = _sign(path)
            if signature is not None:
                signatures[path] = signature
        folders = {**dict(self._find_tops()), **scanner.folders}
        return _Scan(signatures, folders)

    def _find_files(self, scanner: ProjectScanner) -> Iterator[str]:
        for listed in (*list_guides(scanner), *list_rules(scanner)):
            yield f"{self.project.root}/{listed.file.path}"
        for place in self._find_folders(scanner):
            for file in scanner.files(place, ("",)):
                yield f"{place.root}/{file.path}"

    def _find_folders(self, scanner: ProjectScanner) -> Iterator[ArtifactFolder]:
        yield from scanner.places((*COMMANDS, *SKILLS))
        for folder in (SCHEMAS, SPECS):
            yield ArtifactFolder(self.project.root, folder, "agents")

    def _find_tops(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yield the project's folder and those in which artifact folders may appear."""
        root = str(self.project.root)
        for path in (root, *(f"{root}/{name}" for name in sorted(_TOPS))):
            try:
                status = os.stat(path, follow_symlinks=path == root)
            except OSError:
                continue
            if stat.S_ISDIR(status.st_mode):
                yield path, (status.st_dev, status.st_ino)


def _sign(path: str) -> Signature | None:
    """Return the signature of a file or dangling symlink, or None.

    The target of a symlink that leads out is never served, whatever its signature.
    """
    try:
        return Signature.at(path)
    except OSError:
        return None
