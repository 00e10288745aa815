"""Settings of tools, in a project, that name further instruction files.

Only these names are read of the settings, and never shown.

- opencode: `instructions` in opencode.json and opencode.jsonc, paths and patterns.
- Gemini CLI: `context.fileName` in .gemini/settings.json, more names of its guides.
- Codex: in .codex/config.toml, `project_doc_fallback_filenames`, the names of guides
  where there is no AGENTS.md, and `project_doc_max_bytes`, the bytes it reads of them.
- Claude Code: `claudeMdExcludes` in .claude/settings.json, the files it leaves out.

JSON may have comments and trailing commas, as these tools accept. Settings that cannot
be read are a problem, since what they name is not known.
"""

import json
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.commented_json import blank_comments, blank_trailing_commas
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import ChangedWhileRead, read_file
from asdlc_kb.project.registry import Project

MAX_NAMES: Final = 50
"""Names read from one setting."""

INSTRUCTION_SUFFIXES: Final = (".md", ".mdc", ".markdown", ".txt")
"""Suffixes of files that settings and imports may name."""

OPENCODE: Final = "opencode.json"
OPENCODE_FILES: Final = (OPENCODE, "opencode.jsonc")
GEMINI: Final = ".gemini/settings.json"
CODEX: Final = ".codex/config.toml"
CLAUDE: Final = ".claude/settings.json"

SETTINGS_FILES: Final = (*OPENCODE_FILES, GEMINI, CODEX, CLAUDE)

CODEX_BYTES: Final = 32 * 1024
"""Bytes of guides that Codex reads by default."""


@dataclass(frozen=True, slots=True)
class GuideSettings:
    """What the settings of a project say about guides, by tool."""

    gemini: tuple[str, ...] = ()
    """Names that Gemini CLI reads in each folder, besides GEMINI.md."""
    codex: tuple[str, ...] = ()
    """Names of which Codex reads the first, in a folder without an AGENTS.md."""
    claude_excludes: tuple[str, ...] = ()
    """Patterns of absolute paths that Claude Code does not read."""
    problems: tuple[Problem, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of guides; one may be a path."""
        return tuple(dict.fromkeys((*self.gemini, *self.codex)))


def read_guide_settings(root: Path) -> GuideSettings:
    """Return what the settings of a project say about guides."""
    problems: list[Problem] = []
    gemini = _read(root, GEMINI, problems)
    context = gemini.get("context")
    nested = context.get("fileName") if isinstance(context, dict) else None
    codex = _read(root, CODEX, problems).get("project_doc_fallback_filenames")
    excludes = _read(root, CLAUDE, problems).get("claudeMdExcludes")
    return GuideSettings(
        _read_names(nested or gemini.get("contextFileName")),
        _read_names(codex),
        tuple(_as_names(excludes)),
        tuple(problems),
    )


def read_opencode_instructions(
    project: Project, problems: list[Problem] | None = None
) -> Sequence[str]:
    """Return the paths and patterns that opencode reads in addition."""
    found = [
        name
        for path in OPENCODE_FILES
        for name in _as_names(_read(project.root, path, problems).get("instructions"))
    ]
    return [*dict.fromkeys(found)]


def read_codex_max_bytes(project: Project) -> int:
    """Return how many bytes of guides Codex reads."""
    limit = _read(project.root, CODEX).get("project_doc_max_bytes")
    return limit if type(limit) is int and limit > 0 else CODEX_BYTES


def _read(
    root: Path, path: str, problems: list[Problem] | None = None
) -> Mapping[str, Any]:
    """Return settings; empty if there are none or they cannot be read."""
    load, format_name = (
        (_load_toml, "TOML") if path.endswith(".toml") else (_load_json, "JSON")
    )
    reason = f"is not valid {format_name}"
    try:
        settings = load(read_file(root, path).text)
        if isinstance(settings, dict):
            return settings
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnreadableFile, ChangedWhileRead):
        reason = "cannot be read"
    except (ValueError, RecursionError):
        pass
    if problems is not None:
        message = (
            f"{reason}, so the instructions that it may name are not known: fix it"
        )
        problems.append(Problem(path, 1, 1, "KB001", message))
    return {}


def _load_json(text: str) -> Any:
    strict = blank_trailing_commas(blank_comments(text))
    return json.loads(strict) if strict.strip() else {}


def _load_toml(text: str) -> Any:
    from tomllib import loads

    return loads(text)


def _read_names(value: object) -> tuple[str, ...]:
    """Return the names of guides that are text files below a folder."""
    names = (posixpath.normpath(name.strip()) for name in _as_names(value))
    return tuple(
        name
        for name in dict.fromkeys(names)
        if name.endswith(INSTRUCTION_SUFFIXES) and not name.startswith(("/", "..", "~"))
    )


def _as_names(value: object) -> Sequence[str]:
    values = value if isinstance(value, list) else [value]
    return [name for name in values if isinstance(name, str)][:MAX_NAMES]
