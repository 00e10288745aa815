"""Heading anchors, compatible with GitHub."""

import re
import unicodedata
from typing import Final

from asdlc_kb.unicode.invisible import strip_invisible

_ALLOWED: Final = frozenset(
    {"Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl"}
)
"""Unicode categories kept in an anchor, in addition to `-` and connectors like `_`."""
_DROPPED: Final = re.compile(r"[^a-z0-9_ -]")
"""The ASCII characters that are dropped."""


def slugify(text: str) -> str:
    """Return a heading's anchor, not yet unique.

    Lower case; a blank becomes `-`; all but letters, digits, `-` and `_` are dropped.
    """
    text = text.lower()
    if text.isascii():
        return _DROPPED.sub("", text).replace(" ", "-")
    kept = (
        character
        for character in text
        if character in " -" or unicodedata.category(character) in _ALLOWED | {"Pc"}
    )
    # A variation selector may have lost its base character.
    return strip_invisible("".join(kept)).replace(" ", "-")


class Anchors:
    """Assigns unique anchors to the headings of one text: `steps`, `steps-1`."""

    def __init__(self) -> None:
        self._uses: dict[str, int] = {}

    def add(self, text: str) -> str:
        """Return the anchor of the next heading."""
        plain = anchor = slugify(text)
        while anchor in self._uses:
            self._uses[plain] += 1
            anchor = f"{plain}-{self._uses[plain]}"
        self._uses[anchor] = 0
        return anchor
