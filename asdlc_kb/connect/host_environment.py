"""The clients' host: operating system, home directory, environment and programs."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

System: TypeAlias = Literal["linux", "macos", "windows"]

_BASES: Final[Mapping[str, str]] = {
    "$XDG_CONFIG_HOME": ".config",
    "$CODEX_HOME": ".codex",
    "$COPILOT_HOME": ".copilot",
    "$CLAUDE_CONFIG_DIR": "",
    "$GEMINI_CLI_HOME": "",
    "%APPDATA%": "AppData/Roaming",
}
"""Variables that a path may begin with, and their defaults, relative to home."""


@dataclass(frozen=True, slots=True)
class HostEnvironment:
    """The environment passed in; no function here reads the process environment."""

    system: System
    home: Path
    project: Path
    """The root of project files: the working directory."""
    variables: Mapping[str, str]

    def expand(self, template: str) -> Path:
        """Expand a path template of the table."""
        first, _, rest = template.replace("\\", "/").partition("/")
        if first == "~":
            return self.home / rest
        if first in _BASES:
            return self._base(first) / rest
        return self.project / template

    def find(self, program: str) -> str | None:
        """Return the path of a program on PATH, or None."""
        return shutil.which(program, path=self.variables.get("PATH", os.defpath))

    def _base(self, variable: str) -> Path:
        """Return the folder in a variable; ignore a relative value."""
        value = Path(self.variables.get(variable.strip("$%"), ""))
        return value if value.is_absolute() else self.home / _BASES[variable]
