"""Detection of folders with agent artifacts.

Applied to the working directory of a stdio server when no project is configured. Each
listed tool costs an agent tokens, so a folder becomes a project only if it has
artifacts to serve. A client's configuration (`.cursor/mcp.json`,
`.claude/settings.json`) does not count, nor do schemas: many folders of that name have
nothing to do with agents.

A home directory and its ancestors are no projects: their `.claude` and `.cursor` belong
to the whole machine, and are served only on an explicit setting.
"""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from asdlc_kb.project.artifact_places import KINDS
from asdlc_kb.project.instruction_places import PLACES
from asdlc_kb.project.locations import PLUGIN_HOLDER
from asdlc_kb.project.skills import SKILL_FILE
from asdlc_kb.project.specs import FOLDER, SPEC_FILE
from asdlc_kb.project.specs import PLACES as SPECS

_FILES: Final = tuple(place.path for place in PLACES if not place.is_folder)
_FOLDERS: Final = (
    *(place.path for place in PLACES if place.is_folder),
    *(place.folder for kind in KINDS for place in kind.places if place.holder),
    *(place.folder for place in SPECS if place.folder != FOLDER),
    PLUGIN_HOLDER,
)
_INSIDE: Final = (("skills", SKILL_FILE), (FOLDER, SPEC_FILE))
"""Folders with generic names: they count if such a file is one folder below."""

_MAX_ENTRIES: Final = 200
"""Entries examined per folder."""


def looks_like_project(folder: Path, home: Path | None) -> bool:
    """Whether a folder has rules, commands, skills, guides or specifications."""
    if home is not None and home.resolve().is_relative_to(folder.resolve()):
        return False
    return (
        any(os.path.isfile(folder / name) for name in _FILES)
        or any(_has_entries(folder / name) for name in _FOLDERS)
        or any(_has_below(folder / name, file) for name, file in _INSIDE)
    )


def find_project_root(folder: Path, home: Path | None) -> Path:
    """Return the project that a folder belongs to.

    That is the nearest ancestor with a Git repository; without one the outermost that
    looks like a project, since folders have instructions too; else the folder itself.
    """
    folder = Path(os.path.abspath(folder))
    above = (folder, *folder.parents)
    for candidate in above:
        if os.path.lexists(candidate / ".git"):
            return candidate
    likely = [candidate for candidate in above if looks_like_project(candidate, home)]
    return likely[-1] if likely else folder


def _has_entries(folder: Path) -> bool:
    return any(not entry.name.startswith(".") for entry in _list(folder))


def _has_below(folder: Path, name: str) -> bool:
    return any(os.path.isfile(os.path.join(entry, name)) for entry in _list(folder))


def _list(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the entries of a folder; none if it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            yield from islice(entries, _MAX_ENTRIES)
    except OSError:
        return
