"""What `doctor` found out about one thing, as a value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Severity: TypeAlias = Literal["ok", "warning", "failure"]

EXIT_CODES: Final[Mapping[Severity, int]] = {"ok": 0, "warning": 1, "failure": 3}
"""What the worst finding makes of the exit code."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the report."""

    subject: str
    level: Severity
    said: str
    advice: str = ""
    """What to do next; empty where there is nothing to do."""
