"""Fast scanner for the headings of a Markdown text.

Most texts have ATX headings (`#`), and only a fence, a comment or a tag at the start of
a line can contain such a line otherwise. Unusual texts (setext headings, headings in
lists, in quotations and below tags, tabs) are declined and left to the grammar. The
result for all others is exactly that of the grammar.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from asdlc_kb.markup.blocks import (
    FENCE_MARK,
    HEADING_MARK,
    LIST_MARK,
    UNDERLINE,
    find_fenced,
    find_headings,
    strip_closing,
)

_NOTABLE: Final = re.compile(
    # First the commonest line without a heading: a bullet before a word.
    rf"""^(?![ ]{{0,8}}[-+*][ ]{{1,4}}[A-Za-z])(?P<indent>[ ]*)(?:
        (?P<heading>{HEADING_MARK})
      | (?P<fence>{FENCE_MARK})
      | (?P<html><)(?=[A-Za-z/!?])
      | (?P<line>{UNDERLINE})
      | (?P<container>>|{LIST_MARK}(?=[ \t]|$))
      | (?P<tab>\t)[ \t]*[^ \t\n]
    )""",
    re.MULTILINE | re.VERBOSE,
)
"""The lines that may be or contain a heading."""

_PREFIX: Final = re.compile(rf"(?:[ ]*(?:>|{LIST_MARK}(?=[ \t]|$)))+[ ]*", re.MULTILINE)
_TRICKY: Final = re.compile(rf"\t|{HEADING_MARK}|{UNDERLINE}", re.MULTILINE)
_UNDERLINE: Final = re.compile(r"[ >]*>[ ]*-[ \t]*$", re.MULTILINE)
_MAX_PREFIX_COLUMNS: Final = 16
"""Columns of list and quotation marks; the grammar stops at twenty levels."""
_VERBATIM: Final = re.compile(r"(?i)<(?:[!?]|/?(?:script|pre|style|textarea)\b)")
_ROW_BELOW: Final = re.compile(r"\n[ \t>]*[-:|]")
_BLANK: Final = re.compile(r"\n[ \t]*(?:\n|\Z)")


MAX_EXACT_CHARACTERS: Final = 64 * 1024
"""Characters of an unusual text that is parsed by the grammar, which can take 10 us and
140 bytes of memory for each."""

MAX_HEADINGS: Final = 10_000
"""Headings of a text; further ones are text like any other."""


class ScannedHeading(NamedTuple):
    """A line that is a heading."""

    start: int
    """Offset of the line in the text."""
    level: int
    content: str
    """Its Markdown, without the heading marks."""


class RoughOutline(NamedTuple):
    """Approximate structure of a text."""

    headings: list[ScannedHeading]
    code: list[tuple[int, int]]
    """Start and end of each fenced block."""


class _NeedsGrammar(Exception):
    """Raised for a line that only the grammar can parse."""


def scan_headings(text: str) -> list[ScannedHeading] | None:
    """Return the headings of a text whose lines end in `\\n`, or None if unsure."""
    if "\0" in text:
        return None
    try:
        headings = list(islice(_Scanner(text).find(), MAX_HEADINGS))
    except _NeedsGrammar:
        return None
    if "]:" in text and any("[" in heading.content for heading in headings):
        # The meaning of brackets depends on definitions that may be anywhere.
        return None
    return headings


def scan_roughly(text: str) -> RoughOutline:
    """Return the lines of a text that look like headings, and its fenced code.

    Lists, quotations, comments and HTML are not distinguished, and setext headings are
    not headings. Takes linear time.
    """
    code = list(find_fenced(text))
    ends = [end for _, end in code]
    headings: list[ScannedHeading] = []
    for start, level, content in find_headings(text):
        block = bisect_right(ends, start)
        if block == len(code) or start < code[block][0]:
            headings.append(ScannedHeading(start, level, content))
            if len(headings) == MAX_HEADINGS:
                break
    return RoughOutline(headings, code)


class _Scanner:
    """Scans from one notable line to the next."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tags_end = 0
        """End of the lines that may belong to an HTML block."""

    def find(self) -> Iterator[ScannedHeading]:
        """Yield the headings; raise _NeedsGrammar at an ambiguous line."""
        at = 0
        while match := _NOTABLE.search(self._text, at):
            at = self._end_line(match.end())
            kind = match.lastgroup
            if kind == "heading":
                yield self._read_heading(match, at)
            elif kind == "fence":
                at = self._skip_fence(match, at)
            elif kind == "html":
                at = self._skip_tag(match.start(), match.end() - 1, at)
            elif kind == "container":
                self._check_container(match, at)
            elif kind == "tab" or not self._is_apart(match.start()):
                raise _NeedsGrammar

    def _end_line(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _is_apart(self, start: int) -> bool:
        """Whether the line before is blank."""
        above = self._text.rfind("\n", 0, max(start - 1, 0)) + 1
        return not self._text[above:start].strip(" \t\n")

    def _read_heading(self, match: re.Match[str], end: int) -> ScannedHeading:
        start = match.start()
        if len(match["indent"]) > 3 or start < self._tags_end:
            raise _NeedsGrammar
        content = self._text[match.end() : end]
        if "|" in content:
            self._refuse_table(end)
        content = strip_closing(content.strip(" \t"))
        if content != content.strip():
            raise _NeedsGrammar
        return ScannedHeading(start, len(match["heading"]), content)

    def _refuse_table(self, end: int) -> None:
        """Raise _NeedsGrammar if a line may be the first row of a table."""
        if _ROW_BELOW.match(self._text, end):
            raise _NeedsGrammar

    def _skip_fence(self, match: re.Match[str], end: int) -> int:
        """Return the end of a fenced code block."""
        mark, indent = match["fence"], len(match["indent"])
        info = self._text[match.end() : end]
        if mark[0] == "`" and "`" in info:
            raise _NeedsGrammar
        if "|" in info:
            self._refuse_table(end)
        closing = _close(mark[0], len(mark), is_free=not indent).search(self._text, end)
        last = closing.end() if closing else len(self._text)
        # Code below a tag may be part of the HTML block, up to a blank line.
        if match.start() < self._tags_end < last:
            raise _NeedsGrammar
        if not indent:
            return last
        # Perhaps in a list: then it ends at a line with less indent.
        if closing is None or len(closing[1]) != indent:
            raise _NeedsGrammar
        if _less(indent).search(self._text, end + 1, closing.start()):
            raise _NeedsGrammar
        return last

    def _skip_tag(self, start: int, tag: int, end: int) -> int:
        """Return the end of the line, or of the comment that begins it."""
        text = self._text
        if "|" in text[tag:end]:
            self._refuse_table(end)
        if _VERBATIM.match(text, tag):
            is_comment = text.startswith("<!--", tag)
            close = text.find("-->", tag) if is_comment else -1
            if close < 0 or (close > end and (tag > start or start < self._tags_end)):
                raise _NeedsGrammar
            if tag == start and start >= self._tags_end:
                return self._end_line(close)
        if start >= self._tags_end:
            blank = _BLANK.search(text, end)
            self._tags_end = blank.start() if blank else len(text)
        return end

    def _check_container(self, match: re.Match[str], end: int) -> None:
        """Check the text behind the marks of lists and quotations."""
        start, text = match.start(), self._text
        prefix = _PREFIX.match(text, start, end)
        after = prefix.end() if prefix else start
        if after - start > _MAX_PREFIX_COLUMNS or _TRICKY.match(text, after, end):
            raise _NeedsGrammar
        if "\t" in text[start : after + 1] or _UNDERLINE.match(text, start):
            raise _NeedsGrammar
        if ">" in text[start:after]:
            # A block that begins in a quotation ends with it.
            return
        if text.startswith(("```", "~~~"), after):
            raise _NeedsGrammar
        if text.startswith("<", after):
            self._skip_tag(start, after, end)


@lru_cache(maxsize=64)
def _close(mark: str, count: int, *, is_free: bool) -> re.Pattern[str]:
    """Return the pattern of a line that closes a fence."""
    blanks = "{0,3}" if is_free else "*"
    return re.compile(rf"^([ ]{blanks}){mark}{{{count},}}[ \t]*$", re.MULTILINE)


@lru_cache(maxsize=64)
def _less(indent: int) -> re.Pattern[str]:
    """Return the pattern of a line with less indent."""
    return re.compile(rf"^(?! {{{indent}}})[ \t]*[^ \t\n]", re.MULTILINE)
