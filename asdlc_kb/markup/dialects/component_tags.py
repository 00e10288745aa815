"""Tags of components in MDX and Vue, as `<Tabs sync={true}>`: name and attributes.

Read without running anything: an attribute has a value if it is a literal, or an
expression that holds a single address.
"""

import html
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

MAX_TAG_CHARS: Final = 8_000
"""Characters of a tag or of an expression in braces; a longer one is text."""

MAX_BRACES: Final = 20
"""Braces in each other in one expression; deeper ones are text."""

NAME: Final = r"(?:[A-Za-z][\w.-]*+(?::[\w-]++)?+|(?=/?>))"
"""The name of a tag; empty for a fragment, `<>`."""

_START: Final = re.compile(rf"<(?P<end>/?)(?P<name>{NAME})(?=[\s/>{{])")
_ATTRIBUTE: Final = re.compile(
    r"\s*+(?P<name>[@:#$A-Za-z_][\w$@:#.\[\]-]*+)"
    r"(?:\s*+=\s*+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'|(?P<brace>\{)"
    r"|(?P<bare>[^\s\"'<>={}`]++)))?+"
)
_SPREAD: Final = re.compile(r"\s*+(?=\{)")
_END: Final = re.compile(r"\s*+(/?)>")
_PART: Final = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*+\"?+|'(?:[^'\\\n]|\\.)*+'?+|`(?:[^`\\]|\\.)*+`?+"
    r"|/\*|[{}]",
    re.DOTALL,
)
_LITERAL: Final = re.compile(
    r"\s*+(?:\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\]|\\.)*+)'|`((?:[^`\\$]|\\.)*+)`"
    r"|(-?[\d.]+|true|false))\s*+\Z",
    re.DOTALL,
)
_ADDRESS: Final = re.compile(
    r"\s*+(?:require|useBaseUrl|withBase|new URL)\(\s*+[\"']([^\"'\n]*+)[\"'][^()]*+\)"
    r"(?:\.default|\.href|\.src)?+\s*+\Z"
)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


class Tag(NamedTuple):
    """A tag in a text."""

    name: str
    start: int
    end: int
    """Its characters in the text."""
    is_end: bool
    """Whether it closes an element."""
    is_single: bool
    """Whether it is an element without a body."""
    attributes: Mapping[str, str]
    """By name; an expression that is no literal keeps its braces."""

    def get(self, *names: str) -> str:
        """Return the literal value of the first of these attributes, or ""."""
        for name in names:
            value = self.attributes.get(name, "")
            if value and not value.startswith("{"):
                return value
        return ""


def read_tag(text: str, at: int) -> Tag | None:
    """Return the tag that begins at `at`; None if none does."""
    start = _START.match(text, at)
    if start is None:
        return None
    end, most = start.end(), at + MAX_TAG_CHARS
    attributes: dict[str, str] = {}
    while True:
        if (last := _END.match(text, end, most)) is not None:
            is_single = bool(last[1])
            name = start["name"]
            return Tag(name, at, last.end(), bool(start["end"]), is_single, attributes)
        read = _read_attribute(text, end, most, attributes)
        if not read:
            return None
        end = read


def _read_attribute(text: str, at: int, most: int, attributes: dict[str, str]) -> int:
    """Add the next attribute; return its end, or 0 if there is none."""
    if (spread := _SPREAD.match(text, at, most)) is not None:
        return find_brace(text, spread.end())
    found = _ATTRIBUTE.match(text, at, most)
    if found is None:
        return 0
    end = found.end()
    if found["brace"]:
        end = find_brace(text, end - 1)
        value = evaluate(text[found.end() : end - 1]) if end else None
        shown = text[found.end() - 1 : end] if value is None else value
    else:
        quoted = (found["double"], found["single"], found["bare"])
        value = next((value for value in quoted if value is not None), None)
        shown = "true" if value is None else html.unescape(value)
    attributes.setdefault(found["name"], shown)
    return end


def find_brace(text: str, at: int) -> int:
    """Return the index after the brace that closes the one at `at`, or 0."""
    depth, most = 0, at + MAX_TAG_CHARS
    while (part := _PART.search(text, at, most)) is not None:
        at = part.end()
        if part[0] == "/*":
            at = text.find("*/", at, most) + 2
            if at < part.end():
                return 0
        elif part[0] == "{":
            depth += 1
        elif part[0] == "}":
            depth -= 1
        if not depth:
            return at
        if depth > MAX_BRACES:
            return 0
    return 0


def evaluate(expression: str) -> str | None:
    """Return the value of a literal, or the address in a call; None for others."""
    literal = _LITERAL.match(expression)
    if literal is not None:
        values = (literal[1], literal[2], literal[3])
        quoted = next((value for value in values if value is not None), None)
        return literal[4] if quoted is None else unescape(quoted)
    address = _ADDRESS.match(expression)
    return address[1] if address else None


def unescape(text: str) -> str:
    """Return the value of a text between quotes, as JavaScript reads it."""
    return _ESCAPED.sub(_unescape, text)


def _unescape(match: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(match[1], match[1])
