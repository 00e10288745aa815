"""Tools from and to which instructions are converted, and where each has them.

A tool has a folder of rules, a guide that is attached always, or both. In a guide, what
is written is a block of lines; the rest of the file is not changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from asdlc_kb.project.instruction_places import PLACES, InstructionPlace
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.rule_dialects import Activation


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncTool:
    """Where a tool has its instructions."""

    name: Platform
    rules: InstructionPlace | None = None
    """Its folder of rules, one file each."""
    guide: str = ""
    """Path of the file that is attached always; in any folder, unless the path has a
    folder. Rules are written there if the tool has no files for such rules."""
    activations: frozenset[Activation] = frozenset()
    """Activations that a rule in the folder can have."""

    @property
    def has_nested_guides(self) -> bool:
        """Whether a folder may have a guide for the files below it."""
        return "/" not in self.guide


_BY_PATTERN: Final[frozenset[Activation]] = frozenset({"always", "auto-attached"})
_ALL: Final[frozenset[Activation]] = _BY_PATTERN | {"agent-requested", "manual"}


def _find(tool: Platform, path: str) -> InstructionPlace:
    return next(one for one in PLACES if (one.tool, one.path) == (tool, path))


_TOOLS: Final = (
    SyncTool(name="agents", guide="AGENTS.md"),
    SyncTool(
        name="claude", rules=_find("claude", ".claude/rules/"), activations=_BY_PATTERN
    ),
    SyncTool(
        name="cline", rules=_find("cline", ".clinerules/"), activations=_BY_PATTERN
    ),
    SyncTool(name="codex", guide="AGENTS.md"),
    SyncTool(
        name="continue", rules=_find("continue", ".continue/rules/"), activations=_ALL
    ),
    SyncTool(
        name="copilot",
        rules=_find("copilot", ".github/instructions/"),
        guide=".github/copilot-instructions.md",
        activations=_ALL - {"always"},
    ),
    SyncTool(name="cursor", rules=_find("cursor", ".cursor/rules/"), activations=_ALL),
    SyncTool(name="gemini", guide="GEMINI.md"),
    SyncTool(name="kiro", rules=_find("kiro", ".kiro/steering/"), activations=_ALL),
    SyncTool(
        name="windsurf", rules=_find("windsurf", ".windsurf/rules/"), activations=_ALL
    ),
)

SYNC_TOOLS: Final[Mapping[str, SyncTool]] = {tool.name: tool for tool in _TOOLS}
"""The tools by name."""

SOURCE_GUIDES: Final[Mapping[str, str]] = {
    "agents": "AGENTS.md",
    "claude": "CLAUDE.md",
    "codex": "AGENTS.md",
    "gemini": "GEMINI.md",
}
"""Names of the guides that are converted, by tool."""
