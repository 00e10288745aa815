"""Names of what the content is about, for the instructions of clients (D-142).

Instructions are read by models as the server's own words, and authors choose the names
of folders, tags and groups. So a name counts only as a label of several visible items,
is short and plain, and is written as one hyphenated word.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from unicodedata import category

MIN_ITEMS: Final = 3
"""Visible articles that must have a tag, and visible pages that a group must have."""

MAX_NAME_CHARACTERS: Final = 30
MAX_NAME_WORDS: Final = 3
"""Words between blanks and hyphens."""

_SEPARATOR: Final = re.compile(r"[ -]+")
_ADDRESSING: Final = frozenset(
    "always bypass disregard forget ignore must never obey override overrule pretend "
    "you your yourself".split()
)
"""Words that address a reader. Names with one are left out."""


def rank_labels(*counted: Mapping[str, int]) -> list[str]:
    """Return the labels of names, most frequent first.

    `counted` are numbers of visible items by name; a label counts as its most frequent
    name.
    """
    counts: dict[str, int] = {}
    for names in counted:
        for name, count in names.items():
            if (label := make_label(name)) is not None:
                counts[label] = max(count, counts.get(label, 0))
    return sorted(counts, key=lambda label: (-counts[label], label))


def keep_frequent(counted: Mapping[str, int]) -> dict[str, int]:
    """Return the names that at least `MIN_ITEMS` visible items share."""
    return {name: count for name, count in counted.items() if count >= MIN_ITEMS}


def make_label(name: str) -> str | None:
    """Return a name as one lower-case word with hyphens, None if it is not plain.

    Plain is a name of at most `MAX_NAME_CHARACTERS` letters, digits, blanks and hyphens
    and at most `MAX_NAME_WORDS` words, none of which addresses a reader.
    """
    if len(name) > MAX_NAME_CHARACTERS or not all(map(_is_plain, name)):
        return None
    words = [word for word in _SEPARATOR.split(name.lower()) if word]
    if not 0 < len(words) <= MAX_NAME_WORDS or not _ADDRESSING.isdisjoint(words):
        return None
    return "-".join(words)


def join_labels(labels: Iterable[str], max_characters: int) -> str:
    """Return the first labels that fit, separated by commas."""
    return ", ".join(_fill(labels, max_characters))


def _fill(labels: Iterable[str], max_characters: int) -> Iterator[str]:
    used = 0
    for label in labels:
        used += len(label) + 2
        if used - 2 > max_characters:
            return
        yield label


def _is_plain(character: str) -> bool:
    """Whether a character is a letter, a mark on one, a digit, a blank or a hyphen."""
    kind = category(character)
    return character in " -" or kind[0] in "LM" or kind == "Nd"
