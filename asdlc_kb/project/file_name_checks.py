"""Files that tools do not read because of their names.

Tools compare names exactly, case included, and in a folder of rules read only one or
two suffixes. A documentation page may be called `agents.md` too, so in a folder other
than the top only names that can be nothing else count.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from asdlc_kb.files.folder_walk import join_below
from asdlc_kb.project.instruction_places import (
    GUIDES,
    PLACES_BY_PATH,
    RULES,
    InstructionPlace,
)
from asdlc_kb.project.skills import SKILL_FILE
from asdlc_kb.project.tool_names import TOOL_NAMES, join_tools

_GUIDES: Final = {name.lower(): name for name in reversed(GUIDES)}
"""The guides' names by their lower case; `agents.md` is that of AGENTS.md."""

_MARKDOWN: Final = (".md", ".mdc", ".markdown")
_COPILOT: Final = ".github/copilot-instructions.md"
_ANY_TEXT: Final = frozenset({"roo"})
"""Tools that read files of every suffix."""

_SKILL: Final = re.compile(
    r"(?:(?:.*/)?\.[\w-]+/)?skills/[^/]+/skill\.md", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class MisnamedFile:
    """A file that tools do not read because of its name."""

    path: str
    right: str
    """The path at which they read it."""
    message: str
    is_mechanical: bool
    """Whether the right path is certain, so that a program may rename it."""


def find_misnamed(paths: Sequence[str]) -> Iterator[MisnamedFile]:
    """Yield the misnamed ones among the paths of a project's files."""
    known = frozenset(paths)
    for path in paths:
        found = (
            _check_guide(path)
            or _check_copilot(path)
            or _check_skill(path)
            or _check_rule(path)
        )
        if found is not None and found.right not in known and path.isprintable():
            yield found


def _check_guide(path: str) -> MisnamedFile | None:
    folder, _, name = path.rpartition("/")
    right = _GUIDES.get(name.lower())
    if right is None or name == right:
        return None
    stem = name.partition(".")[0]
    if folder and not stem.isupper():
        return None
    reads = join_tools(place.tool for place in PLACES_BY_PATH[right])
    others = PLACES_BY_PATH.get(name, ())
    but = f"only {join_tools(place.tool for place in others)} reads" if others else ""
    message = f"{but or 'no tool reads'} this name: rename it to {right} for {reads}"
    return MisnamedFile(path, join_below(folder, right), message, True)


def _check_copilot(path: str) -> MisnamedFile | None:
    folder, _, name = path.rpartition("/")
    if folder not in ("", ".github") or path == _COPILOT:
        return None
    if name.lower() != _COPILOT.rpartition("/")[2]:
        return None
    verb = "rename" if folder else "move"
    message = f"Copilot reads only {_COPILOT}: {verb} it there"
    return MisnamedFile(path, _COPILOT, message, bool(folder))


def _check_skill(path: str) -> MisnamedFile | None:
    if not _SKILL.fullmatch(path) or path.endswith(f"/{SKILL_FILE}"):
        return None
    right = f"{path.rpartition('/')[0]}/{SKILL_FILE}"
    message = (
        "Claude Code and other tools read only the name SKILL.md in this case: "
        "rename it"
    )
    return MisnamedFile(path, right, message, True)


def _check_rule(path: str) -> MisnamedFile | None:
    """Return a file in a folder of rules with a suffix that the tool does not read."""
    for places in RULES if path.lower().endswith(_MARKDOWN) else ():
        place = places[0]
        below = _find_below(place, path)
        if below is None or place.tool in _ANY_TEXT:
            continue
        suffixes = [end for end in place.suffixes if end not in place.ignored]
        is_readme = below.rpartition("/")[2].lower().startswith("readme.")
        is_omitted = below.partition("/")[0] in place.omits
        if is_readme or is_omitted or below.endswith(tuple(suffixes)):
            return None
        return _name_rule(place, path, suffixes)
    return None


def _name_rule(
    place: InstructionPlace, path: str, suffixes: Sequence[str]
) -> MisnamedFile:
    same = [end for end in suffixes if path.lower().endswith(end)]
    if same:
        right, is_mechanical = path[: -len(same[0])] + same[0], True
    else:
        stem = re.sub(r"(?i)(?:\.instructions?)?\.\w+\Z", "", path)
        right = stem + suffixes[0]
        is_mechanical = place.tool == "cursor" and path.endswith(".md")
    tool, reads = TOOL_NAMES[place.tool], " and ".join(suffixes)
    message = f"{tool} reads only files that end in {reads} here: rename it"
    return MisnamedFile(path, right, message, is_mechanical)


def _find_below(place: InstructionPlace, path: str) -> str | None:
    """Return a path below a place that is a folder; None if it is not in there."""
    if not place.is_folder or "*" in place.path:
        return None
    before, found, below = f"/{path}".partition(f"/{place.path}")
    is_there = found and (not before or place.is_nested)
    return below if is_there else None
