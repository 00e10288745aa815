"""Passages: the part of a document that answers a query, as Markdown.

A passage is up to three of the document's best sections, whole, best first, or the
blocks of the best one that match best if it does not fit. Code is not cut if it fits,
and has its fences if it is.
Loads the engine and the grammar: import it with the first search.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final, NamedTuple

from msgspec import UnsetType

from asdlc_kb.markup.blocks import NESTED, FenceTracker
from asdlc_kb.markup.sections import Section, split_sections
from asdlc_kb.markup.split_points import SplitPoint, find_split_points
from asdlc_kb.providers.shared.full_text import PASSAGES, Detail
from asdlc_kb.providers.shared.size_budget import SizeBudget
from asdlc_kb.search.query.passage import choose_blocks
from asdlc_kb.search.values import SearchResults
from asdlc_kb.unicode.truncation import truncate

MIN_PASSAGE_CHARS: Final = 600
"""Characters that each passage may have at least if all results are to have one."""

_THREAD_CHARS: Final = 50_000
"""Characters of texts from which their passages are found in a thread."""

_MIN_CHARS: Final = 150
"""Characters below which no passage is shown."""

_MAX_SECTIONS: Final = 3
"""Sections of a passage: the answer is often beside the best one."""

_MAX_HEADING_CHARS: Final = 100

_FENCE_CHARS: Final = 60
"""Characters of the fences that a part of code gets."""

_CUT: Final = "…"
"""Stands for text that is left out between parts of a document."""


class Place(NamedTuple):
    """The section of a text that a search found."""

    body: str
    line: int
    """A line of the section, from 1."""
    next_lines: Sequence[int] = ()
    """Lines of the next best sections, best first."""
    language: str = ""
    """Language tag of the text."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a document."""

    headings: tuple[str, ...]
    """The headings above it, from the top."""
    text: str


async def find_passages(
    results: SearchResults,
    places: Sequence[Place],
    sizes: Sequence[int],
    budget: SizeBudget,
    detail: Detail | UnsetType,
) -> Sequence[Passage]:
    """Return the passages of the first results: by default few, else what has room.

    `sizes` are the characters of the results without them.
    """
    count = PASSAGES
    if detail == "passages":
        ends = accumulate(size + MIN_PASSAGE_CHARS for size in sizes)
        count = sum(end <= budget.chars for end in ends)
        sizes = sizes[:count]
    budget = replace(budget, chars=budget.chars - sum(sizes))
    places = places[:count]
    if sum(len(place.body) for place in places) > _THREAD_CHARS:
        return await asyncio.to_thread(find_all, places, results.weights, budget)
    return find_all(places, results.weights, budget)


def find_all(
    places: Sequence[Place], weights: Mapping[str, float], budget: SizeBudget
) -> list[Passage]:
    """Return the passages of several results, best first, within a budget.

    `weights` are those of the searched stems. The better a result, the more of the
    budget its passage may take. A passage for which no room is left is empty.
    """
    passages: list[Passage] = []
    for number, place in enumerate(places):
        share = budget.chars * 3 // (len(places) - number + 2)
        passage = _find(place, weights, share)
        fitting = replace(budget, chars=share).count_fitting(passage.text)
        if fitting < len(passage.text):
            passage = _find(place, weights, fitting)
        budget = budget.spend(passage.text)
        passages.append(passage)
    return passages


def _find(place: Place, weights: Mapping[str, float], max_chars: int) -> Passage:
    """Return the passage at a place, without text if it had too few characters."""
    sections = split_sections(place.body)
    if not sections:
        return Passage((), "")
    at = _find_section(sections, place.line)
    headings = _headings(sections, at)
    if max_chars < _MIN_CHARS:
        return Passage(headings, "")
    text = sections[at].below.strip("\n")
    if len(text) > max_chars:
        return Passage(headings, _cut(text, weights, max_chars, place.language))
    further = [_find_section(sections, line) for line in place.next_lines]
    return Passage(headings, _join(sections, at, further, max_chars))


def _cut(text: str, weights: Mapping[str, float], max_chars: int, language: str) -> str:
    """Return the blocks of a text that match best."""
    points = find_split_points(text)
    has_fences = "```" in text or "~~~" in text
    max_chars -= 2 * (len(_CUT) + 2) + (has_fences and _FENCE_CHARS)
    begin, end = 0, len(text)
    for max_kind in (SplitPoint.ITEM, SplitPoint.LINE):
        starts = [
            start
            for start, kind in zip(points.starts, points.kinds, strict=True)
            if kind <= max_kind or not start
        ]
        begin, end = choose_blocks(text, starts, weights, max_chars, language)
        if end - begin <= max_chars:
            break
    end = min(end, points.find_end(begin, max_chars))
    part = _add_fences(text, begin, end) if has_fences else text[begin:end]
    parts = (_CUT if begin else "", part, _CUT if end < len(text) else "")
    return "\n\n".join(part.strip("\n") for part in parts if part)


def _add_fences(text: str, begin: int, end: int) -> str:
    """Return a part of a text, with the fences of code that it begins or ends in."""
    part = text[begin:end]
    opening = _find_fence(text[:begin])
    if len(opening) > _FENCE_CHARS // 2:
        return part
    if opening:
        part = f"{opening}\n{part}"
    if (opened := NESTED.match(_find_fence(part))) is not None:
        # What is before the mark is an indent, the mark of an item or of a quotation.
        indent = re.sub(r"[^\s>]", " ", opened.string[: opened.start("mark")])
        part = f"{part.rstrip()}\n{indent}{opened['mark']}"
    return part


def _find_fence(text: str) -> str:
    """Return the line that opens the code in which a text ends; empty if in none."""
    fences, opening = FenceTracker(), ""
    for line in text.split("\n"):
        was_open = fences.is_open
        fences.classify(line)
        if not was_open:
            opening = line if fences.is_open else ""
    return opening if fences.is_open else ""


def _find_section(sections: Sequence[Section], line: int) -> int:
    """Return the index of the section that has a line."""
    return max((n for n, s in enumerate(sections) if s.first <= line), default=0)


def _join(
    sections: Sequence[Section], best: int, further: Iterable[int], max_chars: int
) -> str:
    """Return the best section, and those of `further` that fit, best first.

    The heading of the best one stands above the passage. A mark stands before each one
    that does not follow the one above it in the document.
    """
    chosen = [best]
    text = sections[best].below.strip("\n")
    for number in further:
        if number in chosen or len(chosen) == _MAX_SECTIONS:
            continue
        marks = [] if number == chosen[-1] + 1 else [_CUT]
        section = sections[number].markdown.strip("\n")
        longer = "\n\n".join((text, *marks, section))
        if len(longer) <= max_chars:
            chosen, text = [*chosen, number], longer
    return text


def _headings(sections: Sequence[Section], at: int) -> tuple[str, ...]:
    """Return the headings of the sections that contain a section, and its own."""
    path: list[str] = []
    level = 7
    for section in reversed(sections[: at + 1]):
        if 0 < section.level < level:
            level = section.level
            path.insert(0, truncate(section.heading, _MAX_HEADING_CHARS))
    return tuple(path)
