"""Truncation of texts between words, marked by an ellipsis."""

from typing import Final

_MIN_KEPT: Final = 2 / 3
"""Share of the limit that is kept; a word that begins before is divided.

Long words and scripts without blanks would otherwise leave next to nothing.
"""


def truncate(text: str, max_chars: int) -> str:
    """Return a text of at most `max_chars` characters, the ellipsis included."""
    if len(text) <= max_chars:
        return text
    end = text.rfind(" ", 0, max_chars)
    if end < _MIN_KEPT * max_chars:
        end = max_chars - 1
    return f"{text[:end].rstrip()}…"
