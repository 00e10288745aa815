"""Code spans and escaped characters of a block, replaced by placeholders."""

import re
from collections.abc import Iterator
from typing import Final

STORED: Final = re.compile("\0(\\d++)\0")
"""A placeholder: its number in the list of stored texts."""

_MASKED: Final = re.compile(r"[^\n]")
_RUNS: Final = re.compile(r"\\[!-/:-@\[-`{-~]|`++")


def store_code(text: str, stored: list[str], *, has_marks: bool = False) -> str:
    """Replace the code spans and escaped characters of a text without NUL.

    Appends their content to `stored`, or with `has_marks` all of their Markdown.
    """
    if "`" not in text and "\\" not in text:
        return text
    parts: list[str] = []
    at = 0
    for start, end, content in _find_spans(text):
        parts += (text[at:start], f"\0{len(stored)}\0")
        stored.append(text[start:end] if has_marks else content)
        at = end
    return "".join([*parts, text[at:]])


def mask_code(text: str) -> str:
    """Replace all but line ends in code spans and escaped characters by blanks."""
    if "`" not in text and "\\" not in text:
        return text
    parts: list[str] = []
    at = 0
    for start, end, _ in _find_spans(text):
        parts += (text[at:start], _MASKED.sub(" ", text[start:end]))
        at = end
    return "".join([*parts, text[at:]])


def _find_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and content of the code spans and escaped characters."""
    runs = [(m.start(), m.end(), m[0]) for m in _RUNS.finditer(text)]
    closing: dict[str, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        closing.setdefault(runs[number][2], []).append(number)
    number = 0
    while number < len(runs):
        start, end, run = runs[number]
        ends = closing[run]
        while ends and ends[-1] <= number:
            ends.pop()
        number += 1
        if run[0] == "\\":
            yield start, end, run[1]
        elif ends:
            number = ends[-1] + 1
            after = runs[ends[-1]]
            yield start, after[1], text[end : after[0]]
