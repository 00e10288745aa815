"""What `doctor` found out about one thing, as a value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Level: TypeAlias = Literal["ok", "warning", "failure"]

EXIT_CODES: Final[Mapping[Level, int]] = {"ok": 0, "warning": 1, "failure": 3}
"""What the worst finding makes of the exit code."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    subject: str
    level: Level
    said: str
    advice: str = ""
    """What to do next; empty where there is nothing to do."""
