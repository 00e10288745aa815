"""Agent definitions: one Markdown file each in `.cursor/agents` or `.claude/agents`."""

from dataclasses import dataclass

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.project.artifact_file import ArtifactFile, Text
from asdlc_kb.project.commands import is_readme
from asdlc_kb.project.locations import AGENTS, Location, Platform
from asdlc_kb.project.markdown_lines import first_sentence
from asdlc_kb.project.scanner import ProjectScanner


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentContent:
    """An agent with its text."""

    name: str
    """From the frontmatter, or else the file name."""
    description: str
    path: str
    location: Location
    platform: Platform
    tools: tuple[str, ...] = ()
    model: str | None = None
    content: str
    """Markdown below the frontmatter."""
    source: str
    """The whole file."""


def scan_agents(scanner: ProjectScanner) -> tuple[AgentContent, ...]:
    """Return the agents: workspace before global, Cursor before Claude."""
    files = (
        file
        for place in scanner.places(AGENTS)
        for file in scanner.files(place, (".md",))
        if not is_readme(file)
    )
    return tuple(_read(file, text) for file, text in scanner.texts(files))


def _read(file: ArtifactFile, text: Text) -> AgentContent:
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
