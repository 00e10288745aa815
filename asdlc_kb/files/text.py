"""Text without characters that a reader cannot see but a model reads.

Removed: control characters but newline and tab, tag characters, bidirectional controls,
and zero-width characters outside the emoji and the scripts that need them. Everything
else stays as it was written (the policy of threat A4, output of hidden Unicode).
"""

import re
import unicodedata
from collections.abc import Iterator

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u200b-\u200f\u061c\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
_SEEN = bytes((0x09, 0x0A, *range(0x20, 0x7F)))
_CONTEXTUAL = frozenset("\u200c\u200d\u200e\u200f\u061c")


def strip_invisible(text: str) -> tuple[str, int]:
    """Return the text without invisible characters, and how many were removed."""
    kept: list[str] = []
    begin = 0
    for index in find_invisible(text):
        kept.append(text[begin:index])
        begin = index + 1
    return "".join(kept) + text[begin:], len(kept)


def find_invisible(text: str) -> Iterator[int]:
    """Yield the index of each invisible character."""
    if text.isascii():
        if not text.encode("ascii").translate(None, _SEEN):
            return
    elif text.replace("\n", "").isprintable():
        return
    for match in _INVISIBLE.finditer(text):
        if match[0] in _CONTEXTUAL and _is_needed(text, match.start()):
            continue
        yield match.start()


def _is_needed(text: str, index: int) -> bool:
    """Whether a joiner or direction mark touches a character that can use it.

    One that is invisible itself cannot: two marks do not keep each other.
    """
    neighbours = text[index - 1 : index] + text[index + 1 : index + 2]
    return any(_joins(character) for character in neighbours)


def _joins(character: str) -> bool:
    """Whether a character is of a right-to-left or Indic script, or an emoji."""
    return not _INVISIBLE.match(character) and (
        unicodedata.bidirectional(character) in ("R", "AL")
        or "\u0900" <= character <= "\u109f"
        or unicodedata.category(character) == "So"
        or character == "\ufe0f"
    )
