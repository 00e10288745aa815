"""Skills: a folder with a `SKILL.md`, or one Markdown file, in the roots in use.

The open format says `name` and `description` in the frontmatter, seed 003's dialect
`title` and `overview`; either is read, and each stands in for the other. A skill is
called as its folder is, which the open format asks its `name` to be.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from asdlc_kb.project.brief import brief
from asdlc_kb.project.commands import is_readme
from asdlc_kb.project.header import read_header
from asdlc_kb.project.lookup import find
from asdlc_kb.project.places import SKILLS, Location, Platform
from asdlc_kb.project.prose import find_title, summarise
from asdlc_kb.project.survey import File, Survey

SKILL_FILE: Final = "SKILL.md"

LONGEST_NAME: Final = 64
"""Characters of a skill's name (agentskills.io)."""

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillInfo:
    """A skill without its text."""

    name: str
    description: str
    """Of when to use it; empty if it does not say."""
    title: str | None = None
    """As its frontmatter says, or else its first heading."""
    overview: str | None = None
    """As its frontmatter says, or else its description."""
    path: str
    location: Location
    platform: Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillContent(SkillInfo):
    """A skill with the text of its main file."""

    content: str
    """Markdown below the frontmatter."""
    source: str
    """The whole file."""
    file: File
    """Its main file."""
    declared: str | None = None
    """The name in its frontmatter."""
    has_description: bool = True
    """Whether its frontmatter has the open format's field."""
    allowed_tools: tuple[str, ...] = ()

    @property
    def is_folder(self) -> bool:
        """Whether other files can belong to it."""
        return len(self.file.below) > 1


def scan_skills(survey: Survey) -> tuple[SkillContent, ...]:
    """Return the skills: the workspace's first, Cursor's before Claude's."""
    return tuple(_read_all(survey))


def list_skills(survey: Survey) -> tuple[SkillInfo, ...]:
    """Return the skills without their texts."""
    return tuple(brief(SkillInfo, skill) for skill in scan_skills(survey))


def get_skill(survey: Survey, name: str) -> SkillContent | None:
    """Return the skill of a name or path, or None."""
    skills = scan_skills(survey)
    declared = (skill for skill in skills if skill.declared == name)
    return find(skills, name) or next(declared, None)


def is_skill_name(name: str) -> bool:
    """Whether the open format allows a skill to be called so."""
    return len(name) <= LONGEST_NAME and _NAME.fullmatch(name) is not None


def _read_all(survey: Survey) -> Iterator[SkillContent]:
    for place in survey.places(SKILLS):
        for file in survey.files(place, (".md",), deepest=1):
            skill = _read(survey, file) if _is_skill(file) else None
            if skill is not None:
                yield skill


def _is_skill(file: File) -> bool:
    """Whether a file is a skill's main one."""
    if len(file.below) > 1:
        return file.below[-1].lower() == SKILL_FILE.lower()
    # A folder `skills` at the top of a project may be about anything.
    is_dotted = file.place.folder.startswith(".") or file.place.location == "global"
    return is_dotted and not is_readme(file)


def _read(survey: Survey, file: File) -> SkillContent | None:
    text = survey.read(file)
    if text is None:
        return None
    header = read_header(text.text)
    overview = header.text("overview")
    description = header.text("description") or overview
    return SkillContent(
        name=file.below[0] if len(file.below) > 1 else file.stem,
        description=description or summarise(header.body),
        title=header.text("title") or find_title(header.body),
        overview=overview or description,
        path=file.shown,
        location=file.place.location,
        platform=file.place.platform,
        content=header.body,
        source=text.text,
        file=file,
        declared=header.text("name"),
        has_description=header.text("description") is not None,
        allowed_tools=header.patterns("allowed-tools"),
    )
