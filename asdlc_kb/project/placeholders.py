"""Argument placeholders of a command: detection and substitution.

Text in, text out: nothing is executed, and no file is read. `$ARGUMENTS`, or `{{args}}`
as Gemini CLI has it, is the whole argument string; `$1` is its first word, a quoted one
counting as one. In a text with `$0`, that is the first. Arguments are appended to a
text without placeholders.
"""

import re
from dataclasses import dataclass
from typing import Final

from asdlc_kb.exceptions import ArgumentsTooLong

MAX_ADDED_CHARACTERS: Final = 256 * 1024
"""Characters that arguments may add to a text."""

_PLACE: Final = re.compile(
    r"\$(?:ARGUMENTS(?:\[(\d{1,2})\])?(?!\w)|(\d)(?!\w|\.\d))|\{\{args\}\}"
)
_PIECE: Final = r"""(?:[^ \t\r\n\\'"]++|\\.|'[^']*+'|"(?:[^"\\]|\\.)*+")"""
_CLOSED: Final = re.compile(rf"(?:[ \t\r\n]++|{_PIECE})*+", re.DOTALL)
_WORD: Final = re.compile(rf"{_PIECE}++", re.DOTALL)
_QUOTED: Final = re.compile(r"""\\(.)|'([^']*+)'|"((?:[^"\\]|\\.)*+)\"""", re.DOTALL)
_ESCAPED: Final = re.compile(r"""\\(["\\])""")
_HINTED: Final = re.compile(r"\[([^\[\]<>]+)\]|<([^<>]+)>|([^\s\[\]<>]+)")


@dataclass(frozen=True, slots=True)
class Placeholders:
    """The argument placeholders of a text."""

    takes_all: bool
    """Whether it has `$ARGUMENTS` or `{{args}}`."""
    highest: int
    """Number of positional arguments, up to the highest one used."""


@dataclass(frozen=True, slots=True)
class HintedArgument:
    """An argument named in an `argument-hint`."""

    name: str
    is_required: bool
    """Whether it is in angle brackets or none, rather than in square brackets."""


def find_placeholders(text: str) -> Placeholders:
    """Return the argument placeholders of a text."""
    places = list(_PLACE.finditer(text))
    first = _first(text)
    numbers = [_index(place, first) + 1 for place in places if any(place.groups())]
    return Placeholders(len(numbers) < len(places), max(numbers, default=0))


def fill_placeholders(text: str, arguments: str) -> str:
    """Substitute arguments for placeholders; missing ones become empty.

    Raise ArgumentsTooLong if they add more than MAX_ADDED_CHARACTERS.
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


def read_hint(hint: str) -> tuple[HintedArgument, ...]:
    """Return the arguments named in an `argument-hint`, in order."""
    return tuple(
        HintedArgument((optional or angled or bare).strip(), not optional)
        for optional, angled, bare in _HINTED.findall(hint)
    )


def _first(text: str) -> int:
    """Return the number of a text's first positional argument: 0 if it has `$0`."""
    return int(not any(place[2] == "0" for place in _PLACE.finditer(text)))


def _index(place: re.Match[str], first: int) -> int:
    """Return the word index of a placeholder; in brackets, the first is always 0."""
    return int(place[1]) if place[1] else int(place[2]) - first


def _split(arguments: str) -> list[str]:
    """Split into words as a POSIX shell does; at white space if a quote is open.

    `shlex.split` does the same in time quadratic in a word's length.
    """
    if _CLOSED.fullmatch(arguments) is None:
        return arguments.split()
    return [_QUOTED.sub(_unquote, word) for word in _WORD.findall(arguments)]


def _unquote(quoted: re.Match[str]) -> str:
    escaped, raw, inner = quoted.groups()
    if inner is not None:
        return _ESCAPED.sub(r"\1", inner)
    return escaped or raw or ""
