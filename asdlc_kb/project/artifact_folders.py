"""Artifact folders of a project: those at the top, nested ones, those of plugins.

In order of precedence: the workspace precedes the home directory, and upper folders
precede lower ones. In one folder the order is that of `artifact_places`; a plugin comes
after the tools.
"""

from collections.abc import Iterator
from typing import Final

from asdlc_kb.files.folder_walk import count_names, join_below
from asdlc_kb.project.artifact_places import ArtifactPlace, ArtifactPlaces
from asdlc_kb.project.instruction_places import PLACES_BY_PATH
from asdlc_kb.project.locations import ArtifactFolder, Plugin, locate_in_home
from asdlc_kb.project.plugins import read_plugins
from asdlc_kb.project.scanner import ProjectScanner

_MARKDOWN: Final = (".md",)


def find_folders(
    scanner: ProjectScanner, kind: ArtifactPlaces
) -> Iterator[ArtifactFolder]:
    """Yield the artifact folders of a kind, whether they exist or not."""
    plugins = {plugin.folder: plugin for plugin in read_plugins(scanner)}
    holders: dict[str, set[str]] = {"": set()}
    for path in scanner.nested.holders:
        scope, _, name = path.rpartition("/")
        holders.setdefault(scope, set()).add(name)
    for scope in sorted({*holders, *plugins}, key=_rank):
        for place in kind.places:
            if _is_held(scanner, place, scope, holders.get(scope, set())):
                yield _open(scanner, place, scope, plugins.get(scope))
        if scope in plugins and not _has_top(kind, scope):
            yield _open_plugin(scanner, kind, plugins[scope])
    yield from _find_global(scanner, kind)


def _rank(scope: str) -> tuple[int, str]:
    return count_names(scope), scope


def _is_held(
    scanner: ProjectScanner, place: ArtifactPlace, scope: str, holders: set[str]
) -> bool:
    """Whether the folder that contains a place is there."""
    if not place.holder:
        return not scope
    if place.holder not in holders:
        return False
    # The name of a tool's folder may be that of a file with its rules.
    is_either = place.holder in PLACES_BY_PATH
    return not is_either or scanner.exists(join_below(scope, place.holder))


def _has_top(kind: ArtifactPlaces, scope: str) -> bool:
    """Whether the folder of a plugin at the top is itself a place."""
    return not scope and any(p.folder == kind.plugin_folder for p in kind.places)


def _open(
    scanner: ProjectScanner, place: ArtifactPlace, scope: str, plugin: Plugin | None
) -> ArtifactFolder:
    return ArtifactFolder(
        scanner.project.root,
        join_below(scope, place.folder),
        place.tool,
        suffixes=place.suffixes,
        scope=scope,
        plugin=None if place.holder else plugin,
    )


def _open_plugin(
    scanner: ProjectScanner, kind: ArtifactPlaces, plugin: Plugin
) -> ArtifactFolder:
    return ArtifactFolder(
        scanner.project.root,
        join_below(plugin.folder, kind.plugin_folder),
        "claude",
        suffixes=_MARKDOWN,
        plugin=plugin,
    )


def _find_global(
    scanner: ProjectScanner, kind: ArtifactPlaces
) -> Iterator[ArtifactFolder]:
    home = scanner.home
    for place in kind.places if home else ():
        if home and place.is_global:
            yield locate_in_home(home, place.folder, place.tool, place.suffixes)
