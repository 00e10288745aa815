"""Rewriting of the links of a Markdown text, in place.

Links in code stay: fenced and indented code, code spans, `<pre>`. Line by line without
the grammar, in linear time; in doubt a link stays as it is written.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from asdlc_kb.markup.blocks import HEADING_MARK, LIST_MARK, BlockScanner, LineKind
from asdlc_kb.markup.code_spans import STORED, store_code

MAX_REWRITTEN: Final = 5_000
"""Different links of a text that are rewritten; further ones stay."""

RewriteLink: TypeAlias = Callable[[str], str | None]
"""Return the new destination of a link, or None to keep it."""

_MAYBE: Final = re.compile(r"\]\(|\]:|\bhref\b", re.IGNORECASE)
_LINK: Final = re.compile(
    r"\]\([ \t]*(?:<(?P<pointed>[^<>\n]+)>|(?P<inline>[^\s<>()]+)(?=[\s)]))"
    r"|^ {0,3}\[[^\]\n]+\]:[ \t]*(?:<(?P<pointed_below>[^<>\n]+)>|(?P<below>[^\s<>]+))"
    r"|\bhref\s*=\s*(?:\"(?P<quoted>[^\"\n]+)\"|'(?P<apostrophed>[^'\n]+)')",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM: Final = re.compile(rf"[ ]*(?:>[ ]?)*[ ]*{LIST_MARK}(?:[ ]{{1,4}}|$)")
_APART: Final = re.compile(rf"[ ]*(?:{LIST_MARK}(?=[ ]|$)|{HEADING_MARK}|\|)")
_HEADING: Final = re.compile(rf"[ ]*{HEADING_MARK}")
_CODE_INDENT: Final = 4
"""Columns of indent that make code of a paragraph."""


def rewrite_links(text: str, rewrite: RewriteLink) -> str:
    """Return a text in which `rewrite` has replaced the destinations of links."""
    if "\0" in text or not _MAYBE.search(text):
        return text
    rewritten: dict[str, str] = {}

    def replace(match: re.Match[str]) -> str:
        href = match[match.lastgroup or 0]
        if "\0" in href or "&" in href:
            return match[0]
        if href not in rewritten:
            is_full = len(rewritten) >= MAX_REWRITTEN
            rewritten[href] = href if is_full else rewrite(href) or href
        start, end = match.span(match.lastgroup or 0)
        start, end = start - match.start(), end - match.start()
        return f"{match[0][:start]}{rewritten[href]}{match[0][end:]}"

    return "\n".join(
        _rewrite_block(block, replace) if is_prose else block
        for block, is_prose in _split(text)
    )


def _rewrite_block(block: str, replace: Callable[[re.Match[str]], str]) -> str:
    if not _MAYBE.search(block):
        return block
    stored: list[str] = []
    bare = _LINK.sub(replace, store_code(block, stored, has_marks=True))
    return STORED.sub(lambda match: stored[int(match[1])], bare)


def _split(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the blocks of a text, in lines, and whether each is prose."""
    lines = _Lines()
    block: list[str] = []
    for line in text.split("\n"):
        if block and _HEADING.match(block[-1]):
            yield "\n".join(block), True
            block = []
        is_prose = lines.is_prose(line, is_first=not block)
        begins = not is_prose or _APART.match(line) is not None
        if block and (begins or not line.strip()):
            yield "\n".join(block), True
            block = []
        if is_prose and line.strip():
            block.append(line)
        else:
            yield line, False
    if block:
        yield "\n".join(block), True


class _Lines:
    """Distinguishes lines of prose and of code, read in order."""

    def __init__(self) -> None:
        self._scanner = BlockScanner()
        self._offsets: list[int] = []
        """Columns at which the text of the open list items begins."""
        self._is_preformatted = False

    def is_prose(self, line: str, *, is_first: bool) -> bool:
        """Read a line; `is_first` if it does not continue a paragraph."""
        kind = self._scanner.classify(line)
        expanded = line.expandtabs(4)
        indent = len(expanded) - len(expanded.lstrip(" "))
        item = _ITEM.match(expanded) if kind is LineKind.TEXT else None
        if line.strip() and (is_first or item or kind is LineKind.FENCE):
            self._close_items(indent)
        if kind is not LineKind.TEXT or self._is_in_pre(line):
            return False
        base = self._offsets[-1] if self._offsets else 0
        if is_first and line.strip() and indent >= base + _CODE_INDENT:
            return False
        if item is not None:
            self._offsets.append(item.end())
        return True

    def _close_items(self, indent: int) -> None:
        """Close the list items to which a block with this indent does not belong."""
        while self._offsets and indent < self._offsets[-1]:
            self._offsets.pop()

    def _is_in_pre(self, line: str) -> bool:
        was_in = self._is_preformatted
        lowered = line.lower() if "<" in line else ""
        if "</pre" in lowered:
            self._is_preformatted = False
        elif "<pre" in lowered:
            self._is_preformatted = True
        return was_in or self._is_preformatted or "<pre" in lowered
