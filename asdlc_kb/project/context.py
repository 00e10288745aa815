"""Everything that an agent must know to work in a project, in one look at it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from asdlc_kb.files.problem import Problem
from asdlc_kb.project import schemas, specs
from asdlc_kb.project.agent_guides import AgentGuide, scan_guides
from asdlc_kb.project.agents import AgentInfo, list_agents
from asdlc_kb.project.agents_md import AgentsMdSections, read_sections
from asdlc_kb.project.commands import CommandInfo, list_commands
from asdlc_kb.project.registry import Project
from asdlc_kb.project.rules import RuleInfo, list_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import SchemaFile, list_schemas
from asdlc_kb.project.skills import SkillInfo, list_skills
from asdlc_kb.project.specs import SpecFile, list_specs
from asdlc_kb.project.tree_scan import GUIDES

AGENTS_MD: Final = GUIDES[0]


@dataclass(frozen=True, slots=True)
class AgentsMd:
    """The AGENTS.md at the top of a project, which may be absent."""

    exists: bool
    path: str | None = None
    content: str | None = None
    meaning: AgentsMdSections | None = None


@dataclass(frozen=True, slots=True)
class SpecFiles:
    """The specifications of a project; `exists` is of their folder."""

    exists: bool
    specs: tuple[SpecFile, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaFiles:
    """The schemas of a project; `exists` is of their folder."""

    exists: bool
    schemas: tuple[SchemaFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AsdlcArtifacts:
    """What says how to work: AGENTS.md and its like, specifications, schemas."""

    agents_md: AgentsMd
    specs: SpecFiles
    schemas: SchemaFiles
    guides: tuple[AgentGuide, ...] = ()
    """Every AGENTS.md and CLAUDE.md, upper folders first."""

    @property
    def has_any_artifacts(self) -> bool:
        """Whether there is one at all."""
        return self.agents_md.exists or bool(self.specs.specs or self.schemas.schemas)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectContext:
    """All artifacts of a project at one moment."""

    project_path: str
    """The project's name; its folder is told only to who may know it."""
    timestamp: str
    """In ISO 8601 and UTC."""
    rules: tuple[RuleInfo, ...]
    commands: tuple[CommandInfo, ...]
    skills: tuple[SkillInfo, ...]
    agents: tuple[AgentInfo, ...]
    asdlc_artifacts: AsdlcArtifacts
    problems: tuple[Problem, ...]
    """What could not be read, beside what could."""


def scan_artifacts(survey: ProjectScanner) -> AsdlcArtifacts:
    """Return the AGENTS.md, specifications and schemas of a project."""
    guides = scan_guides(survey)
    return AsdlcArtifacts(
        agents_md=_pick_agents_md(guides),
        specs=SpecFiles(survey.exists(specs.FOLDER), list_specs(survey)),
        schemas=SchemaFiles(survey.exists(schemas.FOLDER), list_schemas(survey)),
        guides=guides,
    )


def scan_project(
    project: Project, home: Path | None = None, *, now: datetime | None = None
) -> ProjectContext:
    """Return everything that one look at a project, and at a home, finds."""
    survey = ProjectScanner(project, home)
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    rules, commands = list_rules(survey), list_commands(survey)
    skills, agents = list_skills(survey), list_agents(survey)
    artifacts = scan_artifacts(survey)
    return ProjectContext(
        project_path=project.name,
        timestamp=moment.isoformat(timespec="milliseconds"),
        rules=rules,
        commands=commands,
        skills=skills,
        agents=agents,
        asdlc_artifacts=artifacts,
        problems=survey.sorted_problems,
    )


def _pick_agents_md(guides: tuple[AgentGuide, ...]) -> AgentsMd:
    for guide in guides:
        if guide.path == AGENTS_MD:
            meaning = read_sections(guide.content)
            return AgentsMd(True, guide.path, guide.content, meaning)
    return AgentsMd(False)
