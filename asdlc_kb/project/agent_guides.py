"""Guides: AGENTS.md, CLAUDE.md and GEMINI.md, at the top of a project and in folders.

One of them is often an alias of another: a symlink, or a file of one line that names
it, as a checkout without symlinks has.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from asdlc_kb.project.artifact_file import FileIdentity, Text
from asdlc_kb.project.guide_imports import Import, list_imports, locate_mention
from asdlc_kb.project.instruction_files import (
    InstructionFile,
    list_guides,
    list_tools,
)
from asdlc_kb.project.instruction_places import GUIDES, PLACES_BY_PATH
from asdlc_kb.project.link_targets import file_filter
from asdlc_kb.project.locations import ArtifactFolder, Platform
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.unicode.counts import has_unseen

GuideKind: TypeAlias = Literal["agents", "claude", "gemini"]

_KINDS: Final[Mapping[str, GuideKind]] = {
    "AGENTS": "agents",
    "CLAUDE": "claude",
    "GEMINI": "gemini",
}
"""Kinds by the first part of the name."""

_ONE_LINE: Final = re.compile(
    r"\s*+@?((?:[\w.-]++/)*+(?:AGENTS|CLAUDE|GEMINI)\.md)\s*+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentGuide:
    """The content of one guide."""

    name: str
    path: str
    kind: GuideKind
    scope: str
    """The folder it applies to; empty for the whole project."""
    tools: tuple[Platform, ...] = ()
    """The tools that read it."""
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

    @property
    def origin(self) -> str:
        """The path of the file with its text, from which its imports count."""
        return self.same_as or self.path


def scan_guides(scanner: ProjectScanner) -> tuple[AgentGuide, ...]:
    """Return the guides of a project, upper folders first."""
    guides = (_read(scanner, listed) for listed in list_guides(scanner))
    return tuple(guide for guide in guides if guide is not None)


def read_agents_md(scanner: ProjectScanner) -> AgentGuide | None:
    """Return the AGENTS.md at the top of a project, or None."""
    name = GUIDES[0]
    listed = InstructionFile(scanner.top(name), "", PLACES_BY_PATH[name])
    return _read(scanner, listed)


def _read(scanner: ProjectScanner, listed: InstructionFile) -> AgentGuide | None:
    text = scanner.read(listed.file)
    if text is None:
        return None
    path = listed.file.shown
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
        kind=_find_kind(name, listed.places[0].tool),
        scope=listed.scope,
        tools=list_tools(scanner, listed),
        content=text.text,
        same_as=same_as,
        content_path=content_path,
        imports=list_imports(scanner.project, same_as or path, text.text),
        identity=text.identity,
    )


def _find_kind(name: str, tool: Platform) -> GuideKind:
    """Return the kind of a guide; another name counts for the tool that reads it."""
    by_tool: GuideKind = "gemini" if tool == "gemini" else "agents"
    return _KINDS.get(name.partition(".")[0].upper(), by_tool)


def _read_named(
    scanner: ProjectScanner, path: str, text: str
) -> tuple[str, Text] | None:
    """Return path and text of the guide that a one-line text names."""
    named = _ONE_LINE.fullmatch(text)
    target = locate_mention(scanner.project, path, named[1]) if named else None
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
    top = ArtifactFolder(project.root, ".", "agents")
    judge = file_filter(top, path, accepts_personal=project.is_personal)
    is_shown = target.isprintable() and not has_unseen(target)
    return target if judge(target) is None and is_shown else None
