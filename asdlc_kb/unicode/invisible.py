"""Removal of characters that a reader cannot see but a model reads.

Removed are control characters but newline and tab, what Unicode calls default
ignorable, bidirectional controls, format characters that show nothing, noncharacters
and tags. What changes how its neighbours look stays beside them:

- one variation selector behind a base that Unicode registers for it, one of the
  supplement behind an ideograph
- one joiner or non-joiner between letters of scripts that join, one joiner between
  pictographs
- one left-to-right or right-to-left mark between visible characters, of which one is a
  letter of a script that is written from right to left

So each visible character is followed by at most one selector and one other character
that is kept. A clean text stays as it is, and clean texts in a row are clean.
"""

import re
from functools import cache
from typing import Final

from asdlc_kb.unicode import table

_CONTROLS: Final = bytes({*range(0x20), 0x7F} - {0x09, 0x0A})
_ONE_PLANE: Final = bytes(range(0xF0))
"""Bytes of UTF-8 that characters of the first plane have."""
_NON_JOINER: Final = "200C"
_JOINER: Final = "200D"
_MARKS: Final = "200E-200F"
_VOWEL_SEPARATOR: Final = "180E"
_EGYPTIAN_CONTROLS: Final = "13430-1343F"
_SUPPLEMENT: Final = "E0100-E01EF"
_ALPHANUMERIC: Final = "30-39 41-5A 61-7A"
"""What a joiner may set apart from letters of a script that joins."""
_BASES: Final = {**table.VARIATIONS, _SUPPLEMENT: table.IDEOGRAPHS}
"""What a variation selector may follow."""

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
"""Between which characters others stay."""


def expand_set(*sets: str) -> frozenset[int]:
    """Return the code points of sets of the table."""
    ends = (item.partition("-") for ranges in sets for item in ranges.split())
    return frozenset(
        point
        for first, _, last in ends
        for point in range(int(first, 16), int(last or first, 16) + 1)
    )


def _brackets(*sets: str) -> str:
    """Return sets of the table as what stands in brackets in a pattern."""
    ends = (item.partition("-") for ranges in sets for item in ranges.split())
    return "".join(f"\\U{first:0>8}-\\U{last or first:0>8}" for first, _, last in ends)


def _match_one(ranges: str) -> str:
    """Return a pattern of one character of a set.

    Beyond the first plane the matcher goes through a set's ranges one by one: it does
    so for no character of the first plane.
    """
    items = ranges.split()
    low = [item for item in items if len(item.partition("-")[0]) <= 4]
    high = [item for item in items if len(item.partition("-")[0]) > 4]
    patterns = [f"[{_brackets(*low)}]"] * bool(low)
    patterns += [rf"(?=[\U00010000-\U0010FFFF])[{_brackets(*high)}]"] * bool(high)
    return f"(?:{'|'.join(patterns)})"


HIDDEN: Final = f"80-9F {table.IGNORABLE} {table.FORMATS} {table.NONCHARACTERS}"
"""What stays nowhere, or only beside some characters."""
_SELECTORS: Final = _brackets(*_BASES)
_BETWEEN: Final = _brackets(*_PAIRS, _MARKS)


def find_planes(text: str) -> bool:
    """Whether a text has characters beyond the first plane."""
    return bool(text.encode("utf-8", "surrogatepass").translate(None, _ONE_PLANE))


@cache
def compile_set(ranges: str, planes: bool) -> re.Pattern[str]:
    """Return the pattern of a run of a set's characters, once for each set.

    Without those beyond the first plane it is quicker: see `find_planes`.
    """
    items = ranges.split()
    low = [item for item in items if len(item.partition("-")[0]) <= 4]
    return re.compile(f"[{_brackets(*(items if planes else low))}]+")


@cache
def _find_always() -> str:
    """Return the set of what is removed wherever it stands."""
    points = expand_set(HIDDEN) - expand_set(*_BASES, *_PAIRS, _MARKS)
    firsts = sorted(point for point in points if point - 1 not in points)
    lasts = sorted(point for point in points if point + 1 not in points)
    return " ".join(f"{a:X}-{b:X}" for a, b in zip(firsts, lasts, strict=True))


@cache
def _compile_selectors() -> re.Pattern[str]:
    """Return the pattern of a variation selector that follows none of its bases."""
    kinds = (
        f"(?<=[{_brackets(selectors)}])(?<!{_match_one(bases)}.)"
        for selectors, bases in _BASES.items()
    )
    return re.compile(f"[{_SELECTORS}](?:{'|'.join(kinds)})", re.DOTALL)


@cache
def _compile_between() -> re.Pattern[str]:
    """Return the pattern of joiners and marks that are not where they are needed.

    Of a run the first is kept or none. A selector before it belongs to what it follows.
    """
    visible = f"[^{_BETWEEN}{_SELECTORS}{_brackets(table.SPACES)}]"
    leftward = _match_one(table.RIGHT_TO_LEFT)
    pairs = {
        kind: [(_match_one(before), _match_one(behind)) for before, behind in places]
        for kind, places in _PAIRS.items()
    }
    pairs[_MARKS] = [(leftward, visible), (visible, leftward)]
    kinds = (
        f"(?<=[{_brackets(kind)}])(?:{_forbid(places)})"
        for kind, places in pairs.items()
    )
    return re.compile(f"[{_BETWEEN}](?:{'|'.join(kinds)})[{_BETWEEN}]*+", re.DOTALL)


def _forbid(places: list[tuple[str, str]]) -> str:
    """Return a pattern for a character that stands in none of the places."""
    before_it = {
        f"(?<![{_SELECTORS}].)": "",
        f"(?<=[{_SELECTORS}].)": f"[{_SELECTORS}]",
    }
    return "|".join(
        condition
        + "".join(
            f"(?<!{before}{selector}.(?=[{_BETWEEN}]*+{behind}))"
            for before, behind in places
        )
        for condition, selector in before_it.items()
    )


def strip_invisible(text: str) -> str:
    """Return a text without invisible characters; it takes time in proportion to it."""
    if text.isascii():
        data = text.encode("ascii")
        seen = data.translate(None, _CONTROLS)
        return text if len(seen) == len(data) else seen.decode("ascii")
    data = text.encode("utf-8", "surrogatepass")
    seen = data.translate(None, _CONTROLS)
    if len(seen) < len(data):
        text = seen.decode("utf-8", "surrogatepass")
    planes = find_planes(text)
    if compile_set(HIDDEN, planes).search(text):
        text = compile_set(_find_always(), planes).sub("", text)
        text = _compile_selectors().sub("", text)
        text = _compile_between().sub("", text)
    return text
