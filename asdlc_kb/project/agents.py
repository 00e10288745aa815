"""Agents: `.cursor/agents` and `.claude/agents`, a Markdown file each."""

from collections.abc import Iterator
from dataclasses import dataclass

from asdlc_kb.project.brief import brief
from asdlc_kb.project.commands import is_readme
from asdlc_kb.project.header import read_header
from asdlc_kb.project.lookup import find
from asdlc_kb.project.places import AGENTS, Location, Platform
from asdlc_kb.project.prose import summarise
from asdlc_kb.project.survey import File, Survey


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


def scan_agents(survey: Survey) -> tuple[AgentContent, ...]:
    """Return the agents: the workspace's first, Cursor's before Claude's."""
    return tuple(_read_all(survey))


def list_agents(survey: Survey) -> tuple[AgentInfo, ...]:
    """Return the agents without their texts."""
    return tuple(brief(AgentInfo, agent) for agent in scan_agents(survey))


def get_agent(survey: Survey, name: str) -> AgentContent | None:
    """Return the agent of a name or path, or None."""
    return find(scan_agents(survey), name)


def _read_all(survey: Survey) -> Iterator[AgentContent]:
    for place in survey.places(AGENTS):
        for file in survey.files(place, (".md",)):
            agent = None if is_readme(file) else _read(survey, file)
            if agent is not None:
                yield agent


def _read(survey: Survey, file: File) -> AgentContent | None:
    text = survey.read(file)
    if text is None:
        return None
    header = read_header(text.text)
    return AgentContent(
        name=header.text("name") or file.stem,
        description=header.text("description") or summarise(header.body),
        path=file.shown,
        location=file.place.location,
        platform=file.place.platform,
        tools=header.patterns("tools"),
        model=header.text("model"),
        content=header.body,
        source=text.text,
    )
