"""The links of an index that the authors of a tree wrote (see `curated_index`).

What leads to a page that is hidden or missing is left out: an entry of a list whole, in
other text the link. In code nothing changes.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.markup.blocks import HEADING_MARK, LIST_MARK, BlockScanner, LineKind
from asdlc_kb.markup.code_spans import STORED, store_code

ResolveHref: TypeAlias = Callable[[str], str | None]
"""Return the address to which a link leads, or None if it leads to nothing."""

_LINK: Final = re.compile(
    r"(?:!?\[(?P<words>[^\[\]]*+))?\]\([ \t]*+"
    r"(?:<(?P<pointed>[^<>\n]++)>|(?P<inline>[^\s<>()]++))"
    r"(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?[ \t]*+\)"
    r"|^ {0,3}\[[^\]\n]++\]:[ \t]*+<?(?P<below>[^\s<>]++)>?.*+"
    r"|<?(?P<address>https?://[^\s<>()\[\]\"'`]++)>?"
)
"""A link with its words, the definition of one, or an address."""
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_ITEM: Final = re.compile(rf"[ \t]*+{LIST_MARK}(?=[ \t]|$)")
_HEADING: Final = re.compile(rf" {{0,3}}({HEADING_MARK})")


class WrittenLink(NamedTuple):
    """A link of an index. Lines and columns count from 1."""

    href: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the result."""

    text: str
    level: int = 0
    """That of a heading; 0 for other text."""
    is_gone: bool = False
    """Whether it stands for an entry that is left out."""


class _FoundLink(NamedTuple):
    """A link of a line."""

    href: str
    """Without the escapes of Markdown and HTML."""
    column: int
    match: re.Match[str]
    """In the bare line."""


class _LineLinks:
    """The links of a line; those in code spans do not count."""

    def __init__(self, line: str) -> None:
        self._stored: list[str] = []
        self.bare = store_code(line, self._stored, has_marks=True)
        """The line with placeholders for code spans and escaped characters."""

    def find(self) -> Iterator[_FoundLink]:
        """Yield the links in order."""
        if not any(mark in self.bare for mark in ("](", "]:", "://")):
            return
        for match in _LINK.finditer(self.bare):
            written = self.restore(match[match.lastgroup or 0])
            if match["address"]:
                written = written.rstrip(".,;:!?")
            href = unescape(_ESCAPED.sub(r"\1", written))
            column = len(self.restore(self.bare[: match.start()])) + 1
            yield _FoundLink(href, column, match)

    def restore(self, bare: str) -> str:
        """Return a part of the bare line as it is written."""
        return STORED.sub(lambda match: self._stored[int(match[1])], bare)


def list_links(text: str) -> Iterator[WrittenLink]:
    """Yield the links of an index, but for pictures."""
    for number, line, is_code in _scan(text):
        for link in () if is_code else _LineLinks(line).find():
            if link.match[0].startswith("!"):
                continue
            yield WrittenLink(link.href, number, link.column)


def resolve_index(text: str, resolve: ResolveHref) -> str:
    """Return an index with the addresses to which its links lead.

    A section of which nothing remains is left out too.
    """
    lines = tuple(_resolve_lines(text, resolve))
    return "\n".join(reversed(tuple(_cut_empty_sections(lines))))


def _resolve_lines(text: str, resolve: ResolveHref) -> Iterator[_Line]:
    is_gone = False
    for _, line, is_code in _scan(text):
        heading = None if is_code else _HEADING.match(line)
        is_item = not is_code and _ITEM.match(line) is not None
        if is_item or heading is not None or not line.strip():
            is_gone = False
        if is_gone:
            continue
        if is_code:
            yield _Line(line)
            continue
        written, is_whole = _resolve_line(line, resolve)
        if is_item and not is_whole:
            is_gone = True
            yield _Line("", is_gone=True)
        else:
            yield _Line(written, len(heading[1]) if heading is not None else 0)


def _resolve_line(line: str, resolve: ResolveHref) -> tuple[str, bool]:
    """Return a line with its links resolved, and whether all lead somewhere.

    A picture that is not there does not count.
    """
    links = _LineLinks(line)
    parts: list[str] = []
    at, is_whole = 0, True
    for link in links.find():
        address = resolve(link.href)
        match = link.match
        parts.append(links.bare[at : match.start()])
        at = match.end()
        if address is None:
            is_whole = is_whole and match[0].startswith("!")
            parts.append(match["words"] or "")
        elif address == link.href or match["address"]:
            parts.append(match[0])
        else:
            start, end = match.span(match.lastgroup or 0)
            parts += (links.bare[match.start() : start], address, links.bare[end:at])
    return links.restore("".join([*parts, links.bare[at:]])), is_whole


def _cut_empty_sections(lines: tuple[_Line, ...]) -> Iterator[str]:
    """Yield the lines from the last to the first."""
    blank: list[str] = []
    has_text = is_cut = False
    below = 0
    for line in reversed(lines):
        if line.is_gone:
            is_cut = True
        elif not line.text.strip():
            blank.append(line.text)
        elif line.level > 1 and is_cut and not has_text and below <= line.level:
            blank.clear()
        else:
            yield from blank
            blank.clear()
            yield line.text
            has_text = not line.level
            if line.level:
                below, is_cut = line.level, False
    yield from blank


def _scan(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield number, text and whether it is code of each line."""
    scanner = BlockScanner()
    for number, line in enumerate(text.split("\n"), 1):
        yield number, line, scanner.classify(line) is not LineKind.TEXT
