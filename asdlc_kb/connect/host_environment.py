"""The machine that clients are on: its system, whose home, which programs."""

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
    "%APPDATA%": "AppData/Roaming",
}
"""Variables that a path may begin with, and what they are by default, from home."""


@dataclass(frozen=True, slots=True)
class HostEnvironment:
    """Where to look; nothing below looks up a home or a variable by itself."""

    system: System
    home: Path
    project: Path
    """The project that project files are of: the working directory."""
    variables: Mapping[str, str]

    def expand(self, template: str) -> Path:
        """Return the path that a template of the table stands for here."""
        first, _, rest = template.replace("\\", "/").partition("/")
        if first == "~":
            return self.home / rest
        if first in _BASES:
            return self._base(first) / rest
        return self.project / template

    def find(self, program: str) -> str | None:
        """Return the path of a program that a person here could type."""
        return shutil.which(program, path=self.variables.get("PATH", os.defpath))

    def _base(self, variable: str) -> Path:
        """Return what a variable stands for; a relative value counts for nothing."""
        value = Path(self.variables.get(variable.strip("$%"), ""))
        return value if value.is_absolute() else self.home / _BASES[variable]
