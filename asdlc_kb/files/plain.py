"""The frontmatter that nearly every file has, read without a YAML parser.

One `key: value` a line, where a value is a text, quoted or not, a list in brackets, or
lines of `- text` below the key. What is anything else, or looks as if it might be, is
declined: it is for the YAML parser to read or to refuse. What is not declined comes out
exactly as that parser has it, in a seventieth of the time.
"""

import re
from typing import Final

from asdlc_kb.files.values import Mapping, Scalar, Sequence, Value, is_null

_QUOTED: Final = r"""(?:"[^"\\]*"|'[^']*')"""
_PLAIN: Final = r"[A-Za-z0-9][^:#]*"
_PLAIN_ITEM: Final = r"""[A-Za-z0-9][^]:#,{}"'[ ]*(?: +[^]:#,{}"'[ ]+)*"""
_FLOW_ITEM: Final = rf"(?:{_QUOTED}|{_PLAIN_ITEM})"
_FLOW: Final = rf"\[ *(?:{_FLOW_ITEM}(?: *, *{_FLOW_ITEM})*)? *\]"

_KEY = re.compile(
    rf"([A-Za-z][A-Za-z0-9_-]{{0,99}}):(?: +({_QUOTED}|{_FLOW}|{_PLAIN}))?"
)
_ITEM = re.compile(rf"( *)- +({_QUOTED}|{_PLAIN})")
_FLOW_ITEMS = re.compile(_FLOW_ITEM)

_FIRST: Final = 2
"""The line of the file on which the frontmatter begins."""


def read_plain(frontmatter: str) -> Mapping | None:
    """Return the values of a frontmatter, or None for what is not plain."""
    if not frontmatter.replace("\n", "").isprintable():
        return None
    lines = frontmatter.split("\n")
    if lines[-1] == "":
        lines.pop()
    reader = _Reader()
    for number, line in enumerate(lines, _FIRST):
        if not reader.take(line.rstrip(" "), number):
            return None
    return reader.finish()


class _Reader:
    """Takes line after line; what stands below a key without a value is its list."""

    def __init__(self) -> None:
        self._values: dict[str, Value] = {}
        self._key: tuple[str, int] | None = None
        """The key whose list may follow, and its line."""
        self._items: list[Scalar] = []
        self._place = (0, 0)
        """Where that list begins."""

    def take(self, line: str, number: int) -> bool:
        """Take a line; False if it is not plain."""
        matched = _KEY.fullmatch(line)
        if matched is None:
            return self._take_item(line, number)
        if self._key is not None:
            self._end_list()
        key, written = matched.groups()
        if key in self._values:
            return False
        if written is None:
            self._key = key, number
        else:
            self._values[key] = _value(written, number, matched.start(2))
        return True

    def finish(self) -> Mapping:
        """Return what was taken."""
        self._end_list()
        return Mapping(self._values, _FIRST, 1)

    def _take_item(self, line: str, number: int) -> bool:
        matched = _ITEM.fullmatch(line) if self._key else None
        if matched is None:
            return False
        column = matched.end(1) + 1
        if not self._items:
            self._place = number, column
        self._items.append(_scalar(matched[2], number, matched.start(2)))
        return column == self._place[1]

    def _end_list(self) -> None:
        if self._key is None:
            return
        name, line = self._key
        self._values[name] = (
            Sequence(tuple(self._items), *self._place)
            if self._items
            else Scalar("", True, line, 1)
        )
        self._key, self._items = None, []


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
