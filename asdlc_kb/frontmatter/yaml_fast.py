"""Fast parser for the YAML subset that nearly all frontmatter uses.

One `key: value` a line. A value is a string, quoted or not, a flow list or, indented
below the key, a list of `- text` or `- key: value`, a `|` or `>` block, or nested keys.
Anything else, or ambiguous, is declined and left to the full YAML parser. The result is
exactly that of the full parser, in a fraction of the time.
"""

import re
from typing import Final

from asdlc_kb.frontmatter.nodes import Mapping, Scalar, Sequence, Value, is_null

_QUOTED: Final = r"""(?:"[^"\\]*"|'[^']*')"""
_PLAIN: Final = r"[\w./($](?:[^:#]++|:(?! |$)|(?<! )#)*+"
_PLAIN_ITEM: Final = r"""[A-Za-z0-9_./$][^]:#,{}"'[ ]*(?: +[^]:#,{}"'[ ]+)*"""
_FLOW_ITEM: Final = rf"(?:{_QUOTED}|{_PLAIN_ITEM})"
_FLOW: Final = rf"\[ *+(?:{_FLOW_ITEM}(?: *, *{_FLOW_ITEM})*)? *\]"

_KEY = re.compile(
    rf"( *)([A-Za-z_][A-Za-z0-9_-]{{0,99}}):(?: +([|>]-?|{_QUOTED}|{_FLOW}|{_PLAIN}))?"
)
_ITEM = re.compile(rf"( *)- +({_QUOTED}|{_PLAIN})")
_ITEM_KEYS = re.compile(r"( *)(- +)(?=[A-Za-z_][A-Za-z0-9_-]{0,99}:(?: |$)).*")
"""An item that is a mapping; its first key stands behind the mark."""
_FLOW_ITEMS = re.compile(_FLOW_ITEM)

_FIRST_LINE: Final = 2
"""Line of the file on which the frontmatter begins."""

_MAX_DEPTH: Final = 4
"""Levels of mappings and of lists of mappings; fewer than the full parser accepts."""


class _NeedsFullParser(Exception):
    """Raised at a line outside the subset."""


def read_fast(frontmatter: str) -> Mapping | None:
    """Parse frontmatter; return None for syntax outside the subset."""
    if not frontmatter.replace("\n", "").isprintable():
        return None
    try:
        return Mapping(_FastReader(frontmatter).read(0, 1), _FIRST_LINE, 1)
    except _NeedsFullParser:
        return None


class _FastReader:
    """Line reader; the lines below a key without a value are its value."""

    def __init__(self, frontmatter: str) -> None:
        self._lines = frontmatter.split("\n")
        self._is_ended = not self._lines[-1]
        if self._is_ended:
            self._lines.pop()
        self._line_index = 0

    def read(self, indent: int, depth: int) -> dict[str, Value]:
        """Read keys at this indent; raise _NeedsFullParser at an unexpected line."""
        values: dict[str, Value] = {}
        while matched := self._match(_KEY):
            margin, key, value_text = matched.groups()
            if len(margin) != indent:
                break
            if key in values:
                raise _NeedsFullParser
            number = self._line_index + _FIRST_LINE
            self._line_index += 1
            if value_text is None:
                values[key] = self._read_below(number, indent, depth)
            elif value_text[0] in "|>":
                values[key] = self._read_block(value_text, matched.start(3), indent)
            else:
                values[key] = _value(value_text, number, matched.start(3))
        if depth == 1 and self._line_index < len(self._lines):
            raise _NeedsFullParser
        return values

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Match the current line without trailing blanks."""
        if self._line_index == len(self._lines):
            return None
        return pattern.fullmatch(self._lines[self._line_index].rstrip(" "))

    def _read_below(self, line: int, indent: int, depth: int) -> Value:
        """Read the value below a key: nested keys, a list or nothing."""
        if (matched := self._match(_KEY)) and len(matched[1]) > indent:
            if depth == _MAX_DEPTH:
                raise _NeedsFullParser
            number, column = self._line_index + _FIRST_LINE, len(matched[1])
            return Mapping(self.read(column, depth + 1), number, column + 1)
        matched = self._match(_ITEM) or self._match(_ITEM_KEYS)
        if matched and len(matched[1]) >= indent:
            number, column = self._line_index + _FIRST_LINE, len(matched[1])
            return Sequence(tuple(self._read_items(column, depth)), number, column + 1)
        return Scalar("", True, line, indent + 1)

    def _read_items(self, indent: int, depth: int) -> list[Value]:
        items: list[Value] = []
        while True:
            number = self._line_index + _FIRST_LINE
            if (matched := self._match(_ITEM)) and len(matched[1]) == indent:
                items.append(_scalar(matched[2], number, matched.start(2)))
                self._line_index += 1
            elif (matched := self._match(_ITEM_KEYS)) and len(matched[1]) == indent:
                items.append(self._read_keys(matched.end(2), depth))
            else:
                return items

    def _read_keys(self, column: int, depth: int) -> Mapping:
        """Read an item that is a mapping, with its keys at a column."""
        if depth + 2 > _MAX_DEPTH:
            raise _NeedsFullParser
        number = self._line_index + _FIRST_LINE
        line = self._lines[self._line_index]
        self._lines[self._line_index] = " " * column + line[column:]
        return Mapping(self.read(column, depth + 2), number, column + 1)

    def _read_block(self, indicator: str, start: int, indent: int) -> Scalar:
        """Read the equally indented lines of a block scalar as one text."""
        number, first = self._line_index - 1 + _FIRST_LINE, self._line_index
        column = 0
        while self._line_index < len(self._lines):
            line = self._lines[self._line_index]
            bare = line.lstrip(" ")
            margin = len(line) - len(bare)
            if bare and margin <= indent:
                break
            column = column or margin
            if not bare or bare[-1] == " " or margin != column:
                raise _NeedsFullParser
            self._line_index += 1
        lines = [line[column:] for line in self._lines[first : self._line_index]]
        if not lines or not self._is_ended:
            raise _NeedsFullParser
        text = (" " if indicator[0] == ">" else "\n").join(lines)
        return Scalar(text + ("" if indicator[1:] else "\n"), False, number, start + 1)


def _value(value_text: str, line: int, start: int) -> Value:
    if value_text[0] != "[":
        return _scalar(value_text, line, start)
    items = [
        _scalar(item[0], line, start + item.start())
        for item in _FLOW_ITEMS.finditer(value_text)
    ]
    return Sequence(tuple(items), line, start + 1)


def _scalar(value_text: str, line: int, start: int) -> Scalar:
    if value_text[0] in "\"'":
        return Scalar(value_text[1:-1], False, line, start + 1)
    return Scalar(value_text, is_null(value_text), line, start + 1)
