"""The headings of a Markdown text, found line by line where they are certain.

Most texts have their headings behind `#`, and what else could hold such a line is a
fence, a comment or a tag that begins a line of its own. What is unusual (underlined
headings, headings in lists, in quotations and below tags, tabs) is declined: it is for
the grammar to read. What is not declined comes out exactly as the grammar has it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

_NOTABLE: Final = re.compile(
    # First what is commonest, and holds nothing: a bullet before a word.
    r"""^(?![ ]{0,8}[-+*][ ]{1,4}[A-Za-z])(?P<indent>[ ]*)(?:
        (?P<heading>\#{1,6})(?=[ \t]|$)
      | (?P<fence>`{3,}|~{3,})
      | (?P<html><)(?=[A-Za-z/!?])
      | (?P<line>=+|-+)[ ]*$
      | (?P<held>(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))
      | (?P<tab>\t)[ \t]*[^ \t\n]
    )""",
    re.MULTILINE | re.VERBOSE,
)
"""The lines that a heading may be or hide in."""

_PREFIX: Final = re.compile(
    r"(?:[ ]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))+[ ]*", re.MULTILINE
)
_TRICKY: Final = re.compile(r"\t|#{1,6}(?:[ \t]|$)|(?:=+|-+)[ \t]*$", re.MULTILINE)
_UNDERLINE: Final = re.compile(r"[ >]*>[ ]*-[ \t]*$", re.MULTILINE)
_MAX_PREFIX_COLUMNS: Final = 16
"""Columns of list and quotation marks; the grammar gives up at twenty levels."""
_VERBATIM: Final = re.compile(r"(?i)<(?:[!?]|/?(?:script|pre|style|textarea)\b)")
_ROW_BELOW: Final = re.compile(r"\n[ \t>]*[-:|]")
_BLANK: Final = re.compile(r"\n[ \t]*(?:\n|\Z)")


_LINE: Final = re.compile(
    r"^ {0,3}(?:(?P<heading>\#{1,6})(?=[ \t\n]|\Z)|(?P<fence>`{3,}+|~{3,}+))"
    r"(?P<rest>[^\n]*+)",
    re.MULTILINE,
)
"""A line that is a heading or a fence, wherever it stands."""

MAX_EXACT_CHARACTERS: Final = 64 * 1024
"""Characters of a text that is read by the grammar where it is unusual: it may take
10 us for each, and 140 bytes of memory."""

MAX_HEADINGS: Final = 10_000
"""Headings of a text; further ones are text like any other."""


class ScannedHeading(NamedTuple):
    """A line that is a heading."""

    start: int
    """Where the line begins in the text."""
    level: int
    content: str
    """Its Markdown, without the marks around it."""


class RoughOutline(NamedTuple):
    """What a text looks like at first sight."""

    headings: list[ScannedHeading]
    code: list[tuple[int, int]]
    """Where each fenced block begins and ends."""


class _NeedsGrammar(Exception):
    """A line that only the grammar can read."""


def scan_headings(text: str) -> list[ScannedHeading] | None:
    """Return the headings of a text whose lines end in `\\n`, or None if unsure."""
    if "\0" in text:
        return None
    try:
        found = list(islice(_Scanner(text).find(), MAX_HEADINGS))
    except _NeedsGrammar:
        return None
    if "]:" in text and any("[" in heading.content for heading in found):
        # What brackets are depends on definitions that may be anywhere.
        return None
    return found


def scan_roughly(text: str) -> RoughOutline:
    """Return the lines of a text that look like headings, and its fenced code.

    What stands in lists, quotations, comments and HTML is not told apart, and headings
    that are underlined are not found. Takes time in proportion to the text.
    """
    rough = RoughOutline([], [])
    fence, opened = "", 0
    for match in _LINE.finditer(text):
        mark, rest = match["fence"] or "", match["rest"]
        if fence:
            if mark.startswith(fence) and not rest.strip():
                rough.code.append((opened, match.end()))
                fence = ""
        elif not mark:
            if len(rough.headings) < MAX_HEADINGS:
                content = _strip_closing(rest.strip())
                heading = ScannedHeading(match.start(), len(match["heading"]), content)
                rough.headings.append(heading)
        elif mark[0] == "~" or "`" not in rest:
            fence, opened = mark, match.start()
    if fence:
        rough.code.append((opened, len(text)))
    return rough


def _strip_closing(content: str) -> str:
    """Return a heading's text without the `#` that may close it."""
    bare = content.rstrip("#")
    return bare.strip(" \t") if not bare or bare[-1] in " \t" else content


class _Scanner:
    """Goes from one notable line to the next."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tags_end = 0
        """Up to where tags may be what the lines are taken for."""

    def find(self) -> Iterator[ScannedHeading]:
        """Yield the headings; raise _Unsure at a line that may be one or not."""
        at = 0
        while match := _NOTABLE.search(self._text, at):
            at = self._end_line(match.end())
            kind = match.lastgroup
            if kind == "heading":
                yield self._read_heading(match, at)
            elif kind == "fence":
                at = self._pass_fence(match, at)
            elif kind == "html":
                at = self._pass_tag(match.start(), match.end() - 1, at)
            elif kind == "held":
                self._check_held(match, at)
            elif kind == "tab" or not self._is_apart(match.start()):
                raise _NeedsGrammar

    def _end_line(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _is_apart(self, start: int) -> bool:
        """Whether nothing stands in the line before."""
        above = self._text.rfind("\n", 0, max(start - 1, 0)) + 1
        return not self._text[above:start].strip(" \t\n")

    def _read_heading(self, match: re.Match[str], end: int) -> ScannedHeading:
        start = match.start()
        if len(match["indent"]) > 3 or start < self._tags_end:
            raise _NeedsGrammar
        content = self._text[match.end() : end]
        if "|" in content:
            self._refuse_table(end)
        content = _strip_closing(content.strip(" \t"))
        if content != content.strip():
            raise _NeedsGrammar
        return ScannedHeading(start, len(match["heading"]), content)

    def _refuse_table(self, end: int) -> None:
        """Raise _Unsure if a line may be the first row of a table."""
        if _ROW_BELOW.match(self._text, end):
            raise _NeedsGrammar

    def _pass_fence(self, match: re.Match[str], end: int) -> int:
        """Return the end of the last line of a code block."""
        mark, indent = match["fence"], len(match["indent"])
        info = self._text[match.end() : end]
        if mark[0] == "`" and "`" in info:
            raise _NeedsGrammar
        if "|" in info:
            self._refuse_table(end)
        closing = _close(mark[0], len(mark), is_free=not indent).search(self._text, end)
        last = closing.end() if closing else len(self._text)
        # Code below a tag may be part of what the tag holds, up to a blank line.
        if match.start() < self._tags_end < last:
            raise _NeedsGrammar
        if not indent:
            return last
        # In a list, perhaps: then it ends where a line is not as far in.
        if closing is None or len(closing[1]) != indent:
            raise _NeedsGrammar
        if _less(indent).search(self._text, end + 1, closing.start()):
            raise _NeedsGrammar
        return last

    def _pass_tag(self, start: int, tag: int, end: int) -> int:
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

    def _check_held(self, match: re.Match[str], end: int) -> None:
        """Look behind the marks of lists and quotations."""
        start, text = match.start(), self._text
        prefix = _PREFIX.match(text, start, end)
        after = prefix.end() if prefix else start
        if after - start > _MAX_PREFIX_COLUMNS or _TRICKY.match(text, after, end):
            raise _NeedsGrammar
        if "\t" in text[start : after + 1] or _UNDERLINE.match(text, start):
            raise _NeedsGrammar
        if ">" in text[start:after]:
            # What begins in a quotation ends with it.
            return
        if text.startswith(("```", "~~~"), after):
            raise _NeedsGrammar
        if text.startswith("<", after):
            self._pass_tag(start, after, end)


@lru_cache(maxsize=64)
def _close(mark: str, count: int, *, is_free: bool) -> re.Pattern[str]:
    """Return the pattern of a line that closes a fence."""
    blanks = "{0,3}" if is_free else "*"
    return re.compile(rf"^([ ]{blanks}){mark}{{{count},}}[ \t]*$", re.MULTILINE)


@lru_cache(maxsize=64)
def _less(indent: int) -> re.Pattern[str]:
    """Return the pattern of a line that is not as far in."""
    return re.compile(rf"^(?! {{{indent}}})[ \t]*[^ \t\n]", re.MULTILINE)
