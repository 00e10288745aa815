"""Artifact folders by kind and tool, in order of precedence.

The workspace precedes the home directory, Cursor precedes Claude, both precede the
others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

Platform: TypeAlias = Literal[
    "agents",
    "augment",
    "claude",
    "cline",
    "codex",
    "continue",
    "copilot",
    "cursor",
    "gemini",
    "junie",
    "kiro",
    "opencode",
    "roo",
    "trae",
    "windsurf",
    "zed",
]
"""The tool that defines the convention; `agents` is tool-neutral."""

Location: TypeAlias = Literal["workspace", "global"]

COMMANDS: Final[tuple[tuple[Platform, str], ...]] = (
    ("cursor", ".cursor/commands"),
    ("claude", ".claude/commands"),
)
SKILLS: Final[tuple[tuple[Platform, str], ...]] = (
    ("cursor", ".cursor/skills"),
    ("claude", ".claude/skills"),
    ("agents", ".agents/skills"),
    ("agents", "skills"),
    ("codex", ".codex/skills"),
    ("gemini", ".gemini/skills"),
)
AGENTS: Final[tuple[tuple[Platform, str], ...]] = (
    ("cursor", ".cursor/agents"),
    ("claude", ".claude/agents"),
)

_GLOBAL: Final = frozenset({".cursor", ".claude"})
"""Folders read in a home directory, if that is enabled."""


@dataclass(frozen=True, slots=True)
class ArtifactFolder:
    """A folder that may hold artifacts of one kind."""

    root: Path
    """Nothing is read outside it."""
    folder: str
    """Relative to the root."""
    platform: Platform
    location: Location = "workspace"
    prefix: str = ""
    """Prefix of display paths."""
    holds_imports: bool = False
    """Whether its files are texts that a guide imports, rather than artifacts."""

    def show(self, path: str) -> str:
        """Return the display path of a path below the root."""
        return self.prefix + path


def find_folders(
    kinds: tuple[tuple[Platform, str], ...], root: Path, home: Path | None
) -> Iterator[ArtifactFolder]:
    """Yield the artifact folders of a kind in a project, then in a home directory."""
    for platform, folder in kinds:
        yield ArtifactFolder(root, folder, platform)
    for platform, folder in kinds if home else ():
        top, _, below = folder.partition("/")
        if home and top in _GLOBAL:
            yield ArtifactFolder(home / top, below, platform, "global", f"~/{top}/")
