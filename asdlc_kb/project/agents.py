"""Agent definitions: one Markdown file each in `.cursor/agents` or `.claude/agents`."""

from collections.abc import Iterator
from dataclasses import dataclass

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.project.artifact_file import Artifact, ArtifactFile, Text
from asdlc_kb.project.commands import list_markdown
from asdlc_kb.project.locations import AGENTS
from asdlc_kb.project.markdown_lines import first_sentence
from asdlc_kb.project.scanner import ProjectScanner


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentContent(Artifact):
    """An agent. Its name is from the frontmatter, or else the file name."""

    tools: tuple[str, ...] = ()
    model: str | None = None


def scan_agents(scanner: ProjectScanner) -> tuple[AgentContent, ...]:
    """Return the agents: workspace before global, Cursor before Claude."""
    files = list_agent_files(scanner)
    return tuple(_read(file, text) for file, text in scanner.texts(files))


def list_agent_files(scanner: ProjectScanner) -> Iterator[ArtifactFile]:
    """Yield the files of the agents."""
    return list_markdown(scanner, AGENTS)


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
        identity=text.identity,
    )
