"""Removal of characters that a reader cannot see but a model reads.

Removed are control characters except newline and tab, Default_Ignorable_Code_Point,
bidirectional controls, format characters without a glyph, noncharacters and tags.
Characters that change how adjacent ones render are kept next to them:

- one variation selector after a base that Unicode registers for it, one of the
  supplement after an ideograph
- one joiner or non-joiner between letters of joining scripts, one joiner between
  pictographs
- one left-to-right or right-to-left mark between visible characters, at least one of
  them a letter of a right-to-left script

Each visible character is thus followed by at most one selector and one other kept
character. Cleaning is idempotent, and the concatenation of clean texts is clean.
"""

import re
from functools import cache
from typing import Final

from asdlc_kb.unicode import table

_CONTROLS: Final = bytes({*range(0x20), 0x7F} - {0x09, 0x0A})
_ONE_PLANE: Final = bytes(range(0xF0))
"""UTF-8 bytes that occur in characters of the first plane."""
_NON_JOINER: Final = "200C"
_JOINER: Final = "200D"
_MARKS: Final = "200E-200F"
_VOWEL_SEPARATOR: Final = "180E"
_EGYPTIAN_CONTROLS: Final = "13430-1343F"
_SUPPLEMENT: Final = "E0100-E01EF"
_ALPHANUMERIC: Final = "30-39 41-5A 61-7A"
"""Characters that a joiner may separate from letters of a joining script."""
_BASES: Final = {**table.VARIATIONS, _SUPPLEMENT: table.IDEOGRAPHS}
"""Bases allowed before each set of variation selectors."""

_LETTERS: Final = (
    (table.JOINING, f"{table.JOINING} {_ALPHANUMERIC}"),
    (_ALPHANUMERIC, table.JOINING),
)
_PAIRS: Final = {
    _NON_JOINER: _LETTERS,
    _JOINER: (
        *_LETTERS,
        (f"{table.PICTOGRAPHS} {table.MODIFIERS}", table.PICTOGRAPHS),
    ),
    _VOWEL_SEPARATOR: ((table.MONGOLIAN, table.MONGOLIAN),),
    _EGYPTIAN_CONTROLS: ((table.EGYPTIAN, table.EGYPTIAN),),
}
"""Character pairs between which each set is kept."""


def expand_set(*sets: str) -> frozenset[int]:
    """Return the code points of sets of the table."""
    ends = (item.partition("-") for ranges in sets for item in ranges.split())
    return frozenset(
        point
        for first, _, last in ends
        for point in range(int(first, 16), int(last or first, 16) + 1)
    )


def _brackets(*sets: str) -> str:
    """Return sets of the table as the content of a regex character class."""
    ends = (item.partition("-") for ranges in sets for item in ranges.split())
    return "".join(f"\\U{first:0>8}-\\U{last or first:0>8}" for first, _, last in ends)


def _match_one(ranges: str) -> str:
    """Return a pattern that matches one character of a set.

    Ranges beyond the first plane are matched one by one, which the lookahead spares
    characters of the first plane.
    """
    items = ranges.split()
    low = [item for item in items if len(item.partition("-")[0]) <= 4]
    high = [item for item in items if len(item.partition("-")[0]) > 4]
    patterns = [f"[{_brackets(*low)}]"] * bool(low)
    patterns += [rf"(?=[\U00010000-\U0010FFFF])[{_brackets(*high)}]"] * bool(high)
    return f"(?:{'|'.join(patterns)})"


HIDDEN: Final = f"80-9F {table.IGNORABLE} {table.FORMATS} {table.NONCHARACTERS}"
"""Characters that are removed, always or outside the permitted context."""
_SELECTORS: Final = _brackets(*_BASES)
_BETWEEN: Final = _brackets(*_PAIRS, _MARKS)


def find_planes(text: str) -> bool:
    """Whether a text has characters beyond the first plane."""
    return bool(text.encode("utf-8", "surrogatepass").translate(None, _ONE_PLANE))


@cache
def compile_set(ranges: str, planes: bool) -> re.Pattern[str]:
    """Return the cached pattern of a run of a set's characters.

    It is faster without those beyond the first plane: see `find_planes`.
    """
    items = ranges.split()
    low = [item for item in items if len(item.partition("-")[0]) <= 4]
    return re.compile(f"[{_brackets(*(items if planes else low))}]+")


@cache
def _always_removed() -> str:
    """Return the set of characters that are removed in any context."""
    points = expand_set(HIDDEN) - expand_set(*_BASES, *_PAIRS, _MARKS)
    firsts = sorted(point for point in points if point - 1 not in points)
    lasts = sorted(point for point in points if point + 1 not in points)
    return " ".join(f"{a:X}-{b:X}" for a, b in zip(firsts, lasts, strict=True))


@cache
def _compile_selectors() -> re.Pattern[str]:
    """Return the pattern of a variation selector without a registered base."""
    kinds = (
        f"(?<=[{_brackets(selectors)}])(?<!{_match_one(bases)}.)"
        for selectors, bases in _BASES.items()
    )
    return re.compile(f"[{_SELECTORS}](?:{'|'.join(kinds)})", re.DOTALL)


@cache
def _compile_between() -> re.Pattern[str]:
    """Return the pattern of joiners and marks outside their permitted context.

    At most the first of a run is kept. A selector before it belongs to its base.
    """
    visible = f"[^{_BETWEEN}{_SELECTORS}{_brackets(table.SPACES)}]"
    leftward = _match_one(table.RIGHT_TO_LEFT)
    pairs = {
        kind: [(_match_one(before), _match_one(after)) for before, after in contexts]
        for kind, contexts in _PAIRS.items()
    }
    pairs[_MARKS] = [(leftward, visible), (visible, leftward)]
    kinds = (
        f"(?<=[{_brackets(kind)}])(?:{_outside_contexts(contexts)})"
        for kind, contexts in pairs.items()
    )
    return re.compile(f"[{_BETWEEN}](?:{'|'.join(kinds)})[{_BETWEEN}]*+", re.DOTALL)


def _outside_contexts(contexts: list[tuple[str, str]]) -> str:
    """Return a pattern for a character between none of the given pairs."""
    prefixes = {
        f"(?<![{_SELECTORS}].)": "",
        f"(?<=[{_SELECTORS}].)": f"[{_SELECTORS}]",
    }
    return "|".join(
        condition
        + "".join(
            f"(?<!{before}{selector}.(?=[{_BETWEEN}]*+{after}))"
            for before, after in contexts
        )
        for condition, selector in prefixes.items()
    )


def strip_invisible(text: str) -> str:
    """Return a text without invisible characters, in linear time."""
    if text.isascii():
        data = text.encode("ascii")
        visible_bytes = data.translate(None, _CONTROLS)
        return (
            text if len(visible_bytes) == len(data) else visible_bytes.decode("ascii")
        )
    data = text.encode("utf-8", "surrogatepass")
    visible_bytes = data.translate(None, _CONTROLS)
    if len(visible_bytes) < len(data):
        text = visible_bytes.decode("utf-8", "surrogatepass")
    planes = find_planes(text)
    if compile_set(HIDDEN, planes).search(text):
        text = compile_set(_always_removed(), planes).sub("", text)
        text = _compile_selectors().sub("", text)
        text = _compile_between().sub("", text)
    return text
