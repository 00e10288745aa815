"""Skills: a folder with a `SKILL.md`, or a single Markdown file.

The open format has `name` and `description` in the frontmatter, another dialect
`title` and `overview`; both are read, and each is the fallback for the other. A skill's
identifier is its folder's name, which the open format requires its `name` to be.

An author can leave it to people to start a skill: `disable-model-invocation: true`, as
Claude Code, Cursor and VS Code read it, or `allow_implicit_invocation: false` for
Codex, in a file of the skill.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from asdlc_kb.frontmatter.lenient import LenientFrontmatter, read_lenient
from asdlc_kb.project.artifact_file import Artifact, ArtifactFile, Text
from asdlc_kb.project.artifact_folders import find_folders
from asdlc_kb.project.artifact_places import SKILLS
from asdlc_kb.project.commands import is_readme
from asdlc_kb.project.locations import ArtifactFolder
from asdlc_kb.project.markdown_lines import find_title, first_sentence
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.scanner import ProjectScanner

SKILL_FILE: Final = "SKILL.md"

MAX_NAME_CHARS: Final = 64
"""Characters of a skill's name (agentskills.io)."""

_SINGLE_FILES: Final = frozenset({"agents", "claude", "cursor"})
"""Tools with skills that may be single files."""

_CODEX_FILE: Final = "agents/openai.yaml"
"""The file of a skill with its settings for Codex."""

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillContent(Artifact):
    """A skill with the text of its main file. Its description says when to use it."""

    title: str | None = None
    """From the frontmatter, or else the first heading."""
    overview: str | None = None
    """From the frontmatter, or else the description."""
    file: ArtifactFile
    """Its main file."""
    declared: str | None = None
    """The name in its frontmatter."""
    has_description: bool = True
    """Whether the frontmatter has the open format's field."""
    allowed_tools: tuple[str, ...] = ()

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, which can contain other files."""
        return len(self.file.below) > 1


def scan_skills(scanner: ProjectScanner) -> tuple[SkillContent, ...]:
    """Return the skills: workspace before global, Cursor before Claude."""
    return _read_all(scanner, find_folders(scanner, SKILLS))


def scan_nested_skills(scanner: ProjectScanner) -> tuple[SkillContent, ...]:
    """Return the skills that are for one folder of the project, upper folders first."""
    nested = (place for place in find_folders(scanner, SKILLS) if place.scope)
    return _read_all(scanner, nested)


def list_skills(scanner: ProjectScanner, place: ArtifactFolder) -> list[ArtifactFile]:
    """Return the main files of the skills in a folder of skills."""
    files = scanner.files(place, (".md",), max_depth=1)
    return [file for file in files if _is_skill(file)]


def get_skill(scanner: ProjectScanner, name: str) -> SkillContent | None:
    """Return the skill with a name or path, or None."""
    skills = scan_skills(scanner)
    declared = (skill for skill in skills if skill.declared == name)
    return find_named(skills, name) or next(declared, None)


def is_skill_name(name: str) -> bool:
    """Whether a name is valid in the open format."""
    return len(name) <= MAX_NAME_CHARS and _NAME.fullmatch(name) is not None


def _read_all(
    scanner: ProjectScanner, places: Iterable[ArtifactFolder]
) -> tuple[SkillContent, ...]:
    files = (file for place in places for file in list_skills(scanner, place))
    return tuple(_read(scanner, file, text) for file, text in scanner.texts(files))


def _is_skill(file: ArtifactFile) -> bool:
    """Whether a file is a skill's main file."""
    if len(file.below) > 1:
        return file.below[-1].lower() == SKILL_FILE.lower()
    # A folder `skills` at the top of a project may be unrelated to agents, and most
    # tools read folders alone.
    is_tool = file.place.is_hidden and file.place.platform in _SINGLE_FILES
    return is_tool and not is_readme(file)


def _read(scanner: ProjectScanner, file: ArtifactFile, text: Text) -> SkillContent:
    header = read_lenient(text.text)
    is_for_people = header.flag("disable-model-invocation")
    overview = header.text("overview")
    description = header.text("description") or overview
    return SkillContent(
        name=file.below[0] if len(file.below) > 1 else file.stem,
        description=description or first_sentence(header.body),
        title=header.text("title") or find_title(header.body),
        overview=overview or description,
        path=file.shown,
        location=file.place.location,
        platform=file.place.platform,
        content=header.body,
        source=text.text,
        identity=text.identity,
        scope=file.place.scope,
        plugin=file.plugin_name,
        can_model_invoke=not is_for_people and not _is_explicit(scanner, file),
        file=file,
        declared=header.text("name"),
        has_description=header.text("description") is not None,
        allowed_tools=header.patterns("allowed-tools"),
    )


def _is_explicit(scanner: ProjectScanner, file: ArtifactFile) -> bool:
    """Whether a file of a skill leaves it to people, or cannot be read."""
    folder = file.path.rpartition("/")[0]
    path = f"{folder}/{_CODEX_FILE}"
    # Few skills have the file, and opening one safely takes longer than this.
    if len(file.below) < 2 or not os.path.isfile(os.path.join(file.place.root, path)):
        return False
    text = scanner.read(replace(file, path=path))
    if text is None:
        return True
    document = text.text.removeprefix("---\n")
    policy = read_lenient(f"---\n{document}\n---\n").fields.get("policy")
    if not isinstance(policy, Mapping):
        return False
    return LenientFrontmatter(policy).denies("allow_implicit_invocation")
