"""Size budget of tool results: characters of the text that a model reads.

JSON writes a quote or a line break as two characters. So each row or text is encoded
once, and the sizes are added up.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from msgspec import to_builtins

from asdlc_kb.mcp.protocol import jsonrpc

MIN_CHARS: Final = 1_000
MAX_CHARS: Final = 80_000
"""Characters of a result that a client can request."""

DEFAULT_CHARS: Final = 10_000
"""Characters of a result by default: one client cuts at 12,000."""

DEFAULT_SEARCH_CHARS: Final = 5_000
"""Characters of a search result by default."""

MAX_DESCRIPTION_CHARS: Final = 2_000
"""Characters of a description in a list, or next to a chunk of text."""

MAX_NAMES: Final = 100
"""Tags or related ids in the same places."""

_NAME_CHARS: Final = 4_000
"""Total characters of these tags, or of these ids."""

_MAX_JSON_CHARS: Final = 6
"""Characters of one in JSON: `\\u001f`."""

_SLICE_CHARS: Final = 1_000
"""Characters of a text that are encoded together."""


def write_json(value: Any) -> str:
    """Encode a value as JSON."""
    return jsonrpc.write(to_builtins(value)).decode()


def json_chars(value: Any) -> int:
    """Return the number of characters of a value as JSON."""
    return len(write_json(value))


@dataclass(frozen=True, slots=True)
class SizeBudget:
    """Characters left in the text of a result."""

    chars: int
    """Negative if exceeded."""
    is_json: bool = True
    """Whether the text is JSON; else each of its characters counts once."""

    def spend(self, value: Any) -> "SizeBudget":
        """Return what is left after a value: JSON values, or a text."""
        return replace(self, chars=self.chars - self._measure(value))

    def count_fitting(self, text: str) -> int:
        """Return how many characters of a text fit."""
        if not self.is_json:
            return max(min(len(text), self.chars), 0)
        if len(text) * _MAX_JSON_CHARS <= self.chars:
            return len(text)
        quotes = self._measure("")
        start, left = 0, self.chars - quotes
        if len(text) <= left and self._measure(text) - quotes <= left:
            return len(text)
        while start < len(text):
            piece = text[start : start + _SLICE_CHARS]
            rest = left - (self._measure(piece) - quotes)
            if rest < 0:
                break
            start, left = start + len(piece), rest
        piece = text[start : start + _SLICE_CHARS]
        fitting = bisect_right(
            range(len(piece)), left, key=lambda n: self._measure(piece[:n]) - quotes
        )
        return start + max(fitting - 1, 0)

    def _measure(self, value: Any) -> int:
        return json_chars(value) if self.is_json else len(value)


def truncate_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first tags or ids, within the limits of a list."""
    left = _NAME_CHARS
    for count, name in enumerate(names[:MAX_NAMES]):
        left -= len(name)
        if left < 0:
            return tuple(names[:count])
    return tuple(names[:MAX_NAMES])
