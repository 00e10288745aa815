"""Texts that guides import (`@path`), and that settings of a tool name.

Claude Code and Gemini CLI read the files that a CLAUDE.md or GEMINI.md imports, and
those that these import, with it. Here only texts inside the project are read; whether
another path exists is not disclosed.
"""

import os
import re
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final

from asdlc_kb.exceptions import PathNotFound, UnreadableFile
from asdlc_kb.files.paths import NameFilter, open_inside
from asdlc_kb.files.problem import Problem
from asdlc_kb.project.artifact_file import ArtifactFile, Text
from asdlc_kb.project.link_targets import check_mention, withhold_personal
from asdlc_kb.project.locations import ArtifactFolder
from asdlc_kb.project.markdown_lines import read_prose
from asdlc_kb.project.pattern_files import find_pattern_files
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.tool_settings import (
    INSTRUCTION_SUFFIXES,
    OPENCODE,
    read_opencode_instructions,
)

MAX_IMPORTS: Final = 200
"""Imports listed per guide."""

MAX_MENTIONS: Final = 300
"""Candidates for imports (text behind an `@`) examined per guide."""

MAX_HOPS: Final = 5
"""Imports of imports that any tool follows."""

MAX_READ: Final = 50
"""Files read for one guide."""

IMPORTED_SUFFIXES: Final = INSTRUCTION_SUFFIXES
"""Suffixes of files that are read."""

_WILDCARDS: Final = frozenset("*?[{")
_IMPORT: Final = re.compile(r"(?:^|(?<=\s))@((?:\\ |[^\s\\`@])+)")
_LIKE_A_PATH: Final = re.compile(r"(?:~|\.{1,2})?/|.*\.md$", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Import:
    """An `@path` import in a guide."""

    written: str
    """Without the `@`."""
    line: int
    """Counted from 0."""
    path: str | None
    """Relative to the project; None if it leads out."""
    exists: bool


@dataclass(frozen=True, slots=True)
class ImportedText:
    """A file that a guide imports."""

    path: str
    importer: str
    """The path of the file with the import."""
    text: Text


def list_imports(project: Project, path: str, text: str) -> tuple[Import, ...]:
    """Return the imports in a text, which is at a path of the project."""
    first: dict[str, int] = {}
    for written, line in _find_mentions(text):
        if len(first) < MAX_MENTIONS:
            first.setdefault(written, line)
    named = (_name_import(project, path, *mention) for mention in first.items())
    return tuple(islice(filter(None, named), MAX_IMPORTS))


def read_imports(
    scanner: ProjectScanner,
    path: str,
    imports: tuple[Import, ...],
    *,
    max_hops: int = MAX_HOPS,
) -> Iterator[ImportedText]:
    """Yield the texts that a guide imports, and those that they import, once each."""
    seen = {path}
    waiting = deque((path, imported, 1) for imported in imports if max_hops)
    while waiting and len(seen) <= MAX_READ:
        importer, imported, hops = waiting.popleft()
        target = imported.path
        if target is None or target in seen or not target.endswith(IMPORTED_SUFFIXES):
            continue
        seen.add(target)
        scanner.imported.add(target)
        text = scanner.read(import_file(scanner.project, target))
        if text is None:
            continue
        yield ImportedText(target, importer, text)
        if hops < max_hops:
            below = list_imports(scanner.project, target, text.text)
            waiting.extend((target, further, hops + 1) for further in below)


def read_configured(scanner: ProjectScanner) -> Iterator[tuple[str, Text]]:
    """Yield the texts that the settings of opencode name, in the order of the names."""
    for path in list_configured(scanner.project, scanner.problems):
        text = scanner.read(import_file(scanner.project, path))
        if text is not None:
            yield path, text


def list_configured(
    project: Project, problems: list[Problem] | None = None
) -> Iterator[str]:
    """Yield the paths of these texts, whether they can be read or not."""
    names = read_opencode_instructions(project, problems)
    named = [one for one in names if one.endswith(IMPORTED_SUFFIXES)]
    patterns = [one for one in named if _is_pattern(one)]
    found = find_pattern_files(project.root, patterns, IMPORTED_SUFFIXES)
    if not found.is_complete and problems is not None:
        message = "its patterns match too many files or folders: name fewer"
        problems.append(Problem(OPENCODE, 1, 1, "KB001", message))
    for one in named:
        if one in found.paths:
            yield from found.paths[one][:MAX_READ]
        elif "://" not in one and (path := locate_mention(project, "", one)):
            yield path


def _is_pattern(named: str) -> bool:
    """Whether a name is a pattern inside the project."""
    is_inside = ".." not in named and not named.startswith(("/", "~"))
    return is_inside and "://" not in named and not _WILDCARDS.isdisjoint(named)


def locate_mention(project: Project, path: str, written: str) -> str | None:
    """Resolve a path written in a file to one relative to the project."""
    folder = path.rpartition("/")[0]
    try:
        return project.locate(os.path.join(folder, written), accepts_absolute=True)
    except PathNotFound:
        return None


def import_file(project: Project, path: str) -> ArtifactFile:
    """Return the project's file at a path as one that a guide imports."""
    place = ArtifactFolder(project.root, ".", "agents", holds_imports=True)
    return ArtifactFile(place, path)


def _find_mentions(text: str) -> Iterator[tuple[str, int]]:
    """Yield each text behind an `@` outside code, with its line."""
    for number, line in read_prose(text) if "@" in text else ():
        # Every second part between backticks is code.
        for part in line.split("`")[::2]:
            for matched in _IMPORT.finditer(part):
                yield matched[1].replace("\\ ", " ").rstrip(".,;:!?)"), number


def _name_import(project: Project, path: str, written: str, line: int) -> Import | None:
    """Return an import; None for a mention of a person or package."""
    is_home = written.startswith("~")
    target = None if is_home else locate_mention(project, path, written)
    exists = target is not None and _is_readable(project, target)
    if not exists and not _LIKE_A_PATH.match(written):
        return None
    return Import(written, line, target, exists)


def _is_readable(project: Project, path: str) -> bool:
    """Whether the project has such a file and its existence may be disclosed."""
    judge: NameFilter = check_mention
    if not project.is_personal:
        judge = withhold_personal(path, judge)
    with suppress(OSError, UnreadableFile), open_inside(project.root, path, judge):
        return True
    return False
