"""JSON editor that adds or removes one member and preserves every other byte.

A text with comments or trailing commas is parsed but not edited. Offsets come from the
standard library's decoder, which accepted the whole text before.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from asdlc_kb.exceptions import ConfigNotEditable

_MARK: Final = "\ufeff"
_DECODER: Final = json.JSONDecoder()
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_COMMENT: Final = re.compile(
    r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))|//[^\r\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL
)
_TRAILING: Final = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))|,(?=\s*[}\]])', re.DOTALL)
# An unclosed string extends to the end: each is matched once, in linear time.
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


def parse(text: str) -> dict[str, Any]:
    """Parse a text, with or without comments and trailing commas.

    A blank text is `{}`. Raise ConfigNotEditable if it is broken.
    """
    bare = text.removeprefix(_MARK)
    if not bare.strip():
        return {}
    try:
        value = json.loads(bare)
    except (ValueError, RecursionError) as error:
        value = _read_loosely(bare, error)
    if not isinstance(value, dict):
        raise ConfigNotEditable("it contains no JSON object", "fix it or move it away")
    return value


def put_entry(text: str, keys: Sequence[str], name: str, entry: object) -> str:
    """Return the text with an entry at a path of keys.

    Missing objects are added at the end; an entry with that name is replaced.
    """
    text = _check(text)
    here = _locate_object(text, _start(text))
    for index, key in enumerate(keys):
        member = here.find(key)
        if member is None:
            for outer in reversed((*keys[index + 1 :], name)):
                entry = {outer: entry}
            return _insert(text, here, key, entry)
        here = _enter(text, member)
    member = here.find(name)
    if member is None:
        return _insert(text, here, name, entry)
    is_on_a_line = "\n" not in text[here.begin : member.begin]
    margin = None if is_on_a_line else _margin(text, member.begin)
    written = _write(entry, text, margin)
    return text[: member.value] + written + text[member.end :]


def drop_entry(text: str, keys: Sequence[str], name: str) -> str:
    """Return the text without an entry; enclosing objects stay."""
    text = _check(text)
    here = _locate_object(text, _start(text))
    for key in keys:
        member = here.find(key)
        if member is None:
            return text
        here = _enter(text, member)
    member = here.find(name)
    if member is None:
        return text
    index = here.members.index(member)
    if index > 0:
        return text[: here.members[index - 1].end] + text[member.end :]
    if len(here.members) > 1:
        return text[: member.begin] + text[here.members[1].begin :]
    return text[: here.begin + 1] + text[here.end :]


def _read_loosely(text: str, error: Exception) -> Any:
    """Parse JSON with comments, or raise ConfigNotEditable."""
    try:
        return json.loads(_strip(text))
    except (ValueError, RecursionError):
        pass
    if isinstance(error, json.JSONDecodeError):
        place = f"line {error.lineno}, column {error.colno}"
        raise ConfigNotEditable(f"it is broken JSON at {place}", "fix it") from None
    raise ConfigNotEditable("it is broken JSON", "fix it") from None


def _strip(text: str) -> str:
    """Return a text without comments and trailing commas."""
    without = _COMMENT.sub(lambda match: match[1] or " ", text)
    return _TRAILING.sub(lambda match: match[1] or "", without)


def _check(text: str) -> str:
    """Return the text if it is editable; `{}` for a blank one."""
    bare = text.removeprefix(_MARK)
    if not bare.strip():
        return text[: len(text) - len(bare)] + "{}\n"
    parse(text)
    try:
        json.loads(bare)
    except ValueError:
        reason = "it has comments or trailing commas, which an edit could damage"
        advice = "add the entry by hand"
        raise ConfigNotEditable(reason, advice, by_hand=True) from None
    return text


def _start(text: str) -> int:
    return _skip(text, len(_MARK) if text.startswith(_MARK) else 0)


def _skip(text: str, index: int) -> int:
    match = _BLANK.match(text, index)
    assert match is not None
    return match.end()


def _enter(text: str, member: _Member) -> _Object:
    if text[member.value] != "{":
        reason = f"`{member.name}` in it is not an object"
        raise ConfigNotEditable(reason, "fix it or move it away")
    return _locate_object(text, member.value)


def _locate_object(text: str, begin: int) -> _Object:
    """Return the offsets in the object that begins at an offset."""
    members = tuple(_members(text, begin))
    end = _skip(text, members[-1].end if members else begin + 1)
    return _Object(begin, end, members)


def _members(text: str, begin: int) -> Iterator[_Member]:
    index = _skip(text, begin + 1)
    while text[index] != "}":
        name, after = _DECODER.raw_decode(text, index)
        value = _skip(text, _skip(text, after) + 1)
        _, end = _DECODER.raw_decode(text, value)
        yield _Member(name, index, value, end)
        index = _skip(text, end)
        if text[index] == ",":
            index = _skip(text, index + 1)


def _insert(text: str, here: _Object, name: str, value: object) -> str:
    """Append a member to an object, in the layout of the others.

    In an empty object: on separate lines, unless the text has one line.
    """
    if here.members:
        last = here.members[-1].end
        lead = text[here.begin + 1 : here.members[0].begin]
        margin = lead.rpartition("\n")[2] if "\n" in lead else None
        member = _format_member(name, value, text, margin)
        return f"{text[:last]},{lead or ' '}{member}{text[last:]}"
    before, after = text[: here.begin + 1], text[here.end :]
    if "\n" not in text.strip() and here.begin > _start(text):
        return before + _format_member(name, value, text, None) + after
    newline, outer = _newline(text), _margin(text, here.begin)
    inner = outer + _unit(text)
    member = _format_member(name, value, text, inner)
    return f"{before}{newline}{inner}{member}{newline}{outer}{after}"


def _format_member(name: str, value: object, text: str, margin: str | None) -> str:
    key = json.dumps(name, ensure_ascii=False)
    return f"{key}: {_write(value, text, margin)}"


def _write(value: object, text: str, margin: str | None) -> str:
    """Encode a value with the text's indentation; without a margin, on one line."""
    if margin is None:
        return json.dumps(value, ensure_ascii=False)
    written = json.dumps(value, indent=_unit(text), ensure_ascii=False)
    return written.replace("\n", _newline(text) + margin)


def _margin(text: str, index: int) -> str:
    """Return the indentation of the line at an offset."""
    line = text[text.rfind("\n", 0, index) + 1 : index].removeprefix(_MARK)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """Return the indentation of a level, from the first member of the text."""
    match = re.match(r"\s*\{[ \t]*\r?\n([ \t]+)", text.removeprefix(_MARK))
    return match[1] if match else _UNIT
