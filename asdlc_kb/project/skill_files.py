"""The files of a skill as served, with their digests.

As the MCP skills extension (SEP-2640) requires: every file once, `SKILL.md` first,
each with the SHA-256 of the bytes served. Those are the file's bytes, except that
invisible characters are removed from texts. An unreadable file is a problem and is not
listed. Hidden files do not belong to a skill.
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
    """A file of a skill as served."""

    path: str
    """Relative to the skill's folder."""
    shown: str
    """Relative to the project."""
    size: int
    digest: str
    """`sha256:` and 64 hexadecimal digits."""


def find_files(
    scanner: ProjectScanner, main: ArtifactFile
) -> Iterator[tuple[str, ArtifactFile]]:
    """Yield the files of a skill by its main file, with their paths relative to it."""
    yield SKILL_FILE, main
    if len(main.below) < 2:
        return
    place = replace(main.place, folder=main.path.rpartition("/")[0])
    for file in scanner.files(place, ("",)):
        if file.path != main.path:
            yield "/".join(file.below), file


def list_skill_files(
    scanner: ProjectScanner, skill: SkillContent
) -> tuple[SkillFile, ...]:
    """Return the files of a skill, the main file first."""
    return tuple(_digest(scanner, skill))


def read_skill_file(
    scanner: ProjectScanner, skill: SkillContent, path: str
) -> str | bytes | None:
    """Return a file of a skill, or None if it has none at that path.

    UTF-8 without NUL is returned as a string, byte order mark and line ends included.
    """
    for name, file in find_files(scanner, skill.file):
        if name == path:
            return read_content(scanner, file)
    return None


def skill_file_signatures(
    scanner: ProjectScanner, skill: SkillContent
) -> dict[str, Signature]:
    """Return the signatures of a skill's readable files by path."""
    signatures = {
        name: scanner.read_signature(file)
        for name, file in find_files(scanner, skill.file)
    }
    return {name: found for name, found in signatures.items() if found is not None}


def measure_files(
    scanner: ProjectScanner, skill: SkillContent
) -> Iterator[tuple[str, int]]:
    """Yield display path and bytes of a skill's files other than the main one."""
    for _, file in find_files(scanner, skill.file):
        found = None if file == skill.file else scanner.read_signature(file)
        if found is not None:
            yield file.shown, found.size


def find_invisible(scanner: ProjectScanner, skill: SkillContent) -> Iterator[Problem]:
    """Yield the invisible characters in a skill's files other than the main one."""
    for name, file in find_files(scanner, skill.file):
        text = _decode(scanner.read_bytes(file)) if name != SKILL_FILE else None
        if isinstance(text, str):
            text = text.removeprefix(_MARK).replace("\r\n", "\n")
            yield from clean_text(file.shown, text).problems


def _digest(scanner: ProjectScanner, skill: SkillContent) -> Iterator[SkillFile]:
    for name, file in find_files(scanner, skill.file):
        content = read_content(scanner, file)
        if content is not None:
            data = content.encode() if isinstance(content, str) else content
            digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
            yield SkillFile(name, file.shown, len(data), digest)


def _decode(data: bytes | None) -> str | bytes | None:
    """Decode a file if it is UTF-8 text."""
    if data is None or b"\0" in data:
        return data
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def read_content(scanner: ProjectScanner, file: ArtifactFile) -> str | bytes | None:
    """Return a file as served: text without invisible characters, or bytes."""
    text = _decode(scanner.read_bytes(file))
    if not isinstance(text, str):
        return text
    mark = _MARK if text.startswith(_MARK) else ""
    return mark + "\r\n".join(map(strip_invisible, text[len(mark) :].split("\r\n")))
