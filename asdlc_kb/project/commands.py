"""Commands: `.cursor/commands` and `.claude/commands`, a Markdown file each.

Folders below are namespaces: `frontend/test.md` is `frontend:test`, and is found as
`test` too. A README is about the folder and no command.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.project.artifact_file import ArtifactFile
from asdlc_kb.project.locations import COMMANDS, Location, Platform
from asdlc_kb.project.markdown_lines import cut_short, first_sentence
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.summary import summarize


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandInfo:
    """A command without its text."""

    name: str
    description: str
    """As its frontmatter says, or else the first sentence of its text, or empty."""
    path: str
    location: Location
    platform: Platform
    argument_hint: str | None = None
    """What arguments it takes, in its author's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContent(CommandInfo):
    """A command with its text, which is never run."""

    content: str
    """Markdown below the frontmatter."""
    source: str
    """The whole file."""
    allowed_tools: tuple[str, ...] = ()
    model: str | None = None


def scan_commands(survey: ProjectScanner) -> tuple[CommandContent, ...]:
    """Return the commands: the workspace's first, Cursor's before Claude's."""
    return tuple(_read_all(survey))


def list_commands(survey: ProjectScanner) -> tuple[CommandInfo, ...]:
    """Return the commands without their texts."""
    return tuple(summarize(CommandInfo, command) for command in scan_commands(survey))


def get_command(survey: ProjectScanner, name: str) -> CommandContent | None:
    """Return the command of a name or path, or None."""
    return find_named(scan_commands(survey), name.removeprefix("/"))


def _read_all(survey: ProjectScanner) -> Iterator[CommandContent]:
    for place in survey.places(COMMANDS):
        for file in survey.files(place, (".md",)):
            command = None if is_readme(file) else _read(survey, file)
            if command is not None:
                yield command


def is_readme(file: ArtifactFile) -> bool:
    """Whether a file is about its folder."""
    return file.stem.lower() == "readme"


def _read(survey: ProjectScanner, file: ArtifactFile) -> CommandContent | None:
    text = survey.read(file)
    if text is None:
        return None
    header = read_lenient(text.text)
    described = header.text("description")
    return CommandContent(
        name=":".join((*file.below[:-1], file.stem)),
        description=cut_short(described) if described else first_sentence(header.body),
        path=file.shown,
        location=file.place.location,
        platform=file.place.platform,
        argument_hint=_read_hint(header.fields.get("argument-hint")),
        content=header.body,
        source=text.text,
        allowed_tools=header.patterns("allowed-tools"),
        model=header.text("model"),
    )


def _read_hint(value: object) -> str | None:
    """Return a hint as it was written: brackets are a list to YAML, and meant here."""
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]" if value else None
    return (" ".join(value.split()) or None) if isinstance(value, str) else None
