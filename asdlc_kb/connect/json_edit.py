"""JSON editor that adds or removes one member and preserves every other byte.

Comments and trailing commas are allowed. Offsets come from the standard library's
decoder, which reads a copy of the same length that has blanks in their place. Comments
outside the member stay.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from asdlc_kb.exceptions import ConfigNotEditable
from asdlc_kb.files.commented_json import (
    BYTE_ORDER_MARK,
    blank_comments,
    blank_trailing_commas,
)

_DECODER: Final = json.JSONDecoder()
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_UNIT: Final = "  "
"""Default indentation of a level."""


@dataclass(frozen=True, slots=True)
class _Member:
    """Offsets of a member's key and value."""

    name: str
    begin: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Object:
    """Offsets of an object's braces, and its members."""

    begin: int
    end: int
    members: tuple[_Member, ...]

    def find(self, name: str) -> _Member | None:
        """Return the member with a name; raise ConfigNotEditable if there are two."""
        matches = [member for member in self.members if member.name == name]
        if len(matches) > 1:
            raise ConfigNotEditable(f"`{name}` occurs twice", "remove one of them")
        return matches[0] if matches else None


@dataclass(frozen=True, slots=True)
class _Document:
    """A text, and copies of the same length for the decoder."""

    text: str
    bare: str
    """Blanks instead of a byte order mark and comments."""
    strict: str
    """Blanks instead of trailing commas too: JSON."""

    @classmethod
    def read(cls, text: str) -> "_Document":
        """Make the copies of a text; raise ConfigNotEditable if it is broken."""
        document = cls._copy(text)
        if not document.strict.strip():
            head = text.rstrip()
            newline = "\n" if head.removeprefix(BYTE_ORDER_MARK) else ""
            return cls._copy(f"{head}{newline}{{}}\n")
        _decode(document.strict)
        return document

    @classmethod
    def _copy(cls, text: str) -> "_Document":
        bare = blank_comments(text)
        strict = blank_trailing_commas(bare)
        return cls(text, bare, strict)

    def locate(self, begin: int) -> _Object:
        """Return the offsets in the object that begins at an offset."""
        members = tuple(self._members(begin))
        end = _skip(self.strict, members[-1].end if members else begin + 1)
        return _Object(begin, end, members)

    def _members(self, begin: int) -> Iterator[_Member]:
        text = self.strict
        index = _skip(text, begin + 1)
        while text[index] != "}":
            name, after = _DECODER.raw_decode(text, index)
            value = _skip(text, _skip(text, after) + 1)
            _, end = _DECODER.raw_decode(text, value)
            yield _Member(name, index, value, end)
            index = _skip(text, end)
            if text[index] == ",":
                index = _skip(text, index + 1)

    def root(self) -> _Object:
        """Return the offsets of the outermost object."""
        return self.locate(_skip(self.strict, 0))

    def enter(self, member: _Member) -> _Object:
        """Return the offsets of an object in it; raise ConfigNotEditable if none."""
        if self.strict[member.value] != "{":
            reason = f"`{member.name}` in it is not an object"
            raise ConfigNotEditable(reason, "fix it or move it away")
        return self.locate(member.value)

    def find_comma(self, member: _Member) -> int | None:
        """Return the offset of the comma that follows a member."""
        index = _skip(self.bare, member.end)
        return index if self.bare[index] == "," else None

    def is_multiline(self, here: _Object) -> bool:
        """Whether the first member of an object is below its brace."""
        return "\n" in self.text[here.begin : here.members[0].begin]

    @property
    def newline(self) -> str:
        """The line end of the text."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def indentation(self) -> str:
        """The indentation of a level, from the first member of the text."""
        root = self.root()
        if not root.members or not self.is_multiline(root):
            return _UNIT
        return self.margin(root.members[0].begin) or _UNIT

    def margin(self, index: int) -> str:
        """Return the indentation of the line at an offset."""
        begin = self.text.rfind("\n", 0, index) + 1
        line = self.text[begin:index].removeprefix(BYTE_ORDER_MARK)
        return line[: len(line) - len(line.lstrip(" \t"))]

    def write(self, value: object, margin: str | None) -> str:
        """Encode a value as the text is indented; without a margin, on one line."""
        if margin is None:
            return json.dumps(value, ensure_ascii=False)
        written = json.dumps(value, indent=self.indentation, ensure_ascii=False)
        return written.replace("\n", self.newline + margin)

    def write_member(self, name: str, value: object, margin: str | None) -> str:
        """Encode a member likewise."""
        key = json.dumps(name, ensure_ascii=False)
        return f"{key}: {self.write(value, margin)}"


def parse(text: str) -> dict[str, Any]:
    """Parse a text, with or without comments and trailing commas.

    A text without a value is `{}`. Raise ConfigNotEditable if it is broken.
    """
    return _decode(_Document.read(text).strict)


def put_entry(text: str, keys: Sequence[str], name: str, entry: object) -> str:
    """Return the text with an entry at a path of keys.

    Missing objects are added at the end; an entry with that name is replaced, with the
    comments in it.
    """
    document = _Document.read(text)
    text = document.text
    here = document.root()
    for index, key in enumerate(keys):
        member = here.find(key)
        if member is None:
            for outer in reversed((*keys[index + 1 :], name)):
                entry = {outer: entry}
            return _insert(document, here, key, entry)
        here = document.enter(member)
    member = here.find(name)
    if member is None:
        return _insert(document, here, name, entry)
    is_on_a_line = "\n" not in text[here.begin : member.begin]
    margin = None if is_on_a_line else document.margin(member.begin)
    return text[: member.value] + document.write(entry, margin) + text[member.end :]


def drop_entry(text: str, keys: Sequence[str], name: str) -> str:
    """Return the text without an entry and the comments in it.

    Enclosing objects stay.
    """
    document = _Document.read(text)
    here = document.root()
    for key in keys:
        member = here.find(key)
        if member is None:
            return text
        here = document.enter(member)
    member = here.find(name)
    return text if member is None else _remove(document, here, member)


def _decode(strict: str) -> dict[str, Any]:
    """Parse JSON that is an object, or raise ConfigNotEditable."""
    try:
        value = json.loads(strict)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ConfigNotEditable(f"it is broken JSON at {place}", "fix it") from None
    except (ValueError, RecursionError):
        raise ConfigNotEditable("it is broken JSON", "fix it") from None
    if not isinstance(value, dict):
        raise ConfigNotEditable("it contains no JSON object", "fix it or move it away")
    return value


def _skip(text: str, index: int) -> int:
    match = _BLANK.match(text, index)
    assert match is not None
    return match.end()


def _insert(document: _Document, here: _Object, name: str, value: object) -> str:
    """Append a member to an object, in the layout of the others.

    On a line of its own it follows the comments after the last member.
    """
    text = document.text
    if not here.members:
        return _insert_first(document, here, name, value)
    last = here.members[-1]
    comma = document.find_comma(last)
    if document.is_multiline(here):
        margin = document.margin(here.members[0].begin)
        lead = document.newline + margin
        place = _end_of_content(text, here)
    else:
        margin, lead = None, " "
        place = last.end if comma is None else comma + 1
    member = lead + document.write_member(name, value, margin)
    if comma is not None:
        return f"{text[:place]}{member},{text[place:]}"
    return f"{text[: last.end]},{text[last.end : place]}{member}{text[place:]}"


def _insert_first(document: _Document, here: _Object, name: str, value: object) -> str:
    """Add the first member of an object, after its comments.

    It is on a separate line, unless the text has one line, or the last comment and the
    closing brace share one.
    """
    text = document.text
    place = _end_of_content(text, here)
    tail = text[place : here.end]
    outer = document.margin(here.begin)
    margin = outer + document.indentation
    if place > here.begin + 1:
        is_below = "\n" in tail
        lead = document.newline + margin if is_below else " "
        member = document.write_member(name, value, margin if is_below else None)
        return f"{text[:place]}{lead}{member}{text[place:]}"
    before, after = text[:place], text[here.end :]
    if "\n" not in text.strip() and here.begin > _skip(document.strict, 0):
        return before + document.write_member(name, value, None) + after
    newline = document.newline
    member = document.write_member(name, value, margin)
    return f"{before}{newline}{margin}{member}{newline}{outer}{after}"


def _end_of_content(text: str, here: _Object) -> int:
    """Return the offset after the last member, comma or comment of an object."""
    return here.begin + 1 + len(text[here.begin + 1 : here.end].rstrip(" \t\r\n"))


def _remove(document: _Document, here: _Object, member: _Member) -> str:
    """Remove a member, the blanks before it, and its comma or else the one before."""
    text = document.text
    index = here.members.index(member)
    comma = document.find_comma(member)
    after = member.end if comma is None else comma + 1
    around = text[here.begin + 1 : member.begin] + text[member.end : here.end]
    if len(here.members) == 1 and not around.strip(", \t\r\n"):
        return text[: here.begin + 1] + text[here.end :]
    spans = [] if comma is None else [(comma, after)]
    if comma is None and index > 0:
        before = document.find_comma(here.members[index - 1])
        assert before is not None
        spans.append((before, before + 1))
    begin = len(text[: member.begin].rstrip(" \t\r\n"))
    wide = [*spans, (begin, member.end)]
    shorter = _cut(text, wide)
    if blank_comments(shorter) == _cut(document.bare, wide):
        return shorter
    # A line comment before it would have continued over what follows.
    return _cut(text, [*spans, (member.begin, member.end)])


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the text without disjoint spans."""
    for begin, end in sorted(spans, reverse=True):
        text = text[:begin] + text[end:]
    return text
