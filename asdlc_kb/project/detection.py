"""Whether a folder bears what an agent should know of it.

Asked of the folder that a server over stdio is started in, which nobody named. Agents
pay for each tool that they are shown, so a folder becomes a project only where there is
something to ask for. What a client keeps for itself (`.cursor/mcp.json`,
`.claude/settings.json`) is nothing to ask for. Schemas are none either: a folder of
that name is in many places that have no agent.

A home, and what is above it, is no project: its `.claude` and `.cursor` are those of
the whole machine, which are asked for in so many words.
"""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from asdlc_kb.project.locations import AGENTS, COMMANDS, SKILLS
from asdlc_kb.project.rules import LEGACY
from asdlc_kb.project.skills import SKILL_FILE
from asdlc_kb.project.specs import FOLDER, SPEC_FILE
from asdlc_kb.project.tree_scan import GUIDES, RULE_HOLDERS

_FILES: Final = (*GUIDES, LEGACY, ".claude/CLAUDE.md")
_FOLDERS: Final = (
    *(f"{holder}/rules" for holder in RULE_HOLDERS),
    *(place for _, place in (*COMMANDS, *SKILLS, *AGENTS) if place[0] == "."),
)
_INSIDE: Final = (("skills", SKILL_FILE), (FOLDER, SPEC_FILE))
"""Folders of any use: what counts is such a file one folder below."""

_MAX_ENTRIES: Final = 200
"""Entries of a folder that are looked at."""


def looks_like_project(folder: Path, home: Path | None) -> bool:
    """Whether a folder has rules, commands, skills, guides or specifications."""
    if home is not None and home.resolve().is_relative_to(folder.resolve()):
        return False
    return (
        any(os.path.isfile(folder / name) for name in _FILES)
        or any(_has_entries(folder / name) for name in _FOLDERS)
        or any(_has_below(folder / name, file) for name, file in _INSIDE)
    )


def _has_entries(folder: Path) -> bool:
    return any(not entry.name.startswith(".") for entry in _list(folder))


def _has_below(folder: Path, name: str) -> bool:
    return any(os.path.isfile(os.path.join(each, name)) for each in _list(folder))


def _list(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield what is in a folder; nothing of one that cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            yield from islice(entries, _MAX_ENTRIES)
    except OSError:
        return
