"""Agents: `.cursor/agents` and `.claude/agents`, a Markdown file each."""

from collections.abc import Iterator
from dataclasses import dataclass

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.project.artifact_file import ArtifactFile
from asdlc_kb.project.commands import is_readme
from asdlc_kb.project.locations import AGENTS, Location, Platform
from asdlc_kb.project.markdown_lines import first_sentence
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.summary import summarize


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentInfo:
    """An agent without its text."""

    name: str
    """As its frontmatter says, or else its file."""
    description: str
    path: str
    location: Location
    platform: Platform
    tools: tuple[str, ...] = ()
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentContent(AgentInfo):
    """An agent with its text."""

    content: str
    """Markdown below the frontmatter."""
    source: str
    """The whole file."""


def scan_agents(survey: ProjectScanner) -> tuple[AgentContent, ...]:
    """Return the agents: the workspace's first, Cursor's before Claude's."""
    return tuple(_read_all(survey))


def list_agents(survey: ProjectScanner) -> tuple[AgentInfo, ...]:
    """Return the agents without their texts."""
    return tuple(summarize(AgentInfo, agent) for agent in scan_agents(survey))


def get_agent(survey: ProjectScanner, name: str) -> AgentContent | None:
    """Return the agent of a name or path, or None."""
    return find_named(scan_agents(survey), name)


def _read_all(survey: ProjectScanner) -> Iterator[AgentContent]:
    for place in survey.places(AGENTS):
        for file in survey.files(place, (".md",)):
            agent = None if is_readme(file) else _read(survey, file)
            if agent is not None:
                yield agent


def _read(survey: ProjectScanner, file: ArtifactFile) -> AgentContent | None:
    text = survey.read(file)
    if text is None:
        return None
    header = read_lenient(text.text)
    return AgentContent(
        name=header.text("name") or file.stem,
        description=header.text("description") or first_sentence(header.body),
        path=file.shown,
        location=file.place.location,
        platform=file.place.platform,
        tools=header.patterns("tools"),
        model=header.text("model"),
        content=header.body,
        source=text.text,
    )
