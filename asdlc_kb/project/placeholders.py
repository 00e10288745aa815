"""Argument placeholders of a command: detection and substitution.

Text in, text out: nothing is executed, and no file is read. Each tool has forms of its
own; what has another form is text. `$ARGUMENTS` is the whole argument string, `$1` its
first word, a quoted one counting as one. Nothing of a text is lost: a number without a
word stays as written, and so do amounts such as `$1,200`. Arguments that fill no
placeholder are appended.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from asdlc_kb.exceptions import ArgumentsTooLong

Form: TypeAlias = Literal[
    "$ARGUMENTS",
    "$ARGUMENTS[0]",
    "$0",
    "$1",
    "$name",
    r"\$",
    "${input:name}",
    "{{args}}",
]
"""A form of placeholders, by an example.

`$0` is for numbers that count from 0 in a text with `$0`, and from 1 in any other; `$1`
for numbers that count from 1, the highest one taking the rest; a backslash for escapes.
"""

MAX_ADDED_CHARACTERS: Final = 256 * 1024
"""Characters that arguments may add to a text."""

MAX_NAMES: Final = 50
"""Named arguments of a command; further ones are text."""

_FORMS: Final[Mapping[Form, str]] = {
    r"\$": (
        r"(?<!\\)\\(?P<escaped>\$(?:ARGUMENTS|\d{{1,2}}(?!\w)|(?:{names})(?![\w\[])))"
    ),
    "$ARGUMENTS[0]": r"\$ARGUMENTS\[(?P<index>\d{{1,2}})\]",
    "$ARGUMENTS": r"(?P<all>\$ARGUMENTS)",
    "$0": r"\$(?P<number>\d{{1,2}})(?!\w|[.,]\d)",
    "$1": r"\$(?P<rest>[1-9]\d?)(?!\w|[.,]\d)",
    "$name": r"\$(?P<name>{names})(?![\w\[])",
    "${input:name}": r"\$\{{input:(?P<input>{names})(?::[^{{}}\n]*)?\}}",
    "{{args}}": r"(?P<args>\{{\{{args\}}\}})",
}
"""Expressions with one group each, in the order in which they are tried."""
_WHOLE: Final = frozenset({"all", "args"})
_NUMBERED: Final = frozenset({"index", "number", "rest"})
"""Groups of `_FORMS`: of all arguments, and of positional ones."""

_NOTHING: Final = r"(?!)"
_INPUT: Final = re.compile(r"\$\{input:([\w-]{1,64})(?::[^{}\n]*)?\}")
_NAME: Final = re.compile(r"(?!\d+$)[\w-]{1,64}")
_PIECE: Final = r"""(?:[^ \t\r\n\\'"]++|\\.|'[^']*+'|"(?:[^"\\]|\\.)*+")"""
_CLOSED: Final = re.compile(rf"(?:[ \t\r\n]++|{_PIECE})*+", re.DOTALL)
_WORD: Final = re.compile(rf"{_PIECE}++", re.DOTALL)
_QUOTED: Final = re.compile(r"""\\(.)|'([^']*+)'|"((?:[^"\\]|\\.)*+)\"""", re.DOTALL)
_ESCAPED: Final = re.compile(r"""\\(["\\])""")
_HINTED: Final = re.compile(r"\[([^\[\]<>]+)\]|<([^<>]+)>|([^\s\[\]<>]+)")


@dataclass(frozen=True, slots=True)
class PlaceholderSyntax:
    """What counts as a placeholder in a text."""

    forms: tuple[Form, ...] = ()
    names: tuple[str, ...] = ()
    """Of the named arguments, in order."""

    @property
    def expression(self) -> re.Pattern[str]:
        """Matches a placeholder."""
        names = "|".join(map(re.escape, sorted(self.names, key=len, reverse=True)))
        forms = (
            _FORMS[form].format(names=names or _NOTHING)
            for form in _FORMS
            if form in self.forms
        )
        return re.compile("|".join(forms) or _NOTHING)


@dataclass(frozen=True, slots=True)
class Placeholders:
    """The argument placeholders of a text."""

    takes_all: bool
    """Whether it has `$ARGUMENTS` or `{{args}}`."""
    first: int
    """Number of the first positional argument."""
    highest: int
    """Number of positional arguments, up to the highest one used."""


@dataclass(frozen=True, slots=True)
class HintedArgument:
    """An argument named in an `argument-hint`."""

    name: str
    is_required: bool
    """Whether it is in angle brackets or none, rather than in square brackets."""


def read_syntax(
    forms: tuple[Form, ...], declared: object, text: str
) -> PlaceholderSyntax:
    """Return the syntax of a text by its tool's forms and the names that it declares.

    Names are declared in the frontmatter, as a list or as words, or by their use.
    """
    names: Iterable[str] = ()
    if "${input:name}" in forms:
        names = _INPUT.findall(text)
    elif "$name" in forms and isinstance(declared, (str, tuple)):
        words = declared.split() if isinstance(declared, str) else declared
        names = (word for word in words if _NAME.fullmatch(word))
    return PlaceholderSyntax(forms, tuple(dict.fromkeys(names))[:MAX_NAMES])


def find_placeholders(text: str, syntax: PlaceholderSyntax) -> Placeholders:
    """Return the argument placeholders of a text."""
    places = list(syntax.expression.finditer(text))
    numbered = [place for place in places if place.lastgroup in _NUMBERED]
    first = _first(numbered, syntax)
    highest = max((_index(place, first) + 1 for place in numbered), default=0)
    return Placeholders(any(p.lastgroup in _WHOLE for p in places), first, highest)


def fill_placeholders(text: str, arguments: str, syntax: PlaceholderSyntax) -> str:
    """Substitute arguments for placeholders, or append them if they fill none.

    Raise ArgumentsTooLong if they add more than MAX_ADDED_CHARACTERS.
    """
    if len(arguments) > MAX_ADDED_CHARACTERS:
        raise ArgumentsTooLong(MAX_ADDED_CHARACTERS)
    words = _split(arguments)
    found = find_placeholders(text, syntax)
    left = MAX_ADDED_CHARACTERS
    is_used = False

    def put(place: re.Match[str]) -> str:
        nonlocal left, is_used
        kind = place.lastgroup or ""
        if kind == "escaped":
            return place[kind]
        if kind in _WHOLE:
            given = arguments
        else:
            start, end = _find_words(place, found, syntax)
            given = " ".join(words[start:end])
        if not given:
            # A number may be text, a declared name is none.
            return "" if kind in (*_WHOLE, "name") else place[0]
        is_used = True
        left -= len(given)
        if left < 0:
            raise ArgumentsTooLong(MAX_ADDED_CHARACTERS)
        return given

    filled = syntax.expression.sub(put, text)
    if is_used or not arguments.strip():
        return filled
    return f"{filled.rstrip()}\n\nARGUMENTS: {arguments}\n"


def read_hint(hint: str) -> tuple[HintedArgument, ...]:
    """Return the arguments named in an `argument-hint`, in order."""
    return tuple(
        HintedArgument((optional or angled or bare).strip(), not optional)
        for optional, angled, bare in _HINTED.findall(hint)
    )


def _first(numbered: Sequence[re.Match[str]], syntax: PlaceholderSyntax) -> int:
    """Return the number of a text's first positional argument.

    It is 0 in a text with anything that came to Claude Code with counting from 0.
    """
    has_zero = any(
        place.lastgroup == "index" or int(place[place.lastgroup or ""]) == 0
        for place in numbered
    )
    return int(not (has_zero or syntax.names))


def _index(place: re.Match[str], first: int) -> int:
    """Return the word index of a positional placeholder."""
    number = int(place[place.lastgroup or ""])
    return number if place.lastgroup == "index" else number - first


def _find_words(
    place: re.Match[str], found: Placeholders, syntax: PlaceholderSyntax
) -> tuple[int, int | None]:
    """Return the range of the words that a placeholder stands for."""
    kind = place.lastgroup or ""
    if kind not in _NUMBERED:
        index = syntax.names.index(place[kind])
    else:
        index = _index(place, found.first)
    is_last = kind == "rest" and index + 1 == found.highest
    return index, None if is_last else index + 1


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
