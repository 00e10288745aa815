"""Skills valid for hosts of the MCP skills extension (SEP-2640).

A host compares the listed fields with the file's, and rejects a skill that violates
the open format. So a skill is served only if strict YAML parses its frontmatter, with
a `name` and a `description` of the format; its `name` is its identifier. Of several
skills of one name the first by precedence is served. One with invisible characters
behind escapes, which no reader of the file sees, is not.
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
"""Files per skill, and their total bytes, that every host accepts."""

_QUOTES: Final = frozenset("\"'|>")
"""First characters of a YAML scalar that is not plain."""

_TRUTHS: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}")
_BASED: Final = re.compile(r"0(?:o[0-7]{1,16}|x[0-9a-fA-F]{1,13})")
_FLOAT: Final = re.compile(
    r"[-+]?(?:\.[0-9]{1,40}|[0-9]{1,40}(?:\.[0-9]{0,40})?)(?:[eE][-+]?[0-9]{1,3})?"
)
"""Numbers of YAML's core schema that every JSON parser can represent."""


@dataclass(frozen=True, slots=True)
class ServedSkill:
    """A skill under its frontmatter's name."""

    name: str
    description: str
    frontmatter: dict[str, Data]
    """All its fields, as JSON data."""
    skill: SkillContent


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
    """Return a frontmatter as data, or None if strict YAML reads none.

    Plain scalars are resolved by YAML's core schema: numbers, booleans, null.
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
    """Return the value of a plain scalar."""
    if plain in _TRUTHS:
        return _TRUTHS[plain]
    if _INTEGER.fullmatch(plain):
        return int(plain)
    if _BASED.fullmatch(plain):
        return int(plain, 0)
    number = float(plain) if _FLOAT.fullmatch(plain) else math.inf
    return number if math.isfinite(number) else plain
