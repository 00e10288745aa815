"""Comparison of two recordings."""

import difflib
import re
from collections.abc import Mapping
from typing import Final

MAX_LINES: Final = 14
"""Lines of a key's diff that are shown."""

MAX_LINE: Final = 200
"""Characters of a line that are shown."""

_BREAKS: Final = re.compile(r"(?<=[,>{}\[])(?=.)")


def compare_answers(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Return a report of each key that differs; empty if the recordings are equal."""
    report = []
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            report.append(f"--- {key}: only in the old recording")
        elif key not in old:
            report.append(f"+++ {key}: only in the new recording")
        elif old[key] != new[key]:
            report += [f"*** {key}", *_show_difference(old[key], new[key])]
    return report


def _show_difference(old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(_split(old), _split(new), n=1, lineterm="")
    shown = [line[:MAX_LINE] for line in lines][2:]
    if len(shown) > MAX_LINES:
        shown[MAX_LINES:] = [f"... {len(shown) - MAX_LINES} more lines"]
    return shown


def _split(text: str) -> list[str]:
    """Return lines; those of JSON and HTML that exceed MAX_LINE are split."""
    lines: list[str] = []
    for line in text.split("\n"):
        lines += _BREAKS.split(line) if len(line) > MAX_LINE else [line]
    return lines
