"""Result with the text of one file that a list of the project shows."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec import UnsetType

from asdlc_kb.exceptions import PathNotFound
from asdlc_kb.markup.sections import Section
from asdlc_kb.mcp.protocol.errors import ToolFailure, clip
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.project.readable_files import (
    ReadableFile,
    find_readable,
    split_document,
)
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.served_skills import find_served
from asdlc_kb.project.skills import scan_skills
from asdlc_kb.providers.project import views
from asdlc_kb.providers.project.skill_uris import SkillUri
from asdlc_kb.providers.shared.chunks import cut_chunk, describe_chunk, show_chunk
from asdlc_kb.providers.shared.results import make_result, to_values
from asdlc_kb.providers.shared.size_budget import SizeBudget

_MARKDOWN: Final = (".md", ".mdc", ".markdown")
"""Suffixes of files with sections."""


def show_file(
    scanner: ProjectScanner,
    path: str,
    project: str | None,
    max_chars: int,
    cursor: str | UnsetType,
) -> ToolResult:
    """Return a result with the text of a file, or a chunk of it.

    `project` is the name in URIs of skills. Raise PathNotFound for a path that no list
    shows, and ToolFailure for a file that is not text or cannot be read.
    """
    readable = find_readable(scanner, path)
    content = None if readable is None else readable.read(scanner)
    if readable is None or content is None:
        raise _refuse(scanner, path)
    if isinstance(content, bytes):
        raise _refuse_bytes(scanner, readable, project, len(content))
    chunk = cut_chunk(
        content,
        cursor,
        partial(_split, path, content),
        SizeBudget(max_chars, is_json=False),
    )
    view = views.FileView(path=path, **views.chunk_fields(chunk))
    notes = describe_chunk(chunk) if content else ("The file is empty.",)
    return make_result(to_values(view), show_chunk(chunk), notes)


def _split(path: str, text: str) -> Sequence[Section]:
    return split_document(text) if path.endswith(_MARKDOWN) else ()


def _refuse(scanner: ProjectScanner, path: str) -> PathNotFound | ToolFailure:
    """Return why a file cannot be read: its problem, or that there is none."""
    for problem in scanner.sorted_problems:
        if problem.path == path:
            message = f"Cannot read '{clip(path)}': {problem.message}"
            return ToolFailure(message, {"path": path})
    return PathNotFound(path)


def _refuse_bytes(
    scanner: ProjectScanner, readable: ReadableFile, project: str | None, size: int
) -> ToolFailure:
    """Return the failure for a file that is not text, with its URI if it has one."""
    path = readable.file.shown
    message = f"'{clip(path)}' is not text ({size:,} bytes)"
    for served in find_served(scan_skills(scanner)).values():
        if served.skill.file == readable.skill:
            uri = SkillUri(project, served.name, readable.skill_path)
            message += f": read the resource {uri}"
    return ToolFailure(message, {"path": path})
