"""All agent artifacts of a project, from one scan.

Every list has one entry per real file.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from asdlc_kb.files.problem import Problem
from asdlc_kb.project import schemas, specs
from asdlc_kb.project.agent_guides import AgentGuide, scan_guides
from asdlc_kb.project.agents import AgentContent, scan_agents
from asdlc_kb.project.agents_md import AgentsMdSections, read_sections
from asdlc_kb.project.commands import CommandContent, scan_commands
from asdlc_kb.project.instruction_places import GUIDES
from asdlc_kb.project.real_files import merge_artifacts, merge_links
from asdlc_kb.project.registry import Project
from asdlc_kb.project.rules import RuleContent, scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import SchemaContent, scan_schemas
from asdlc_kb.project.skills import SkillContent, scan_skills
from asdlc_kb.project.specs import SpecContent, scan_specs

AGENTS_MD: Final = GUIDES[0]


@dataclass(frozen=True, slots=True)
class AgentsMd:
    """The AGENTS.md at the top of a project, if any."""

    exists: bool
    path: str | None = None
    content: str | None = None
    meaning: AgentsMdSections | None = None


@dataclass(frozen=True, slots=True)
class SpecFiles:
    """The specifications of a project; `exists` is of one of their folders."""

    exists: bool
    specs: tuple[SpecContent, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaFiles:
    """The schemas of a project; `exists` is of their folder."""

    exists: bool
    schemas: tuple[SchemaContent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AsdlcArtifacts:
    """Guides (AGENTS.md, CLAUDE.md), specifications and schemas."""

    agents_md: AgentsMd
    specs: SpecFiles
    schemas: SchemaFiles
    guides: tuple[AgentGuide, ...] = ()
    """Every guide, upper folders first."""

    @property
    def main_guide(self) -> AgentGuide | None:
        """The guide for the whole project: AGENTS.md, or else CLAUDE.md."""
        return next((guide for guide in self.guides if not guide.scope), None)

    @property
    def has_any_artifacts(self) -> bool:
        """Whether there is an AGENTS.md, specification or schema."""
        return self.agents_md.exists or bool(self.specs.specs or self.schemas.schemas)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectContext:
    """All artifacts of a project at one point in time."""

    project_path: str
    """The project's name; its folder is disclosed only to authorized clients."""
    timestamp: str
    """In ISO 8601 and UTC."""
    rules: tuple[RuleContent, ...]
    commands: tuple[CommandContent, ...]
    skills: tuple[SkillContent, ...]
    agents: tuple[AgentContent, ...]
    asdlc_artifacts: AsdlcArtifacts
    problems: tuple[Problem, ...]
    """Files that could not be read, and other faults."""


def scan_artifacts(scanner: ProjectScanner) -> AsdlcArtifacts:
    """Return the AGENTS.md, specifications and schemas of a project."""
    guides = merge_links(scan_guides(scanner))
    spec_files, schema_files = scan_specs(scanner), scan_schemas(scanner)
    has_folder = any(scanner.exists(place.folder) for place in specs.PLACES)
    return AsdlcArtifacts(
        agents_md=_pick_agents_md(guides),
        specs=SpecFiles(has_folder, merge_links(spec_files)),
        schemas=SchemaFiles(scanner.exists(schemas.FOLDER), merge_links(schema_files)),
        guides=guides,
    )


def scan_project(
    project: Project, home: Path | None = None, *, now: datetime | None = None
) -> ProjectContext:
    """Scan a project, and a home directory if given."""
    scanner = ProjectScanner(project, home)
    timestamp = (now or datetime.now(UTC)).astimezone(UTC)
    rules, commands = scan_rules(scanner), scan_commands(scanner)
    skills, agents = scan_skills(scanner), scan_agents(scanner)
    artifacts = scan_artifacts(scanner)
    return ProjectContext(
        project_path=project.name,
        timestamp=timestamp.isoformat(timespec="milliseconds"),
        rules=merge_artifacts(rules),
        commands=merge_artifacts(commands),
        skills=merge_artifacts(skills),
        agents=merge_artifacts(agents),
        asdlc_artifacts=artifacts,
        problems=scanner.sorted_problems,
    )


def _pick_agents_md(guides: tuple[AgentGuide, ...]) -> AgentsMd:
    for guide in guides:
        if guide.path == AGENTS_MD:
            meaning = read_sections(guide.content)
            return AgentsMd(True, guide.path, guide.content, meaning)
    return AgentsMd(False)
