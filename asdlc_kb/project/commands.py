"""Commands: one Markdown file each in `.cursor/commands` or `.claude/commands`.

Subfolders are namespaces: `frontend/test.md` is `frontend:test`, and is found as
`test` too. A README is not a command.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.project.artifact_file import Artifact, ArtifactFile, Text
from asdlc_kb.project.locations import COMMANDS, Platform
from asdlc_kb.project.markdown_lines import cut_short, first_sentence
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.scanner import ProjectScanner


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContent(Artifact):
    """A command, which is never executed.

    Its description is from the frontmatter, or else the first sentence of its text.
    """

    argument_hint: str | None = None
    """The `argument-hint` of the frontmatter, verbatim."""
    allowed_tools: tuple[str, ...] = ()
    model: str | None = None


def scan_commands(scanner: ProjectScanner) -> tuple[CommandContent, ...]:
    """Return the commands: workspace before global, Cursor before Claude."""
    files = list_command_files(scanner)
    return tuple(_read(file, text) for file, text in scanner.texts(files))


def list_command_files(scanner: ProjectScanner) -> Iterator[ArtifactFile]:
    """Yield the files of the commands."""
    return list_markdown(scanner, COMMANDS)


def get_command(scanner: ProjectScanner, name: str) -> CommandContent | None:
    """Return the command with a name or path, or None."""
    return find_named(scan_commands(scanner), name.removeprefix("/"))


def list_markdown(
    scanner: ProjectScanner, kinds: tuple[tuple[Platform, str], ...]
) -> Iterator[ArtifactFile]:
    """Yield the Markdown files in the folders of a kind, without READMEs."""
    for place in scanner.places(kinds):
        for file in scanner.files(place, (".md",)):
            if not is_readme(file):
                yield file


def is_readme(file: ArtifactFile) -> bool:
    """Whether a file is its folder's README."""
    return file.stem.lower() == "readme"


def _read(file: ArtifactFile, text: Text) -> CommandContent:
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
        identity=text.identity,
        allowed_tools=header.patterns("allowed-tools"),
        model=header.text("model"),
    )


def _read_hint(value: object) -> str | None:
    """Return a hint as written: YAML reads its brackets as a list."""
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]" if value else None
    return (" ".join(value.split()) or None) if isinstance(value, str) else None
