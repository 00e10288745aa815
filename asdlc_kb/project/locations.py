"""Where artifacts lie, by kind and tool, in the order in which they take precedence.

The workspace comes before what is of the whole machine, Cursor before Claude, both
before the others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

Platform: TypeAlias = Literal["cursor", "claude", "agents", "codex", "gemini"]
"""Whose convention a place is; `agents` is nobody's and everybody's."""

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
"""Folders of a home that are looked into, when they are."""


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
    """What paths below the root begin with when they are told."""

    def show(self, path: str) -> str:
        """Return how a path below the root is told."""
        return self.prefix + path


def find_places(
    kinds: tuple[tuple[Platform, str], ...], root: Path, home: Path | None
) -> Iterator[ArtifactFolder]:
    """Yield the places of a kind in a project, then those in a home."""
    for platform, folder in kinds:
        yield ArtifactFolder(root, folder, platform)
    for platform, folder in kinds if home else ():
        top, _, below = folder.partition("/")
        if home and top in _GLOBAL:
            yield ArtifactFolder(home / top, below, platform, "global", f"~/{top}/")
