"""The beginning of a text that is too long to be formatted as a whole."""

from typing import Final

from asdlc_kb.markup.html_renderer import MAX_CHARACTERS
from asdlc_kb.markup.split_points import find_split_points

MAX_BEGINNING: Final = MAX_CHARACTERS // 2
"""Characters of the beginning: texts of the limit may take too long to render."""


def cut_long_text(text: str) -> str:
    """Return a text, or its beginning up to a heading if it is too long."""
    if len(text) <= MAX_CHARACTERS:
        return text
    return text[: find_split_points(text).find_end(0, MAX_BEGINNING)]
