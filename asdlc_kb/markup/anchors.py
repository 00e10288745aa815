"""The anchors of headings, as GitHub makes them."""

import re
import unicodedata
from typing import Final

from asdlc_kb.unicode.invisible import strip_invisible

_KEPT: Final = frozenset({"Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl"})
"""The kinds of characters that stay in an anchor, beside `-` and joiners like `_`."""
_DROPPED: Final = re.compile(r"[^a-z0-9_ -]")
"""What this leaves out of ASCII."""


def slugify(text: str) -> str:
    """Return a heading's anchor as if no other heading had it.

    Lower case; a blank becomes `-`; what is no letter, digit, `-` or `_` is dropped.
    """
    text = text.lower()
    if text.isascii():
        return _DROPPED.sub("", text).replace(" ", "-")
    kept = (
        character
        for character in text
        if character in " -" or unicodedata.category(character) in _KEPT | {"Pc"}
    )
    # A selector may have lost the character that it belongs to.
    return strip_invisible("".join(kept)).replace(" ", "-")


class Anchors:
    """Gives each heading of one text its own anchor: `steps`, `steps-1`, `steps-2`."""

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
