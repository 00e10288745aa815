"""Split points of a Markdown text, ranked by how little they disrupt it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from asdlc_kb.markup.heading_scanner import MAX_EXACT_CHARACTERS, scan_roughly
from asdlc_kb.markup.lazy_grammar import block_grammar

if TYPE_CHECKING:
    from markdown_it.token import Token


class SplitPoint(IntEnum):
    """The kind of block that begins at a line, the best split point first."""

    SECTION = 0
    BLOCK = 1
    ITEM = 2
    LINE = 3
    CODE = 4
    """A line inside code, raw HTML or the head of a table, with its first row."""


_CLOSED: Final = frozenset({"fence", "code_block", "html_block"})

_SHARES: Final = (2, 8, 10**9)
"""A better split point justifies a shorter chunk: half the limit, then less."""


@dataclass(frozen=True, slots=True)
class SplitPoints:
    """The lines of a text with their kinds."""

    starts: Sequence[int]
    kinds: Sequence[SplitPoint]
    length: int

    def find_end(self, start: int, max_chars: int) -> int:
        """Return the end of a chunk from `start` of at most `max_chars`."""
        if self.length - start <= max_chars:
            return self.length
        last = bisect_right(self.starts, start + max_chars)
        for share in _SHARES:
            first = bisect_right(self.starts, start + max_chars // share)
            kind = min(self.kinds[first:last], default=SplitPoint.CODE)
            if kind < SplitPoint.CODE:
                return max(
                    self.starts[line]
                    for line in range(first, last)
                    if self.kinds[line] == kind
                )
        latest = self.starts[last - 1]
        return latest if latest > start else start + max_chars


@lru_cache(maxsize=4)
def find_split_points(text: str) -> SplitPoints:
    """Return the split points of a text; cached, as chunks are requested in turn."""
    # A carriage return is not a line end here, and offsets must not change.
    text = text.replace("\r", " ")
    lines = text.split("\n")
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    if len(text) > MAX_EXACT_CHARACTERS:
        return SplitPoints(starts, _find_roughly(text, lines, starts), len(text))
    kinds = [SplitPoint.LINE] * len(lines)
    tokens = block_grammar().parse("\n".join([*lines, ""]))
    for token in tokens:
        _mark(token, kinds)
    for token in tokens:
        if token.type == "table_open" and token.map is not None:
            # Without a row, the names of the columns say nothing.
            first, end = token.map
            joined = range(first + 1, min(first + 3, end, len(kinds)))
            kinds[first + 1 : joined.stop] = [SplitPoint.CODE] * len(joined)
    return SplitPoints(starts, kinds, len(text))


def _find_roughly(
    text: str, lines: Sequence[str], starts: Sequence[int]
) -> Sequence[SplitPoint]:
    """Return the approximate kind of each line."""
    rough = scan_roughly(text)
    blank = [not line or line.isspace() for line in lines]
    kinds = [
        SplitPoint.BLOCK if above else SplitPoint.LINE for above in (True, *blank[:-1])
    ]
    for heading in rough.headings:
        kinds[bisect_right(starts, heading.start) - 1] = SplitPoint.SECTION
    for opened, closed in rough.code:
        inside = slice(bisect_right(starts, opened), bisect_right(starts, closed))
        kinds[inside] = [SplitPoint.CODE] * (inside.stop - inside.start)
    return kinds


def _mark(token: "Token", kinds: list[SplitPoint]) -> None:
    """Record the kind of a block's first line, and the lines inside code."""
    if token.map is None or token.map[0] >= len(kinds):
        return
    first, end = token.map
    if token.type in _CLOSED:
        inside = range(first + 1, min(end, len(kinds)))
        kinds[first + 1 : inside.stop] = [SplitPoint.CODE] * len(inside)
    kind = SplitPoint.LINE
    if token.type == "heading_open" and token.level == 0:
        kind = SplitPoint.SECTION
    elif token.level == 0:
        kind = SplitPoint.BLOCK
    elif token.type == "list_item_open":
        kind = SplitPoint.ITEM
    kinds[first] = min(kinds[first], kind)
