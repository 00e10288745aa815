"""Titles from the names of files and folders without a title."""

import re
from typing import Final

_ORDER: Final = re.compile(r"\A\d{1,4}[-_. ]+(?=\S)")


def readable_title(name: str, *, drops_order: bool = False) -> str:
    """Return a name in words, the first one capitalized.

    `drops_order` drops a leading ordering number, as in `01-intro`.
    """
    shown = _ORDER.sub("", name) if drops_order else name
    words = " ".join(shown.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:] or name
