"""The result of one check of `doctor`."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

Severity: TypeAlias = Literal["ok", "warning", "failure"]

EXIT_CODES: Final[Mapping[Severity, int]] = {"ok": 0, "warning": 1, "failure": 3}
"""Exit code for the worst severity."""


class CheckResult(msgspec.Struct, frozen=True):
    """One line of the report."""

    subject: str
    level: Severity
    message: str
    hint: str = ""
    """The next step; empty if there is none."""
