"""Heading anchors, compatible with GitHub."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from asdlc_kb.unicode.invisible import strip_invisible

RESERVED: Final = "KB-"
"""Prefix of the ids of the page around a text; removed from ids in a text.

No heading's generated anchor has it: those have no ASCII capitals.
"""

_ID: Final = re.compile(rf"(?!{RESERVED})[^\s\"'<>&]{{1,200}}\Z")
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


def is_anchor(name: str) -> bool:
    """Whether a name is allowed as an id in a text."""
    return _ID.match(name) is not None


class Anchors:
    """Assigns unique anchors to the headings of one text: `steps`, `steps-1`."""

    def __init__(self, explicit: Iterable[str] = ()) -> None:
        """Assign none of the `explicit` ids of the text to a heading without one."""
        self._uses = dict.fromkeys(filter(is_anchor, explicit), 0)
        self._unassigned = set(self._uses)

    def add(self, text: str, explicit: str = "") -> str:
        """Return the anchor of the next heading: its explicit id, if that is valid.

        The first heading with an id gets it, a further one gets a number.
        """
        if explicit in self._unassigned:
            self._unassigned.remove(explicit)
            return explicit
        plain = anchor = explicit if is_anchor(explicit) else slugify(text)
        while anchor in self._uses:
            self._uses[plain] += 1
            anchor = f"{plain}-{self._uses[plain]}"
        self._uses[anchor] = 0
        return anchor
