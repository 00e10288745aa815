"""Mechanical fixes of instruction files: a name in the right case, missing quotes.

A fix is planned from what is on disk and made only if the file is unchanged since. It
changes regular files inside the project, each at once, and none through a link; mode
and line ends stay. No file takes the place of another, and none to which a link leads
is renamed. A second run has nothing to fix.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.writer import Original, read_original, rename, replace
from asdlc_kb.project.checks import check_project
from asdlc_kb.project.file_name_checks import find_misnamed
from asdlc_kb.project.frontmatter_checks import quote_values
from asdlc_kb.project.project_files import list_project_files
from asdlc_kb.project.registry import Project

_MARK: Final = "\ufeff"
_CODES: Final = frozenset({"KB040", "KB044"})
"""The codes of problems that may have a fix."""


@dataclass(frozen=True, slots=True)
class ProjectFix:
    """A change of one file."""

    path: str
    right: str
    """Its path after the fix."""
    original: Original
    text: str
    """Its text after the fix."""

    def show(self) -> Iterator[str]:
        """Yield the lines of a unified diff, in the form that Git reads."""
        if self.right != self.path:
            yield f"rename from {self.path}"
            yield f"rename to {self.right}"
        names = (f"a/{self.path}", f"b/{self.right}")
        before, after = (
            text.replace("\r\n", "\n").split("\n")
            for text in (self.original.text, self.text)
        )
        yield from unified_diff(before, after, *names, lineterm="")

    def apply(self) -> None:
        """Change the file; raise UnreadableFile if that is not possible."""
        if self.text != self.original.text:
            replace(self.original, self.text, has_backup=False)
        if self.right == self.path:
            return
        current = read_original(self.original.path)
        try:
            rename(current, self.right.rpartition("/")[2])
        except FileExistsError:
            advice = "remove one of the two"
            raise UnreadableFile("a file has the right name", advice) from None


def plan_fixes(project: Project) -> Iterator[ProjectFix]:
    """Yield the fixes of a project, in path order."""
    paths = list_project_files(project.root).paths
    linked = _find_link_targets(project, paths)
    names = {
        found.path: found.right
        for found in find_misnamed(paths)
        if found.is_mechanical and found.path not in linked
    }
    problems = check_project(project)
    faulty = {problem.path for problem in problems if problem.code in _CODES}
    for path in sorted(faulty):
        original = _read(project, path)
        if original is None:
            continue
        mark = _MARK if original.text.startswith(_MARK) else ""
        text = mark + quote_values(path, original.text.removeprefix(_MARK))
        right = names.get(path, path)
        if right != path or text != original.text:
            yield ProjectFix(path, right, original, text)


def _find_link_targets(project: Project, paths: Iterable[str]) -> frozenset[str]:
    """Return the files to which links lead, which would break with a new name."""
    real_root = os.path.realpath(project.root)
    links = (path for path in paths if os.path.islink(project.root / path))
    targets = (os.path.realpath(project.root / path) for path in links)
    return frozenset(os.path.relpath(target, real_root) for target in targets)


def _read(project: Project, path: str) -> Original | None:
    """Read a file that may be changed; None for a link, and for a file behind one."""
    expected = os.path.join(os.path.realpath(project.root), path)
    try:
        original = read_original(project.root / path)
    except UnreadableFile:
        return None
    is_direct = str(original.path) == expected and original.data is not None
    return original if is_direct else None
