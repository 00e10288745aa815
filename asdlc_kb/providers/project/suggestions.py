"""Hints for a name or path that a tool does not find.

They name only what lists show: a skill or command that people start is left out.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final

from asdlc_kb.project.agents import AgentContent, scan_agents
from asdlc_kb.project.artifact_file import list_offered
from asdlc_kb.project.name_lookup import (
    Named,
    WrittenName,
    find_named,
    find_near,
    find_titled,
)
from asdlc_kb.project.real_files import Linkable
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skill_files import find_files
from asdlc_kb.project.skills import SkillContent
from asdlc_kb.project.specs import SpecContent
from asdlc_kb.providers.project.artifact_kinds import KINDS, ArtifactKind
from asdlc_kb.unicode.near_names import MAX_NEAR_NAMES, NearNames, suggest_names

_NAMED: Final = ("rules", "commands", "skills", "specs")
"""Kinds with a tool that gets one by its name; `get_artifact` reads the others."""


def find_artifact(
    kind: ArtifactKind, scanner: ProjectScanner, written: WrittenName
) -> Linkable | None:
    """Return the artifact that a name stands for; an exact name wins over a title."""
    for name in written.names:
        if (artifact := kind.find(scanner, name)) is not None:
            return artifact
    titled = find_titled(kind.scan(scanner), written.names[0])
    return None if titled is None else kind.find(scanner, titled.path)


def suggest_artifact(
    kind: ArtifactKind, scanner: ProjectScanner, written: WrittenName
) -> str | None:
    """Return what a name that no artifact of a kind has is instead, or near names."""
    for plural, other in KINDS.items():
        if other is not kind:
            found = find_artifact(other, scanner, written)
            tool = f"get_{other.singular}" if plural in _NAMED else "get_artifact"
            if found is not None and list_offered((found,)):
                return f"{found.path} is a {other.noun}: {tool} reads it."
    for agent in _find_agents(scanner, written):
        return f"{agent.path} is an agent: get_artifact reads it."
    offered = list_offered(kind.scan(scanner))
    return suggest_names(find_near(offered, written.names[-1]))


def suggest_paths(scanner: ProjectScanner, wanted: str) -> str | None:
    """Return the hint with the paths of files that end with a path, or near ones."""
    paths = tuple(dict.fromkeys(_list_paths(scanner)))
    ending = [path for path in paths if path.endswith(f"/{wanted}")]
    if ending:
        return suggest_names(ending[:MAX_NEAR_NAMES])
    names = NearNames((_cut_folders(path), path) for path in paths)
    return suggest_names(names.find(_cut_folders(wanted)))


def _find_agents(
    scanner: ProjectScanner, written: WrittenName
) -> Iterator[AgentContent]:
    agents = list_offered(scan_agents(scanner))
    for name in written.names:
        if (agent := find_named(agents, name)) is not None:
            yield agent


def _list_paths(scanner: ProjectScanner) -> Iterator[str]:
    """Yield the paths of the artifacts, and those of the files of skills and specs."""
    scans: Sequence[Callable[[ProjectScanner], Sequence[Named]]] = (
        *(kind.scan for kind in KINDS.values()),
        scan_agents,
    )
    for artifact in chain.from_iterable(list_offered(scan(scanner)) for scan in scans):
        yield artifact.path
        if isinstance(artifact, SkillContent):
            yield from (file.shown for _, file in find_files(scanner, artifact.file))
        elif isinstance(artifact, SpecContent):
            yield from artifact.documents


def _cut_folders(path: str) -> str:
    return path.rpartition("/")[2]
