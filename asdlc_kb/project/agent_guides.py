"""AGENTS.md and CLAUDE.md files, at the top of a project and in its folders.

One of them is often an alias of the other: a symlink, or a file of one line that names
it, as a checkout without symlinks has. Imports (`@path`) are listed and not followed;
whether a path outside the project exists is not disclosed.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal, TypeAlias

from asdlc_kb.exceptions import PathNotFound, UnreadableFile
from asdlc_kb.files.paths import open_inside
from asdlc_kb.project.artifact_file import ArtifactFile, FileIdentity, Text
from asdlc_kb.project.link_targets import check_mention, file_filter
from asdlc_kb.project.locations import ArtifactFolder
from asdlc_kb.project.markdown_lines import read_prose
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.tree_scan import GUIDES
from asdlc_kb.unicode.counts import has_unseen

GuideKind: TypeAlias = Literal["agents", "claude"]

MAX_GUIDES: Final = 300
"""Guides read per project."""

MAX_IMPORTS: Final = 200
"""Imports listed per guide."""

MAX_MENTIONS: Final = 300
"""Candidates for imports (text behind an `@`) examined per guide."""

_KINDS: Final[dict[str, GuideKind]] = {"AGENTS.md": "agents", "CLAUDE.md": "claude"}
INNER: Final = ".claude/CLAUDE.md"
"""Alternative path of a project's top CLAUDE.md."""

_ONE_LINE: Final = re.compile(r"\s*+@?((?:[\w.-]++/)*+(?:AGENTS|CLAUDE)\.md)\s*+")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentGuide:
    """The content of one AGENTS.md or CLAUDE.md."""

    name: str
    path: str
    kind: GuideKind
    scope: str
    """The folder it applies to; empty for the whole project."""
    content: str
    """Of the target file, if it is an alias."""
    same_as: str | None = None
    """The path of the file it links to, or names on its only line."""
    content_path: str
    """The path to read the content from: its own, or that on its only line."""
    imports: tuple[Import, ...] = ()
    identity: FileIdentity = field(compare=False)
    """Of the file with the content."""
    also_in: tuple[str, ...] = ()
    """Other paths of the same content, in a list with one entry per file."""


def scan_guides(scanner: ProjectScanner) -> tuple[AgentGuide, ...]:
    """Return the guides of a project, upper folders first."""
    guides = (_read(scanner, path, scope) for path, scope in _list_paths(scanner))
    return tuple(guide for guide in guides if guide is not None)


def list_guide_files(scanner: ProjectScanner) -> Iterator[ArtifactFile]:
    """Yield the files of the guides; `.claude/CLAUDE.md` need not exist."""
    return (scanner.top(path) for path, _ in _list_paths(scanner))


def read_agents_md(scanner: ProjectScanner) -> AgentGuide | None:
    """Return the AGENTS.md at the top of a project, or None."""
    return _read(scanner, GUIDES[0], "")


def _list_paths(scanner: ProjectScanner) -> Sequence[tuple[str, str]]:
    """Return the paths of possible guides with their scopes."""
    paths = scanner.nested.guides
    if len(paths) > MAX_GUIDES:
        message = f"more than {MAX_GUIDES} such files: the rest are not read"
        scanner.report(paths[MAX_GUIDES], "KB001", message)
    tops = [path for path in paths if "/" not in path]
    scopes = [(path, path.rpartition("/")[0]) for path in paths[:MAX_GUIDES]]
    return [*scopes[: len(tops)], (INNER, ""), *scopes[len(tops) :]]


def _read(scanner: ProjectScanner, path: str, scope: str) -> AgentGuide | None:
    text = scanner.read(scanner.top(path))
    if text is None:
        return None
    same_as = _follow_link(scanner.project, path)
    named = None if same_as else _read_named(scanner, path, text.text)
    content_path = path
    if named is not None:
        same_as, text = named
        content_path = same_as
    name = path.rpartition("/")[2]
    return AgentGuide(
        name=name,
        path=path,
        kind=_KINDS[name],
        scope=scope,
        content=text.text,
        same_as=same_as,
        content_path=content_path,
        imports=_read_imports(scanner.project, same_as or path, text.text),
        identity=text.identity,
    )


def _read_named(
    scanner: ProjectScanner, path: str, text: str
) -> tuple[str, Text] | None:
    """Return path and text of the guide that a one-line text names."""
    named = _ONE_LINE.fullmatch(text)
    target = _locate(scanner.project, path, named[1]) if named else None
    found = scanner.read(scanner.top(target)) if target and target != path else None
    if target is None or found is None or _ONE_LINE.fullmatch(found.text):
        return None
    return target, found


def _follow_link(project: Project, path: str) -> str | None:
    """Return the target of a symlink, relative to the project, or None.

    None as well if the target is no artifact or its path cannot be shown.
    """
    where = project.root / path
    if not os.path.islink(where):
        return None
    try:
        real, real_root = os.path.realpath(where), os.path.realpath(project.root)
    except OSError:
        # It is no symlink any more.
        return None
    target = os.path.relpath(real, real_root)
    refused = file_filter(ArtifactFolder(project.root, ".", "agents"), path)(target)
    is_shown = target.isprintable() and not has_unseen(target)
    return target if refused is None and is_shown else None


def _locate(project: Project, path: str, written: str) -> str | None:
    """Resolve a path written in a file to one relative to the project."""
    folder = path.rpartition("/")[0]
    try:
        return project.locate(os.path.join(folder, written), accepts_absolute=True)
    except PathNotFound:
        return None


def _read_imports(project: Project, path: str, text: str) -> tuple[Import, ...]:
    first: dict[str, int] = {}
    for written, line in _find_mentions(text):
        if len(first) < MAX_MENTIONS:
            first.setdefault(written, line)
    named = (_name_import(project, path, *mention) for mention in first.items())
    return tuple(islice(filter(None, named), MAX_IMPORTS))


def _find_mentions(text: str) -> Iterator[tuple[str, int]]:
    """Yield each text behind an `@` outside code, with its line."""
    for number, line in read_prose(text) if "@" in text else ():
        # Every second part between backticks is code.
        for part in line.split("`")[::2]:
            for matched in _IMPORT.finditer(part):
                yield matched[1].replace("\\ ", " ").rstrip(".,;:!?)"), number


def _name_import(project: Project, path: str, written: str, line: int) -> Import | None:
    """Return an import; None for a mention of a person or package."""
    target = None if written.startswith("~") else _locate(project, path, written)
    exists = target is not None and _is_readable(project, target)
    if not exists and not _LIKE_A_PATH.match(written):
        return None
    return Import(written, line, target, exists)


def _is_readable(project: Project, path: str) -> bool:
    """Whether the project has such a file and its existence may be disclosed."""
    with (
        suppress(OSError, UnreadableFile),
        open_inside(project.root, path, check_mention),
    ):
        return True
    return False
