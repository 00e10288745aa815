"""Size budget of tool results, in characters as encoded: text and structured content.

JSON encodes a quote or a line break as two characters, and as more in JSON nested in
the text of a result. So each row or text is encoded once, and the sizes are added up.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from msgspec import to_builtins

from asdlc_kb.mcp.protocol import jsonrpc

MAX_CHARS: Final = 80_000
"""Characters of a result by default, and the most that a client can request."""

MAX_DESCRIPTION_CHARS: Final = 2_000
"""Characters of a description in a list, or next to a chunk of text."""

MAX_NAMES: Final = 100
"""Tags or related ids in the same places."""

_NAME_CHARS: Final = 4_000
"""Total characters of these tags, or of these ids."""

_MAX_JSON_CHARS: Final = 13
"""Characters of one in JSON and in JSON nested in JSON: `\\u001f` and `\\\\u001f`."""

_SLICE_CHARS: Final = 1_000
"""Characters of a text that are encoded together."""

_ENVELOPE: Final = 1_000
"""Characters reserved for the protocol's envelope."""


def write_json(value: Any) -> str:
    """Encode a value as JSON."""
    return jsonrpc.write(to_builtins(value)).decode()


def json_chars(value: Any) -> int:
    """Return the number of characters of a value as JSON."""
    return len(write_json(value))


def max_answer_chars(requested: int = 1, default: int = 1) -> int:
    """Return the maximum characters of a result, in proportion to the request."""
    return MAX_CHARS * max(requested, default) // default - _ENVELOPE


@dataclass(frozen=True, slots=True)
class SizeBudget:
    """Characters left in a result that contains everything twice."""

    chars: int
    """Negative if exceeded."""
    is_json: bool = True
    """Whether the result's text is the JSON of its structured content."""

    def spend(self, values: Any, text: str = "") -> "SizeBudget":
        """Return what is left after structured content.

        `text` is what the result's text has of it, if that is not JSON.
        """
        encoded = write_json(values)
        shown = json_chars(encoded if self.is_json else text)
        return replace(self, chars=self.chars - len(encoded) - shown)

    def count_fitting(self, text: str) -> int:
        """Return how many characters of a text fit, contained twice."""
        if len(text) * _MAX_JSON_CHARS <= self.chars:
            return len(text)
        empty = self._measure("")
        start, left = 0, self.chars - empty
        while start < len(text):
            piece = text[start : start + _SLICE_CHARS]
            rest = left - (self._measure(piece) - empty)
            if rest < 0:
                break
            start, left = start + len(piece), rest
        piece = text[start : start + _SLICE_CHARS]
        lengths = range(len(piece))
        fitting = bisect_right(
            lengths, left, key=lambda n: self._measure(piece[:n]) - empty
        )
        return start + max(fitting - 1, 0)

    def _measure(self, text: str) -> int:
        """Return the characters that a text takes, contained twice."""
        return self.chars - self.spend(text, text).chars


def truncate_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first tags or ids, within the limits of a list."""
    left = _NAME_CHARS
    for count, name in enumerate(names[:MAX_NAMES]):
        left -= len(name)
        if left < 0:
            return tuple(names[:count])
    return tuple(names[:MAX_NAMES])
