"""Replacement of what differs between two runs of the same code."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

VOLATILE_HEADERS: Final = {
    "date": "<date>",
    "mcp-session-id": "<session>",
    "retry-after": "<seconds>",
    "x-request-id": "<request>",
}

_PATTERNS: Final = (
    (re.compile(r"(session_?id=)[\w.~%-]+", re.IGNORECASE), r"\1<session>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|\+00:00)"), "<time>"),
    (
        re.compile(r'("(?:retryAfter|ms|seconds|pid|late_ms|uptime)": ?)[\d.]+'),
        r"\1<number>",
    ),
    (re.compile(r'(";r=\d+;t=)\d+'), r"\1<seconds>"),
    (re.compile(r'("request_?id": ?)"[0-9a-f]{16}"', re.IGNORECASE), r'\1"<request>"'),
)

_CHECKBOX: Final = re.compile(r"(?<=[<;])input((?: [\w-]+=\"[^\"]*\")+)(?=/?[>&])")
"""The attributes of a task's checkbox, whose order differs; in feeds it is escaped."""


class Normaliser:
    """Literal texts of one run, such as its folder and its ports, and patterns."""

    def __init__(self, literals: Mapping[str, str]) -> None:
        now = datetime.now(UTC)
        days = {now.date(), (now + timedelta(minutes=10)).date()}
        self._literals = {**literals, **{f"{day:%Y-%m-%d}": "<today>" for day in days}}

    def with_port(self, port: int) -> "Normaliser":
        """Return a normaliser that replaces a server's port, too."""
        return Normaliser({**self._literals, f":{port}": ":<port>"})

    def normalise(self, text: str) -> str:
        """Return the text that two runs have in common."""
        # Times hold the date of today, so they come before it.
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        for literal in sorted(self._literals, key=len, reverse=True):
            text = text.replace(literal, self._literals[literal])
        return _CHECKBOX.sub(_sort_attributes, text)

    def normalise_headers(
        self, headers: list[tuple[str, str]], body: str, normal: str
    ) -> list[str]:
        """Return sorted lines; ETag and length only of a body without replacements."""
        is_stable = body == normal and 'type="checkbox"' not in body
        lines = []
        for name, value in headers:
            value = VOLATILE_HEADERS.get(name.lower(), value)
            if not is_stable and name.lower() in ("etag", "content-length"):
                value = "<by body>"
            lines.append(f"{name}: {self.normalise(value)}")
        return sorted(lines)


def _sort_attributes(match: re.Match[str]) -> str:
    return "input " + " ".join(sorted(re.findall(r'[\w-]+="[^"]*"', match[1])))
