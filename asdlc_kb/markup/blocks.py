"""Block scanner of Markdown: fenced code, skipped HTML and ATX headings, line by line.

Follows CommonMark for the lines that begin and end a block, without its containers:
`NESTED` accepts a fence in lists and quotations, at any indent, `AT_MARGIN` outside
them only. Takes linear time and never fails.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final

FENCE_MARK: Final = r"(?:`{3,}+|~{3,}+)"
HEADING_MARK: Final = r"\#{1,6}(?=[ \t]|$)"
LIST_MARK: Final = r"(?:[-+*]|\d{1,9}[.)])"
UNDERLINE: Final = r"(?:=+|-+)[ \t]*$"
"""Text after the indent of a line that begins a block; the last ends a setext
heading. These are parts of patterns, verbose ones included."""

_FENCE: Final = rf"(?P<mark>{FENCE_MARK})(?P<info>.*)"

AT_MARGIN: Final = re.compile(rf"^ {{0,3}}(?P<item>){_FENCE}", re.MULTILINE)
NESTED: Final = re.compile(rf"[ \t>]*+(?P<item>{LIST_MARK}[ \t]++)?+{_FENCE}")

_BACKQUOTES: Final = re.compile("`{3,}+")
_HEADING: Final = re.compile(rf"^ {{0,3}}({HEADING_MARK})[ \t]*+(.*)$", re.MULTILINE)

_LAST_LINE: Final = re.compile(
    rf"^ {{0,3}}(?:{HEADING_MARK}[ \t]+\S|{UNDERLINE}).*\n?", re.MULTILINE
)
"""An ATX heading with text, or a setext underline."""

_SKIPPED: Final = re.compile(r"\s*+<(?=(!--|(?ai:script|style)\b))!?")
_SKIP_END: Final = {
    "!--": re.compile("-->"),
    "script": re.compile(r"</(?ai:script)\b[^>]*+>?+"),
    "style": re.compile(r"</(?ai:style)\b[^>]*+>?+"),
}


class LineKind(Enum):
    """The block to which a line belongs."""

    TEXT = auto()
    FENCE = auto()
    """The first or last line of fenced code."""
    CODE = auto()
    """A line between fences."""
    HTML = auto()
    """A line of a comment, script or style sheet, or the rest of its last line."""


class FenceTracker:
    """Fenced code in the lines of a text, read in order."""

    def __init__(self, position: re.Pattern[str] = NESTED) -> None:
        self._position = position
        self._mark = ""

    @property
    def is_open(self) -> bool:
        """Whether the next line is in fenced code."""
        return bool(self._mark)

    def classify(self, line: str) -> LineKind:
        """Read the next line; return TEXT, FENCE or CODE."""
        # Most lines have no mark, and the pattern takes longer to find that out.
        has_mark = "```" in line or "~~~" in line
        matched = self._position.match(line) if has_mark else None
        if matched is not None:
            mark, info = matched["mark"], matched["info"]
            if self._mark:
                is_end = mark.startswith(self._mark) and not matched["item"]
                if is_end and not info.strip():
                    self._mark = ""
                    return LineKind.FENCE
            elif mark[0] == "~" or "`" not in info:
                self._mark = mark
                return LineKind.FENCE
        return LineKind.CODE if self._mark else LineKind.TEXT


class BlockScanner:
    """Fenced code and skipped HTML in the lines of a text, read in order."""

    def __init__(self) -> None:
        self.rest = ""
        """Text after a comment, script or style sheet on its last line."""
        self.is_comment = False
        """Whether the last line of HTML is of a comment."""
        self._fence = FenceTracker()
        self._end: re.Pattern[str] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the next line is in fenced code or skipped HTML."""
        return self._fence.is_open or self._end is not None

    def classify(self, line: str) -> LineKind:
        """Read the next line and return its kind."""
        start = 0
        if self._end is None:
            is_code = self._fence.is_open or "<" not in line
            skipped = None if is_code else _SKIPPED.match(line)
            if skipped is None:
                return self._fence.classify(line)
            start = skipped.end()
            self._end = _SKIP_END[skipped[1].lower()]
            self.is_comment = skipped[1] == "!--"
        ended = self._end.search(line, start)
        self.rest = line[ended.end() :] if ended else ""
        if ended:
            self._end = None
        return LineKind.HTML


def find_fenced(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of the fenced code at the margin, fences included."""
    fence = FenceTracker(AT_MARGIN)
    opened = 0
    for match in AT_MARGIN.finditer(text):
        was_open = fence.is_open
        if fence.classify(match[0]) is not LineKind.FENCE:
            continue
        if was_open:
            yield opened, match.end()
        opened = match.start()
    if fence.is_open:
        yield opened, len(text)


def choose_fence(code: str) -> str:
    """Return a fence of backquotes that code does not contain; in linear time."""
    longest = max((len(run) for run in _BACKQUOTES.findall(code)), default=2)
    return "`" * (longest + 1)


def find_headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield offset, level and Markdown of the lines that look like ATX headings."""
    for matched in _HEADING.finditer(text):
        yield matched.start(), *_split_heading(matched)


def find_heading_ends(text: str) -> Iterator[int]:
    """Yield the end of each line that may end a heading: ATX, or a setext underline."""
    return (matched.end() for matched in _LAST_LINE.finditer(text))


def read_heading(line: str) -> tuple[int, str] | None:
    """Return level and Markdown of a line that is an ATX heading, or None."""
    matched = _HEADING.match(line)
    return None if matched is None else _split_heading(matched)


def _split_heading(matched: re.Match[str]) -> tuple[int, str]:
    return len(matched[1]), strip_closing(matched[2].strip())


def strip_closing(content: str) -> str:
    """Return a heading's Markdown without a closing sequence of `#`."""
    bare = content.rstrip("#")
    return bare.strip(" \t") if not bare or bare[-1] in " \t" else content
