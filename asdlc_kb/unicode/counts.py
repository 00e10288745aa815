"""Counts of invisible characters by kind, with the position of the first.

Two problems are counted: characters that are removed, and characters that are kept but
may render as nothing (private use, unassigned, blank).
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
"""Any other removed character."""

_KEPT: Final = {
    "private-use character": table.PRIVATE,
    "unassigned character": table.UNASSIGNED,
}
_BLANK: Final = "blank character"
_BLANKS: Final = "2800"
"""Characters that render blank without being White_Space."""

_MAYBE_BLANK: Final = f"{table.PRIVATE} {table.UNASSIGNED} {_BLANKS}"


class CharacterCount(NamedTuple):
    """A count of invisible characters in a text."""

    at: int
    """The index of the first such character."""
    message: str
    characters: frozenset[str]
    """The distinct characters counted."""


def count_removed(text: str, clean: str) -> CharacterCount | None:
    """Count the characters removed between `text` and `clean`; None if none were."""
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
    summary = _describe(counts, _REMOVED, _OTHER)
    message = _pluralize(len(text) - len(clean), "invisible character")
    message = f"{message} ({summary}), the first {_format_code_point(text[low])}"
    return CharacterCount(low, message, frozenset(+counts))


def count_unseen(text: str) -> CharacterCount | None:
    """Count the characters kept that may render as nothing; None without any."""
    if text.isascii():
        return None
    pattern = compile_set(_MAYBE_BLANK, find_planes(text))
    # The set is large: most texts are known without it by their distinct characters.
    if not pattern.search("".join(set(text))):
        return None
    first = pattern.search(text)
    assert first is not None
    counts = Counter("".join(pattern.findall(text)))
    summary = _describe(counts, _KEPT, _BLANK)
    message = f"{_pluralize(counts.total(), 'character')} that may show nothing"
    at = first.start()
    message = f"{message} ({summary}), the first {_format_code_point(text[at])}"
    return CharacterCount(at, message, frozenset(counts))


def has_unseen(name: str) -> bool:
    """Whether a name has a character that may render as nothing, in any position.

    ASCII control characters are not checked.
    """
    if name.isascii():
        return False
    planes = find_planes(name)
    return any(
        compile_set(ranges, planes).search(name) for ranges in (HIDDEN, _MAYBE_BLANK)
    )


def _describe(counts: Mapping[str, int], kinds: Mapping[str, str], other: str) -> str:
    """Format the number of characters of each kind, the most frequent first."""
    sums: Counter[str] = Counter()
    patterns = {kind: compile_set(ranges, True) for kind, ranges in kinds.items()}
    for character, count in counts.items():
        if count:
            matching = (kind for kind in kinds if patterns[kind].match(character))
            sums[next(matching, other)] += count
    return ", ".join(_pluralize(count, kind) for kind, count in sums.most_common())


def _pluralize(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _format_code_point(character: str) -> str:
    return f"U+{ord(character):04X}"
