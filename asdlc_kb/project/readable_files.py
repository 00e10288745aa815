"""Files that can be read by path: those that a list of the project shows.

They are rules, commands, skills with all their files, agents, specifications with their
documents, schemas, guides and the texts that these import. Any other path has no file,
whether one exists or not.
Only folders that may have such a path are listed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.markup.sections import Section, split_sections
from asdlc_kb.project import schemas, specs
from asdlc_kb.project.agents import list_agent_files
from asdlc_kb.project.artifact_file import ArtifactFile
from asdlc_kb.project.artifact_folders import find_folders
from asdlc_kb.project.artifact_names import compose
from asdlc_kb.project.artifact_places import SKILLS
from asdlc_kb.project.commands import list_command_files
from asdlc_kb.project.guide_imports import IMPORTED_SUFFIXES, import_file
from asdlc_kb.project.guide_texts import get_guide_text
from asdlc_kb.project.instruction_files import list_guides, list_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skill_files import find_files, read_content
from asdlc_kb.project.skills import list_skills
from asdlc_kb.project.user_instructions import list_user_instructions


@dataclass(frozen=True, slots=True)
class ReadableFile:
    """A listed file; of a skill's file, with the skill."""

    file: ArtifactFile
    skill: ArtifactFile | None = None
    """The main file of its skill."""
    skill_path: str = ""
    """Its path relative to the skill's folder."""

    def read(self, scanner: ProjectScanner) -> str | bytes | None:
        """Return the file: text without invisible characters, or a skill's bytes.

        None if it is gone, too large or unreadable, which is then a problem. Lines of
        a text end in LF.
        """
        if self.skill is None:
            text = scanner.read(self.file)
            return None if text is None else text.text
        content = read_content(scanner, self.file)
        if isinstance(content, str):
            return content.removeprefix("\ufeff").replace("\r\n", "\n")
        return content


def find_readable(scanner: ProjectScanner, path: str) -> ReadableFile | None:
    """Return the listed file with a display path, or None."""
    scanner.narrow(path)
    path = compose(path)
    others = map(ReadableFile, _list_others(scanner, path))
    for readable in chain(_find_in_skills(scanner, path), others):
        if readable.file.shown == path:
            return readable
    return _find_import(scanner, path)


def split_document(text: str) -> tuple[Section, ...]:
    """Return the sections of Markdown, above them its frontmatter, without a heading.

    The fence below a field would make it a heading.
    """
    body = read_lenient(text).body
    header = text[: len(text) - len(body)]
    last = header.count("\n")
    top = Section("", "", level=0, first=1, last=last, markdown=header, heading_lines=0)
    return (top, *split_sections(body))


def _find_import(scanner: ProjectScanner, path: str) -> ReadableFile | None:
    """Return the file if a guide imports it, or a tool's settings name it.

    It may be anywhere in the project, so all guides are searched.
    """
    if not path.endswith(IMPORTED_SUFFIXES):
        return None
    project = scanner.project
    if get_guide_text(ProjectScanner(project), path) is None:
        return None
    return ReadableFile(import_file(project, path))


def _find_in_skills(scanner: ProjectScanner, path: str) -> Iterator[ReadableFile]:
    """Yield the files of the skills whose folder a path begins with."""
    for place in find_folders(scanner, SKILLS):
        if not path.startswith(f"{place.show(place.folder)}/"):
            continue
        for main in list_skills(scanner, place):
            folder = main.shown.rpartition("/")[0]
            if main.shown == path:
                yield ReadableFile(main, main, main.below[-1])
            elif len(main.below) > 1 and path.startswith(f"{folder}/"):
                for name, file in find_files(scanner, main):
                    yield ReadableFile(file, main, name)


def _list_others(scanner: ProjectScanner, path: str) -> Iterator[ArtifactFile]:
    """Yield the files of the kinds that may have such a path."""
    for listed in chain(
        list_guides(scanner), list_rules(scanner), list_user_instructions(scanner)
    ):
        yield listed.file
    if any(path.startswith(f"{place.folder}/") for place in specs.PLACES):
        for main, documents in specs.list_spec_files(scanner).items():
            yield from (main, *documents)
    elif path.startswith(f"{schemas.FOLDER}/"):
        yield from schemas.list_schema_files(scanner)
    else:
        yield from list_command_files(scanner)
        yield from list_agent_files(scanner)
