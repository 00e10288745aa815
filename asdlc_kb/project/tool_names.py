"""Names of the coding tools, as people write them."""

from collections.abc import Iterable, Mapping
from typing import Final

from asdlc_kb.project.locations import Platform

TOOL_NAMES: Final[Mapping[Platform, str]] = {
    "agents": "any tool",
    "augment": "Augment",
    "claude": "Claude Code",
    "cline": "Cline",
    "codex": "Codex",
    "continue": "Continue",
    "copilot": "Copilot",
    "cursor": "Cursor",
    "gemini": "Gemini CLI",
    "junie": "Junie",
    "kiro": "Kiro",
    "opencode": "opencode",
    "roo": "Roo Code",
    "trae": "Trae",
    "windsurf": "Windsurf",
    "zed": "Zed",
}

MAX_NAMED: Final = 3
"""Tools that a message names; the others are counted."""


def join_tools(tools: Iterable[Platform]) -> str:
    """Return the names as a phrase: `Cursor, Claude Code, Codex and 4 other tools`."""
    names = [TOOL_NAMES[tool] for tool in dict.fromkeys(tools)]
    if len(names) > MAX_NAMED + 1:
        names = [*names[:MAX_NAMED], f"{len(names) - MAX_NAMED} other tools"]
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
