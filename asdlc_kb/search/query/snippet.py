"""Snippets: the best passage of a section as plain text, split at its matches.

Matches in lines of code do not count as such. Lines of code stay lines, with their
indent.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from textwrap import dedent
from typing import Final, NamedTuple

from asdlc_kb.search.analyzer import make_stem
from asdlc_kb.search.languages import ENGLISH, find_stemmer
from asdlc_kb.search.tokens import WORD, fold, is_cjk, normalize_form

_MAX_SECTION_CHARS: Final = 40_000
"""Characters of a section that are considered."""
_CODE: Final = "    "
"""Indent of a line of code."""
_SENTENCE: Final = re.compile(r"[.!?][\"')\]]*\s+(?=\S)|[\u3002\uff01\uff1f]")
_LINES: Final = 3
"""Lines or sentences of a passage at most."""
_WORD_SEPARATORS: Final = frozenset({"", "_"})
"""Separators of parts of one word, which are one match."""
_BLANKS: Final = re.compile(r"\s+")


class Match(NamedTuple):
    """A word of a text with one of the stems that are searched for."""

    begin: int
    end: int
    stem: str


class _Unit(NamedTuple):
    """A sentence or a line."""

    begin: int
    end: int
    is_code: bool
    matches: tuple[Match, ...]


def make_snippet(
    text: str, weights: Mapping[str, float], length: int, language: str = ""
) -> tuple[str, ...]:
    """Return the passage with the highest weight of distinct words.

    Every second part is a match; none for no text. `weights` are by stem; `language` is
    the tag of the text's. The passage has at most `length` characters, and ends with a
    sentence where possible.
    """
    text = text[:_MAX_SECTION_CHARS]
    units = _split_units(text, find_matches(text, weights, language))
    if not units:
        return ()
    begin, end = _choose_units(units, weights, length)
    chosen = units[begin:end]
    if chosen[-1].end - chosen[0].begin > length and len(chosen) == 1:
        return _crop(text, chosen[0], length)
    return _join(text, chosen)


def find_matches(
    text: str, weights: Mapping[str, float], language: str = ""
) -> list[Match]:
    """Return the positions of words of a text in a language with one of the stems."""
    stemmer = find_stemmer(language)
    stem = make_stem(stemmer)
    folded = fold(text)
    stems = [word for word in weights if not is_cjk(word)]
    characters = "".join(re.escape(word) for word in weights if is_cjk(word))
    matches: list[Match] = []
    if stems:
        pattern = WORD
        if stemmer == ENGLISH:
            # Other stemmers may change the beginning of a word.
            prefixes = {fold(word[:3]) for word in stems}
            pattern = _make_pattern(tuple(sorted(prefixes)))
        is_ascii = text.isascii()
        for match in pattern.finditer(folded):
            begin, end = match.span()
            # The index keeps the accents of other alphabets than the Latin one.
            word = match[0] if is_ascii else normalize_form(text[begin:end])
            stemmed = stem(word)
            if stemmed in weights:
                matches.append(Match(begin, end, stemmed))
    if characters:
        occurrences = re.finditer(f"[{characters}]", text)
        matches += [
            Match(match.start(), match.end(), match[0]) for match in occurrences
        ]
        matches.sort(key=lambda match: match.begin)
    return matches


@lru_cache(maxsize=64)
def _make_pattern(prefixes: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of words with these prefixes.

    The word boundary is checked after the prefix, which makes the search for candidates
    faster.
    """
    alternatives = (
        rf"{re.escape(prefix)}(?<![^\W_]{re.escape(prefix)})" for prefix in prefixes
    )
    return re.compile(rf"(?:{'|'.join(alternatives)})[^\W_]*")


def _split_units(text: str, matches: list[Match]) -> list[_Unit]:
    """Return the sentences and lines of a text that may be chosen, with their matches.

    These are the first ones, those with matches and those that follow them.
    """
    units: list[_Unit] = []
    at, remaining = 0, _LINES
    for first, last in _find_lines(text):
        has_match = at < len(matches) and matches[at].begin < last
        if not (has_match or remaining > 0):
            continue
        is_code = text.startswith(_CODE, first)
        for begin, end in _split_line(text, first, last):
            unit_matches: list[Match] = []
            while at < len(matches) and matches[at].begin < end:
                unit_matches.append(matches[at])
                at += 1
            remaining = _LINES - 1 if unit_matches else remaining - 1
            inset = len(_CODE) if is_code else 0
            units.append(_Unit(begin + inset, end, is_code, tuple(unit_matches)))
    return units


def _find_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of the lines that are not blank."""
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        if end > begin and not text[begin:end].isspace():
            yield begin, end
        begin = end + 1


def _split_line(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of the sentences of a line; code is one."""
    if not text.startswith(_CODE, begin):
        for match in _SENTENCE.finditer(text, begin, end):
            yield begin, match.end()
            begin = match.end()
    if text[begin:end].strip():
        yield begin, end


def _choose_units(
    units: list[_Unit], weights: Mapping[str, float], length: int
) -> tuple[int, int]:
    """Return the earliest, shortest run of units with the highest weight."""
    best, chosen = -1.0, (0, 1)
    for begin, first in enumerate(units):
        if best >= 0 and not first.matches:
            continue
        seen: set[str] = set()
        weight = 0.0
        for end in range(begin, min(begin + _LINES, len(units))):
            if end > begin and units[end].end - first.begin > length:
                break
            unit = units[end]
            for match in unit.matches:
                if match.stem not in seen:
                    seen.add(match.stem)
                    # Prose is preferred to code.
                    weight += weights[match.stem] * (0.8 if unit.is_code else 1.0)
            if weight > best + 1e-9:
                best, chosen = weight, (begin, end + 1)
    return _extend(units, chosen, length)


def _extend(
    units: list[_Unit], chosen: tuple[int, int], length: int
) -> tuple[int, int]:
    """Extend a passage to the following units while the length allows."""
    begin, end = chosen
    while end < len(units) and end - begin < _LINES:
        if units[end].end - units[begin].begin > length:
            break
        end += 1
    return begin, end


def _join(text: str, units: Sequence[_Unit]) -> tuple[str, ...]:
    """Return the parts of adjacent units: code as lines, all else in one line."""
    runs: list[Sequence[str]] = []
    for is_code, run in groupby(units, key=lambda unit: unit.is_code):
        if is_code:
            lines = (text[unit.begin : unit.end].rstrip() for unit in run)
            runs.append([dedent("\n".join(lines))])
        else:
            split = [_split_matches(text, unit, unit.begin, unit.end) for unit in run]
            runs.append(_collapse_blanks(_concatenate(" ", split)))
    return tuple(_concatenate("\n", runs))


def _crop(text: str, unit: _Unit, length: int) -> tuple[str, ...]:
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
    before = ["… "] if begin > unit.begin else [""]
    after = [" …"] if end < unit.end else [""]
    words = _collapse_blanks(_split_matches(text, unit, begin, end))
    return tuple(_concatenate("", (before, words, after)))


def _split_matches(text: str, unit: _Unit, begin: int, end: int) -> list[str]:
    """Return the parts of a piece of a unit: every second one is a match."""
    parts: list[str] = []
    at = begin
    for match in () if unit.is_code else unit.matches:
        if begin <= match.begin and match.end <= end:
            between, word = text[at : match.begin], text[match.begin : match.end]
            if parts and between in _WORD_SEPARATORS:
                parts[-1] += between + word
            else:
                parts += [between, word]
            at = match.end
    return [*parts, text[at:end]]


def _collapse_blanks(parts: Sequence[str]) -> list[str]:
    """Return parts in one line, without blanks at its ends."""
    collapsed = [_BLANKS.sub(" ", part) for part in parts]
    collapsed[0] = collapsed[0].lstrip()
    collapsed[-1] = collapsed[-1].rstrip()
    return collapsed


def _concatenate(separator: str, pieces: Iterable[Sequence[str]]) -> list[str]:
    """Return the parts of pieces that follow one another."""
    parts: list[str] = []
    for first, *others in pieces:
        parts[-1:] = [separator.join((*parts[-1:], first)), *others]
    return parts
