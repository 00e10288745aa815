"""Messages for broken YAML frontmatter: the cause in the author's file, and the fix.

The parser names what it expected, often at the line after the mistake. Mistakes that
authors make are recognized by the text at its place.
"""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from ruamel.yaml.error import MarkedYAMLError

from asdlc_kb.exceptions import FrontmatterError

Place: TypeAlias = tuple[int, int]
"""Row and column, counted from 0."""

_CONFLICT: Final = ("<<<<<<< ", "||||||| ", ">>>>>>> ")
"""The beginnings of lines that git writes."""

_OTHER_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_GLUED = re.compile(r" *[A-Za-z_][\w-]{0,99}:(?![\s/])")
_KEY = re.compile(r"[A-Za-z_][\w-]{0,99}")
_TAG_HANDLE = re.compile(r"(?<= tag handle).*", re.DOTALL)

_QUOTES: Final = "put the value in quotes"
_UNCLOSED: Final = "a quote is not closed: close it on its line"


def explain_error(frontmatter: str, error: MarkedYAMLError) -> FrontmatterError:
    """Return the error of frontmatter, which starts on line 2, with place and fix."""
    lines = frontmatter.split("\n")
    marked = (row for row, line in enumerate(lines) if line.startswith(_CONFLICT))
    if (row := next(marked, None)) is not None:
        message = "a merge conflict: keep one of the versions, without the marks"
        return FrontmatterError(message, row + 2, 1)
    (row, column), message = _explain(lines, error)
    return FrontmatterError(message, row + 2, column + 1)


def _explain(lines: Sequence[str], error: MarkedYAMLError) -> tuple[Place, str]:
    reason = error.problem or error.context or "not YAML"
    marks = (error.problem_mark or error.context_mark, error.context_mark)
    place, context = ((mark.line, mark.column) if mark else (0, 0) for mark in marks)
    if reason == "could not find expected ':'":
        return _explain_line(_line(lines, context), context)
    if error.context == "while scanning a quoted scalar":
        return context, _UNCLOSED
    if reason.startswith(("expected ',' or ']'", "expected ',' or '}'")):
        return context, f"a bracket is not closed: close it, or {_QUOTES}"
    before = _line(lines, place)[: place[1]]
    if place[0] and _KEY.fullmatch(before):
        # A whole key: the first line is none, and would go on here.
        above = (place[0] - 1, 0)
        return _explain_line(_line(lines, above), above)
    if reason.startswith("expected <block end>"):
        return _explain_rest(lines, before.rstrip(), place)
    return place, _explain_token(before, reason, error.context or "")


def _line(lines: Sequence[str], place: Place) -> str:
    return lines[place[0]] if place[0] < len(lines) else ""


def _explain_line(line: str, place: Place) -> tuple[Place, str]:
    """Return place and message for a line that is no `field: value`."""
    if found := _OTHER_SPACE.search(line):
        message = "a no-break space, or a similar one: type a space"
        return (place[0], found.start()), message
    if (at := line.find("\uff1a")) >= 0:
        return (place[0], at), "a full-width colon: write ':' and a space"
    if found := _GLUED.match(line):
        message = "no space after the colon: write 'field: value'"
        return (place[0], found.end()), message
    advice = "indent it if it continues the line above"
    return place, f"the line is not 'field: value': {advice}"


def _explain_rest(lines: Sequence[str], before: str, place: Place) -> tuple[Place, str]:
    """Return place and message for text behind a complete value."""
    if before.endswith(("]", "}")):
        return place, f"text behind a bracket: {_QUOTES}"
    if not before.endswith(("'", '"')):
        advice = "align it with the field or the item that it belongs to"
        return place, f"the indent is not that of a line above: {advice}"
    if before[:-1].rstrip().endswith((":", "-")):
        # This quote closed the one of a line above.
        for row in range(place[0] - 1, -1, -1):
            if lines[row].count(before[-1]) % 2:
                return (row, lines[row].find(before[-1])), _UNCLOSED
    advice = "put the whole value in quotes of the other kind"
    return place, f"text behind the closing quote: {advice}"


def _explain_token(before: str, reason: str, context: str) -> str:
    """Return the message for a character that cannot stand behind `before`."""
    if "'\\t' that cannot start" in reason:
        return "a tab: indent with spaces, and write one space after the colon"
    if context == "while scanning a double-quoted scalar":
        return "a backslash in double quotes: use single quotes, or write two"
    if reason == "mapping values are not allowed here":
        if _KEY.fullmatch(before.lstrip(" ")):
            return "the field is indented more than those above: align it with them"
        return f"a second colon: {_QUOTES}"
    if reason.endswith(("cannot start any token", "are not allowed here")):
        return f"a value that begins with a special character: {_QUOTES}"
    shown = _TAG_HANDLE.sub("", reason)
    return f"{shown}: put a value with special characters in quotes"
