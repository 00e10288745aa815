"""Project scanner: lists folders, reads files, collects problems.

A scanner serves one request and is then discarded, so that every result reflects the
files on disk. An unreadable file becomes a problem; the rest is served. It only reads,
never leaves the root of an artifact folder, and is bounded in files, bytes and depth.
"""

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from asdlc_kb.exceptions import FileTooLarge, PersonalFile, UnreadableFile
from asdlc_kb.files.clean_text import clean_text
from asdlc_kb.files.folder_walk import (
    FOLDER,
    LINK,
    ListedFolder,
    join_below,
    walk_folders,
)
from asdlc_kb.files.paths import open_folder, refusal_reason
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import ChangedWhileRead, RawFile
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.tree_names import INSTALLED
from asdlc_kb.project import artifact_file
from asdlc_kb.project.artifact_file import ArtifactFile, FileIdentity, Text
from asdlc_kb.project.artifact_names import refuse_name
from asdlc_kb.project.folders_above import find_above
from asdlc_kb.project.link_targets import (
    folder_filter,
    is_personal,
    is_repository,
    is_secret,
    link_filter,
)
from asdlc_kb.project.locations import ArtifactFolder, Platform, Plugin
from asdlc_kb.project.registry import Project
from asdlc_kb.project.tree_scan import Nested, find_nested

MAX_DEPTH: Final = 8
"""Depth of folders in an artifact folder."""

MAX_FOLDER_FILES: Final = 1_000
"""Files per artifact folder."""

MAX_FOLDERS: Final = 1_000
"""Folders listed per artifact folder."""

MAX_ENTRIES: Final = 10_000
"""Entries examined per folder."""

MAX_FILES_READ: Final = 10_000
"""Files opened per scan, over all artifact folders."""

MAX_BYTES: Final = 32 * 1024 * 1024
"""Bytes read per scan."""

MAX_WAIT_SECONDS: Final = 0.5
"""Wait per scan for files that are being written; then they are omitted."""

_PAUSE_SECONDS: Final = 0.02

R = TypeVar("R", RawFile, bytes)

_Judged: TypeAlias = tuple[str, UnreadableFile | None]
_Entries: TypeAlias = ListedFolder[_Judged]
"""Its files are names, with the reason why a link leads to no artifact."""


class ProjectScanner:
    """Reads one project once."""

    def __init__(
        self, project: Project, home: Path | None = None, nested: Nested | None = None
    ) -> None:
        self.project = project
        self.problems: list[Problem] = []
        self.too_large: set[str] = set()
        """Display paths of files not read because of their size."""
        self.imported: set[str] = set()
        """Paths of the texts that guides import, whether they exist or not."""
        self.folders: dict[str, FileIdentity] = {}
        """Listed folders by path: device and inode."""
        self.home = home
        """A home directory with artifacts that are read too."""
        self.plugins: tuple[Plugin, ...] | None = None
        """None until they are read."""
        self._nested = nested
        self._listed: dict[Any, list[ArtifactFile]] = {}
        """Listed files by folder, suffixes and depth."""
        self._originals: dict[ArtifactFile, ArtifactFile] = {}
        """Files of linked folders, with the path under which they are read."""
        self._texts: dict[ArtifactFile, Text] = {}
        self._seconds_left = MAX_WAIT_SECONDS
        self._files_left = MAX_FILES_READ
        self._bytes_left = MAX_BYTES

    @property
    def nested(self) -> Nested:
        """Guides and rule folders in the project's own folders."""
        if self._nested is None:
            self._nested = find_nested(self.project.root)
            self.problems.extend(self._nested.problems)
        return self._nested

    def narrow(self, path: str) -> None:
        """Search only the folders above a path for guides and tools' folders."""
        self.plugins = None
        self._nested = find_above(self.project.root, path)
        self.problems.extend(self._nested.problems)

    @property
    def sorted_problems(self) -> tuple[Problem, ...]:
        """The problems so far, without duplicates, by path."""
        return tuple(sorted(set(self.problems)))

    def top(self, path: str, platform: Platform = "agents") -> ArtifactFile:
        """Return the project's file at a path."""
        return ArtifactFile(ArtifactFolder(self.project.root, ".", platform), path)

    def exists(self, folder: str) -> bool:
        """Whether the project has this folder."""
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
        max_depth: int = MAX_DEPTH,
    ) -> list[ArtifactFile]:
        """Return the files of an artifact folder with given suffixes, in path order.

        Skip hidden names and installed packages; an empty suffix matches any file.
        A folder is listed once, under its real path rather than a link. A link that
        leads to no artifact is a problem and is not listed. If the whole folder is one
        that was listed as another, its files are not listed and read again.
        """
        identity = self._identify(place)
        key = identity, place.root, tuple(endings), max_depth
        if identity is not None and key in self._listed:
            return [self._link(file, place) for file in self._listed[key]]
        self._listed[key] = files = self._list_files(place, endings, max_depth)
        return files

    def _identify(self, place: ArtifactFolder) -> FileIdentity | None:
        """Return device and inode of a folder; None if it cannot be opened."""
        try:
            judge = folder_filter(place)
            with open_folder(place.root, place.folder, judge) as descriptor:
                status = os.fstat(descriptor)
        except (OSError, UnreadableFile):
            return None
        self.folders[os.path.join(place.root, place.folder)] = (
            status.st_dev,
            status.st_ino,
        )
        return status.st_dev, status.st_ino

    def _link(self, file: ArtifactFile, place: ArtifactFolder) -> ArtifactFile:
        """Return a listed file under its path in another folder."""
        below = file.path.removeprefix(file.place.folder)
        link = ArtifactFile(place, place.folder + below)
        self._originals[link] = self._originals.get(file, file)
        return link

    def _list_files(
        self, place: ArtifactFolder, endings: Collection[str], max_depth: int
    ) -> list[ArtifactFile]:
        files: list[ArtifactFile] = []
        for path, refusal in self._walk(place, max_depth):
            if refusal is not None:
                self.report(place.show(path), "KB001", str(refusal))
            elif path.endswith(tuple(endings)):
                files.append(ArtifactFile(place, path))
            if len(files) > MAX_FOLDER_FILES:
                message = f"more than {MAX_FOLDER_FILES:,} files: the rest are not read"
                self.report(place.show(place.folder), "KB001", message)
                del files[MAX_FOLDER_FILES:]
                break
        return sorted(files, key=lambda file: file.path)

    def texts(
        self, files: Iterable[ArtifactFile]
    ) -> Iterator[tuple[ArtifactFile, Text]]:
        """Yield each file that can be read with its text."""
        for file in files:
            if (text := self.read(file)) is not None:
                yield file, text

    def read(self, file: ArtifactFile) -> Text | None:
        """Return the text of a file; None if it is gone or cannot be read."""
        original = self._originals.get(file, file)
        text = self._texts.get(original) or self._read_text(original)
        if text is not None:
            self._texts[original] = text
        return text

    def _read_text(self, file: ArtifactFile) -> Text | None:
        raw = self._try(file, artifact_file.read_text)
        if raw is None:
            return None
        text, _, problems, _ = clean_text(file.shown, raw.text)
        self.problems.extend(problems)
        signature = raw.signature
        identity = signature.device, signature.inode
        return Text(text, signature.mtime_ns / 1e9, identity)

    def report(
        self, path: str, code: str, message: str, line: int = 1, column: int = 1
    ) -> None:
        """Record a problem of a file."""
        self.problems.append(Problem(path, line, column, code, message))

    def _report_error(self, path: str, error: OSError) -> None:
        message = f"cannot be read ({error.strerror}): check its permissions"
        self.report(path, "KB001", message)

    def _may_read(self, path: str) -> bool:
        """Whether one more file may be opened; report the first that may not."""
        if self._files_left == 0:
            message = f"more than {MAX_FILES_READ:,} files: the rest are not read"
            self.report(path, "KB001", message)
        self._files_left -= 1
        return self._files_left >= 0 and self._bytes_left >= 0

    def _consume_bytes(self, size: int, path: str) -> bool:
        """Charge bytes to the limit; return False, and report it, if exceeded."""
        had, self._bytes_left = self._bytes_left, self._bytes_left - size
        if had >= 0 > self._bytes_left:
            message = f"more than {MAX_BYTES:,} bytes: the rest are not read"
            self.report(path, "KB001", message)
        return self._bytes_left >= 0

    def read_signature(self, file: ArtifactFile) -> Signature | None:
        """Return the signature of a file; None if it cannot be opened."""
        try:
            accepts_personal = self.project.is_personal
            with artifact_file.open_artifact(
                file, accepts_personal=accepts_personal
            ) as descriptor:
                return Signature.of(os.fstat(descriptor))
        except (OSError, UnreadableFile):
            return None

    def read_bytes(self, file: ArtifactFile) -> bytes | None:
        """Return the bytes of a file; None if it is gone or cannot be read."""
        return self._try(file, artifact_file.read_bytes)

    def _try(self, file: ArtifactFile, read: Callable[..., R]) -> R | None:
        """Read a file, or report why it cannot be read; a missing file is no fault.

        A file that belongs to one person is as missing where others are served.
        """
        if not self._may_read(file.shown):
            return None
        try:
            content = self._read_finished(read, file)
        except (FileNotFoundError, NotADirectoryError, PersonalFile):
            return None
        except ChangedWhileRead:
            self.report(file.shown, "KB004", "is being written: try again")
        except UnreadableFile as refused:
            self.report(file.shown, "KB001", str(refused))
            if isinstance(refused, FileTooLarge):
                self.too_large.add(file.shown)
        except OSError as error:
            self._report_error(file.shown, error)
        else:
            if isinstance(content, bytes):
                size = len(content)
            else:
                size = content.signature.size
            return content if self._consume_bytes(size, file.shown) else None
        return None

    def _read_finished(self, read: Callable[..., R], file: ArtifactFile) -> R:
        """Read a file once writing has finished, or raise ChangedWhileRead."""
        while True:
            try:
                return read(file, accepts_personal=self.project.is_personal)
            except ChangedWhileRead:
                if self._seconds_left <= 0:
                    raise
            time.sleep(_PAUSE_SECONDS)
            self._seconds_left -= _PAUSE_SECONDS

    def _walk(
        self, place: ArtifactFolder, max_depth: int
    ) -> Iterator[tuple[str, UnreadableFile | None]]:
        """Yield the files of an artifact folder: breadth first, linked folders last.

        A link to no artifact comes with the reason why it is not followed.
        """

        def report_limit(path: str, folder: _Entries | None) -> None:
            if folder is None:
                message = f"more than {MAX_FOLDERS:,} folders: the rest are not read"
                self.report(place.show(place.folder), "KB001", message)
            elif max_depth == MAX_DEPTH:
                for name in (*folder.folders, *folder.links):
                    below = place.show(join_below(path, name))
                    self.report(below, "KB001", "is nested too deeply: move it up")

        for path, folder in walk_folders(
            partial(self._list_folder, place, set()),
            report_limit,
            top=place.folder,
            max_depth=max_depth,
            max_folders=MAX_FOLDERS,
        ):
            for name, refusal in folder.files:
                yield join_below(path, name), refusal

    def _list_folder(
        self, place: ArtifactFolder, seen: set[tuple[int, int]], folder: str
    ) -> _Entries | None:
        """List a folder; return None if it was seen before or cannot be listed."""
        shown = place.show(folder)
        try:
            judge = folder_filter(place)
            with open_folder(place.root, folder, judge) as descriptor:
                status = os.fstat(descriptor)
                identity = status.st_dev, status.st_ino
                if identity in seen:
                    return None
                seen.add(identity)
                self.folders[os.path.join(place.root, folder)] = identity
                with os.scandir(descriptor) as entries:
                    listed = list(islice(entries, MAX_ENTRIES + 1))
                    kinds = {e.name: self._classify(e, place, folder) for e in listed}
        except FileNotFoundError:
            return None
        except NotADirectoryError as error:
            # A file named `specs` may be unrelated, one named `.cursor/rules` not.
            if folder.startswith("."):
                self._report_error(shown, error)
            return None
        except UnreadableFile as refused:
            self.report(shown, "KB001", str(refused))
            return None
        except OSError as error:
            self._report_error(shown, error)
            return None
        if len(listed) > MAX_ENTRIES:
            message = f"more than {MAX_ENTRIES:,} entries: the rest are not read"
            self.report(shown, "KB001", message)
        names = self._filter_names(shown, dict(islice(kinds.items(), MAX_ENTRIES)))
        return ListedFolder.of(
            (name, kinds[name][0], (name, kinds[name][1])) for name in sorted(names)
        )

    def _filter_names(self, shown: str, kinds: Mapping[str, _Judged]) -> Iterator[str]:
        """Yield the servable names of a folder; report secrets and invalid names."""
        if is_repository(kinds):
            message = "is a Git repository: keep it elsewhere"
            self.report(shown, "KB001", message)
            return
        for name, (kind, _) in kinds.items():
            path = f"{shown}/{ascii(name)[1:-1]}"
            is_withheld = is_personal(name) and not self.project.is_personal
            if is_withheld or name.startswith(".") or name in INSTALLED:
                continue
            if is_secret(name, is_folder=kind != "file"):
                message = "is named like a key or .env file: keep it elsewhere"
                self.report(path, "KB001", message)
            elif (refusal := refuse_name(name, kinds)) is not None:
                self.report(path, "KB002", refusal)
            else:
                yield name

    def _classify(
        self, entry: os.DirEntry[str], place: ArtifactFolder, folder: str
    ) -> _Judged:
        """Return FOLDER, LINK or "file", and why a link is not followed.

        A link's target path is checked before the target itself, so that the existence
        of a path that is no artifact is not disclosed.
        """
        try:
            path = f"{folder}/{entry.name}"
            if entry.is_symlink():
                accepts_personal = self.project.is_personal
                judge = link_filter(place, path, accepts_personal=accepts_personal)
                refusal = refusal_reason(place.root, path, judge)
                return LINK if not refusal and entry.is_dir() else "file", refusal
            return FOLDER if entry.is_dir() else "file", None
        except OSError:
            # A link loop, or an unreadable target: reading it reports the error.
            return "file", None
