"""All files of a skill as they are, with their digests, and its frontmatter as data.

What the skills extension of MCP (SEP-2640) asks for: every file once, `SKILL.md` first,
each with the SHA-256 of its very bytes. A file that cannot be read is a problem and is
not listed. Hidden files are none of a skill's.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.files import values
from asdlc_kb.files.frontmatter import parse, split
from asdlc_kb.project.header import Value, read_header
from asdlc_kb.project.skills import SKILL_FILE, SkillContent
from asdlc_kb.project.survey import File, Survey

Data: TypeAlias = "str | bool | list[Data] | dict[str, Data] | None"

_TEXTS: Final = frozenset(
    {"name", "description", "title", "overview", "license", "compatibility", "metadata"}
)
"""Fields that the format defines as texts, or as a mapping of texts."""


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file of a skill as it was read."""

    path: str
    """Relative to the skill's folder."""
    shown: str
    """Relative to the project."""
    size: int
    digest: str
    """`sha256:` and 64 hexadecimal digits."""


def list_skill_files(survey: Survey, skill: SkillContent) -> tuple[SkillFile, ...]:
    """Return the files of a skill, its main file first."""
    return tuple(_digest(survey, skill))


def read_skill_file(survey: Survey, skill: SkillContent, path: str) -> bytes | None:
    """Return a file of a skill as it is, or None if it has none of that path."""
    for name, file in _list(survey, skill):
        if name == path:
            return survey.read_bytes(file)
    return None


def _digest(survey: Survey, skill: SkillContent) -> Iterator[SkillFile]:
    for name, file in _list(survey, skill):
        data = survey.read_bytes(file)
        if data is not None:
            digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
            yield SkillFile(name, file.shown, len(data), digest)


def _list(survey: Survey, skill: SkillContent) -> Iterator[tuple[str, File]]:
    """Yield the files of a skill with their paths in it."""
    yield SKILL_FILE, skill.file
    if not skill.is_folder:
        return
    folder = skill.file.path.rpartition("/")[0]
    place = replace(skill.file.place, folder=folder)
    for file in survey.files(place, ("",)):
        if file.path != skill.file.path:
            yield "/".join(file.below), file


def read_frontmatter(skill: SkillContent) -> dict[str, Data]:
    """Return all that a skill's frontmatter says, as JSON has it.

    `true` and `false` are booleans in fields that are not defined as texts; all else
    that is no list or mapping is a text, as it is written.
    """
    try:
        parts = split(skill.source)
        fields = parse(parts.frontmatter or "").items
    except FrontmatterError:
        lenient = read_header(skill.source).fields
        return {key: _convert(item, key) for key, item in lenient.items()}
    return {key: _unwrap(item, key) for key, item in fields.items()}


def _unwrap(value: values.Value, key: str) -> Data:
    if isinstance(value, values.Scalar):
        return None if value.is_null else _guess(value.text, key)
    if isinstance(value, values.Sequence):
        return [_unwrap(item, key) for item in value.items]
    return {name: _unwrap(item, key) for name, item in value.items.items()}


def _convert(value: Value, key: str) -> Data:
    if value is None:
        return None
    if isinstance(value, str):
        return _guess(value, key)
    if isinstance(value, Mapping):
        return {name: _convert(item, key) for name, item in value.items()}
    return [_guess(item, key) for item in value]


def _guess(text: str, key: str) -> str | bool:
    if key in _TEXTS or text not in ("true", "false"):
        return text
    return text == "true"
