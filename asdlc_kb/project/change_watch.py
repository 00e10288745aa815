"""Change detection for a project, by file names and times alone.

A sweep stats every file that results may be read from, and opens none. Only when one of
them changed is the project read again, and once more two seconds later: a change within
one clock tick is invisible. The values read are not served; they are compared with the
previous ones, so that clients are notified of changes.

While the kernel reports changes, a check stats only the known files and the folders of
artifacts. Guides and new folders elsewhere in the project come with an event, since all
its folders are watched; a new folder causes a scan at the next check.
"""

import logging
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeAlias, TypeVar

from asdlc_kb.files.root_identity import RootHistory, RootIdentity
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.tree_names import INSTALLED
from asdlc_kb.project.artifact_folders import find_folders
from asdlc_kb.project.artifact_places import COMMANDS, SKILLS
from asdlc_kb.project.guide_imports import IMPORTED_SUFFIXES, list_configured
from asdlc_kb.project.instruction_files import list_guides, list_rules
from asdlc_kb.project.instruction_places import RULES
from asdlc_kb.project.locations import PLUGIN_HOLDER, ArtifactFolder
from asdlc_kb.project.plugins import list_manifests
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import FOLDER as SCHEMAS
from asdlc_kb.project.specs import PLACES as SPECS
from asdlc_kb.project.tool_settings import OPENCODE_FILES, SETTINGS_FILES
from asdlc_kb.project.tree_scan import NAMES, Nested, ScanMemory, find_nested

T = TypeVar("T")

_KINDS: Final = (COMMANDS, SKILLS)
"""The artifacts of places that results are made from."""

_TOPS: Final = frozenset(
    {
        SCHEMAS,
        *(p.folder for k in _KINDS for p in k.places if not p.holder),
        *(p.folder.partition("/")[0] for p in SPECS if not p.folder.startswith(".")),
    }
)
"""Folders at the top of a project that contain artifacts."""

_TOP_NAMES: Final = frozenset(
    {*_TOPS, *OPENCODE_FILES, *(places[0].path for places in RULES)}
)
"""The relevant names at the top of a project, besides those of any folder."""

logger = logging.getLogger(__name__)

Identity: TypeAlias = tuple[int, int]
"""Device and inode of a folder."""


@dataclass(frozen=True, slots=True)
class _Scan:
    """The files that results may be read from, and folders."""

    signatures: Mapping[str, Signature]
    names: frozenset[str]
    """Names of further guides, by the settings of tools."""
    texts: frozenset[str]
    """Paths of imported texts, whether they exist or not."""
    artifact_folders: Mapping[str, Identity]
    folders: Mapping[str, Identity]
    """All folders to watch."""


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
        self.was_seen = False
        self.is_missing = False
        self._history = RootHistory(0.0, clock)
        self._read = read
        self._home = home
        self._clock = clock
        self._memory: ScanMemory = {}
        self._signatures: Mapping[str, Signature] | None = None
        """Of the last scan, unless a file had just changed."""
        self._checked: Mapping[str, Signature] = {}
        """The signatures that a check compares."""
        self._imported: frozenset[str] = frozenset()
        """Paths of the texts that guides imported at the last reading."""
        self._fresh: _Scan | None = None
        """A sweep made for the watched folders, not yet used by a scan."""
        self._last: _Scan | None = None
        self._watched: Mapping[str, Identity] = {}
        self._has_new_folder = False
        """Whether a folder appeared since the last sweep, outside artifact folders."""
        self._value: T | None = None

    def scan(self) -> T:
        """Scan the project and return its value. Blocks."""
        self._check_root()
        scan, self._fresh = self._fresh or self._sweep(), None
        if self._value is None or self._signatures != scan.signatures:
            scanner = ProjectScanner(self.project, self._home)
            self._value = self._read(scanner)
            self._imported = frozenset(scanner.imported)
        now = self._clock()
        is_racy = any(file.is_racy(now) for file in scan.signatures.values())
        self._signatures = None if is_racy else scan.signatures
        self._checked = {**scan.signatures, **_sign_all(scan.artifact_folders)}
        return self._value

    def check(self, is_announced: bool) -> T | None:
        """Return the value if no known file changed; None if a scan has to decide.

        Blocks. A file that had just changed at the last scan is scanned once more.
        """
        self._check_root()
        if self._has_new_folder:
            return None
        if self._signatures is None:
            return self.scan()
        return self._value if _sign_all(self._checked) == self._checked else None

    def find(self, root: Path) -> Mapping[str, Identity]:
        """Return the folders to watch: all that artifacts may appear in. Blocks.

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
        if name in NAMES or (self._last is not None and name in self._last.names):
            return True
        if name[:1] == ".":
            return folder == str(self.project.root) and name in _TOP_NAMES
        if self._last is not None and folder in self._last.artifact_folders:
            return True
        if folder == str(self.project.root) and name in _TOP_NAMES:
            return True
        if name.endswith(IMPORTED_SUFFIXES):
            return self._last is not None and path in self._last.texts
        # Builds create many folders: the next check is soon enough for them.
        self._has_new_folder |= name not in INSTALLED and os.path.isdir(path)
        return False

    def _check_root(self) -> None:
        """Check whether the project's folder is missing; log a change of that."""
        root, was_missing = self.project.root, self.is_missing
        folder = {"folder": str(root)}
        try:
            with os.scandir(root) as entries:
                self._history.add(RootIdentity.of(root), has_files=any(entries))
        except OSError as error:
            self.is_missing = True
            if not was_missing:
                extra = {**folder, "reason": error.strerror}
                logger.warning("project folder is missing", extra=extra)
        else:
            self.was_seen, self.is_missing = True, False
            if was_missing:
                logger.info("project folder found", extra=folder)

    def _sweep(self) -> _Scan:
        self._has_new_folder = False
        nested = find_nested(self.project.root, self._memory, now=self._clock())
        scanner = ProjectScanner(self.project, self._home, nested)
        root = str(self.project.root)
        named = {*self._imported, *list_configured(self.project)}
        texts = frozenset(f"{root}/{path}" for path in named)
        files = dict.fromkeys((*self._find_files(scanner), *sorted(texts)))
        # Listing the files has found the folders of artifacts.
        artifact_folders = {**_identify(self._find_holders(nested)), **scanner.folders}
        tree = {
            f"{root}/{path}".rstrip("/"): identity
            for path, identity in nested.folders.items()
        }
        others = _identify(path.rpartition("/")[0] for path in texts)
        folders = others | tree | artifact_folders
        names = frozenset(name.rpartition("/")[2] for name in nested.settings.names)
        self._last = _Scan(_sign_all(files), names, texts, artifact_folders, folders)
        return self._last

    def _find_files(self, scanner: ProjectScanner) -> Iterator[str]:
        root = self.project.root
        for listed in (*list_guides(scanner), *list_rules(scanner)):
            yield f"{root}/{listed.file.path}"
        for path in (*SETTINGS_FILES, *list_manifests(scanner)):
            yield f"{root}/{path}"
        for place in self._find_folders(scanner):
            for file in scanner.files(place, ("",)):
                yield f"{place.root}/{file.path}"

    def _find_folders(self, scanner: ProjectScanner) -> Iterator[ArtifactFolder]:
        for kind in _KINDS:
            yield from find_folders(scanner, kind)
        for folder in (SCHEMAS, *(place.folder for place in SPECS)):
            yield ArtifactFolder(self.project.root, folder, "agents")

    def _find_holders(self, nested: Nested) -> Iterator[str]:
        """Yield the folders in which artifact folders may appear."""
        root = self.project.root
        for path in nested.holders:
            yield f"{root}/{path}"
        for path in nested.plugins:
            yield from (f"{root}/{path}/{k.plugin_folder}" for k in _KINDS)
            yield f"{root}/{path}/{PLUGIN_HOLDER}"
        for name in _TOPS:
            yield f"{root}/{name}"


def _identify(paths: Iterable[str]) -> dict[str, Identity]:
    """Return device and inode of those paths that are folders and no links."""
    found = {}
    for path in paths:
        try:
            status = os.stat(path, follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISDIR(status.st_mode):
            found[path] = (status.st_dev, status.st_ino)
    return found


def _sign_all(paths: Iterable[str]) -> dict[str, Signature]:
    """Return the signatures of those paths that exist."""
    signed = ((path, _sign(path)) for path in paths)
    return {path: signature for path, signature in signed if signature is not None}


def _sign(path: str) -> Signature | None:
    """Return the signature of a file or dangling symlink, or None.

    The target of a symlink that leads out is never served, whatever its signature.
    """
    try:
        return Signature.at(path)
    except OSError:
        return None
