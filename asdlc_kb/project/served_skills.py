"""The skills that hosts of the skills extension of MCP (SEP-2640) can take.

A host compares what it is told with what it reads, field by field, and refuses a skill
that is not as the open format asks. So a skill is served that way only if strict YAML
reads its frontmatter, with a `name` and a `description` of the format; it is called as
its `name` says. Of several skills of one name the first by precedence is served. One
that hides characters behind escapes, which no reader of the file sees, is not.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter import nodes
from asdlc_kb.frontmatter.parser import parse, split
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import find_texts
from asdlc_kb.project.skill_files import SkillFile, list_skill_files
from asdlc_kb.project.skills import SkillContent, is_skill_name
from asdlc_kb.unicode.invisible import strip_invisible

Data: TypeAlias = "str | bool | int | float | list[Data] | dict[str, Data] | None"

MAX_FILES: Final = 512
MAX_BYTES: Final = 16 * 1024 * 1024
"""Files of one skill, and bytes of all of them, that every host accepts."""

_QUOTES: Final = frozenset("\"'|>")
"""What a text that is not plain begins with."""

_TRUTHS: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}")
_BASED: Final = re.compile(r"0(?:o[0-7]{1,16}|x[0-9a-fA-F]{1,13})")
_FLOAT: Final = re.compile(
    r"[-+]?(?:\.[0-9]{1,40}|[0-9]{1,40}(?:\.[0-9]{0,40})?)(?:[eE][-+]?[0-9]{1,3})?"
)
"""Numbers of YAML's core schema that JSON and every reader of it can hold."""


@dataclass(frozen=True, slots=True)
class ServedSkill:
    """A skill under the name that its frontmatter gives it."""

    name: str
    description: str
    frontmatter: dict[str, Data]
    """All that it says of itself, as JSON has it."""
    skill: SkillContent


def find_served(skills: Iterable[SkillContent]) -> dict[str, ServedSkill]:
    """Return the skills that hosts can take, by name, in their order of precedence."""
    found: dict[str, ServedSkill] = {}
    for served in filter(None, map(_serve, skills)):
        found.setdefault(served.name, served)
    return found


def list_served_files(
    survey: ProjectScanner, served: ServedSkill
) -> tuple[SkillFile, ...] | None:
    """Return all files of a skill; None if hosts need not take so many or so much."""
    # Of its own, so that the bytes of one skill are not taken from the next.
    own = ProjectScanner(survey.project)
    files = list_skill_files(own, served.skill)
    is_small = len(files) <= MAX_FILES and sum(f.size for f in files) <= MAX_BYTES
    return files if files and is_small else None


def _serve(skill: SkillContent) -> ServedSkill | None:
    frontmatter = read_frontmatter(skill.source)
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


def read_frontmatter(source: str) -> dict[str, Data] | None:
    """Return a frontmatter as data, or None where strict YAML has none.

    Plain texts are numbers, truths or nothing where YAML's core schema says so.
    """
    try:
        frontmatter = split(source).frontmatter
        if frontmatter is None:
            return None
        fields = parse(frontmatter).items
    except FrontmatterError:
        return None
    lines = source.split("\n")
    return {key: _convert(value, lines) for key, value in fields.items()}


def _convert(value: nodes.Value, lines: list[str]) -> Data:
    if isinstance(value, nodes.Scalar):
        if value.is_null:
            return None
        first = lines[value.line - 1][value.column - 1 : value.column]
        return value.text if first in _QUOTES else _resolve(value.text)
    if isinstance(value, nodes.Sequence):
        return [_convert(item, lines) for item in value.items]
    return {name: _convert(item, lines) for name, item in value.items.items()}


def _resolve(plain: str) -> Data:
    """Return what a text without quotes stands for."""
    if plain in _TRUTHS:
        return _TRUTHS[plain]
    if _INTEGER.fullmatch(plain):
        return int(plain)
    if _BASED.fullmatch(plain):
        return int(plain, 0)
    number = float(plain) if _FLOAT.fullmatch(plain) else math.inf
    return number if math.isfinite(number) else plain
