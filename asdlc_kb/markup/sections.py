"""The sections of a Markdown text: each heading with the text below it.

Headings in code and in quotations are ignored. The sections joined are the text. Never
fails.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Final, TypeAlias

from asdlc_kb.markup.anchors import Anchors
from asdlc_kb.markup.blocks import find_heading_ends
from asdlc_kb.markup.heading_scanner import (
    MAX_EXACT_CHARACTERS,
    MAX_HEADINGS,
    ScannedHeading,
    scan_headings,
    scan_roughly,
)
from asdlc_kb.markup.headings import cut_attributes, find_ids, read_id, read_words
from asdlc_kb.markup.lazy_grammar import block_grammar, full_grammar
from asdlc_kb.markup.plain_text import cut_liquid, to_plain_text

_MARKS: Final = re.compile(r"[\\`*_<>\[\]!&]")
_MAX_HEADING_CHARS: Final = 1_000
"""Characters of a heading that is parsed by the grammar."""

_MAX_ATTEMPTS: Final = 8
"""Lines tried as the first heading; some turn out to be code."""

_Start: TypeAlias = tuple[int, int, int, str, str]
"""First row, number of rows, level, text and anchor of a heading; no rows in a
quotation."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text to the next one. Lines count from 1."""

    heading: str
    """Empty for the text before the first heading."""
    anchor: str
    level: int
    """1 to 6; 0 before the first heading."""
    first: int
    last: int
    markdown: str
    """The lines from `first` to `last`, heading included."""
    heading_lines: int
    """Number of lines of the heading: one, more for a setext heading, or none."""

    @property
    def below(self) -> str:
        """The Markdown below the heading."""
        return self.markdown.split("\n", self.heading_lines)[-1]


def split_sections(text: str) -> tuple[Section, ...]:
    """Return the sections of a text in CommonMark with tables; none if it is empty."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        return ()
    starts = [start for start in _find_headings(text) if start[1]]
    if not starts or starts[0][0]:
        starts.insert(0, (0, 0, 0, "", ""))
    ends = [start[0] for start in starts[1:]] + [len(lines)]
    return tuple(
        Section(
            heading,
            anchor,
            level,
            first + 1,
            end,
            _join(lines[first:end], is_last=end == len(lines) and text[-1] != "\n"),
            rows,
        )
        for (first, rows, level, heading, anchor), end in zip(starts, ends, strict=True)
    )


def list_anchors(text: str) -> list[str]:
    """Return the anchors of a text's headings, also of those in quotations."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return [anchor for *_, anchor in _find_headings(text)]


def find_first_heading(text: str) -> tuple[int, str]:
    """Return level and text of the first heading that has text; 0 and "" if none has.

    Parses the text only up to that heading.
    """
    for end in islice(find_heading_ends(text), _MAX_ATTEMPTS):
        last = split_sections(text[:end])[-1]
        if heading := " ".join(last.heading.split()):
            return last.level, heading
    return 0, ""


def _join(lines: Sequence[str], *, is_last: bool) -> str:
    """Return lines as a text; the last line of all may have no line end."""
    return "\n".join(lines) + ("" if is_last else "\n")


def _find_headings(text: str) -> Iterator[_Start]:
    """Yield the headings, at most `MAX_HEADINGS`."""
    headings = scan_headings(text)
    if headings is None and len(text) > MAX_EXACT_CHARACTERS:
        headings = scan_roughly(text).headings
    if headings is None:
        return islice(_parse(text), MAX_HEADINGS)
    return _locate(text, headings)


def _locate(text: str, headings: Sequence[ScannedHeading]) -> Iterator[_Start]:
    """Yield the scanned headings with rows and anchors."""
    contents = [cut_attributes(heading.content) for heading in headings]
    anchors = Anchors(id for _, id in contents)
    row = at = 0
    for (start, level, _), (content, id) in zip(headings, contents, strict=True):
        row += text.count("\n", at, start)
        at = start
        words = _read_heading(content, {})
        yield row, 1, level, words, anchors.add(words, id)


def _parse(text: str) -> Iterator[_Start]:
    """Yield the headings found by the grammar."""
    env: dict[str, Any] = {}
    # The grammar fails at some texts without a final line end.
    tokens = block_grammar().parse(text + "\n", env)
    anchors = Anchors(find_ids(tokens))
    quotes = 0
    for opening, content in pairwise(tokens):
        quotes += opening.type == "blockquote_open"
        quotes -= opening.type == "blockquote_close"
        if opening.type != "heading_open" or opening.map is None:
            continue
        words = _read_heading(content.content, env)
        anchor = anchors.add(words, read_id(opening))
        first, end = opening.map
        rows = 0 if quotes else end - first
        yield first, rows, int(opening.tag[1:]), words, anchor


def _read_heading(content: str, env: dict[str, Any]) -> str:
    """Return the text of a heading without attributes."""
    content = cut_liquid(content)
    if not _MARKS.search(content):
        return content.replace("\n", "")
    if len(content) > _MAX_HEADING_CHARS:
        return to_plain_text(content)
    return read_words(full_grammar().parseInline(content, env)[0].children or ())
