"""The result of one check of `doctor`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Severity: TypeAlias = Literal["ok", "warning", "failure"]

EXIT_CODES: Final[Mapping[Severity, int]] = {"ok": 0, "warning": 1, "failure": 3}
"""Exit code for the worst severity."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the report."""

    subject: str
    level: Severity
    message: str
    hint: str = ""
    """The next step; empty if there is none."""
