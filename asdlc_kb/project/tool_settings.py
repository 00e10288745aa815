"""Settings of tools, in a project, that name further instruction files.

Only these names are read of the settings, and never shown.

- opencode: `instructions` in opencode.json, paths and patterns of files.
- Gemini CLI: `context.fileName` in .gemini/settings.json, the names of its guides.
- Codex: `project_doc_max_bytes` in .codex/config.toml, the bytes it reads of guides.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.reader import ChangedWhileRead, read_file
from asdlc_kb.project.registry import Project

MAX_NAMES: Final = 50
"""Names read from one setting."""

OPENCODE: Final = "opencode.json"
GEMINI: Final = ".gemini/settings.json"
CODEX: Final = ".codex/config.toml"

CODEX_BYTES: Final = 32 * 1024
"""Bytes of guides that Codex reads by default."""

_GEMINI_NAMES: Final = ("GEMINI.md",)
"""The names of Gemini CLI's guides by default."""


def read_opencode_instructions(project: Project) -> Sequence[str]:
    """Return the paths and patterns that opencode reads in addition."""
    return _as_names(_read(project, OPENCODE).get("instructions"))


def read_gemini_names(project: Project) -> Sequence[str]:
    """Return the names of the files that Gemini CLI reads as guides."""
    settings = _read(project, GEMINI)
    context = settings.get("context")
    nested = context.get("fileName") if isinstance(context, dict) else None
    return _as_names(nested or settings.get("contextFileName")) or _GEMINI_NAMES


def read_codex_max_bytes(project: Project) -> int:
    """Return how many bytes of guides Codex reads."""
    from tomllib import loads

    limit = _read(project, CODEX, loads).get("project_doc_max_bytes")
    return limit if type(limit) is int and limit > 0 else CODEX_BYTES


def _read(
    project: Project, path: str, load: Callable[[str], Any] = json.loads
) -> Mapping[str, Any]:
    """Return settings; empty if there are none or they cannot be read."""
    try:
        settings = load(read_file(project.root, path).text)
    except (OSError, UnreadableFile, ChangedWhileRead, ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _as_names(value: object) -> Sequence[str]:
    values = value if isinstance(value, list) else [value]
    return [name for name in values if isinstance(name, str)][:MAX_NAMES]
