"""The frontmatter that nearly every file has, read without a YAML parser.

One `key: value` a line, where a value is a text, quoted or not, a list in brackets or,
in the lines below the key and further in, a list of `- text`, a text behind `|` or `>`,
or such keys again. What is anything else, or looks as if it might be, is declined: it
is for the YAML parser to read or to refuse. What is not declined comes out exactly as
that parser has it, in a fraction of the time.
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
_FLOW_ITEMS = re.compile(_FLOW_ITEM)

_FIRST: Final = 2
"""The line of the file on which the frontmatter begins."""

_MAX_DEPTH: Final = 4
"""Mappings in each other; fewer than the YAML parser may read."""


class _NeedsFullParser(Exception):
    """A line that is not plain."""


def read_fast(frontmatter: str) -> Mapping | None:
    """Return the values of a frontmatter, or None for what is not plain."""
    if not frontmatter.replace("\n", "").isprintable():
        return None
    try:
        return Mapping(_FastReader(frontmatter).read(0, 1), _FIRST, 1)
    except _NeedsFullParser:
        return None


class _FastReader:
    """Reads line after line; what stands below a key without a value is its value."""

    def __init__(self, frontmatter: str) -> None:
        self._lines = frontmatter.split("\n")
        self._is_ended = not self._lines[-1]
        if self._is_ended:
            self._lines.pop()
        self._at = 0

    def read(self, indent: int, depth: int) -> dict[str, Value]:
        """Return the keys that are this far in; raise _Unsure at a line that is not."""
        values: dict[str, Value] = {}
        while matched := self._match(_KEY):
            blanks, key, written = matched.groups()
            if len(blanks) != indent:
                break
            if key in values:
                raise _NeedsFullParser
            number = self._at + _FIRST
            self._at += 1
            if written is None:
                values[key] = self._read_below(number, indent, depth)
            elif written[0] in "|>":
                values[key] = self._read_text(written, matched.start(3), indent)
            else:
                values[key] = _value(written, number, matched.start(3))
        if depth == 1 and self._at < len(self._lines):
            raise _NeedsFullParser
        return values

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Match the present line, without what it ends in."""
        if self._at == len(self._lines):
            return None
        return pattern.fullmatch(self._lines[self._at].rstrip(" "))

    def _read_below(self, line: int, indent: int, depth: int) -> Value:
        """Return the value of the key of a line: keys, a list or nothing."""
        if (matched := self._match(_KEY)) and len(matched[1]) > indent:
            if depth == _MAX_DEPTH:
                raise _NeedsFullParser
            number, column = self._at + _FIRST, len(matched[1])
            return Mapping(self.read(column, depth + 1), number, column + 1)
        if (matched := self._match(_ITEM)) and len(matched[1]) >= indent:
            number, column = self._at + _FIRST, len(matched[1])
            return Sequence(tuple(self._read_items(column)), number, column + 1)
        return Scalar("", True, line, indent + 1)

    def _read_items(self, indent: int) -> list[Scalar]:
        items: list[Scalar] = []
        while (matched := self._match(_ITEM)) and len(matched[1]) == indent:
            number = self._at + _FIRST
            items.append(_scalar(matched[2], number, matched.start(2)))
            self._at += 1
        return items

    def _read_text(self, mark: str, start: int, indent: int) -> Scalar:
        """Return the lines below a mark as one text, if they are equally far in."""
        place, first = self._at - 1 + _FIRST, self._at
        column = 0
        while self._at < len(self._lines):
            line = self._lines[self._at]
            bare = line.lstrip(" ")
            blanks = len(line) - len(bare)
            if bare and blanks <= indent:
                break
            column = column or blanks
            if not bare or bare[-1] == " " or blanks != column:
                raise _NeedsFullParser
            self._at += 1
        lines = [line[column:] for line in self._lines[first : self._at]]
        if not lines or not self._is_ended:
            raise _NeedsFullParser
        text = (" " if mark[0] == ">" else "\n").join(lines)
        return Scalar(text + ("" if mark[1:] else "\n"), False, place, start + 1)


def _value(written: str, line: int, start: int) -> Value:
    if written[0] != "[":
        return _scalar(written, line, start)
    items = [
        _scalar(item[0], line, start + item.start())
        for item in _FLOW_ITEMS.finditer(written)
    ]
    return Sequence(tuple(items), line, start + 1)


def _scalar(written: str, line: int, start: int) -> Scalar:
    if written[0] in "\"'":
        return Scalar(written[1:-1], False, line, start + 1)
    return Scalar(written, is_null(written), line, start + 1)
