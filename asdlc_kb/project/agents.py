"""Agent definitions: one Markdown file each, for Codex a TOML file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.project.artifact_file import Artifact, ArtifactFile, Text
from asdlc_kb.project.artifact_places import AGENTS
from asdlc_kb.project.commands import list_single_files
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.markdown_lines import first_sentence
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.toml_header import read_toml

_REQUIRED: Final[Mapping[Platform, tuple[str, ...]]] = {
    "claude": ("name", "description")
}
"""Fields that each tool requires."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentContent(Artifact):
    """An agent. Its name is from the frontmatter, or else the file name."""

    tools: tuple[str, ...] = ()
    model: str | None = None
    missing: tuple[str, ...] = ()
    """Fields without which its tool does not read it."""


def scan_agents(scanner: ProjectScanner) -> tuple[AgentContent, ...]:
    """Return the agents: workspace before global, Cursor before Claude."""
    files = list_agent_files(scanner)
    read = (_read(scanner, file, text) for file, text in scanner.texts(files))
    return tuple(agent for agent in read if agent is not None)


def list_agent_files(scanner: ProjectScanner) -> Iterator[ArtifactFile]:
    """Yield the files of the agents."""
    return list_single_files(scanner, AGENTS)


def _read(
    scanner: ProjectScanner, file: ArtifactFile, text: Text
) -> AgentContent | None:
    is_toml = file.path.endswith(".toml")
    if not is_toml:
        header = read_lenient(text.text)
    elif found := read_toml(scanner, file, text.text, "developer_instructions"):
        header = found
    else:
        return None
    return AgentContent(
        name=header.text("name") or file.stem,
        description=header.text("description") or first_sentence(header.body),
        path=file.shown,
        location=file.place.location,
        platform=file.place.platform,
        tools=header.patterns("tools"),
        missing=tuple(
            key
            for key in _REQUIRED.get(file.place.platform, ())
            if not header.text(key)
        ),
        model=header.text("model"),
        content=header.body,
        source=header.body if is_toml else text.text,
        identity=text.identity,
        scope=file.place.scope,
        plugin=file.plugin_name,
    )
