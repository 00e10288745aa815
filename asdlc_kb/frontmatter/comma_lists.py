"""Comma-separated lists: `a, b{c,d}, "e, f"`."""

import re
from typing import Final

_OPENING: Final = {"{": "}", "[": "]", "(": ")"}
_CLOSING: Final = {closing: opening for opening, closing in _OPENING.items()}
_ENCLOSING: Final = re.compile("""[][{}()"']""")


def split_commas(text: str) -> list[str]:
    """Split at commas outside braces, brackets and quotes; strip the items.

    An opening character that is never closed encloses nothing.
    """
    if not _ENCLOSING.search(text):
        return [stripped for part in text.split(",") if (stripped := part.strip())]
    closings = find_closings(text)
    parts: list[str] = []
    begin = at = 0
    is_empty = True
    while at < len(text):
        character = text[at]
        if character == ",":
            parts.append(text[begin:at])
            begin, is_empty = at + 1, True
        else:
            if character in "\"'" and is_empty:
                at = max(at, text.find(character, at + 1))
            is_empty = is_empty and character.isspace()
        at = closings.get(at, at) + 1
    parts.append(text[begin:])
    return [stripped for part in parts if (stripped := part.strip())]


def find_closings(text: str) -> dict[int, int]:
    """Return the position of the closing bracket by that of the opening one."""
    closings: dict[int, int] = {}
    positions: list[int] = []
    open_now = dict.fromkeys(_OPENING, 0)
    for at, character in enumerate(text):
        if character in _OPENING:
            positions.append(at)
            open_now[character] += 1
        elif open_now.get(_CLOSING.get(character, "")):
            # Brackets opened in between and still open enclose nothing.
            while text[opening := positions.pop()] != _CLOSING[character]:
                open_now[text[opening]] -= 1
            open_now[text[opening]] -= 1
            closings[opening] = at
    return closings
