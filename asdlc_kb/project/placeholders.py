"""The arguments of a command: what it takes, and its text with them filled in.

Text in, text out: nothing is executed, and no file is read. `$ARGUMENTS` is all that
was given; `$1` is the first word of it, a quoted one counting as one. A text that has
`$0` counts from there. To a text without a place for them, arguments are added below.
"""

import re
import shlex
from dataclasses import dataclass
from typing import Final

_PLACE: Final = re.compile(r"\$(?:ARGUMENTS(?:\[(\d{1,2})\])?(?!\w)|(\d)(?!\w|\.\d))")
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


def fill(text: str, arguments: str) -> str:
    """Return a text with arguments in their places; what is missing is left empty."""
    words = _split(arguments)
    first = _first(text)

    def put(place: re.Match[str]) -> str:
        if not any(place.groups()):
            return arguments
        index = _index(place, first)
        return words[index] if 0 <= index < len(words) else ""

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
    try:
        return shlex.split(arguments)
    except ValueError:
        return arguments.split()
