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
from asdlc_kb.project.instruction_places import (
    GUIDES,
    INNER_GUIDE,
    PLACES_BY_PATH,
    RULES,
    InstructionPlace,
)
from asdlc_kb.project.locations import ArtifactFolder, Platform
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.tool_settings import read_gemini_names

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
    for path in sorted([*paths[:MAX_GUIDES], *inner[:MAX_GUIDES]], key=_depth):
        scope, name = _split_guide(path)
        places = PLACES_BY_PATH[name]
        if scanner.project.is_personal or not places[0].is_personal:
            yield InstructionFile(scanner.top(path, places[0].tool), scope, places)


def list_tools(
    scanner: ProjectScanner, instruction: InstructionFile
) -> tuple[Platform, ...]:
    """Return the tools that read a file, considering the files beside it."""
    scope = instruction.scope
    tools = (
        place.tool
        for place in instruction.places
        if (place.is_nested or not scope)
        and not instruction.file.path.endswith(place.ignored)
        and not any(_is_present(scanner, scope, other) for other in place.unless)
    )
    return _configure(scanner, instruction, dict.fromkeys(tools))


def _configure(
    scanner: ProjectScanner, instruction: InstructionFile, tools: dict[Platform, None]
) -> tuple[Platform, ...]:
    """Return the tools of a file as their settings in the project change them."""
    name = instruction.places[0].path
    if name in GUIDES:
        names = read_gemini_names(scanner.project)
        if name in names:
            tools["gemini"] = None
        else:
            tools.pop("gemini", None)
    return tuple(tools)


def _split_guide(path: str) -> tuple[str, str]:
    """Split a guide's path into the folder it is about and its path from there."""
    if f"/{path}".endswith(f"/{INNER_GUIDE}"):
        return path[: -len(INNER_GUIDE)].rstrip("/"), INNER_GUIDE
    scope, _, name = path.rpartition("/")
    return scope, name


def _depth(path: str) -> int:
    return count_names(_split_guide(path)[0])


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
    return is_there and scanner.read_signature(scanner.top(path)) is not None


def _has_top(scanner: ProjectScanner, path: str) -> bool:
    """Whether the first name of a path exists, as a link or what it leads to."""
    return os.path.lexists(scanner.project.root / path.partition("/")[0])
