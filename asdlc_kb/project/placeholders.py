"""The arguments of a command: what it takes, and its text with them filled in.

Text in, text out: nothing is executed, and no file is read. `$ARGUMENTS` is all that
was given; `$1` is the first word of it, a quoted one counting as one. A text that has
`$0` counts from there. To a text without a place for them, arguments are added below.
"""

import re
from dataclasses import dataclass
from typing import Final

from asdlc_kb.exceptions import ArgumentsTooLong

MAX_ADDED_CHARACTERS: Final = 256 * 1024
"""Characters that arguments add to a text."""

_PLACE: Final = re.compile(r"\$(?:ARGUMENTS(?:\[(\d{1,2})\])?(?!\w)|(\d)(?!\w|\.\d))")
_PIECE: Final = r"""(?:[^ \t\r\n\\'"]++|\\.|'[^']*+'|"(?:[^"\\]|\\.)*+")"""
_CLOSED: Final = re.compile(rf"(?:[ \t\r\n]++|{_PIECE})*+", re.DOTALL)
_WORD: Final = re.compile(rf"{_PIECE}++", re.DOTALL)
_QUOTED: Final = re.compile(r"""\\(.)|'([^']*+)'|"((?:[^"\\]|\\.)*+)\"""", re.DOTALL)
_ESCAPED: Final = re.compile(r"""\\(["\\])""")
_HINTED: Final = re.compile(r"\[([^\[\]<>]+)\]|<([^<>]+)>|([^\s\[\]<>]+)")


@dataclass(frozen=True, slots=True)
class Placeholders:
    """The places for arguments in a text."""

    takes_all: bool
    """Whether it has `$ARGUMENTS`."""
    highest: int
    """How many single arguments it names places for, up to the last one."""


@dataclass(frozen=True, slots=True)
class Hinted:
    """An argument that a hint names."""

    name: str
    is_required: bool
    """Whether it stands in angle brackets or none, rather than in square ones."""


def find_placeholders(text: str) -> Placeholders:
    """Return which places for arguments a text has."""
    places = list(_PLACE.finditer(text))
    first = _first(text)
    numbers = [_index(place, first) + 1 for place in places if any(place.groups())]
    return Placeholders(len(numbers) < len(places), max(numbers, default=0))


def fill_placeholders(text: str, arguments: str) -> str:
    """Return a text with arguments in their places; what is missing is left empty.

    Raises ArgumentsTooLong if they add more than MAX_ADDED_CHARACTERS.
    """
    if len(arguments) > MAX_ADDED_CHARACTERS:
        raise ArgumentsTooLong(MAX_ADDED_CHARACTERS)
    words = _split(arguments)
    first = _first(text)
    left = MAX_ADDED_CHARACTERS

    def put(place: re.Match[str]) -> str:
        nonlocal left
        given = arguments
        if any(place.groups()):
            index = _index(place, first)
            given = words[index] if 0 <= index < len(words) else ""
        left -= len(given)
        if left < 0:
            raise ArgumentsTooLong(MAX_ADDED_CHARACTERS)
        return given

    filled, places = _PLACE.subn(put, text)
    if places or not arguments.strip():
        return filled
    return f"{text.rstrip()}\n\nARGUMENTS: {arguments}\n"


def read_hint(hint: str) -> tuple[Hinted, ...]:
    """Return the arguments that an `argument-hint` names, in its order."""
    return tuple(
        Hinted((optional or angled or bare).strip(), not optional)
        for optional, angled, bare in _HINTED.findall(hint)
    )


def _first(text: str) -> int:
    """Return the number of a text's first single argument: 0 if it has `$0`."""
    return int(not any(place[2] == "0" for place in _PLACE.finditer(text)))


def _index(place: re.Match[str], first: int) -> int:
    """Return which word a place asks for; in brackets, the first is always 0."""
    return int(place[1]) if place[1] else int(place[2]) - first


def _split(arguments: str) -> list[str]:
    """Return words as a POSIX shell reads them; at white space if a quote is open.

    `shlex.split` does so too, in time that grows with the square of a word's length.
    """
    if _CLOSED.fullmatch(arguments) is None:
        return arguments.split()
    return [_QUOTED.sub(_unquote, word) for word in _WORD.findall(arguments)]


def _unquote(quoted: re.Match[str]) -> str:
    escaped, raw, inner = quoted.groups()
    if inner is not None:
        return _ESCAPED.sub(r"\1", inner)
    return escaped or raw or ""
