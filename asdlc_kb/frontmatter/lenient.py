"""The frontmatter of rules, commands and skills, read as people write it.

Most of these files are no YAML: `globs: **/*.ts` begins with an alias that does not
exist, `description: Foo: bar` has a second colon. Their authors mean what stands there,
so it is read line by line: whatever has a key has a value, and nothing is lost. What
strict YAML accepts is read as YAML has it, as far as it is made of texts, lists, blocks
and mappings.

A fence that never closes ends where the text below it cannot be frontmatter any more.
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
"""Levels of mappings; what lies deeper is read as a text."""

_FENCE: Final = re.compile(r"---[ \t]*")
_KEY: Final = re.compile(
    r"""(?:([A-Za-z_][\w.-]{0,99})|"([^"]{1,99})"|'([^']{1,99})')[ \t]*+:(?!//)(.*)"""
)
_WORDS: Final = re.compile(r"()([A-Za-z_][\w./ -]{0,99}?)()[ \t]*+:(?:[ \t]+(.*)|$)")
"""A key of several words, which only YAML's own colon ends."""
_ITEM: Final = re.compile(r"[ \t]*-(?:[ \t]+(.*)|$)")
_BLOCK: Final = re.compile(r"([|>])[-+1-9]{0,2}(?:[ \t]+#.*)?")
_COMMENT: Final = re.compile(r"(?:^|(?<![ \t])[ \t]++)#.*")
_FOLD: Final = re.compile(r"(?<=[^\n])\n(\n*)(?=[^\n \t])")
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"n": "\n", "t": "\t"}
_YES: Final = frozenset({"true", "yes", "on"})


@dataclass(frozen=True, slots=True)
class LenientFrontmatter:
    """What a file says of itself, and the text below it."""

    fields: Mapping[str, LenientValue] = field(default_factory=dict)
    body: str = ""
    first: int = 1
    """The line of the file on which the body begins."""
    is_closed: bool = True
    """False for a fence without its end."""

    def text(self, key: str) -> str | None:
        """Return a text on one line; of a list, its items; None for what is empty."""
        value = self.fields.get(key)
        if isinstance(value, tuple):
            value = ", ".join(value)
        return (" ".join(value.split()) or None) if isinstance(value, str) else None

    def flag(self, key: str) -> bool:
        """Whether a key says yes, in quotes or not."""
        value = self.fields.get(key)
        return isinstance(value, str) and value.strip("\"' ").lower() in _YES

    def patterns(self, key: str) -> tuple[str, ...]:
        """Return a list, be it written as one or as a text with commas."""
        value = self.fields.get(key)
        if isinstance(value, str):
            value = tuple(split_commas(value))
        if not isinstance(value, tuple):
            return ()
        parts = (part for item in value for part in split_commas(item))
        return tuple(part for part in map(_unquote, parts) if part)


def read_lenient(text: str) -> LenientFrontmatter:
    """Return the header of a text whose lines end in LF; reading never fails."""
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
    """Return where a header ends, and whether a fence says so."""
    blank = 0
    for number, line in enumerate(lines[1:], 1):
        if _FENCE.fullmatch(line):
            return number, True
        if not line.strip():
            blank = blank or number
        elif blank and not _may_belong(line):
            # Prose after a blank line: the next fence is a rule between paragraphs.
            return blank, False
    for number, line in enumerate(lines[1:], 1):
        if not line.strip() or line.startswith("#") or not _may_belong(line):
            return number, False
    return len(lines), False


def _may_belong(line: str) -> bool:
    """Whether a line can be one of a header that is laid out as YAML."""
    return line[0] in " \t#-]}" or _KEY.fullmatch(line) is not None


def _is_header(head: Sequence[str]) -> bool:
    """Whether lines between two fences begin like a header; no lines do."""
    for line in head:
        if line.strip() and not line.lstrip().startswith("#"):
            return _match_key(line) is not None
    return True


def _match_key(line: str) -> re.Match[str] | None:
    return _KEY.fullmatch(line) or _WORDS.fullmatch(line)


def _read_fields(lines: Sequence[str], depth: int) -> dict[str, LenientValue]:
    """Read keys at the left edge, each with what stands below it."""
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


def _read_value(written: str, below: Sequence[str], depth: int) -> LenientValue:
    if block := _BLOCK.fullmatch(written):
        return _read_block(below, folds=block[1] == ">")
    below = [line for line in below if not _is_remark(line)]
    if written[:1] == "[" or (written[:1] in ('"', "'") and below):
        written = " ".join([written, *(line.strip() for line in below)]).strip()
    elif below and not _cut(written):
        return _read_below(below, depth)
    elif below:
        written = " ".join([_cut(written), *(_cut(line.strip()) for line in below)])
    return _read_inline(written)


def _is_remark(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _read_below(below: Sequence[str], depth: int) -> LenientValue:
    """Read what stands under a key that has nothing beside it."""
    if _ITEM.fullmatch(below[0]):
        return tuple(_read_items(below))
    indent = min(len(line) - len(line.lstrip()) for line in below)
    lines = [line[indent:] for line in below]
    if indent and depth < MAX_DEPTH and _match_key(lines[0]):
        return _read_fields(lines, depth + 1)
    return _read_inline(" ".join(_cut(line.strip()) for line in below))


def _read_items(below: Sequence[str]) -> list[str]:
    """Read a list with an item a line; a line that is none continues its item."""
    items: list[str] = []
    for line in below:
        matched = _ITEM.fullmatch(line)
        words = (matched[1] or "") if matched else line
        if matched:
            items.append(words.strip())
        else:
            items[-1] = f"{items[-1]} {words.strip()}".strip()
    return [_unquote(_cut(item)) for item in items]


def _read_inline(written: str) -> LenientValue:
    """Read a value that stands beside its key."""
    if written[:1] == "[" and (cut := _cut(written)).endswith("]"):
        items = split_commas(cut[1:-1])
        return tuple(_unquote(item) for item in items if item)
    cut = _cut(written)
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


def _cut(written: str) -> str:
    """Return a value without the comment behind it; quotes keep what is in them."""
    if "#" not in written:
        return written
    if written[:1] in ('"', "'"):
        end = _find_quote(written)
        return written[: end + 1] if _is_remark(written[end + 1 :]) else written
    return _COMMENT.sub("", written, count=1)


def _find_quote(written: str) -> int:
    """Return where the quote ends with which a text begins, or the text's end."""
    quote, at = written[0], 1
    while at < len(written):
        if written[at] == "\\" and quote == '"':
            at += 2
        elif written[at] != quote:
            at += 1
        elif quote == "'" and written[at + 1 : at + 2] == "'":
            at += 2
        else:
            return at
    return len(written)


def _unquote(written: str) -> str:
    """Return a text without the quotes around the whole of it."""
    text = written.strip()
    if text[:1] not in ('"', "'") or len(text) < 2 or _find_quote(text) + 1 < len(text):
        return text
    if not text.endswith(text[0]) or _find_quote(text) == len(text):
        return text
    inner = text[1:-1]
    if text[0] == "'":
        return inner.replace("''", "'")
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), inner)
