"""Lenient frontmatter parser for rules, commands and skills.

Most of these files are not valid YAML: `globs: **/*.ts` begins with an undefined alias,
`description: Foo: bar` has a second colon. They are read line by line and literally:
every key has a value, and nothing is lost. Valid YAML made of strings, lists, blocks
and mappings yields the same values as a YAML parser.

An unclosed fence ends where the text below it cannot be frontmatter any more.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from asdlc_kb.frontmatter.comma_lists import split_commas
from asdlc_kb.frontmatter.nodes import is_null
from asdlc_kb.frontmatter.parser import MAX_FRONTMATTER_BYTES

LenientValue: TypeAlias = "str | tuple[str, ...] | Mapping[str, LenientValue] | None"

MAX_DEPTH: Final = 4
"""Levels of mappings; deeper ones are read as text."""

_FENCE: Final = re.compile(r"---[ \t]*")
_KEY: Final = re.compile(
    r"""(?:([A-Za-z_][\w.-]{0,99})|"([^"]{1,99})"|'([^']{1,99})')[ \t]*+:(?!//)(.*)"""
)
_WORDS_KEY: Final = re.compile(
    r"()([A-Za-z_][\w./ -]{0,99}?)()[ \t]*+:(?:[ \t]+(.*)|$)"
)
"""A key of several words, ended by a colon and a blank as in YAML."""
_ITEM: Final = re.compile(r"[ \t]*-(?:[ \t]+(.*)|$)")
_BLOCK: Final = re.compile(r"([|>])[-+1-9]{0,2}(?:[ \t]+#.*)?")
_COMMENT: Final = re.compile(r"(?:^|(?<![ \t])[ \t]++)#.*")
_FOLD: Final = re.compile(r"(?<=[^\n])\n(\n*)(?=[^\n \t])")
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"n": "\n", "t": "\t"}
_TRUE: Final = frozenset({"true", "yes", "on"})
_FALSE: Final = frozenset({"false", "no", "off"})


@dataclass(frozen=True, slots=True)
class LenientFrontmatter:
    """The fields of a file's frontmatter, and the text below it."""

    fields: Mapping[str, LenientValue] = field(default_factory=dict)
    body: str = ""
    first: int = 1
    """Line of the file on which the body begins."""
    is_closed: bool = True
    """False without a closing fence."""

    def text(self, key: str) -> str | None:
        """Return a field as one line, list items joined; None if it is empty."""
        value = self.fields.get(key)
        if isinstance(value, tuple):
            value = ", ".join(value)
        return (" ".join(value.split()) or None) if isinstance(value, str) else None

    def flag(self, key: str) -> bool:
        """Whether a field is true, quoted or not."""
        return self._read_word(key) in _TRUE

    def denies(self, key: str) -> bool:
        """Whether a field is false, quoted or not."""
        return self._read_word(key) in _FALSE

    def _read_word(self, key: str) -> str:
        value = self.fields.get(key)
        return value.strip("\"' ").lower() if isinstance(value, str) else ""

    def patterns(self, key: str) -> tuple[str, ...]:
        """Return a field as a list, written as one or comma-separated."""
        value = self.fields.get(key)
        if isinstance(value, str):
            value = tuple(split_commas(value))
        if not isinstance(value, tuple):
            return ()
        parts = (part for item in value for part in split_commas(item))
        return tuple(part for part in map(_unquote, parts) if part)


def read_lenient(text: str) -> LenientFrontmatter:
    """Parse the frontmatter of a text with LF line ends; never raises."""
    lines = text.split("\n")
    if not _FENCE.fullmatch(lines[0]):
        return LenientFrontmatter(body=text)
    top = text[:MAX_FRONTMATTER_BYTES].split("\n")[
        : None if len(text) <= MAX_FRONTMATTER_BYTES else -1
    ]
    end, is_closed = _find_end(top)
    head = top[1:end]
    is_cut_off = end == len(top) < len(lines)
    if is_cut_off or not _is_header(head):
        return LenientFrontmatter(body=text)
    first = end + 1 if is_closed else end
    body = "\n".join(lines[first:])
    return LenientFrontmatter(_read_fields(head, 0), body, first + 1, is_closed)


def _find_end(lines: Sequence[str]) -> tuple[int, bool]:
    """Return the line where a header ends, and whether a fence ends it."""
    blank = 0
    for number, line in enumerate(lines[1:], 1):
        if _FENCE.fullmatch(line):
            return number, True
        if not line.strip():
            blank = blank or number
        elif blank and not _is_header_line(line):
            # Prose after a blank line: the next fence is a thematic break.
            return blank, False
    for number, line in enumerate(lines[1:], 1):
        if not line.strip() or line.startswith("#") or not _is_header_line(line):
            return number, False
    return len(lines), False


def _is_header_line(line: str) -> bool:
    """Whether a line can be part of a header in YAML layout."""
    return line[0] in " \t#-]}" or _KEY.fullmatch(line) is not None


def _is_header(head: Sequence[str]) -> bool:
    """Whether lines between two fences begin like a header, as none at all do."""
    for line in head:
        if line.strip() and not line.lstrip().startswith("#"):
            return _match_key(line) is not None
    return True


def _match_key(line: str) -> re.Match[str] | None:
    return _KEY.fullmatch(line) or _WORDS_KEY.fullmatch(line)


def _read_fields(lines: Sequence[str], depth: int) -> dict[str, LenientValue]:
    """Read unindented keys, each with the lines below it."""
    fields: dict[str, LenientValue] = {}
    at = 0
    while at < len(lines):
        matched = _match_key(lines[at])
        at += 1
        if matched is None:
            continue
        key = matched[1] or matched[2] or matched[3]
        begin = at
        while at < len(lines) and _match_key(lines[at]) is None:
            at += 1
        fields[key] = _read_value((matched[4] or "").strip(), lines[begin:at], depth)
    return fields


def _read_value(value_text: str, below: Sequence[str], depth: int) -> LenientValue:
    if block := _BLOCK.fullmatch(value_text):
        return _read_block(below, folds=block[1] == ">")
    below = [line for line in below if not _is_blank_or_comment(line)]
    if value_text[:1] == "[" or (value_text[:1] in ('"', "'") and below):
        value_text = " ".join([value_text, *(line.strip() for line in below)]).strip()
    elif below and not _strip_comment(value_text):
        return _read_below(below, depth)
    elif below:
        value_text = " ".join(
            [
                _strip_comment(value_text),
                *(_strip_comment(line.strip()) for line in below),
            ]
        )
    return _read_inline(value_text)


def _is_blank_or_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _read_below(below: Sequence[str], depth: int) -> LenientValue:
    """Read the lines under a key without a value on its line."""
    if _ITEM.fullmatch(below[0]):
        return tuple(_read_items(below))
    indent = min(len(line) - len(line.lstrip()) for line in below)
    lines = [line[indent:] for line in below]
    if indent and depth < MAX_DEPTH and _match_key(lines[0]):
        return _read_fields(lines, depth + 1)
    return _read_inline(" ".join(_strip_comment(line.strip()) for line in below))


def _read_items(below: Sequence[str]) -> list[str]:
    """Read a list with one item a line; any other line continues the item."""
    items: list[str] = []
    for line in below:
        matched = _ITEM.fullmatch(line)
        words = (matched[1] or "") if matched else line
        if matched:
            items.append(words.strip())
        else:
            items[-1] = f"{items[-1]} {words.strip()}".strip()
    return [_unquote(_strip_comment(item)) for item in items]


def _read_inline(value_text: str) -> LenientValue:
    """Read a value on the line of its key."""
    if value_text[:1] == "[" and (cut := _strip_comment(value_text)).endswith("]"):
        items = split_commas(cut[1:-1])
        return tuple(_unquote(item) for item in items if item)
    cut = _strip_comment(value_text)
    if is_null(cut):
        return None
    return _unquote(cut)


def _read_block(below: Sequence[str], *, folds: bool) -> str:
    """Read the indented lines under a `|` or `>`."""
    filled = [line for line in below if line.strip()]
    if not filled:
        return ""
    indent = len(filled[0]) - len(filled[0].lstrip())
    cut = (line if line[:indent].strip() else line[indent:] for line in below)
    lines = [line if line.strip() else "" for line in cut]
    text = "\n".join(lines).strip("\n")
    return _FOLD.sub(lambda match: match[1] or " ", text) if folds else text


def _strip_comment(value_text: str) -> str:
    """Return a value without a trailing comment; `#` in quotes is kept."""
    if "#" not in value_text:
        return value_text
    if value_text[:1] in ('"', "'"):
        end = _closing_quote(value_text)
        return (
            value_text[: end + 1]
            if _is_blank_or_comment(value_text[end + 1 :])
            else value_text
        )
    return _COMMENT.sub("", value_text, count=1)


def _closing_quote(value_text: str) -> int:
    """Return the position of the closing quote of a text, or its length."""
    quote, at = value_text[0], 1
    while at < len(value_text):
        if value_text[at] == "\\" and quote == '"':
            at += 2
        elif value_text[at] != quote:
            at += 1
        elif quote == "'" and value_text[at + 1 : at + 2] == "'":
            at += 2
        else:
            return at
    return len(value_text)


def _unquote(value_text: str) -> str:
    """Return a text without quotes that enclose all of it."""
    text = value_text.strip()
    if (
        text[:1] not in ('"', "'")
        or len(text) < 2
        or _closing_quote(text) + 1 < len(text)
    ):
        return text
    if not text.endswith(text[0]) or _closing_quote(text) == len(text):
        return text
    inner = text[1:-1]
    if text[0] == "'":
        return inner.replace("''", "'")
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), inner)
