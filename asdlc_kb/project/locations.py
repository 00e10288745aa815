"""Where artifacts are: tools, plugins, and folders of artifacts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

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

PLUGIN_HOLDER: Final = ".claude-plugin"
"""The folder with the manifest of a plugin."""


class Plugin(NamedTuple):
    """A bundle of commands, skills and agents."""

    name: str
    folder: str
    """Relative to the project; empty for the project itself."""


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
    suffixes: tuple[str, ...] = ()
    """Suffixes that are not part of a name, the longest first."""
    scope: str = ""
    """The folder of the project that its artifacts are for; empty for all of it."""
    plugin: Plugin | None = None
    """The plugin that it belongs to."""

    @property
    def is_hidden(self) -> bool:
        """Whether it is in the hidden folder of a tool."""
        return "/." in f"/{self.folder}" or self.location == "global"

    def show(self, path: str) -> str:
        """Return the display path of a path below the root."""
        return self.prefix + path


def locate_in_home(
    home: Path, folder: str, tool: Platform, suffixes: tuple[str, ...] = ()
) -> ArtifactFolder:
    """Return a folder of a tool in a home directory, below the tool's own folder."""
    top, _, below = folder.partition("/")
    return ArtifactFolder(
        home / top, below, tool, "global", f"~/{top}/", suffixes=suffixes
    )
