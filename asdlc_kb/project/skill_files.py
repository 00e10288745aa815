"""All files of a skill, with their digests, as they are handed on.

What the skills extension of MCP (SEP-2640) asks for: every file once, `SKILL.md` first,
each with the SHA-256 of the bytes that a reader gets. Those are the file's very bytes,
but for what nobody can see in a text: it is left out of texts here as everywhere. A
file that cannot be read is a problem and is not listed. Hidden files are none of a
skill's.
"""

import hashlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from asdlc_kb.files.clean_text import clean_text
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature
from asdlc_kb.project.artifact_file import ArtifactFile
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skills import SKILL_FILE, SkillContent
from asdlc_kb.unicode.invisible import strip_invisible

_MARK: Final = BOM_UTF8.decode()


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file of a skill as it is handed on."""

    path: str
    """Relative to the skill's folder."""
    shown: str
    """Relative to the project."""
    size: int
    digest: str
    """`sha256:` and 64 hexadecimal digits."""


def list_skill_files(
    survey: ProjectScanner, skill: SkillContent
) -> tuple[SkillFile, ...]:
    """Return the files of a skill, its main file first."""
    return tuple(_digest(survey, skill))


def read_skill_file(
    survey: ProjectScanner, skill: SkillContent, path: str
) -> str | bytes | None:
    """Return a file of a skill, or None if it has none of that path.

    A text without a NUL is a text, byte order mark and line ends included.
    """
    for name, file in _list(survey, skill):
        if name == path:
            return _read(survey, file)
    return None


def sign_skill_files(
    survey: ProjectScanner, skill: SkillContent
) -> dict[str, Signature]:
    """Return the signatures of the files of a skill that can be opened, by path."""
    signed = ((name, survey.sign(file)) for name, file in _list(survey, skill))
    return {name: signature for name, signature in signed if signature is not None}


def find_invisible(survey: ProjectScanner, skill: SkillContent) -> Iterator[Problem]:
    """Yield the invisible characters of the texts beside a skill's main file."""
    for name, file in _list(survey, skill):
        text = _decode(survey.read_bytes(file)) if name != SKILL_FILE else None
        if isinstance(text, str):
            text = text.removeprefix(_MARK).replace("\r\n", "\n")
            yield from clean_text(file.shown, text).problems


def _list(
    survey: ProjectScanner, skill: SkillContent
) -> Iterator[tuple[str, ArtifactFile]]:
    """Yield the files of a skill with their paths in it."""
    yield SKILL_FILE, skill.file
    if not skill.is_folder:
        return
    folder = skill.file.path.rpartition("/")[0]
    place = replace(skill.file.place, folder=folder)
    for file in survey.files(place, ("",)):
        if file.path != skill.file.path:
            yield "/".join(file.below), file


def _digest(survey: ProjectScanner, skill: SkillContent) -> Iterator[SkillFile]:
    for name, file in _list(survey, skill):
        content = _read(survey, file)
        if content is not None:
            data = content.encode() if isinstance(content, str) else content
            digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
            yield SkillFile(name, file.shown, len(data), digest)


def _decode(data: bytes | None) -> str | bytes | None:
    """Return a file as a text, if it is one."""
    if data is None or b"\0" in data:
        return data
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _read(survey: ProjectScanner, file: ArtifactFile) -> str | bytes | None:
    text = _decode(survey.read_bytes(file))
    if not isinstance(text, str):
        return text
    mark = _MARK if text.startswith(_MARK) else ""
    return mark + "\r\n".join(map(strip_invisible, text[len(mark) :].split("\r\n")))
