"""Instruction files of a project: each with the tools that read it.

Guides (AGENTS.md and the like) are about the folder that they are in; rules say
themselves to which files they apply.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import filter as filter_names
from typing import Final

from asdlc_kb.files.folder_walk import count_names, join_below
from asdlc_kb.files.paths import OpenFolder
from asdlc_kb.project.artifact_file import ArtifactFile
from asdlc_kb.project.glob_patterns import Matcher
from asdlc_kb.project.instruction_places import (
    GUIDES,
    INNER_GUIDE,
    PLACES_BY_PATH,
    RULES,
    InstructionPlace,
    find_documentation,
)
from asdlc_kb.project.locations import ArtifactFolder, Platform
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.tool_settings import GuideSettings

_CODEX_GUIDES: Final = ("AGENTS.override.md", "AGENTS.md")

MAX_GUIDES: Final = 300
"""Guides read per project."""


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """A listed file with the places that name it."""

    file: ArtifactFile
    scope: str
    """The folder it is about; empty for the whole project."""
    places: Sequence[InstructionPlace]
    """The first is that of the tool that defines it; others read it too."""

    @property
    def name(self) -> str:
        """The file's name without the suffix of its place."""
        name = self.file.below[-1]
        for suffix in self.places[0].suffixes:
            name = name.removesuffix(suffix)
        return name


def list_rules(scanner: ProjectScanner) -> Iterator[InstructionFile]:
    """Yield the rules in the order of their places, upper folders before lower ones."""
    for places in RULES:
        owner = places[0]
        for scope in _list_scopes(scanner, owner):
            for file in _list_files(scanner, owner, scope):
                yield InstructionFile(file, scope, places)


def list_guides(scanner: ProjectScanner) -> Iterator[InstructionFile]:
    """Yield the guides, upper folders before lower ones; an inner one need not exist.

    Personal ones are left out unless the project is served to one person.
    """
    holder, _, name = INNER_GUIDE.partition("/")
    inner = [
        f"{path}/{name}"
        for path in scanner.nested.holders
        if path.rpartition("/")[2] == holder
    ]
    paths = scanner.nested.guides
    if len(paths) > MAX_GUIDES:
        message = f"more than {MAX_GUIDES} such files: the rest are not read"
        scanner.report(paths[MAX_GUIDES], "KB001", message)
    settings = scanner.nested.settings
    split = (
        (*_split_guide(path, settings), path)
        for path in (*paths[:MAX_GUIDES], *inner[:MAX_GUIDES])
    )
    for scope, name, path in sorted(split, key=lambda one: count_names(one[0])):
        places = _find_places(settings, name)
        if scanner.project.is_personal or not places[0].is_personal:
            file = _locate(scanner, path, name, places[0].tool)
            yield InstructionFile(file, scope, places)


def list_tools(
    scanner: ProjectScanner, instruction: InstructionFile
) -> tuple[Platform, ...]:
    """Return the tools that read a file, considering the files beside it."""
    scope, places = instruction.scope, instruction.places
    settings = scanner.nested.settings
    if places[0].path in (*GUIDES, *settings.names):
        places = _find_places(settings, places[0].path)
    tools = dict.fromkeys(
        place.tool
        for place in places
        if (place.is_nested or not scope)
        and not instruction.file.path.endswith(place.ignored)
        and not any(_is_present(scanner, scope, other) for other in place.unless)
    )
    if "claude" in tools and _is_excluded(scanner, instruction.file):
        del tools["claude"]
    return tuple(tools)


def _is_excluded(scanner: ProjectScanner, file: ArtifactFile) -> bool:
    """Whether the settings of Claude Code leave a file out."""
    path = os.path.join(file.place.root, file.path).lstrip("/")
    matcher = Matcher()
    return any(
        matcher.matches(pattern, path, bare_matches_anywhere=False)
        for pattern in scanner.nested.settings.claude_excludes
    )


def _find_places(settings: GuideSettings, name: str) -> Sequence[InstructionPlace]:
    """Return the places of a guide, with those that settings of tools add."""
    places = PLACES_BY_PATH.get(name, ())
    tools = {place.tool for place in places}
    if name in settings.gemini and "gemini" not in tools:
        page = find_documentation(name, "gemini")
        places = (*places, InstructionPlace("gemini", name, page, is_nested=True))
    if name in settings.codex and "codex" not in tools:
        page = find_documentation(name, "codex")
        first = settings.codex[: settings.codex.index(name)]
        unless = (*_CODEX_GUIDES, *first)
        own = InstructionPlace("codex", name, page, is_nested=True, unless=unless)
        places = (*places, own)
    return places


def _locate(
    scanner: ProjectScanner, path: str, name: str, tool: Platform = "agents"
) -> ArtifactFile:
    """Return a guide; one that only a setting names is as a text that guides import."""
    is_named = name not in PLACES_BY_PATH
    place = ArtifactFolder(scanner.project.root, ".", tool, holds_imports=is_named)
    return ArtifactFile(place, path)


def _split_guide(path: str, settings: GuideSettings) -> tuple[str, str]:
    """Split a guide's path into the folder it is about and its path from there."""
    for name in (INNER_GUIDE, *settings.names):
        if f"/{path}".endswith(f"/{name}"):
            return path[: -len(name)].rstrip("/"), name
    scope, _, name = path.rpartition("/")
    return scope, name


def _list_scopes(scanner: ProjectScanner, place: InstructionPlace) -> Iterator[str]:
    """Yield the folders in which a place is looked up."""
    if not place.holder:
        yield ""
        return
    for holder in scanner.nested.holders:
        scope, _, name = holder.rpartition("/")
        if name == place.holder and (place.is_nested or not scope):
            yield scope


def _list_files(
    scanner: ProjectScanner, place: InstructionPlace, scope: str
) -> Iterator[ArtifactFile]:
    path = join_below(scope, place.path).rstrip("/")
    if not place.is_folder:
        if _has_top(scanner, path) and not scanner.exists(path):
            yield scanner.top(path, place.tool)
        return
    if place.path.rstrip("/") in PLACES_BY_PATH and _is_file(scanner, path):
        return
    for folder in _expand(scanner, path):
        found = ArtifactFolder(scanner.project.root, folder, place.tool)
        for file in scanner.files(found, place.suffixes):
            if file.below[0] not in place.omits:
                yield file


def _expand(scanner: ProjectScanner, path: str) -> Sequence[str]:
    """Return the folders that match a path with a wildcard in its last name."""
    if "*" not in path:
        return (path,)
    above, _, pattern = path.rpartition("/")
    try:
        with (
            OpenFolder(scanner.project.root) as folder,
            folder.open_below(above) as descriptor,
        ):
            names = filter_names(os.listdir(descriptor), pattern)
    except OSError:
        return ()
    return [f"{above}/{name}" for name in sorted(names)]


def _is_present(scanner: ProjectScanner, scope: str, path: str) -> bool:
    """Whether a path, from a folder or with a slash from the top, has a file."""
    if path.endswith("/"):
        return scanner.exists(join_below(scope, path.rstrip("/")))
    if path.startswith("/"):
        return _is_file(scanner, path[1:])
    return _is_file(scanner, join_below(scope, path))


def _is_file(scanner: ProjectScanner, path: str) -> bool:
    """Whether a file can be read; the existence of others is not disclosed."""
    is_there = _has_top(scanner, path)
    file = _locate(scanner, path, path.rpartition("/")[2])
    return is_there and scanner.read_signature(file) is not None


def _has_top(scanner: ProjectScanner, path: str) -> bool:
    """Whether the first name of a path exists, as a link or what it leads to."""
    return os.path.lexists(scanner.project.root / path.partition("/")[0])
