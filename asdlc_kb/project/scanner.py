"""One look at a project: lists its folders, reads its files, notes what is wrong.

A survey serves one question and is thrown away with it, so that every answer is of the
disk as it is. What cannot be read becomes a problem beside the rest. It is read-only,
never leaves the root of a place, and is bounded in files, bytes and depth.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from asdlc_kb.exceptions import FileTooLarge, UnreadableFile
from asdlc_kb.files.clean_text import clean_text
from asdlc_kb.files.paths import (
    is_free_name,
    open_folder,
    refusal_reason,
)
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import ChangedWhileRead, RawFile
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.tree_listing import INSTALLED
from asdlc_kb.project import artifact_file
from asdlc_kb.project.artifact_file import ArtifactFile, Text
from asdlc_kb.project.link_targets import (
    folder_filter,
    is_repository,
    is_secret,
    link_filter,
)
from asdlc_kb.project.locations import ArtifactFolder, Platform, find_places
from asdlc_kb.project.registry import Project
from asdlc_kb.project.tree_scan import Nested, find_nested

MAX_DEPTH: Final = 8
"""Folders below one another in a place."""

MAX_FOLDER_FILES: Final = 1_000
"""Files of one place."""

MAX_FOLDERS: Final = 1_000
"""Folders of one place that are looked into."""

MAX_ENTRIES: Final = 10_000
"""Entries of one folder that are looked at."""

MAX_FILES_READ: Final = 10_000
"""Files that one survey opens, whatever place they are of."""

MAX_BYTES: Final = 32 * 1024 * 1024
"""What one survey reads at most."""

MAX_WAIT_SECONDS: Final = 0.5
"""How long one survey waits for files that are being written: then it omits them."""

_PAUSE_SECONDS: Final = 0.02


R = TypeVar("R", RawFile, bytes)


class ProjectScanner:
    """Reads one project once."""

    def __init__(self, project: Project, home: Path | None = None) -> None:
        self.project = project
        self.problems: list[Problem] = []
        self.too_large: set[str] = set()
        """Paths of files that were not read for their size, as they are told."""
        self.folders: dict[str, tuple[int, int]] = {}
        """Folders of places that were listed, by path: device and inode."""
        self._home = home
        self._seconds_left = MAX_WAIT_SECONDS
        self._files_left = MAX_FILES_READ
        self._bytes_left = MAX_BYTES

    @cached_property
    def nested(self) -> Nested:
        """What lies in folders of the project itself."""
        nested = find_nested(self.project.root)
        self.problems.extend(nested.problems)
        return nested

    @property
    def sorted_problems(self) -> tuple[Problem, ...]:
        """What is wrong so far: each once, by path."""
        return tuple(sorted(set(self.problems)))

    def places(
        self, kinds: tuple[tuple[Platform, str], ...]
    ) -> Iterator[ArtifactFolder]:
        """Yield where artifacts of a kind may lie."""
        return find_places(kinds, self.project.root, self._home)

    def top(self, path: str, platform: Platform = "agents") -> ArtifactFile:
        """Return a file of the project by its path."""
        return ArtifactFile(ArtifactFolder(self.project.root, ".", platform), path)

    def exists(self, folder: str) -> bool:
        """Whether the project has such a folder."""
        try:
            place = ArtifactFolder(self.project.root, folder, "agents")
            with open_folder(place.root, folder, folder_filter(place)):
                return True
        except (OSError, UnreadableFile):
            return False

    def files(
        self,
        place: ArtifactFolder,
        endings: Collection[str],
        *,
        deepest: int = MAX_DEPTH,
    ) -> list[ArtifactFile]:
        """Return the files of a place with such endings, in path order.

        Hidden names and installed packages are passed over; an empty ending is any.
        A folder is listed once, where it is rather than under a link to it. A link that
        leads to no artifact is a problem and is not listed.
        """
        found: list[ArtifactFile] = []
        for path, refusal in self._walk(place, deepest):
            if refusal is not None:
                self.report(place.show(path), "KB001", str(refusal))
            elif path.endswith(tuple(endings)):
                found.append(ArtifactFile(place, path))
            if len(found) > MAX_FOLDER_FILES:
                message = f"more than {MAX_FOLDER_FILES:,} files: the rest is not read"
                self.report(place.show(place.folder), "KB001", message)
                del found[MAX_FOLDER_FILES:]
                break
        return sorted(found, key=lambda file: file.path)

    def read(self, file: ArtifactFile) -> Text | None:
        """Return what a file says; None for one that is gone or cannot be read."""
        raw = self._read_raw(file)
        if raw is None:
            return None
        text, _, problems, _ = clean_text(file.shown, raw.text)
        self.problems.extend(problems)
        return Text(text, raw.signature.mtime_ns / 1e9)

    def report(
        self, path: str, code: str, message: str, line: int = 1, column: int = 1
    ) -> None:
        """Note what is wrong with a file."""
        self.problems.append(Problem(path, line, column, code, message))

    def _report_error(self, path: str, error: OSError) -> None:
        message = f"cannot be read ({error.strerror}): check its permissions"
        self.report(path, "KB001", message)

    def _may_read(self, path: str) -> bool:
        """Whether one more file may be opened; a problem for the first that may not."""
        if self._files_left == 0:
            message = f"more than {MAX_FILES_READ:,} files: the rest is not read"
            self.report(path, "KB001", message)
        self._files_left -= 1
        return self._files_left >= 0 and self._bytes_left >= 0

    def _spend(self, size: int, path: str) -> bool:
        """Take bytes from what may be read; False, and a problem, if it is used up."""
        had, self._bytes_left = self._bytes_left, self._bytes_left - size
        if had >= 0 > self._bytes_left:
            message = f"more than {MAX_BYTES:,} bytes: the rest is not read"
            self.report(path, "KB001", message)
        return self._bytes_left >= 0

    def sign(self, file: ArtifactFile) -> Signature | None:
        """Return the signature of a file; None for one that cannot be opened."""
        try:
            with artifact_file.open_artifact(file) as descriptor:
                return Signature.of(os.fstat(descriptor))
        except (OSError, UnreadableFile):
            return None

    def read_bytes(self, file: ArtifactFile) -> bytes | None:
        """Return a file as it is; None for one that is gone or cannot be read."""
        return self._try(file, artifact_file.read_bytes)

    def _read_raw(self, file: ArtifactFile) -> RawFile | None:
        return self._try(file, artifact_file.read_text)

    def _try(self, file: ArtifactFile, read: Callable[[ArtifactFile], R]) -> R | None:
        """Read a file, or note why it cannot be read; that it is gone is no fault."""
        if not self._may_read(file.shown):
            return None
        try:
            found = self._read_finished(read, file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ChangedWhileRead:
            self.report(file.shown, "KB004", "is being written: ask again")
        except UnreadableFile as refused:
            self.report(file.shown, "KB001", str(refused))
            if isinstance(refused, FileTooLarge):
                self.too_large.add(file.shown)
        except OSError as error:
            self._report_error(file.shown, error)
        else:
            size = len(found) if isinstance(found, bytes) else found.signature.size
            return found if self._spend(size, file.shown) else None
        return None

    def _read_finished(
        self, read: Callable[[ArtifactFile], R], file: ArtifactFile
    ) -> R:
        """Read a file once it is not being written any more; raise ChangedWhileRead."""
        while True:
            try:
                return read(file)
            except ChangedWhileRead:
                if self._seconds_left <= 0:
                    raise
            time.sleep(_PAUSE_SECONDS)
            self._seconds_left -= _PAUSE_SECONDS

    def _walk(
        self, place: ArtifactFolder, deepest: int
    ) -> Iterator[tuple[str, UnreadableFile | None]]:
        """Yield the files of a place: upper folders first, those behind links last.

        With each comes why it is not followed, if it is a link to no artifact.
        """
        seen: set[tuple[int, int]] = set()
        waiting = deque([(place.folder, 0)])
        links: deque[tuple[str, int]] = deque()
        for _ in range(MAX_FOLDERS):
            if not (waiting or links):
                return
            folder, depth = (waiting or links).popleft()
            for name, kind in self._look_into(place, folder, seen):
                path = name if folder == "." else f"{folder}/{name}"
                if not kind:
                    yield path, None
                elif kind == "out":
                    judge = link_filter(place, path)
                    yield path, refusal_reason(place.root, path, judge)
                elif depth < deepest:
                    (links if kind == "link" else waiting).append((path, depth + 1))
                elif depth == MAX_DEPTH:
                    self.report(place.show(path), "KB001", "lies too deep: move it up")
        if waiting or links:
            message = f"more than {MAX_FOLDERS:,} folders: the rest is not read"
            self.report(place.show(place.folder), "KB001", message)

    def _look_into(
        self, place: ArtifactFolder, folder: str, seen: set[tuple[int, int]]
    ) -> list[tuple[str, str]]:
        """Return the names in a folder, each with its kind."""
        shown = place.show(folder)
        try:
            judge = folder_filter(place)
            with open_folder(place.root, folder, judge) as descriptor:
                status = os.fstat(descriptor)
                identity = status.st_dev, status.st_ino
                if identity in seen:
                    return []
                seen.add(identity)
                self.folders[os.path.join(place.root, folder)] = identity
                with os.scandir(descriptor) as entries:
                    listed = list(islice(entries, MAX_ENTRIES + 1))
                    kinds = [(e.name, _kind(e, place, folder)) for e in listed]
        except FileNotFoundError:
            return []
        except NotADirectoryError as error:
            # A file called `specs` may be anything, one called `.cursor/rules` not.
            if folder.startswith("."):
                self._report_error(shown, error)
            return []
        except UnreadableFile as refused:
            self.report(shown, "KB001", str(refused))
            return []
        except OSError as error:
            self._report_error(shown, error)
            return []
        if len(listed) > MAX_ENTRIES:
            message = f"more than {MAX_ENTRIES:,} entries: the rest is not read"
            self.report(shown, "KB001", message)
        return self._pick(shown, sorted(kinds[:MAX_ENTRIES]))

    def _pick(self, shown: str, kinds: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return what has a name that is served."""
        if is_repository(name for name, _ in kinds):
            message = "is a repository of Git: keep it elsewhere"
            self.report(shown, "KB001", message)
            return []
        picked = []
        for name, kind in kinds:
            if name.startswith(".") or name in INSTALLED:
                continue
            if is_secret(name):
                message = "is named like a key or an environment: keep it elsewhere"
                self.report(f"{shown}/{ascii(name)[1:-1]}", "KB001", message)
            elif is_free_name(name):
                picked.append((name, kind))
            else:
                path = f"{shown}/{ascii(name)[1:-1]}"
                message = (
                    "the name is not served: use no control or invisible character"
                )
                self.report(path, "KB002", message)
        return picked


def _kind(entry: os.DirEntry[str], place: ArtifactFolder, folder: str) -> str:
    """Return whether an entry is a folder, a link to one, or leads out; empty if not.

    Where a link leads is asked before what is there: of what is no artifact nobody
    learns whether it exists.
    """
    try:
        path = f"{folder}/{entry.name}"
        judge = link_filter(place, path)
        if entry.is_symlink() and refusal_reason(place.root, path, judge):
            return "out"
        if entry.is_dir():
            return "link" if entry.is_symlink() else "folder"
    except OSError:
        # A link in a circle, or to where nobody may look: reading it will say so.
        pass
    return ""
