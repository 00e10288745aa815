"""The passage of a section that answers a query best, as plain words with marks.

Matches are marked `**so**`, but never in a line of code.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from asdlc_kb.search.tokens import fold, is_cjk

_MAX_SECTION_CHARS: Final = 40_000
"""Characters of a section that are looked at."""
_CODE: Final = "    "
"""How a line of code begins."""
_SENTENCE: Final = re.compile(r"[.!?][\"')\]]*\s+(?=\S)|[\u3002\uff01\uff1f]")
_WORD: Final = re.compile(r"[^\W_]+")
_LINES: Final = 3
"""How many lines or sentences a passage has at most."""
_JOINTS: Final = frozenset({"", "_"})
"""What stands between parts of one word: marks beside it would be read as text."""


class _Match(NamedTuple):
    begin: int
    end: int
    stem: str


class _Unit(NamedTuple):
    """A sentence or a line."""

    begin: int
    end: int
    is_code: bool
    matches: tuple[_Match, ...]


def make_snippet(
    text: str, weights: Mapping[str, float], stem: Callable[[str], str], length: int
) -> str:
    """Return the passage with the weightiest different words.

    `weights` are of the stems that are looked for; the passage has at most `length`
    characters besides the marks, and ends of sentences where it can.
    """
    text = text[:_MAX_SECTION_CHARS]
    units = _cut(text, _find(text, weights, stem))
    if not units:
        return ""
    begin, end = _choose(units, weights, length)
    chosen = units[begin:end]
    if chosen[-1].end - chosen[0].begin > length and len(chosen) == 1:
        return _crop(text, chosen[0], length)
    return " ".join(" ".join(_mark(text, u, u.begin, u.end).split()) for u in chosen)


def _find(
    text: str, weights: Mapping[str, float], stem: Callable[[str], str]
) -> list[_Match]:
    """Return where the words with one of the stems are."""
    folded = fold(text)
    starts = sorted({word[:3] for word in weights if not is_cjk(word)})
    characters = "".join(re.escape(word) for word in weights if is_cjk(word))
    found: list[_Match] = []
    if starts:
        for match in _make_pattern(tuple(starts)).finditer(folded):
            known = stem(match[0])
            if known in weights:
                found.append(_Match(match.start(), match.end(), known))
    if characters:
        places = re.finditer(f"[{characters}]", text)
        found += [_Match(match.start(), match.end(), match[0]) for match in places]
        found.sort(key=lambda one: one.begin)
    return found


@lru_cache(maxsize=64)
def _make_pattern(starts: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of words that begin so.

    Whether a letter stands before is looked at behind the first ones, so that the
    places that come into question are found quicker.
    """
    begins = (rf"{re.escape(one)}(?<![^\W_]{re.escape(one)})" for one in starts)
    return re.compile(rf"(?:{'|'.join(begins)})[^\W_]*")


def _cut(text: str, matches: list[_Match]) -> list[_Unit]:
    """Return sentences and lines of a text, with the matches in each.

    First ones, those with matches and those that follow them: no others are chosen.
    """
    units: list[_Unit] = []
    at, wanted = 0, _LINES
    for first, last in _find_lines(text):
        has_match = at < len(matches) and matches[at].begin < last
        if not (has_match or wanted > 0):
            continue
        is_code = text.startswith(_CODE, first)
        for begin, end in _cut_line(text, first, last):
            mine: list[_Match] = []
            while at < len(matches) and matches[at].begin < end:
                mine.append(matches[at])
                at += 1
            wanted = _LINES - 1 if mine else wanted - 1
            inset = len(_CODE) if is_code else 0
            units.append(_Unit(begin + inset, end, is_code, tuple(mine)))
    return units


def _find_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield where lines begin and end, without blank ones."""
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        if end > begin and not text[begin:end].isspace():
            yield begin, end
        begin = end + 1


def _cut_line(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a line begin and end; code is one."""
    if not text.startswith(_CODE, begin):
        for match in _SENTENCE.finditer(text, begin, end):
            yield begin, match.end()
            begin = match.end()
    if text[begin:end].strip():
        yield begin, end


def _choose(
    units: list[_Unit], weights: Mapping[str, float], length: int
) -> tuple[int, int]:
    """Return the run of units with most different words; the earliest, the shortest."""
    best, chosen = -1.0, (0, 1)
    for begin, first in enumerate(units):
        if best >= 0 and not first.matches:
            continue
        seen: set[str] = set()
        worth = 0.0
        for end in range(begin, min(begin + _LINES, len(units))):
            if end > begin and units[end].end - first.begin > length:
                break
            unit = units[end]
            for match in unit.matches:
                if match.stem not in seen:
                    seen.add(match.stem)
                    # Prose tells more than code does.
                    worth += weights[match.stem] * (0.8 if unit.is_code else 1.0)
            if worth > best + 1e-9:
                best, chosen = worth, (begin, end + 1)
    return _widen(units, chosen, length)


def _widen(units: list[_Unit], chosen: tuple[int, int], length: int) -> tuple[int, int]:
    """Add what follows while there is room: a lone short line says little."""
    begin, end = chosen
    while end < len(units) and end - begin < _LINES:
        if units[end].end - units[begin].begin > length:
            break
        end += 1
    return begin, end


def _crop(text: str, unit: _Unit, length: int) -> str:
    """Return the part of a long unit around its matches, cut at blanks."""
    begin = unit.begin
    if unit.matches:
        middle = unit.matches[0].begin
        begin = max(unit.begin, min(middle - length // 4, unit.end - length))
    end = min(unit.end, begin + length)
    if begin > unit.begin:
        blank = text.find(" ", begin, begin + length // 4)
        begin = blank + 1 if blank >= 0 else begin
    if end < unit.end:
        blank = text.rfind(" ", end - length // 4, end)
        end = blank if blank > begin else end
    words = " ".join(_mark(text, unit, begin, end).split())
    before = "… " if begin > unit.begin else ""
    return f"{before}{words}{' …' if end < unit.end else ''}"


def _mark(text: str, unit: _Unit, begin: int, end: int) -> str:
    """Return a part of a unit with its matches marked."""
    if unit.is_code:
        return text[begin:end]
    parts: list[str] = []
    at = begin
    for match in unit.matches:
        if begin <= match.begin and match.end <= end:
            between = text[at : match.begin]
            if parts and between in _JOINTS and parts[-1] == "**":
                # Parts of one word are marked together.
                parts[-1] = between + text[match.begin : match.end]
            else:
                parts += [between, "**", text[match.begin : match.end]]
            parts.append("**")
            at = match.end
    return "".join([*parts, text[at:end]])
