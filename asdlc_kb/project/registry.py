"""The configured projects, and their resolution from a client's argument.

Only folders configured by the operator are projects. Every other path is reported as a
project that does not exist, whether it exists or not.
"""

import os
import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from asdlc_kb.exceptions import PathNotFound, ProjectNotFound
from asdlc_kb.unicode.counts import has_unseen

MAX_PATH_CHARS: Final = 4096
"""Characters of a path in a request."""

_FILE_URI: Final = re.compile("file://[^/]*", re.IGNORECASE)
_DRIVE: Final = re.compile("/?[A-Za-z]:/")


@dataclass(frozen=True, slots=True)
class Project:
    """A folder configured by the operator as readable."""

    name: str
    """The folder's name; with the parent's name where two would be equal."""
    root: Path
    """Absolute. It may be a symlink: its target is the operator's choice."""
    is_personal: bool = False
    """Whether one person alone is served, who has personal files in it."""

    def locate(self, path: str, *, accepts_absolute: bool = False) -> str:
        """Return a file's path relative to the root; the file need not exist.

        It may be written as on Windows or as a `file:` URI. Raise PathNotFound for a
        path that leads out of the project.
        """
        local = None if len(path) > MAX_PATH_CHARS else _read_path(path)
        if local is None or (os.path.isabs(local) and not accepts_absolute):
            raise PathNotFound(path)
        try:
            inside = self._relate(os.path.normpath(os.path.join(self.root, local)))
        except (OSError, ValueError):
            raise PathNotFound(path) from None
        if inside is None or inside == os.curdir:
            raise PathNotFound(path)
        return inside

    def _relate(self, path: str) -> str | None:
        """Return a path relative to the root; None if it, or its links, lead out."""
        real_root = os.path.realpath(self.root)
        if _relative(real_root, os.path.realpath(path)) is None:
            return None
        # Without resolving: a file that does not exist yet has no links to follow.
        inside = _relative(str(self.root), path)
        return _relative(real_root, path) if inside is None else inside


class Projects:
    """The projects of a server, in the configured order. Immutable."""

    def __init__(self, roots: Sequence[Path], *, is_personal: bool = False) -> None:
        self._projects = tuple(
            Project(name, root, is_personal) for name, root in _name_uniquely(roots)
        )

    def select(self, names: Container[str]) -> "Projects":
        """Return the projects with these names, which they keep."""
        selected = Projects(())
        selected._projects = tuple(p for p in self._projects if p.name in names)
        return selected

    def __iter__(self) -> Iterator[Project]:
        return iter(self._projects)

    def __len__(self) -> int:
        return len(self._projects)

    def resolve(self, wanted: str | None = None, *, accepts_paths: bool) -> Project:
        """Return the project with a name, or that a path leads to or into.

        Default to the first project, to which a relative path is relative too. Without
        `accepts_paths` only a configured root's own absolute path is accepted, which
        is compared and not looked up. Raise ProjectNotFound for an absent path and for
        a forbidden one.
        """
        if wanted is None:
            if self._projects:
                return self._projects[0]
            raise ProjectNotFound("")
        for project in self._projects:
            if wanted in (project.name, f"{project.root}", f"{project.root}/"):
                return project
        by_path = self._find(wanted) if accepts_paths else None
        if by_path is None:
            raise ProjectNotFound(wanted)
        return by_path

    def _find(self, path: str) -> Project | None:
        """Return the innermost project that a path leads to or into."""
        if not path or len(path) > MAX_PATH_CHARS or not self._projects:
            return None
        try:
            real = os.path.realpath(self._projects[0].root / path, strict=True)
            roots = [(os.path.realpath(p.root), p) for p in self._projects]
        except (OSError, ValueError):
            return None
        inside = [(root, p) for root, p in roots if _relative(root, real) is not None]
        return max(inside, key=lambda pair: len(pair[0]))[1] if inside else None


def _read_path(written: str) -> str | None:
    """Return a path with slashes; None for one on a drive of Windows."""
    if begin := _FILE_URI.match(written):
        written = unquote(written[begin.end() :])
    path = written.replace("\\", "/")
    return None if _DRIVE.match(path) else path


def _relative(root: str, path: str) -> str | None:
    """Return a path relative to a root, or None if it is outside."""
    relative = os.path.relpath(path, root)
    return None if relative.split(os.sep, 1)[0] == os.pardir else relative


def _name_uniquely(roots: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Yield each root once, after a unique name."""
    by_real_path: dict[str, Path] = {}
    for root in roots:
        by_real_path.setdefault(os.path.realpath(root), Path(os.path.abspath(root)))
    folders = list(by_real_path.values())
    bare = Counter(map(_name, folders))
    used: set[str] = set()
    for root in folders:
        name = _name(root)
        if bare[name] > 1:
            name = f"{_name(root.parent)}-{name}"
        names = chain([name], (f"{name}-{number}" for number in count(2)))
        unique = next(candidate for candidate in names if candidate not in used)
        used.add(unique)
        yield unique, root


def _name(folder: Path) -> str:
    """Return a folder's name, escaped if it has unprintable characters."""
    name = folder.name or "root"
    is_shown = name.isprintable() and not has_unseen(name)
    return name if is_shown else ascii(name)[1:-1]
