"""Commands: prompts that a person runs by name; some tools call them workflows.

Each is a Markdown file, for Gemini CLI a TOML file. Subfolders are namespaces:
`frontend/test.md` is `frontend:test`, and is found as `test` too. A README is not a
command.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.project.artifact_file import Artifact, ArtifactFile, Text
from asdlc_kb.project.artifact_folders import find_folders
from asdlc_kb.project.artifact_places import COMMANDS, PLACEHOLDERS, ArtifactPlaces
from asdlc_kb.project.markdown_lines import cut_short, first_sentence
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.placeholders import PlaceholderSyntax, read_syntax
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.toml_header import read_toml


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContent(Artifact):
    """A command, which is never executed.

    Its description is from the frontmatter, or else the first sentence of its text.
    """

    argument_hint: str | None = None
    """The `argument-hint` of the frontmatter, verbatim."""
    syntax: PlaceholderSyntax
    """What counts as a placeholder in its text."""
    can_user_invoke: bool = True
    """Whether a person may start it; else only an agent does."""
    allowed_tools: tuple[str, ...] = ()
    model: str | None = None


def scan_commands(scanner: ProjectScanner) -> tuple[CommandContent, ...]:
    """Return the commands: workspace before global, Cursor before Claude."""
    files = list_command_files(scanner)
    read = (_read(scanner, file, text) for file, text in scanner.texts(files))
    return tuple(command for command in read if command is not None)


def list_command_files(scanner: ProjectScanner) -> Iterator[ArtifactFile]:
    """Yield the files of the commands."""
    return list_single_files(scanner, COMMANDS)


def get_command(scanner: ProjectScanner, name: str) -> CommandContent | None:
    """Return the command with a name or path, or None."""
    return find_named(scan_commands(scanner), name.removeprefix("/"))


def list_single_files(
    scanner: ProjectScanner, kind: ArtifactPlaces
) -> Iterator[ArtifactFile]:
    """Yield the files of a kind that has one each, without READMEs."""
    for place in find_folders(scanner, kind):
        for file in scanner.files(place, place.suffixes):
            if not is_readme(file):
                yield file


def is_readme(file: ArtifactFile) -> bool:
    """Whether a file is its folder's README."""
    return file.stem.lower() == "readme"


def _read(
    scanner: ProjectScanner, file: ArtifactFile, text: Text
) -> CommandContent | None:
    is_toml = file.path.endswith(".toml")
    if not is_toml:
        header = read_lenient(text.text)
    elif (found := read_toml(scanner, file, text.text, "prompt")) is not None:
        header = found
    else:
        return None
    described = header.text("description")
    return CommandContent(
        name=":".join((*file.below[:-1], file.stem)),
        description=cut_short(described) if described else first_sentence(header.body),
        path=file.shown,
        location=file.place.location,
        platform=file.place.platform,
        argument_hint=_read_hint(header.fields.get("argument-hint")),
        syntax=read_syntax(
            PLACEHOLDERS[file.place.platform],
            header.fields.get("arguments"),
            header.body,
        ),
        content=header.body,
        source=header.body if is_toml else text.text,
        identity=text.identity,
        scope=file.place.scope,
        plugin=file.plugin_name,
        can_model_invoke=not header.flag("disable-model-invocation"),
        can_user_invoke=not header.denies("user-invocable"),
        allowed_tools=header.patterns("allowed-tools"),
        model=header.text("model"),
    )


def _read_hint(value: object) -> str | None:
    """Return a hint as written: YAML reads its brackets as a list."""
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]" if value else None
    return (" ".join(value.split()) or None) if isinstance(value, str) else None
