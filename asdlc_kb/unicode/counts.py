"""Counts of invisible characters in a text, by kind, with the place of the first.

Two kinds of problem: characters that are removed, and characters that stay although a
reader may see nothing of them (private use, unassigned, blank).
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from asdlc_kb.unicode import table
from asdlc_kb.unicode.invisible import HIDDEN, compile_set, find_planes

_REMOVED: Final = {
    "control character": "0-8 B-1F 7F-9F",
    "tag character": "E0000-E007F",
    "bidirectional control": "61C 200E-200F 202A-202E 2066-2069",
    "joiner": "180E 200C-200D",
    "variation selector": "180B-180D 180F FE00-FE0F E0100-E01EF",
    "noncharacter": table.NONCHARACTERS,
}
_OTHER: Final = "ignorable character"
"""What is removed and of none of these kinds."""

_KEPT: Final = {
    "private-use character": table.PRIVATE,
    "unassigned character": table.UNASSIGNED,
}
_BLANK: Final = "blank character"
_BLANKS: Final = "2800"
"""Characters that take space and show nothing, but are no space."""

_UNSEEN: Final = f"{table.PRIVATE} {table.UNASSIGNED} {_BLANKS}"


class CharacterCount(NamedTuple):
    """What is wrong with the characters of a text."""

    at: int
    """The index of the first such character."""
    message: str
    characters: frozenset[str]
    """The characters that it counts."""


def count_removed(text: str, clean: str) -> CharacterCount | None:
    """Return what was removed from a text to make it clean; None if nothing was."""
    if len(text) == len(clean):
        return None
    low, high = 0, len(clean)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high)
            if text.startswith(clean[low:middle], low)
            else (low, middle - 1)
        )
    counts = Counter(text)
    counts.subtract(clean)
    shown = _describe(counts, _REMOVED, _OTHER)
    message = _number(len(text) - len(clean), "invisible character")
    message = f"{message} ({shown}), the first {_name(text[low])}"
    return CharacterCount(low, message, frozenset(+counts))


def count_unseen(text: str) -> CharacterCount | None:
    """Return what a text has that may show nothing; None if it has nothing such."""
    if text.isascii():
        return None
    pattern = compile_set(_UNSEEN, find_planes(text))
    first = pattern.search(text)
    if first is None:
        return None
    counts = Counter("".join(pattern.findall(text)))
    shown = _describe(counts, _KEPT, _BLANK)
    message = f"{_number(counts.total(), 'character')} that may show nothing"
    at = first.start()
    message = f"{message} ({shown}), the first {_name(text[at])}"
    return CharacterCount(at, message, frozenset(counts))


def has_unseen(name: str) -> bool:
    """Whether a name has any character that may show nothing, wherever it stands.

    Names with control characters of ASCII are not asked about.
    """
    if name.isascii():
        return False
    planes = find_planes(name)
    return any(compile_set(each, planes).search(name) for each in (HIDDEN, _UNSEEN))


def _describe(counts: Mapping[str, int], kinds: Mapping[str, str], other: str) -> str:
    """Return how many characters there are of each kind, in words."""
    sums: Counter[str] = Counter()
    patterns = {kind: compile_set(ranges, True) for kind, ranges in kinds.items()}
    for character, count in counts.items():
        if count:
            found = (kind for kind in kinds if patterns[kind].match(character))
            sums[next(found, other)] += count
    return ", ".join(_number(count, kind) for kind, count in sums.most_common())


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _name(character: str) -> str:
    return f"U+{ord(character):04X}"
