"""Skills valid for hosts of the MCP skills extension (SEP-2640).

A host compares the listed fields with the file's, and rejects a skill that violates
the open format. So a skill is served only if strict YAML parses its frontmatter, with
a `name` and a `description` of the format; its `name` is its identifier. Of several
skills of one name the first by precedence is served. One with invisible characters
behind escapes, which no reader of the file sees, is not.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from asdlc_kb.frontmatter.core_schema import JsonData, read_data
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import find_texts
from asdlc_kb.project.skill_files import SkillFile, list_skill_files
from asdlc_kb.project.skills import SkillContent, is_skill_name
from asdlc_kb.unicode.invisible import strip_invisible

MAX_FILES: Final = 512
MAX_BYTES: Final = 16 * 1024 * 1024
"""Files per skill, and their total bytes, that every host accepts."""


@dataclass(frozen=True, slots=True)
class ServedSkill:
    """A skill under its frontmatter's name."""

    name: str
    description: str
    frontmatter: dict[str, JsonData]
    """All its fields, as JSON data."""
    skill: SkillContent

    @property
    def is_offered(self) -> bool:
        """Whether it is listed; one that only people start is found by its URI."""
        return self.skill.can_model_invoke


def find_served(skills: Iterable[SkillContent]) -> dict[str, ServedSkill]:
    """Return the valid skills by name, in order of precedence."""
    by_name: dict[str, ServedSkill] = {}
    for served in filter(None, map(_serve, skills)):
        by_name.setdefault(served.name, served)
    return by_name


def list_served_files(
    scanner: ProjectScanner, served: ServedSkill
) -> tuple[SkillFile, ...] | None:
    """Return all files of a skill; None if they exceed what every host accepts."""
    # A separate scanner, so that one skill does not use up the limits of the next.
    separate = ProjectScanner(scanner.project)
    files = list_skill_files(separate, served.skill)
    is_small = len(files) <= MAX_FILES and sum(f.size for f in files) <= MAX_BYTES
    return files if files and is_small else None


def _serve(skill: SkillContent) -> ServedSkill | None:
    frontmatter = read_data(skill.source)
    if frontmatter is None or any(map(_hides, find_texts(frontmatter))):
        return None
    name, description = frontmatter.get("name"), frontmatter.get("description")
    if not isinstance(name, str) or not is_skill_name(name):
        return None
    if not isinstance(description, str) or not description.strip():
        return None
    return ServedSkill(name, description, frontmatter, skill)


def _hides(text: str) -> bool:
    return strip_invisible(text) != text
