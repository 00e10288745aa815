"""Hostile texts: one unit repeated, between an opening and a closing."""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

_parser: Final[Any] = import_module("re._parser")
"""The parser of the standard library's regular expressions, which has no stub."""

UNITS: Final = (
    *("\\", '"', "'", "`", "(", "[", "{", "<", "$", "#", "/", "*", "-", "=", ":", "|"),
    *("\n", " ", "a", "1", "_", ".", ",", "@", "%", "&", "!", "~", "^", ";", ">", "\t"),
    *(
        '\\"',
        "\\\\'",
        "/*",
        "//",
        "((",
        "a ",
        "a.",
        "1.",
        "a,",
        "a=",
        " \n",
        "\n ",
        "é",
    ),
    *(
        "<a ",
        "<!--",
        "<%",
        "${",
        "{{",
        "a:",
        "#{",
        "a\n",
        "(*",
        '""',
        '"""',
        "''",
        "[[",
    ),
)
OPENINGS: Final = ("", '"', "a ")
CLOSING: Final = "\0"
"""A character outside every grammar: a pattern fails there after all before matched."""

MANY: Final = 8
"""Repeats allowed by a pattern that make it worth repeating."""
_CHOICES: Final = 3
"""Alternatives of a pattern and characters of a class that are tried."""
_CATEGORIES: Final = {
    "CATEGORY_DIGIT": "1",
    "CATEGORY_SPACE": " ",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_NOT_WORD": " ",
}


class Hostile(NamedTuple):
    """A text of any length that is made of repeats."""

    opening: str
    unit: str
    closing: str = ""
    end: str = ""
    """Repeated after the units as often as they are: closes what they open."""

    def make(self, size: int) -> str:
        """Return a text of about so many characters, at most."""
        room = max(0, size - len(self.opening) - len(self.closing))
        count = room // len(self.unit + self.end)
        return f"{self.opening}{self.unit * count}{self.end * count}{self.closing}"

    def __str__(self) -> str:
        end = f"{self.end!r} …" if self.end else ""
        around = (self.opening, f"{self.unit!r} …", end, self.closing)
        return " + ".join(
            (repr(part) if part in (self.opening, self.closing) else part)
            for part in around
            if part
        )


def combine(
    openings: Iterable[str], units: Iterable[str], closings: Sequence[str] = ("",)
) -> list[Hostile]:
    """Return every combination, each once."""
    units = list(units)
    every = (
        Hostile(opening, unit, closing)
        for opening in openings
        for unit in units
        for closing in closings
    )
    return list(dict.fromkeys(every))


def derive(pattern: str, flags: int = 0) -> Iterator[Hostile]:
    """Yield the repeats that a regular expression is prone to.

    For each of its repeats: what matches before it, then what it repeats, up to a
    character at which the rest fails; and what begins a match, over and over.
    """
    tree = _parser.parse(pattern, flags)
    found = dict.fromkeys(_walk(list(tree), ""))
    for before, body in found:
        yield Hostile(before, body, CLOSING)
        yield Hostile("", before + body)
        if before:
            yield Hostile("", before)


def _walk(nodes: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """Yield what matches before each repeat, and what it repeats."""
    for operator, argument in nodes:
        name = str(operator)
        if name.endswith("REPEAT"):
            _, max_size, body = argument
            if max_size >= MANY:
                for choice in range(_CHOICES):
                    if sample := _sample(list(body), choice, 1):
                        yield before, sample
            yield from _walk(list(body), before)
        else:
            for part in _list_parts(name, argument):
                yield from _walk(list(part), before)
        before += _sample([(operator, argument)], 0, 0)


def _list_parts(name: str, argument: Any) -> list[Any]:
    """Return the patterns within a node that is no repeat."""
    if name == "SUBPATTERN":
        return [argument[3]]
    if name == "BRANCH":
        return list(argument[1])[:_CHOICES]
    if name in ("ASSERT", "ASSERT_NOT"):
        return [argument[1]] if argument[0] > 0 else []
    return [argument] if name == "ATOMIC_GROUP" else []


def _sample(nodes: list[Any], choice: int, least: int) -> str:
    """Return a text that a pattern matches, or nearly."""
    return "".join(_sample_one(str(o), a, choice, least) for o, a in nodes)


def _sample_one(name: str, argument: Any, choice: int, least: int) -> str:
    if name == "LITERAL":
        return chr(argument)
    if name == "NOT_LITERAL":
        return "b" if argument == ord("a") else "a"
    if name == "ANY":
        return ("a", " ", "1")[choice]
    if name == "IN":
        return _choose(argument, choice)
    if name.endswith("REPEAT"):
        count = int(min(max(argument[0], min(least, argument[1])), MANY))
        return _sample(list(argument[2]), choice, least) * count
    if name == "BRANCH":
        branches = argument[1]
        return _sample(list(branches[choice % len(branches)]), choice, least)
    if name in ("SUBPATTERN", "ATOMIC_GROUP"):
        return _sample(list(argument[3] if name[0] == "S" else argument), choice, least)
    return ""


def _choose(members: list[Any], choice: int) -> str:
    """Return a character of a class."""
    names = [(str(operator), argument) for operator, argument in members]
    if names[0][0] == "NEGATE":
        refused = re.compile("[" + re.escape("".join(_list_characters(names))) + "]?")
        free = [c for c in "a 1\\\"'(" if not refused.fullmatch(c)]
        return free[choice % len(free)] if free else "é"
    characters = _list_characters(names)
    return characters[choice % len(characters)] if characters else "é"


def _list_characters(members: list[tuple[str, Any]]) -> list[str]:
    """Return some characters of a class, each range's and category's first."""
    found = []
    for name, argument in members:
        if name == "LITERAL":
            found.append(chr(argument))
        elif name == "RANGE":
            found.append(chr(argument[0]))
        elif name == "CATEGORY":
            found.append(_CATEGORIES.get(str(argument), "a"))
    return found
